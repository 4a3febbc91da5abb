/**
 * The HTTP client for addresses that an operator configured or that another server's answer named. All such calls go
 * through here, so that the service cannot be made to call machines that only it can reach (SSRF).
 */

import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { connect, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { isLoopback } from '../loopback.ts'
import { isPublicAddress } from './public-address.ts'

const TIMEOUT_MS = 5_000
const LIMIT_BYTES = 64 * 1024
const PORTS: readonly number[] = [443, 8443]

/** Names that never belong to a public service, whatever they resolve to. */
const LOCAL_NAME = /^[^.]*$|(?:^|\.)(?:localhost|local|internal|home\.arpa|onion)$|\.$/
/** `URL` tolerates backslashes, spaces and missing slashes, which readers of an address do not notice. */
const PLAIN_ADDRESS = /^https?:\/\/[^\s\\/?#@]+(?:[/?][^\s\\#]*)?$/i

export const OUTBOUND_REASONS = {
  address: 'not a plain https address',
  port: 'the port is not allowed',
  not_public: 'not an address on the public internet',
  unresolved: 'the host name does not resolve',
  unreachable: 'connection failed',
  redirect: 'the server redirects, and redirects are not followed',
  too_large: 'the response is too large',
  too_slow: 'the server did not respond in time',
} as const satisfies Record<string, string>

export type OutboundReason = keyof typeof OUTBOUND_REASONS

/** A call that was refused or failed. The message names the address without its query. */
export class OutboundError extends Error {
  override readonly name = 'OutboundError'
  readonly reason: OutboundReason

  constructor(reason: OutboundReason, url: string, cause?: unknown) {
    super(`${printableUrl(url)}: ${OUTBOUND_REASONS[reason]}`, { cause })
    this.reason = reason
  }
}

export interface OutboundRequest {
  readonly method?: 'GET' | 'POST' | 'DELETE'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array | undefined
  readonly signal?: AbortSignal | undefined
}

export type Outbound = (url: string, request?: OutboundRequest) => Promise<Response>

export interface OutboundOptions {
  /** For development and tests: loopback addresses may be called, with plain http and on any port. */
  readonly allow_loopback?: boolean
  readonly ports?: readonly number[]
  readonly timeout_ms?: number
  readonly limit_bytes?: number
  /** Resolves a name to all its addresses. */
  readonly resolve?: (name: string) => Promise<readonly string[]>
  /** Connects to an address that was checked. */
  readonly dial?: (address: string, port: number) => Socket
}

/**
 * A client that calls public https addresses only. A name is resolved once, all its addresses must be public, and the
 * connection goes to one of them, so that a later DNS answer has no effect (DNS rebinding). The certificate must match the
 * name. Redirects are not followed, and proxy settings of the environment are ignored.
 */
export function outbound(options: OutboundOptions = {}): Outbound {
  const { timeout_ms = TIMEOUT_MS, limit_bytes = LIMIT_BYTES } = options
  return async (text, request = {}) => {
    const url = allowedUrl(text, options)
    const deadline = AbortSignal.timeout(timeout_ms)
    const signal = request.signal === undefined ? deadline : AbortSignal.any([deadline, request.signal])
    try {
      const addresses = await checkedAddresses(url, options, signal)
      const socket = await connectTo(url, addresses, options, signal)
      return await exchange(url, request, socket, limit_bytes, signal)
    } catch (error) {
      if (error instanceof OutboundError) throw error
      throw new OutboundError(deadline.aborted ? 'too_slow' : 'unreachable', text, error)
    }
  }
}

/** Parses an address. Throws when it may not be called, before anything is resolved. */
function allowedUrl(text: string, { ports = PORTS, allow_loopback = false }: OutboundOptions): URL {
  const url = PLAIN_ADDRESS.test(text) ? URL.parse(text) : null
  if (url === null || url.username !== '' || url.password !== '') throw new OutboundError('address', text)
  if (allow_loopback && isThisMachine(url)) return url
  if (url.protocol !== 'https:') throw new OutboundError('address', text)
  if (isIP(hostOf(url)) === 0 && LOCAL_NAME.test(url.hostname)) throw new OutboundError('not_public', text)
  if (!ports.includes(portOf(url))) throw new OutboundError('port', text)
  return url
}

/** Judged by the address itself: a public name that resolves to loopback must never be called. */
function isThisMachine(url: URL): boolean {
  return url.hostname === 'localhost' || isLoopback(hostOf(url))
}

function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1')
}

function portOf({ port, protocol }: URL): number {
  return port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port)
}

