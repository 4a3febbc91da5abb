/**
 * The secret of the tab that captures. A page that is loaded again, and one to which the answer was lost, go on with it
 * instead of being told that another device has the session. It ends with the tab, and is of no use without the session
 * that it belongs to.
 */

const nameOf = (session_id: string) => `deputy-verify ${session_id}`

/** Undefined as well where the browser gives the page no storage. */
export function keptDeviceKey(session_id: string): string | undefined {
  try {
    return sessionStorage.getItem(nameOf(session_id)) ?? undefined
  } catch {
    return undefined
  }
}

/** Draws a key unless this tab has one. */
export function deviceKey(session_id: string): string {
  const key =
    keptDeviceKey(session_id) ?? btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(32))))
  try {
    sessionStorage.setItem(nameOf(session_id), key)
  } catch {
    // Without storage a page that is loaded again starts over on another device.
  }
  return key
}

export function forgetDeviceKey(session_id: string): void {
  try {
    sessionStorage.removeItem(nameOf(session_id))
  } catch {
    // There is none.
  }
}
