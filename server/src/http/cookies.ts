import { SESSION_MOST_MS } from '../access/sessions.ts'

/** The cookie that a session is opened with. */
export const SESSION_COOKIE = 'deputy_session'

/** What a browser is told to remember. */
export interface Cookie {
  readonly name: string
  readonly value: string
  readonly max_age_s: number
  /** `Lax` cookies come along when a link elsewhere leads here; `Strict` ones do not. */
  readonly same_site: 'Lax' | 'Strict'
}

/** The prefix binds a cookie to this very host and to TLS. Without TLS there is no such promise to make. */
export function cookieName(name: string, isSecure: boolean): string {
  return isSecure ? `__Host-${name}` : name
}

/** The text of a Set-Cookie header. No script can read what it sets. */
export function setCookie({ name, value, max_age_s, same_site }: Cookie, isSecure: boolean): string {
  const parts = [`${cookieName(name, isSecure)}=${value}`, 'Path=/', `Max-Age=${max_age_s}`, 'HttpOnly']
  return [...parts, `SameSite=${same_site}`, ...(isSecure ? ['Secure'] : [])].join('; ')
}

/** Opens a session in the browser for as long as one can last; without a secret, closes the one it has. */
export function sessionCookie(secret: string | undefined, public_url: string): string {
  const max_age_s = secret === undefined ? 0 : SESSION_MOST_MS / 1000
  const cookie = { name: SESSION_COOKIE, value: secret ?? '', max_age_s, same_site: 'Strict' } as const
  return setCookie(cookie, public_url.startsWith('https:'))
}

/** The value of a cookie in a Cookie header. One that comes twice is none: somebody has planted one of them. */
export function readCookie(header: string | undefined, name: string, isSecure: boolean): string | undefined {
  const wanted = `${cookieName(name, isSecure)}=`
  const found = (header ?? '')
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part.startsWith(wanted))
  return found.length === 1 ? found[0]?.slice(wanted.length) : undefined
}
