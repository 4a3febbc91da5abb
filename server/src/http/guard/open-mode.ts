import { AuthorityError, invalidField } from '@deputize/protocol'
import { isLoopback, LOCAL_HOSTS } from '../../loopback.ts'

/** The parts of a request that access checks read. */
export interface IncomingRequest {
  readonly method: string
  readonly remote_address: string | undefined
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
}

/** Headers that must not be repeated. */
const SINGLE_HEADERS: readonly string[] = [
  'host',
  'authorization',
  'content-type',
  'origin',
  'dpop',
  'deputy-token',
  'deputy-csrf',
  'deputy-step-up',
]

const REMEMBERED_SPELLINGS = 500
/** The bit of a single header by its name as sent, 0 for all others. Cached because clients use few spellings. */
const bitsBySpelling = new Map<string, number>()

function singleBit(spelling: string): number {
  const known = bitsBySpelling.get(spelling)
  if (known !== undefined) return known
  const position = SINGLE_HEADERS.indexOf(spelling.toLowerCase())
  const bit = position === -1 ? 0 : 1 << position
  if (bitsBySpelling.size >= REMEMBERED_SPELLINGS) bitsBySpelling.clear()
  bitsBySpelling.set(spelling, bit)
  return bit
}

/**
 * Refuses a request that repeats one of the headers above. Node keeps the first of some repeated headers and silently
 * drops the rest, and a proxy may have checked another one. `raw_headers` alternates names and values.
 */
export function repeatedRefusal(raw_headers: readonly string[]): AuthorityError | undefined {
  let seen = 0
  for (let index = 0; index < raw_headers.length; index += 2) {
    const name = String(raw_headers[index])
    const bit = singleBit(name)
    if ((seen & bit) !== 0) return invalidField(name.toLowerCase(), 'is a header that must not be repeated')
    seen |= bit
  }
  return undefined
}

const FORWARDING_HEADERS = ['forwarded', 'x-real-ip', 'via']

/**
 * Open mode trusts every program on this machine, so it refuses requests from other machines, through a proxy, and from
 * pages of other sites in a local browser (DNS rebinding, cross-site requests). Returns undefined if the request is
 * local. `is_for_other_sites` means that pages of other sites may load the resource.
 */
export function localRefusal(
  { method, remote_address, headers }: IncomingRequest,
  port: number,
  is_for_other_sites = false,
): AuthorityError | undefined {
  if (!isLoopback(remote_address)) return new AuthorityError('peer_not_local')
  if (!isLocalHost(headers.host, port)) return new AuthorityError('host_not_allowed')
  if (Object.keys(headers).some(isForwarding)) return new AuthorityError('forwarded_request')
  if (is_for_other_sites) return undefined
  if (!isOwnOrigin(headers.origin, port) || !isOwnSite(method, headers))
    return new AuthorityError('cross_site_request')
  return undefined
}

export function isLocalHost(host: unknown, port: number): boolean {
  return typeof host === 'string' && localNames(port).has(host.toLowerCase())
}

/** By port. Cached because a process listens on few ports and every request is compared. */
const namesByPort = new Map<number, ReadonlySet<string>>()

/** Returns the values of `Host` that name this machine. */
function localNames(port: number): ReadonlySet<string> {
  const known = namesByPort.get(port)
  if (known !== undefined) return known
  const names = new Set(LOCAL_HOSTS.flatMap((local) => [`${local}:${port}`, ...(port === 80 ? [local] : [])]))
  namesByPort.set(port, names)
  return names
}

function isForwarding(name: string): boolean {
  return name.startsWith('x-forwarded-') || FORWARDING_HEADERS.includes(name)
}

export function isOwnOrigin(origin: unknown, port: number): boolean {
  if (origin === undefined) return true
  return LOCAL_HOSTS.some(
    (local) => origin === `http://${local}:${port}` || (port === 80 && origin === `http://${local}`),
  )
}

/** Whether the browser's headers allow the request. Other sites may link to pages, but not call the API. */
function isOwnSite(method: string, headers: IncomingRequest['headers']): boolean {
  const site = headers['sec-fetch-site']
  if (site === undefined || site === 'none' || site === 'same-origin') return true
  return (
    method === 'GET' && headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document'
  )
}
