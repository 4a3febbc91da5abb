import { hash, timingSafeEqual } from 'node:crypto'
import { AuthorityError } from '@deputize/protocol'
import type { Credentials } from '../access/credentials.ts'
import { isLoopback } from '../loopback.ts'
import { readCookie, SESSION_COOKIE } from './cookies.ts'
import { type Arrival, isLocalHost } from './open-mode.ts'

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
  if (typeof host === 'string' && host.toLowerCase() === public_url.slice(public_url.indexOf('//') + 2))
    return undefined
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
    isSame(headers['deputy-csrf'], csrf_token)
  return isOurs ? undefined : new AuthorityError('cross_site_request')
}

/** Takes the same time wherever the two differ. */
function isSame(given: unknown, wanted: string): boolean {
  return timingSafeEqual(hash('sha256', String(given), 'buffer'), hash('sha256', wanted, 'buffer'))
}

export function credentialsOf({ method, headers }: Arrival, url: string, public_url: string): Credentials {
  return {
    method,
    target: url,
    authorization: oneHeader(headers.authorization),
    proof: oneHeader(headers.dpop),
    session: readCookie(oneHeader(headers.cookie), SESSION_COOKIE, public_url.startsWith('https:')),
    presented_token: oneHeader(headers['deputy-token']),
    grant: oneHeader(headers['deputy-step-up']),
  }
}

/** A header that came twice says nothing. */
function oneHeader(value: string | string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined
}