async function checkedAddresses(
  url: URL,
  { allow_loopback = false, resolve = resolveName }: OutboundOptions,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const host = hostOf(url)
  const addresses = isIP(host) === 0 ? await resolved(url, resolve, signal) : [host]
  const isAllowed = allow_loopback && isThisMachine(url) ? isLoopback : isPublicAddress
  // A name with both public and private addresses is an attempt at rebinding, so one private address refuses them all.
  if (!addresses.every(isAllowed)) throw new OutboundError('not_public', url.href)
  return addresses
}

async function resolved(
  url: URL,
  resolve: (name: string) => Promise<readonly string[]>,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const addresses = await untilAborted(resolve(url.hostname), signal).catch((error: unknown) => {
    if (signal.aborted) throw error
    throw new OutboundError('unresolved', url.href, error)
  })
  if (addresses.length === 0) throw new OutboundError('unresolved', url.href)
  return addresses
}

async function resolveName(name: string): Promise<readonly string[]> {
  const found = await lookup(name, { all: true })
  return found.map(({ address }) => address)
}

/** Connects to the first address that accepts. */
async function connectTo(
  url: URL,
  addresses: readonly string[],
  { dial = dialAddress }: OutboundOptions,
  signal: AbortSignal,
): Promise<Socket> {
  let failure: unknown
  for (const address of addresses) {
    const socket = dial(address, portOf(url))
    socket.on('error', () => {}) // `once` below reports it; without a listener a later error would end the process
    try {
      await once(socket, 'connect', { signal })
      return url.protocol === 'https:' ? await secured(url, socket, signal) : socket
    } catch (error) {
      socket.destroy()
      if (signal.aborted) throw error
      failure = error
    }
  }
  throw failure
}

function dialAddress(address: string, port: number): Socket {
  return connect({ host: address, port })
}

/** The certificate must be valid and match the host of the address. */
async function secured(url: URL, socket: Socket, signal: AbortSignal): Promise<Socket> {
  const host = hostOf(url)
  const tls = connectTls({ socket, host, ...(isIP(host) === 0 && { servername: host }) })
  tls.on('error', () => {})
  try {
    await once(tls, 'secureConnect', { signal })
    return tls
  } catch (error) {
    tls.destroy()
    throw error
  }
}

async function exchange(
  url: URL,
  { method = 'GET', headers = {}, body }: OutboundRequest,
  socket: Socket,
  limit_bytes: number,
  signal: AbortSignal,
): Promise<Response> {
  try {
    const sent = httpRequest({
      createConnection: () => socket,
      host: url.hostname,
      method,
      path: `${url.pathname}${url.search}`,
      headers: { 'accept-encoding': 'identity', ...headers, host: url.host, connection: 'close' },
      signal,
    })
    sent.end(body)
    const [response] = (await once(sent, 'response', { signal })) as [IncomingMessage] // the event has one argument
    sent.on('error', () => {}) // a later error also fails the reading of the response, which reports it
    const status = response.statusCode ?? 0
    if (status >= 300 && status < 400) throw new OutboundError('redirect', url.href)
    const content = await bodyOf(response, url, limit_bytes)
    return new Response(hasBody(status) ? content : null, { status, headers: headersOf(response) })
  } finally {
    socket.destroy()
  }
}

function hasBody(status: number): boolean {
  return status !== 204 && status !== 205
}

async function bodyOf(response: IncomingMessage, url: URL, limit_bytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of response) {
    length += chunk.length
    if (length > limit_bytes) throw new OutboundError('too_large', url.href)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function headersOf({ headersDistinct }: IncomingMessage): Headers {
  const headers = new Headers()
  for (const [name, values = []] of Object.entries(headersDistinct))
    for (const value of values) headers.append(name, value)
  return headers
}

function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
  return Promise.race([promise, aborted])
}

function printableUrl(text: string): string {
  return text
    .slice(0, 200)
    .replace(/[?#].*$/s, '')
    .replaceAll(/[^\x21-\x7e]/g, '?')
    .replace(/\/\/[^/]*@/, '//')
}
