/**
 * Web Crypto answers with a promise, and the protocol asks for signatures in the middle of a judgement that waits for
 * nobody. So a signature is checked beforehand, and the answer is given while the judgement asks. In the package,
 * `crypto.ts` beside this file takes the place of node:crypto and asks here.
 */
export interface Checked {
  /** The public key, as its JWK spells it. */
  readonly x: string
  readonly message: Uint8Array
  readonly signature: Uint8Array
  readonly fits: boolean
}

let known: Checked | undefined

/** Runs `question`, which can ask for the answer as long as it does not wait for anything. */
export function answering<T>(checked: Checked, question: () => T): T {
  known = checked
  try {
    return question()
  } finally {
    known = undefined
  }
}

/** Whether exactly this signature was checked, and fits. */
export function isKnownToFit(x: string, message: Uint8Array, signature: Uint8Array): boolean {
  return (
    known?.fits === true &&
    known.x === x &&
    isSame(known.message, message) &&
    isSame(known.signature, signature)
  )
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  if (a === b) return true
  return a.length === b.length && a.every((byte, index) => byte === b[index])
}
