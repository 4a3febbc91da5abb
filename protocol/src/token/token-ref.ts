import { hash } from 'node:crypto'

const REMEMBERED_REFS = 20_000
const refs = new Map<string, string>()

/** The public reference of a token. The ID itself is a credential in open mode and is never published. */
export function tokenRef(jti: string): string {
  let ref = refs.get(jti)
  if (ref === undefined) {
    if (refs.size >= REMEMBERED_REFS) refs.clear()
    ref = `sha256:${hash('sha256', jti)}`
    refs.set(jti, ref)
  }
  return ref
}
