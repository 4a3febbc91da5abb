import { once } from 'node:events'
import {
  type ClientRequest,
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { type TraceHeaders, traceOf } from '@deputize/sdk/opentelemetry'
import { events, messageEvent, type ServerEvent, withData } from './events.ts'
import type { Gate } from './gate.ts'
import {
  type Answered,
  type ClientMessage,
  errorMessage,
  type Id,
  INTERNAL_ERROR,
  INVALID_REQUEST,
  progressMessage,
  readAnswer,
  readClientMessage,
  resultMessage,
  type ToolCall,
  withTrace,
} from './messages.ts'
import type { OpenCall } from './open-calls.ts'
import { shownTools } from './shown-tools.ts'
import { passedOn, reachingFailed, type Upstream } from './upstream.ts'
import { write } from './write.ts'

export interface HttpGuardOptions {
  readonly host: string
  readonly port: number
  readonly upstream: Upstream
  readonly gate: Gate
  readonly hide_denied: boolean
  readonly say: (text: string) => void
}

export interface HttpGuard {
  /** Where clients connect to. */
  readonly url: string
  close(): Promise<void>
}

const MAX_BODY_BYTES = 32 * 1024 * 1024
const METHODS = ['GET', 'POST', 'DELETE', 'OPTIONS']
/** How long a server may take to notice that nobody reads a stream any more. */
const NOTICE_TRIES = 40
const NOTICE_MS = 50

/** Stands between clients and a server that speaks streamable HTTP. */
export async function guardHttp(options: HttpGuardOptions): Promise<HttpGuard> {
  const { host, port, upstream, gate } = options
  const { handle, giveUpAll } = httpGuard(options)
  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => fail(options, response, error))
  })
  server.requestTimeout = 0 // a stream stays open for as long as the client wants
  server.listen(port, host)
  await once(server, 'listening')
  const address = server.address()
  const bound = typeof address === 'object' && address !== null ? address.port : port
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}${upstream.url.pathname}`,
    async close() {
      server.close()
      const told = giveUpAll()
      server.closeAllConnections()
      await told
      await gate.settle()
    },
  }
}

function fail({ say }: HttpGuardOptions, response: ServerResponse, error: unknown): void {
  say(error instanceof Error ? String(error.stack) : String(error))
  if (response.headersSent) response.destroy()
  else sendJson(response, 500, errorMessage(null, INTERNAL_ERROR, 'The guard failed.'))
}

/** One call, and who waits for it. */
interface Exchange extends OpenCall {
  readonly call: ToolCall
  readonly session: string | undefined
  /** Takes it out: whoever gets true says how it ended. */
  close(): boolean
  /** What was sent to the server, while its answer is still to come on that way. */
  outgoing: ClientRequest | undefined
  /** The server numbers its events, and a client that lost the stream can come back for the rest. */
  is_resumable: boolean
  /** The client hung up, and only the guard still listens to the server. */
  is_orphan: boolean
}

function httpGuard({ upstream, gate, hide_denied, say }: HttpGuardOptions) {
  const exchanges = new Map<string, Exchange>()
  let strangers = 0

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const problem = strangeness(request)
    if (problem !== undefined) return sendJson(response, 403, errorMessage(null, INVALID_REQUEST, problem))
    if (!METHODS.includes(request.method ?? ''))
      return sendJson(response, 405, errorMessage(null, INVALID_REQUEST, 'There is no such method here.'))
    if (request.method !== 'POST') return relay(request, response, undefined)
    if (!/^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i.test(request.headers['content-type'] ?? ''))
      return sendJson(response, 415, errorMessage(null, INVALID_REQUEST, 'Send application/json in UTF-8.'))
    const body = await bodyOf(request)
    if (body === undefined)
      return sendJson(response, 413, errorMessage(null, INVALID_REQUEST, 'The message is too long.'))
    return post(request, response, body)
  }

  async function post(request: IncomingMessage, response: ServerResponse, body: Buffer): Promise<void> {
    const message = readClientMessage(body)
    if (message.kind === 'refused')
      return sendJson(response, 400, errorMessage(message.id, message.code, message.message))
    if (isContradicted(message, request.headers))
      return sendJson(
        response,
        400,
        errorMessage(null, INVALID_REQUEST, 'The headers name another call than the message.'),
      )
    if (message.kind === 'call')
      return callTool(request, response, body, traced(message.call, request.headers))
    if (message.kind === 'cancel') cancel(sessionOf(request.headers), message.id)
    const list = message.kind === 'list' && hide_denied ? message.id : undefined
    return relay(request, response, body, { list })
  }

  async function callTool(
    request: IncomingMessage,
    response: ServerResponse,
    body: Buffer,
    call: ToolCall,
  ): Promise<void> {
    const session = sessionOf(request.headers)
    const exchange = begin(session, call)
    if (exchange === undefined)
      return sendJson(
        response,
        400,
        errorMessage(call.id, INVALID_REQUEST, 'A call of this id is still open.'),
      )
    response.once('close', () => left(exchange, response))
    const verdict = await gate.ask(
      call,
      { transport: 'tcp', session: exchange.session },
      exchange.stop.signal,
      progressOf(call, request, response),
    )
    if (verdict.kind !== 'allowed') exchange.close()
    if (verdict.kind === 'denied') return answer(response, resultMessage(call.id, verdict.result))
    if (verdict.kind === 'cancelled') return void response.end()
    const { trace } = verdict.permit
    exchange.permit = verdict.permit
    exchange.is_with_server = true
    const message = trace === undefined ? body : Buffer.from(withTrace(body, trace))
    return relay(request, response, message, { exchange })
  }

  function begin(session: string | undefined, call: ToolCall): Exchange | undefined {
    // Without sessions every client counts its calls for itself.
    if (session === undefined) strangers += 1
    const key = session === undefined ? `${strangers}` : keyOf(session, call.id)
    if (exchanges.has(key)) return undefined
    const exchange: Exchange = {
      call,
      session,
      stop: new AbortController(),
      permit: undefined,
      is_with_server: false,
      outgoing: undefined,
      is_resumable: false,
      is_orphan: false,
      close: () => exchanges.get(key) === exchange && exchanges.delete(key),
    }
    exchanges.set(key, exchange)
    return exchange
  }

  /**
   * The client hung up. From the revision of 2026 on that means that it does not want the call any more. Before, it may
   * come back: the call goes on, and the guard listens to how it ends.
   */
  function left(exchange: Exchange, response: ServerResponse): void {
    if (response.writableFinished) return
    exchange.is_orphan = true
    if (exchange.is_with_server && !exchange.call.has_result_types) return
    exchange.outgoing?.destroy()
    void giveUp(exchange)
  }

  /** Nobody waits for it any more: not the human who is asked, and not the server who may have done it. */
  async function giveUp(exchange: Exchange): Promise<void> {
    exchange.stop.abort()
    if (exchange.is_with_server && exchange.close()) await gate.giveUp(exchange.permit)
  }

  async function giveUpAll(wanted: (exchange: Exchange) => boolean = () => true): Promise<void> {
    await Promise.all([...exchanges.values()].filter(wanted).map(giveUp))
  }

  function cancel(session: string | undefined, id: Id): void {
    const exchange = session === undefined ? undefined : exchanges.get(keyOf(session, id))
    if (exchange !== undefined) void giveUp(exchange)
  }

  /** Passes a request on and its answer back. */
  async function relay(
    request: IncomingMessage,
    response: ServerResponse,
    body: Buffer | undefined,
    { exchange, list }: { readonly exchange?: Exchange; readonly list?: Id | undefined } = {},
  ): Promise<void> {
    const incoming = await reach(request, response, body, exchange).catch((error: unknown) => {
      say(`The server could not be reached: ${reachingFailed(error)}`)
      return undefined
    })
    await heard(request, incoming?.statusCode)
    if (incoming === undefined) {
      if (exchange !== undefined) await failed(exchange)
      return unreachable(response, exchange?.call.id ?? null)
    }
    const watch = { session: sessionOf(request.headers), exchange, list }
    const type = incoming.headers['content-type'] ?? ''
    if (type.startsWith('text/event-stream')) return relayEvents(incoming, response, watch)
    if (exchange === undefined && list === undefined) return relayBytes(incoming, response)
    return relayJson(incoming, response, watch)
  }

  /** Whoever comes back for a stream gets it once the server knows that nobody else reads it. */
  async function reach(
    request: IncomingMessage,
    response: ServerResponse,
    body: Buffer | undefined,
    exchange: Exchange | undefined,
  ): Promise<IncomingMessage> {
    const isBack = isComingBack(request)
    const { method, url } = request
    const headers = tracedHeaders(request.headers, exchange?.permit?.trace)
    if (isBack) leaveOrphans(sessionOf(request.headers))
    for (let tries = 1; ; tries += 1) {
      const incoming = await upstream.reach({ method, url, headers }, body, (outgoing) => {
        if (exchange !== undefined) exchange.outgoing = outgoing
        else response.once('close', () => outgoing.destroy())
      })
      if (!isBack || incoming.statusCode !== 409 || tries === NOTICE_TRIES) return incoming
      incoming.resume()
      await sleep(NOTICE_MS)
    }
  }

  function leaveOrphans(session: string | undefined): void {
    for (const exchange of exchanges.values()) {
      if (exchange.session === session && exchange.is_orphan && exchange.is_resumable)
        exchange.outgoing?.destroy()
    }
  }

  /** What the status of an answer says about calls that are open. */
  async function heard(request: IncomingMessage, status = 0): Promise<void> {
    const session = sessionOf(request.headers)
    if (session === undefined) return
    if (request.method === 'DELETE' && status >= 200 && status < 300)
      await giveUpAll((exchange) => exchange.session === session)
    // Whoever is turned away gets no answer any more, and neither does the guard.
    if (isComingBack(request) && (status < 200 || status >= 400)) {
      const lost = [...exchanges.values()].filter((one) => one.session === session && isLost(one))
      await Promise.all(lost.map(failed))
    }
  }

  async function relayEvents(
    incoming: IncomingMessage,
    response: ServerResponse,
    watch: Watch,
  ): Promise<void> {
    if (!response.headersSent) {
      response.writeHead(incoming.statusCode ?? 502, passedOn(incoming.headers))
      response.flushHeaders()
    }
    const isWhole = await eachEvent(incoming, async (event) => {
      await write(response, await watched(event, watch))
    })
    const { exchange } = watch
    if (exchange !== undefined) {
      exchange.outgoing = undefined
      // A server that numbers its events may give the answer to whoever comes back for it.
      if (exchange.session === undefined || !exchange.is_resumable) await failed(exchange)
    }
    if (isWhole) response.end()
    else response.destroy()
  }

  async function watched(event: ServerEvent, { session, exchange, list }: Watch): Promise<Buffer> {
    if (exchanges.size === 0 && list === undefined) return event.bytes
    if (exchange?.is_resumable === false) exchange.is_resumable = event.has_id
    const answered = readAnswer(event.data)
    if (answered === undefined) return event.bytes
    if (answered.id === list) {
      const shown = await shownTools(answered, gate, say)
      return shown === undefined ? event.bytes : withData(event, shown)
    }
    if (exchange?.call.id === answered.id) await ended(exchange, answered)
    else await endedElsewhere(session, answered)
    return event.bytes
  }

  async function relayJson(incoming: IncomingMessage, response: ServerResponse, watch: Watch): Promise<void> {
    const { exchange, list } = watch
    const body = await wholeOf(incoming)
    const answered = readAnswer(body?.toString('utf8') ?? '')
    if (exchange !== undefined)
      await (answered?.id === exchange.call.id ? ended(exchange, answered) : failed(exchange))
    if (body === undefined) return unreachable(response, exchange?.call.id ?? null)
    const shown =
      answered !== undefined && answered.id === list ? await shownTools(answered, gate, say) : undefined
    if (!response.headersSent) {
      response.writeHead(incoming.statusCode ?? 502, passedOn(incoming.headers))
      return void response.end(shown ?? body)
    }
    // The client was told of the waiting, and has a stream now.
    const id = exchange?.call.id ?? null
    const late = `The server answered with status ${incoming.statusCode}.`
    answer(response, answered === undefined ? errorMessage(id, INTERNAL_ERROR, late) : body.toString('utf8'))
  }

  async function ended(exchange: Exchange, answered: Answered): Promise<void> {
    if (exchange.close()) await gate.end(exchange.permit, answered)
  }

  /** The answer came on another stream of the session than that of the call. */
  async function endedElsewhere(session: string | undefined, answered: Answered): Promise<void> {
    const exchange = session === undefined ? undefined : exchanges.get(keyOf(session, answered.id))
    if (exchange?.is_with_server) await ended(exchange, answered)
  }

  async function failed(exchange: Exchange): Promise<void> {
    if (exchange.close()) await gate.end(exchange.permit, { error: 'The server did not answer.' })
  }

  return { handle, giveUpAll }
}

interface Watch {
  readonly session: string | undefined
  readonly exchange: Exchange | undefined
  readonly list: Id | undefined
}

function keyOf(session: string, id: Id): string {
  return JSON.stringify([session, id])
}

/** The stream on which the answer was to come has ended without it. */
function isLost({ is_with_server, is_resumable, outgoing }: Exchange): boolean {
  return is_with_server && is_resumable && (outgoing === undefined || outgoing.destroyed)
}

/** A client that lost a stream names the last event that it saw. */
function isComingBack({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' && headers['last-event-id'] !== undefined
}

const ENCODED = /^=\?base64\?(.*)\?=$/

/** From the revision of 2026 on headers repeat what is called. A server that believes them must see the same call. */
function isContradicted(message: ClientMessage, headers: IncomingHttpHeaders): boolean {
  const { 'mcp-method': method, 'mcp-name': name } = headers
  if (message.kind !== 'call') return method === 'tools/call'
  if (method !== undefined && method !== 'tools/call') return true
  return name !== undefined && decoded(String(name)) !== message.call.tool
}

function decoded(text: string): string {
  const [, base64] = ENCODED.exec(text) ?? []
  return base64 === undefined ? text : Buffer.from(base64, 'base64').toString('utf8')
}

/** Web pages of others must not reach what listens on this machine, whatever their names resolve to. */
function strangeness({ headers }: IncomingMessage): string | undefined {
  if (!isLocal(`http://${headers.host ?? ''}`)) return 'This host is not served here.'
  const { origin } = headers
  return origin === undefined || isLocal(origin) ? undefined : 'This origin may not call.'
}

