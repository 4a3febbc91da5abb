/** The user handle that a device stores with a passkey: the person's ref, a keyed hash that reveals no identity. */
export function userHandle(human_ref: string): Uint8Array {
  return Buffer.from(human_ref.replace('sha256:', ''), 'hex')
}

export function isUserHandle(handle: string, human_ref: string): boolean {
  return Buffer.from(handle, 'base64url').equals(userHandle(human_ref))
}
