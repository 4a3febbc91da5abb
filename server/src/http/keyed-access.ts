import { AuthorityError } from '@deputy/protocol'
import type { Credentials } from '../access/gate.ts'
import { isLoopback } from '../loopback.ts'
import { type Arrival, isLocalHost } from './open-access.ts'

/**
 * In keyed mode the service has one name. A request under another one was sent here by a page of a foreign site (DNS
 * rebinding) or by a proxy that mixes sites up. Health checks on the machine itself may use its local names.
 */
export function hostRefusal(
  { remote_address, headers }: Arrival,
  public_url: string,
  port: number,
): AuthorityError | undefined {
  const { host } = headers
  if (typeof host === 'string' && host.toLowerCase() === new URL(public_url).host) return undefined
  if (isLoopback(remote_address) && isLocalHost(host, port)) return undefined
  return new AuthorityError('host_not_allowed')
}

const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS']

/**
 * Browsers send the cookie of a session along whoever makes them call, so a change needs proof that a page of ours made
 * the call: the origin that the browser names, and a token that only such a page can read.
 */
export function forgeryRefusal(
  { method, headers }: Arrival,
  public_url: string,
  csrf_token: string,
): AuthorityError | undefined {
  if (SAFE_METHODS.includes(method)) return undefined
  const site = headers['sec-fetch-site']
  const isOurs =
    headers.origin === public_url &&
    (site === undefined || site === 'same-origin') &&
    headers['deputy-csrf'] === csrf_token
  return isOurs ? undefined : new AuthorityError('cross_site_request')
}

/** Over https the name binds the cookie to this very host; a browser refuses such a name over http. */
export function cookieName(public_url: string): string {
  return public_url.startsWith('https:') ? '__Host-deputy_session' : 'deputy_session'
}

export function credentialsOf({ method, headers }: Arrival, url: string, public_url: string): Credentials {
  return {
    method,
    target: url,
    authorization: oneHeader(headers.authorization),
    proof: oneHeader(headers.dpop),
    session: cookieIn(oneHeader(headers.cookie), cookieName(public_url)),
    presented_token: oneHeader(headers['deputy-token']),
  }
}

/** A header that came twice says nothing. */
function oneHeader(value: string | string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function cookieIn(header: string | undefined, name: string): string | undefined {
  for (const pair of header?.split(';') ?? []) {
    const [key, ...rest] = pair.trim().split('=')
    if (key === name) return rest.join('=')
  }
  return undefined
}

/** The header that keeps the secret of a session in the browser, out of reach of scripts and of other sites. */
export function sessionCookie(public_url: string, secret: string, lasts_s: number): string {
  const secure = public_url.startsWith('https:') ? '; Secure' : ''
  return `${cookieName(public_url)}=${secret}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${lasts_s}${secure}`
}