function isLocal(address: string): boolean {
  return URL.canParse(address) && /^(localhost|127\.0\.0\.1|\[::1\])$/.test(new URL(address).hostname)
}

function sessionOf(headers: IncomingHttpHeaders): string | undefined {
  const session = headers['mcp-session-id']
  return typeof session === 'string' ? session : undefined
}

/** What the message says counts: a request over HTTP may carry the messages of others. */
function traced(call: ToolCall, headers: IncomingHttpHeaders): ToolCall {
  if (call.trace.traceparent !== undefined) return call
  return { ...call, trace: traceOf((name) => headers[name]) }
}

/** Tells a client that asked for it, and can read a stream, that a human is waited for. */
function progressOf(
  { progress_token }: ToolCall,
  { headers }: IncomingMessage,
  response: ServerResponse,
): (text: string) => void {
  let count = 0
  return (text) => {
    if (progress_token === undefined || !(headers.accept ?? '').includes('text/event-stream')) return
    if (!response.headersSent)
      response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
    count += 1
    // Progress has to grow, and the server has not begun to count.
    response.write(messageEvent(progressMessage(progress_token, count / 1_000_000, text)))
  }
}

function answer(response: ServerResponse, text: string): void {
  if (response.headersSent) response.end(messageEvent(text))
  else sendJson(response, 200, text)
}

