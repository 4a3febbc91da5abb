/**
 * The HTTP client for addresses that an operator configured or that another server's answer named. All such calls go
 * through here, so that the service cannot be made to call machines that only it can reach (SSRF).
 */

import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http'
import { connect, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { isLoopback } from '../loopback.ts'
import { httpRequest } from '../node-http.ts'
import { NOTHING_LISTED, type OutboundAllowlist } from './allowlist.ts'
import { KeptConnections } from './kept-connections.ts'
import { isPublicAddress } from './public-address.ts'

const TIMEOUT_MS = 5_000
const LIMIT_BYTES = 64 * 1024
const PORTS: readonly number[] = [443, 8443]

/** Names that never belong to a public service, whatever they resolve to. */
const LOCAL_NAME = /^[^.]*$|(?:^|\.)(?:localhost|local|internal|home\.arpa|onion)$|\.$/
/** `URL` tolerates backslashes, spaces and missing slashes, which readers of an address do not notice. */
const PLAIN_ADDRESS = /^https?:\/\/[^\s\\/?#@]+(?:[/?][^\s\\#]*)?$/i

export const OUTBOUND_REASONS = {
  address: 'not a public https URL',
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
  /** Private targets that may be called, with plain http and on any port that is listed. */
  readonly allowlist?: OutboundAllowlist
  /** What to do with an answer larger than `limit_bytes`. By default the call fails. */
  readonly on_large?: 'refuse' | 'cut'
  /** Reuses connections. If a reused connection ends before the answer begins, the call is repeated on another one. */
  readonly keeps_connections?: boolean
  readonly ports?: readonly number[]
  readonly timeout_ms?: number
  readonly limit_bytes?: number
  /** Resolves a name to all its addresses. */
  readonly resolve?: (name: string) => Promise<readonly string[]>
  /** Connects to an address that was checked. */
  readonly dial?: (address: string, port: number) => Socket
}

/**
 * Returns a client that calls public https addresses only. A name is resolved once, all its addresses must be public,
 * and the connection goes to one of them, so that a later DNS answer has no effect (DNS rebinding). The certificate
 * must match the name. Redirects are not followed, and proxy settings of the environment are ignored.
 */
export function outbound(options: OutboundOptions = {}): Outbound {
  const { timeout_ms = TIMEOUT_MS, limit_bytes = LIMIT_BYTES, on_large = 'refuse' } = options
  const kept = options.keeps_connections === true ? new KeptConnections() : undefined
  return async (text, request = {}) => {
    const url = allowedUrl(text, options)
    const deadline = AbortSignal.timeout(timeout_ms)
    const signal = request.signal === undefined ? deadline : AbortSignal.any([deadline, request.signal])
    try {
      const addresses = await checkedAddresses(url, options, signal)
      const limits = { limit_bytes, on_large }
      if (kept === undefined) {
        const socket = await connectTo(url, addresses, options, signal)
        return await exchangeOnce(url, request, socket, limits, signal)
      }
      const connect = () => connectTo(url, addresses, options, AbortSignal.timeout(timeout_ms))
      const agent = kept.agentOf(url.origin, addresses, connect)
      return await exchange(url, request, { agent }, limits, signal)
    } catch (error) {
      if (error instanceof OutboundError) throw error
      throw new OutboundError(deadline.aborted ? 'too_slow' : 'unreachable', text, error)
    }
  }
}

/** Returns why an address may not be called. Undefined if it may, or doesn't resolve now. Connects to nothing. */
export async function outboundFault(
  text: string,
  options: OutboundOptions = {},
): Promise<OutboundReason | undefined> {
  try {
    await checkedAddresses(allowedUrl(text, options), options, AbortSignal.timeout(TIMEOUT_MS))
    return undefined
  } catch (error) {
    if (error instanceof OutboundError && error.reason !== 'unresolved') return error.reason
    return undefined // the name server did not answer in time; each call looks again
  }
}

/** Parses an address. Throws if it may not be called, before resolving anything. */
function allowedUrl(text: string, options: OutboundOptions): URL {
  const { allow_loopback = false, allowlist = NOTHING_LISTED } = options
  const url = PLAIN_ADDRESS.test(text) ? URL.parse(text) : null
  if (url === null || url.username !== '' || url.password !== '') throw new OutboundError('address', text)
  if (allow_loopback && isThisMachine(url)) return url
  if (isListed(url, allowlist)) return url
  const fault = publicFault(url, options)
  if (fault === undefined) return url
  // A name may resolve to a listed address, which is known only once it is resolved.
  const isName = isIP(hostOf(url)) === 0
  if (isName && allowlist !== NOTHING_LISTED && !url.hostname.endsWith('.')) return url
  throw new OutboundError(fault, text)
}

/** Returns why an address can't belong to a public service. */
function publicFault(url: URL, { ports = PORTS }: OutboundOptions): OutboundReason | undefined {
  if (url.protocol !== 'https:') return 'address'
  if (isIP(hostOf(url)) === 0 && LOCAL_NAME.test(url.hostname)) return 'not_public'
  return ports.includes(portOf(url)) ? undefined : 'port'
}

function isListed(url: URL, { listsName, listsAddress }: OutboundAllowlist): boolean {
  const host = hostOf(url)
  return isIP(host) === 0 ? listsName(host, portOf(url)) : listsAddress(host, portOf(url))
}

/** Whether the address itself names this machine: a public name that resolves to loopback must never be called. */
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
  options: OutboundOptions,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { allow_loopback = false, allowlist = NOTHING_LISTED, resolve = resolveName } = options
  const host = hostOf(url)
  const addresses = isIP(host) === 0 ? await resolved(url, resolve, signal) : [host]
  if (allow_loopback && isThisMachine(url)) return allAre(isLoopback, addresses, url, 'not_public')
  if (isListed(url, allowlist)) return addresses
  const isAddressListed = (address: string) => allowlist.listsAddress(address, portOf(url))
  const fault = publicFault(url, options)
  if (fault !== undefined) return allAre(isAddressListed, addresses, url, fault)
  const isAllowed = (address: string) => isPublicAddress(address) || isAddressListed(address)
  return allAre(isAllowed, addresses, url, 'not_public')
}

/** Throws unless every address is allowed: a name with both public and private addresses is a rebinding attempt. */
function allAre(
  isAllowed: (address: string) => boolean,
  addresses: readonly string[],
  url: URL,
  reason: OutboundReason,
): readonly string[] {
  if (!addresses.every(isAllowed)) throw new OutboundError(reason, url.href)
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

/** Secures a connection with TLS. The certificate must be valid and match the host of the address. */
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

type AnswerLimits = Required<Pick<OutboundOptions, 'limit_bytes' | 'on_large'>>

async function exchangeOnce(
  url: URL,
  request: OutboundRequest,
  socket: Socket,
  limits: AnswerLimits,
  signal: AbortSignal,
): Promise<Response> {
  const headers = { ...request.headers, connection: 'close' }
  try {
    return await exchange(url, { ...request, headers }, { createConnection: () => socket }, limits, signal)
  } finally {
    socket.destroy()
  }
}

async function exchange(
  url: URL,
  { method = 'GET', headers = {}, body }: OutboundRequest,
  connection: Pick<RequestOptions, 'agent' | 'createConnection'>,
  limits: AnswerLimits,
  signal: AbortSignal,
): Promise<Response> {
  const send = () =>
    httpRequest({
      ...connection,
      host: url.hostname,
      method,
      path: `${url.pathname}${url.search}`,
      headers: { 'accept-encoding': 'identity', ...headers, host: url.host },
      signal,
    }).end(body)
  const response = await answerTo(send, signal)
  const status = response.statusCode ?? 0
  try {
    if (status >= 300 && status < 400) throw new OutboundError('redirect', url.href)
    const content = await bodyOf(response, url, limits)
    return new Response(hasBody(status) ? content : null, { status, headers: headersOf(response) })
  } finally {
    if (!response.complete) response.destroy()
  }
}

/** Returns the response. If the server closes an idle connection just as it is reused, another one is used. */
async function answerTo(send: () => ClientRequest, signal: AbortSignal): Promise<IncomingMessage> {
  for (;;) {
    const sent = send()
    try {
      const [response] = (await once(sent, 'response', { signal })) as [IncomingMessage] // the event has one argument
      sent.on('error', () => {}) // a later error also fails the reading of the response, which reports it
      return response
    } catch (error) {
      sent.on('error', () => {})
      sent.destroy()
      if (signal.aborted || !sent.reusedSocket) throw error
    }
  }
}

function hasBody(status: number): boolean {
  return status !== 204 && status !== 205
}

async function bodyOf(
  response: IncomingMessage,
  url: URL,
  { limit_bytes, on_large }: AnswerLimits,
): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of response) {
    length += chunk.length
    chunks.push(chunk)
    if (length <= limit_bytes) continue
    if (on_large === 'refuse') throw new OutboundError('too_large', url.href)
    break // the caller destroys the socket
  }
  return Buffer.concat(chunks).subarray(0, limit_bytes)
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
