/**
 * Web Crypto is asynchronous, but the verifier of the protocol checks signatures synchronously. So the signature is checked
 * before the verifier runs, and the verifier reads the result here. In the package, `crypto.ts` in this folder replaces
 * node:crypto.
 */
export interface CheckedSignature {
  /** The member `x` of the public JWK. */
  readonly x: string
  readonly message: Uint8Array
  readonly signature: Uint8Array
  readonly fits: boolean
}

let available: CheckedSignature | undefined

/** Runs `question`, which must be synchronous, with the result of the check available. */
export function answering<T>(checked: CheckedSignature, question: () => T): T {
  available = checked
  try {
    return question()
  } finally {
    available = undefined
  }
}

/** Whether exactly this signature was checked and is valid. */
export function isKnownToFit(x: string, message: Uint8Array, signature: Uint8Array): boolean {
  return (
    available?.fits === true &&
    available.x === x &&
    isSameBytes(available.message, message) &&
    isSameBytes(available.signature, signature)
  )
}

function isSameBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a === b) return true
  return a.length === b.length && a.every((byte, index) => byte === b[index])
}