function unreachable(response: ServerResponse, id: Id | null): void {
  const text = errorMessage(id, INTERNAL_ERROR, 'The server could not be reached.')
  if (response.headersSent) response.end(messageEvent(text))
  else sendJson(response, 502, text)
}

function sendJson(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(text)
}

async function bodyOf(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size <= MAX_BODY_BYTES) chunks.push(chunk)
  }
  return size > MAX_BODY_BYTES ? undefined : Buffer.concat(chunks)
}

/** The headers of a client, in the trace that the guard made of its own. */
function tracedHeaders(headers: IncomingHttpHeaders, trace: TraceHeaders | undefined): IncomingHttpHeaders {
  if (trace === undefined) return headers
  const { traceparent: _, tracestate: __, ...rest } = headers
  return { ...rest, ...trace }
}

async function eachEvent(
  incoming: IncomingMessage,
  take: (event: ServerEvent) => Promise<void>,
): Promise<boolean> {
  try {
    for await (const event of events(incoming)) await take(event)
    return true
  } catch {
    return false // the server, or the client, went away half way
  }
}

async function relayBytes(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  response.writeHead(incoming.statusCode ?? 502, passedOn(incoming.headers))
  try {
    for await (const chunk of incoming as AsyncIterable<Buffer>) await write(response, chunk)
    response.end()
  } catch {
    response.destroy()
  }
}

async function wholeOf(incoming: IncomingMessage): Promise<Buffer | undefined> {
  try {
    const chunks: Buffer[] = []
    for await (const chunk of incoming as AsyncIterable<Buffer>) chunks.push(chunk)
    return Buffer.concat(chunks)
  } catch {
    return undefined
  }
}
