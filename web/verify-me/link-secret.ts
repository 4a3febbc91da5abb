/**
 * The secret of the link. It leaves the address at once, so that neither the history nor a shared screen shows it, and
 * stays in this tab for a reload.
 */
import type { PageSecret } from './page-calls.ts'

export interface LinkedSession {
  readonly session_id: string
  readonly secret: PageSecret
}

/** Undefined if the link carries no secret. */
export function takeLink(): LinkedSession | undefined {
  const session_id = decodeURIComponent(location.pathname.split('/')[2] ?? '')
  const text = location.hash.length > 1 ? takenFromAddress(session_id) : kept(keyOf(session_id))
  if (text === undefined || session_id === '') return undefined
  const isCode = text.startsWith('t=')
  return { session_id, secret: isCode ? { transfer_code: text.slice(2) } : { client_token: text } }
}

/** Whether a provider has sent the person here. */
export function isReturn(): boolean {
  return location.pathname.split('/')[3] === 'returned'
}

const keyOf = (session_id: string) => `deputy.verify-me.${session_id}`

function takenFromAddress(session_id: string): string {
  const text = location.hash.slice(1)
  history.replaceState(null, '', location.pathname)
  try {
    sessionStorage.setItem(keyOf(session_id), text)
  } catch {
    // This browser has no storage for sites. Only a reload needs it.
  }
  return text
}

function kept(key: string): string | undefined {
  try {
    return sessionStorage.getItem(key) ?? undefined
  } catch {
    return undefined
  }
}

/** The key of the widget in this tab, once it has begun. It replaces a nonce. The widget stores it under this name. */
export function keyOfWidget(session_id: string): string | undefined {
  return kept(`deputy-verify ${session_id}`)
}
