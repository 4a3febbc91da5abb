/**
 * The secret of the capturing tab. With it, a page that was reloaded or that lost an answer can continue, instead of
 * being refused because another device has the session. It ends with the tab, and is useless without its session.
 */

const nameOf = (session_id: string) => `deputy-verify ${session_id}`

/** Undefined if there is none, or if the browser gives the page no storage. */
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
    // Without storage, a reloaded page must start over on another device.
  }
  return key
}

export function forgetDeviceKey(session_id: string): void {
  try {
    sessionStorage.removeItem(nameOf(session_id))
  } catch {
    // There is no storage.
  }
}
