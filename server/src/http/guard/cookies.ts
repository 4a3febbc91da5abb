import { SESSION_MOST_MS } from '../../access/session-entries.ts'

/** The cookie that holds the secret of a session. */
export const SESSION_COOKIE = 'deputy_session'

export interface Cookie {
  readonly name: string
  readonly value: string
  readonly max_age_s: number
  /** Browsers send `Lax` cookies when another site links here, and `Strict` cookies never from another site. */
  readonly same_site: 'Lax' | 'Strict'
}

/** Adds the prefix that binds a cookie to this host and to TLS. Without TLS, browsers refuse such a cookie. */
export function cookieName(name: string, isSecure: boolean): string {
  return isSecure ? `__Host-${name}` : name
}

/** Returns the value of a Set-Cookie header. Scripts can't read the cookie. */
export function setCookie({ name, value, max_age_s, same_site }: Cookie, isSecure: boolean): string {
  const parts = [`${cookieName(name, isSecure)}=${value}`, 'Path=/', `Max-Age=${max_age_s}`, 'HttpOnly']
  return [...parts, `SameSite=${same_site}`, ...(isSecure ? ['Secure'] : [])].join('; ')
}

/** Returns a Set-Cookie value for the longest life of a session or, without a secret, one that deletes the cookie. */
export function sessionCookie(secret: string | undefined, public_url: string): string {
  const max_age_s = secret === undefined ? 0 : SESSION_MOST_MS / 1000
  const cookie = { name: SESSION_COOKIE, value: secret ?? '', max_age_s, same_site: 'Strict' } as const
  return setCookie(cookie, public_url.startsWith('https:'))
}

/** Returns the value of a cookie. A duplicated cookie is ignored, because one of them may have been planted. */
export function readCookie(header: string | undefined, name: string, isSecure: boolean): string | undefined {
  const wanted = `${cookieName(name, isSecure)}=`
  const found = (header ?? '')
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part.startsWith(wanted))
  return found.length === 1 ? found[0]?.slice(wanted.length) : undefined
}
