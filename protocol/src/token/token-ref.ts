import { hash } from 'node:crypto'

const REMEMBERED_REFS = 20_000
const refs = new Map<string, string>()

/** How a token is named wherever anybody may read it. Its id itself is a credential in open mode and never leaves. */
export function tokenRef(jti: string): string {
  let ref = refs.get(jti)
  if (ref === undefined) {
    if (refs.size >= REMEMBERED_REFS) refs.clear()
    ref = `sha256:${hash('sha256', jti)}`
    refs.set(jti, ref)
  }
  return ref
}
