import type { ServerResponse as HttpResponse, IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { CallAuthorizer } from './call-authorizer.ts'
import { type ServerEvent, streamEvents, withData } from './events.ts'
import type { Exchange, Exchanges } from './exchanges.ts'
import { headersWithTrace, isResuming, sendMessage, sendUnreachable, sessionOf } from './http-messages.ts'
import {
  errorMessage,
  INTERNAL_ERROR,
  type MessageId,
  readServerResponse,
  type ServerResponse,
} from './messages.ts'
import { shownTools } from './shown-tools.ts'
import { passedOn, reachingFailed, redirectTarget, type Upstream } from './upstream.ts'
import { writeTo } from './write.ts'

/** How often and how long to wait until the server notices that a stream has no reader. */
const RESUME_TRIES = 40
const RESUME_PAUSE_MS = 50

export interface RelayParts {
  readonly upstream: Upstream
  readonly authorizer: CallAuthorizer
  readonly exchanges: Exchanges
  readonly say: (text: string) => void
}

/** The responses that the guard looks for in what the server sends. */
interface Expected {
  readonly session: string | undefined
  readonly exchange: Exchange | undefined
  /** Whether the stream may carry the response of any call of the session. That of another message carries only its own. */
  readonly is_general: boolean
  /** The id of a tools/list request whose response is filtered. */
  readonly list: MessageId | undefined
  /** The id of the request that is answered here. */
  readonly asked: MessageId | undefined
}

export interface RelayOptions {
  readonly exchange?: Exchange
  readonly list?: MessageId | undefined
  readonly asked?: MessageId | undefined
}

/** Sends a request of the client to the server, and the response back. */
export async function relay(
  parts: RelayParts,
  request: IncomingMessage,
  response: HttpResponse,
  body: Buffer | undefined,
  { exchange, list, asked = exchange?.call.id }: RelayOptions = {},
): Promise<void> {
  const incoming = await reach(parts, request, response, body, exchange).catch((error: unknown) => {
    parts.say(`The server could not be reached: ${reachingFailed(error)}`)
    return undefined
  })
  await endLostCalls(parts, request, incoming?.statusCode)
  const session = sessionOf(request.headers)
  const settled = () => asked !== undefined && parts.exchanges.answered(session, asked)
  if (incoming === undefined) {
    if (!response.destroyed) settled() // otherwise the client has left, and the server may work on it
    if (exchange !== undefined) await parts.exchanges.failed(exchange)
    return sendUnreachable(response, exchange?.call.id ?? null)
  }
  const moved = request.method === 'POST' ? redirectTarget(incoming, parts.upstream.url.href) : undefined
  if (moved !== undefined) {
    incoming.resume()
    settled()
    return refuseRedirect(parts, response, exchange, moved)
  }
  const is_general = request.method === 'GET'
  const expected = { session, exchange, is_general, list, asked }
  const type = incoming.headers['content-type'] ?? ''
  if (type.startsWith('text/event-stream')) return relayEvents(parts, incoming, response, expected)
  const isWhole =
    exchange === undefined && list === undefined
      ? await relayBytes(incoming, response)
      : await relayJson(parts, incoming, response, expected)
  if (isWhole) settled()
}

/** A client that follows a redirect would send its message past the guard. */
async function refuseRedirect(
  { exchanges, say }: RelayParts,
  response: HttpResponse,
  exchange: Exchange | undefined,
  { href }: URL,
): Promise<void> {
  if (exchange !== undefined) await exchanges.failed(exchange)
  const text = `The server redirects to ${href}. Start the guard with --upstream ${href}`
  say(text)
  sendMessage(response, errorMessage(exchange?.call.id ?? null, INTERNAL_ERROR, text), 502)
}

/** Reaches the server. A client that resumes a stream waits until the server knows that its old reader is gone. */
async function reach(
  { upstream, exchanges }: RelayParts,
  request: IncomingMessage,
  response: HttpResponse,
  body: Buffer | undefined,
  exchange: Exchange | undefined,
): Promise<IncomingMessage> {
  const resumes = isResuming(request)
  const { method, url } = request
  const headers = headersWithTrace(request.headers, exchange?.allowed?.trace)
  if (resumes) leaveOrphans(exchanges.ofSession(sessionOf(request.headers)))
  for (let tries = 1; ; tries += 1) {
    const incoming = await upstream.reach({ method, url, headers }, body, (outgoing) => {
      if (exchange !== undefined) exchange.outgoing = outgoing
      else response.once('close', () => outgoing.destroy())
    })
    if (!resumes || incoming.statusCode !== 409 || tries === RESUME_TRIES) return incoming
    incoming.resume()
    await sleep(RESUME_PAUSE_MS)
  }
}

/** The guard stops reading streams that the returning client wants to resume. */
function leaveOrphans(exchanges: readonly Exchange[]): void {
  for (const { is_orphan, is_resumable, outgoing } of exchanges)
    if (is_orphan && is_resumable) outgoing?.destroy()
}

/** Ends the calls that can no longer get a response, judging by the status of this response. */
async function endLostCalls({ exchanges }: RelayParts, request: IncomingMessage, status = 0): Promise<void> {
  const session = sessionOf(request.headers)
  if (session === undefined) return
  if (request.method === 'DELETE' && status >= 200 && status < 300) {
    await Promise.all(exchanges.ofSession(session).map(exchanges.giveUp))
    exchanges.forget(session)
  }
  // A client that may not resume no longer gets a response, and neither does the guard.
  if (isResuming(request) && (status < 200 || status >= 400))
    await Promise.all(exchanges.ofSession(session).filter(isLost).map(exchanges.failed))
}

/** Whether the stream that should have carried the response has ended. */
function isLost({ is_with_server, is_resumable, outgoing }: Exchange): boolean {
  return is_with_server && is_resumable && (outgoing === undefined || outgoing.destroyed)
}

async function relayEvents(
  parts: RelayParts,
  incoming: IncomingMessage,
  response: HttpResponse,
  expected: Expected,
): Promise<void> {
  if (!response.headersSent) {
    response.writeHead(incoming.statusCode ?? 502, passedOn(incoming.headers))
    response.flushHeaders()
  }
  let isResumable = false
  const isWhole = await eachEvent(incoming, async (event) => {
    isResumable ||= event.has_id
    await writeTo(response, await watchedEvent(parts, event, expected))
  })
  const { exchange, session, asked } = expected
  if (isWhole && !isResumable && asked !== undefined) parts.exchanges.answered(session, asked)
  if (exchange !== undefined) {
    exchange.outgoing = undefined
    // If the server numbers its events, a client that resumes may still get the response.
    if (exchange.session === undefined || !exchange.is_resumable) await parts.exchanges.failed(exchange)
  }
  if (isWhole) response.end()
  else response.destroy()
}

/** False if the server or the client disconnected before the end. */
async function eachEvent(
  incoming: IncomingMessage,
  take: (event: ServerEvent) => Promise<void>,
): Promise<boolean> {
  try {
    for await (const event of streamEvents(incoming)) await take(event)
    return true
  } catch {
    return false
  }
}

/** The bytes to send for an event. Completes the record if the event carries the response of a call. */
async function watchedEvent(
  parts: RelayParts,
  event: ServerEvent,
  { session, exchange, is_general, list, asked }: Expected,
): Promise<Buffer> {
  const { exchanges } = parts
  if (exchanges.size === 0 && list === undefined) return event.bytes
  if (exchange?.is_resumable === false) exchange.is_resumable = event.has_id
  const answered = readServerResponse(event.data)
  if (answered === undefined) return event.bytes
  if (is_general || answered.id === asked) exchanges.answered(session, answered.id)
  if (answered.id === list) {
    const shown = await shownTools(answered, parts.authorizer, parts.say)
    return shown === undefined ? event.bytes : withData(event, shown)
  }
  if (exchange?.call.id === answered.id) await exchanges.ended(exchange, answered)
  else if (is_general) await endElsewhere(exchanges, session, answered)
  return event.bytes
}

/** Completes a call whose response arrived on another stream of the session. */
async function endElsewhere(
  exchanges: Exchanges,
  session: string | undefined,
  answered: ServerResponse,
): Promise<void> {
  const exchange = exchanges.find(session, answered.id)
  if (exchange?.is_with_server) await exchanges.ended(exchange, answered)
}

/** False if the server disconnected before the end. */
async function relayJson(
  { authorizer, exchanges, say }: RelayParts,
  incoming: IncomingMessage,
  response: HttpResponse,
  { exchange, list }: Expected,
): Promise<boolean> {
  const body = await wholeBody(incoming)
  const answered = readServerResponse(body?.toString('utf8') ?? '')
  if (exchange !== undefined)
    await (answered?.id === exchange.call.id
      ? exchanges.ended(exchange, answered)
      : exchanges.failed(exchange))
  if (body === undefined) {
    sendUnreachable(response, exchange?.call.id ?? null)
    return false
  }
  const isList = answered !== undefined && answered.id === list
  const shown = isList ? await shownTools(answered, authorizer, say) : undefined
  if (!response.headersSent) {
    response.writeHead(incoming.statusCode ?? 502, passedOn(incoming.headers))
    response.end(shown ?? body)
    return true
  }
  // The response is already a stream, because the client got progress while the call waited.
  const late = `The server responded with status ${incoming.statusCode}.`
  const error = errorMessage(exchange?.call.id ?? null, INTERNAL_ERROR, late)
  sendMessage(response, answered === undefined ? error : body.toString('utf8'))
  return true
}

/** False if the server or the client disconnected before the end. */
async function relayBytes(incoming: IncomingMessage, response: HttpResponse): Promise<boolean> {
  response.writeHead(incoming.statusCode ?? 502, passedOn(incoming.headers))
  try {
    for await (const chunk of incoming as AsyncIterable<Buffer>) await writeTo(response, chunk)
    response.end()
    return true
  } catch {
    response.destroy()
    return false
  }
}

/** Undefined if the server disconnected before the end. */
async function wholeBody(incoming: IncomingMessage): Promise<Buffer | undefined> {
  try {
    const chunks: Buffer[] = []
    for await (const chunk of incoming as AsyncIterable<Buffer>) chunks.push(chunk)
    return Buffer.concat(chunks)
  } catch {
    return undefined
  }
}
