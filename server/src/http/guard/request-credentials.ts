import { hash, timingSafeEqual } from 'node:crypto'
import { AuthorityError } from '@deputize/protocol'
import type { RequestCredentials } from '../../access/credentials.ts'
import { isLoopback } from '../../loopback.ts'
import { readCookie, SESSION_COOKIE } from './cookies.ts'
import { type IncomingRequest, isLocalHost } from './open-mode.ts'

/**
 * Refuses a request for another host name. In keyed mode the service has one: a request for another comes from a page
 * of another site (DNS rebinding) or through a misconfigured proxy. Health checks on this machine may use its local
 * names.
 */
export function hostRefusal(
  { remote_address, headers }: IncomingRequest,
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
 * Refuses a change that no page of this service made. Browsers send the session cookie even with requests that other
 * sites cause, so a change must come from this service's origin and carry a token that only its pages can read.
 */
export function forgeryRefusal(
  { method, headers }: IncomingRequest,
  public_url: string,
  csrf_token: string,
): AuthorityError | undefined {
  if (SAFE_METHODS.includes(method)) return undefined
  const site = headers['sec-fetch-site']
  const isOurs =
    headers.origin === public_url &&
    (site === undefined || site === 'same-origin') &&
    isEqualSecret(headers['deputy-csrf'], csrf_token)
  return isOurs ? undefined : new AuthorityError('cross_site_request')
}

/** Compares in constant time. */
function isEqualSecret(given: unknown, wanted: string): boolean {
  return timingSafeEqual(hash('sha256', String(given), 'buffer'), hash('sha256', wanted, 'buffer'))
}

export function credentialsOf(
  { method, headers }: IncomingRequest,
  url: string,
  public_url: string,
): RequestCredentials {
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

/** Returns undefined for a repeated header. */
function oneHeader(value: string | string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined
}
