import type { PasskeyOwner } from './passkey-entries.ts'

/** Returns the user handle that a device stores: the person's ref, a keyed hash that reveals no identity. */
export function userHandle(human_ref: string): Uint8Array {
  return Buffer.from(human_ref.replace('sha256:', ''), 'hex')
}

export function isUserHandle(handle: string, human_ref: string): boolean {
  return Buffer.from(handle, 'base64url').equals(userHandle(human_ref))
}

/** Returns the name that a device shows: the tenant and the start of the ref. No address or name is stored. */
export function accountName({ tenant_id, human_ref }: PasskeyOwner): string {
  return `${tenant_id} ${human_ref.replace('sha256:', '').slice(0, 8)}`
}
