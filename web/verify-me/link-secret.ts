/**
 * The secret of the link. It leaves the address at once, so that neither the history nor a shared screen shows it, and
 * stays in this tab for a reload.
 */
import type { PageSecret } from './page-calls.ts'

export interface LinkedSession {
  readonly session_id: string
  readonly secret: PageSecret
}

/** Undefined when the link carries no secret. */
export function takeLink(): LinkedSession | undefined {
  const session_id = decodeURIComponent(location.pathname.split('/')[2] ?? '')
  const key = `deputy.verify-me.${session_id}`
  if (location.hash.length > 1) {
    sessionStorage.setItem(key, location.hash.slice(1))
    history.replaceState(null, '', location.pathname)
  }
  const text = sessionStorage.getItem(key)
  if (text === null || session_id === '') return undefined
  const isCode = text.startsWith('t=')
  return { session_id, secret: isCode ? { transfer_code: text.slice(2) } : { client_token: text } }
}
