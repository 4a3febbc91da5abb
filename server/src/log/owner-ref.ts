import { registryRef } from './registry-ref.ts'

/** An owner of an agent as the log names it: API keys by the reference to their registry entry. */
export function ownerRef(owner: string): string {
  return owner.startsWith('key:') ? `key:${registryRef(owner.slice('key:'.length))}` : owner
}
