/**
 * The nonce of the capture that this tab runs, so that a page that is loaded again goes on instead of being told that
 * another device has the session. It ends with the tab, and is of no use without the session that it belongs to.
 */

const keyOf = (session_id: string) => `deputy-verify ${session_id}`

/** Undefined as well where the browser gives the page no storage. */
export function keptNonce(session_id: string): string | undefined {
  try {
    return sessionStorage.getItem(keyOf(session_id)) ?? undefined
  } catch {
    return undefined
  }
}

export function keepNonce(session_id: string, nonce: string): void {
  try {
    sessionStorage.setItem(keyOf(session_id), nonce)
  } catch {
    // Without storage a page that is loaded again starts over on another device.
  }
}

export function forgetNonce(session_id: string): void {
  try {
    sessionStorage.removeItem(keyOf(session_id))
  } catch {
    // There is none.
  }
}
