import { once } from 'node:events'
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request as requestHttp,
  type ServerResponse,
} from 'node:http'
import { request as requestHttps } from 'node:https'
import { type TraceHeaders, traceOf } from '@deputy/sdk/opentelemetry'
import { events, messageEvent, type ServerEvent, withData } from './events.ts'
import type { Gate } from './gate.ts'
import {
  type Answered,
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
import { type OpenCall, type OpenCalls, openCalls } from './open-calls.ts'
import { shownTools } from './shown-tools.ts'
import { write } from './write.ts'

export interface HttpGuardOptions {
  readonly host: string
  readonly port: number
  /** The server. Only its origin counts: paths are those that clients ask for. */
  readonly upstream: URL
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
/** What belongs to one connection, and what the guard says itself. */
const NOT_PASSED_ON = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'host',
  'origin',
  'content-length',
  'accept-encoding',
  'expect',
]

/** Stands between clients and a server that speaks streamable HTTP. */
export async function guardHttp(options: HttpGuardOptions): Promise<HttpGuard> {
  const { host, port, upstream, gate } = options
  const handle = httpGuard(options)
  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => fail(options, response, error))
  })
  server.requestTimeout = 0 // a stream stays open for as long as the client wants
  server.listen(port, host)
  await once(server, 'listening')
  const address = server.address()
  const bound = typeof address === 'object' && address !== null ? address.port : port
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}${upstream.pathname}`,
    async close() {
      server.close()
      server.closeAllConnections()
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
interface Exchange {
  readonly call: ToolCall
  readonly open: OpenCall
  /** Closes the call; undefined when somebody else has done so. */
  close(): OpenCall | undefined
  /** Where there is a session, an answer can still come on another stream of it. */
  readonly has_session: boolean
}

function httpGuard({ upstream, gate, hide_denied, say }: HttpGuardOptions) {
  const sessions = new Map<string, OpenCalls>()

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const problem = strangeness(request)
    if (problem !== undefined) return sendJson(response, 403, errorMessage(null, INVALID_REQUEST, problem))
    if (!METHODS.includes(request.method ?? ''))
      return sendJson(response, 405, errorMessage(null, INVALID_REQUEST, 'There is no such method here.'))
    if (request.method === 'DELETE') endSession(sessionOf(request.headers))
    if (request.method !== 'POST') return relay(request, response, undefined)
    if (!/^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i.test(request.headers['content-type'] ?? ''))
      return sendJson(response, 415, errorMessage(null, INVALID_REQUEST, 'Send application/json in UTF-8.'))
    const body = await bodyOf(request)
    if (body === undefined)
      return sendJson(response, 413, errorMessage(null, INVALID_REQUEST, 'The message is too long.'))
    return post(request, response, body)
  }

  async function post(request: IncomingMessage, response: ServerResponse, body: Buffer): Promise<void> {
    const session = sessionOf(request.headers)
    const message = readClientMessage(body)
    if (message.kind === 'refused')
      return sendJson(response, 400, errorMessage(message.id, message.code, message.message))
    if (message.kind === 'call')
      return callTool(request, response, body, traced(message.call, request.headers))
    if (message.kind === 'cancel') cancel(session, message.id)
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
      { transport: 'tcp', session },
      exchange.open.stop.signal,
      progressOf(call, request, response),
    )
    if (verdict.kind !== 'allowed') exchange.close()
    if (verdict.kind === 'denied') return answer(response, resultMessage(call.id, verdict.result))
    if (verdict.kind === 'cancelled') return void response.end()
    const { permit } = verdict
    exchange.open.permit = permit
    exchange.open.is_with_server = true
    const { trace } = permit
    const message = trace === undefined ? body : Buffer.from(withTrace(body, trace))
    return relay(request, response, message, { exchange, trace })
  }

  function begin(session: string | undefined, call: ToolCall): Exchange | undefined {
    // Without sessions every client counts its calls for itself.
    const calls = session === undefined ? openCalls() : (sessions.get(session) ?? openCalls())
    if (session !== undefined) sessions.set(session, calls)
    const open = calls.open(call.id)
    if (open === undefined) return undefined
    const close = () => {
      const closed = calls.find(call.id) === open ? calls.close(call.id) : undefined
      forgetIdle(session)
      return closed
    }
    return { call, open, close, has_session: session !== undefined }
  }

  function forgetIdle(session: string | undefined): void {
    if (session !== undefined && sessions.get(session)?.size === 0) sessions.delete(session)
  }

  /** Nobody can come back for what is still open. */
  function endSession(session: string | undefined): void {
    if (session === undefined) return
    for (const { stop, permit } of sessions.get(session)?.closeAll() ?? []) {
      stop.abort()
      void gate.cancel(permit)
    }
    forgetIdle(session)
  }

  /** The client hung up. Where it can come back for the answer, the call goes on. */
  function left({ open, close, has_session }: Exchange, response: ServerResponse): void {
    if (response.writableFinished) return
    if (!open.is_with_server) open.stop.abort()
    else if (!has_session && close() !== undefined) void gate.cancel(open.permit)
  }

  function cancel(session: string | undefined, id: Id): void {
    const calls = session === undefined ? undefined : sessions.get(session)
    const open = calls?.find(id)
    if (open === undefined) return
    open.stop.abort()
    if (!open.is_with_server) return
    calls?.close(id)
    forgetIdle(session)
    void gate.cancel(open.permit)
  }

  /** Passes a request on and its answer back. */
  async function relay(
    request: IncomingMessage,
    response: ServerResponse,
    body: Buffer | undefined,
    { exchange, list, trace }: Relaying = {},
  ): Promise<void> {
    const incoming = await reach(upstream, request, response, body, trace).catch((error: Error) => {
      say(`The server could not be reached: ${error.message}`)
      return undefined
    })
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
    // A server with sessions may end a stream and give the answer to whoever comes back for it.
    if (exchange !== undefined && !exchange.has_session) await failed(exchange)
    if (isWhole) response.end()
    else response.destroy()
  }

  async function watched(event: ServerEvent, { session, exchange, list }: Watch): Promise<Buffer> {
    const isWaiting = session !== undefined && sessions.has(session)
    if (exchange === undefined && list === undefined && !isWaiting) return event.bytes
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
    const text = body?.toString('utf8') ?? ''
    const answered = readAnswer(text)
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
    answer(response, answered === undefined ? errorMessage(id, INTERNAL_ERROR, late) : text)
  }

  async function ended({ close }: Exchange, answered: Answered): Promise<void> {
    const open = close()
    if (open !== undefined) await gate.end(open.permit, answered)
  }

  /** The answer came on another stream of the session than that of the call. */
  async function endedElsewhere(session: string | undefined, answered: Answered): Promise<void> {
    const calls = session === undefined ? undefined : sessions.get(session)
    const open = calls?.find(answered.id)
    if (open === undefined || !open.is_with_server) return
    calls?.close(answered.id)
    forgetIdle(session)
    await gate.end(open.permit, answered)
  }

  async function failed({ close }: Exchange): Promise<void> {
    const open = close()
    if (open !== undefined) await gate.end(open.permit, { error: 'The server did not answer.' })
  }

  return handle
}

interface Relaying {
  readonly exchange?: Exchange
  readonly list?: Id | undefined
  /** Instead of what the client said. */
  readonly trace?: TraceHeaders | undefined
}

interface Watch {
  readonly session: string | undefined
  readonly exchange: Exchange | undefined
  readonly list: Id | undefined
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

/** Sends the request to the server; it is given up when the client hangs up. */
async function reach(
  upstream: URL,
  { method = 'GET', url = '/', headers }: IncomingMessage,
  response: ServerResponse,
  body: Buffer | undefined,
  trace: TraceHeaders | undefined,
): Promise<IncomingMessage> {
  const send = upstream.protocol === 'https:' ? requestHttps : requestHttp
  const outgoing = send({
    protocol: upstream.protocol,
    hostname: upstream.hostname.replace(/^\[|\]$/g, ''),
    port: upstream.port,
    path: url,
    method,
    headers: {
      ...(trace === undefined ? passedOn(headers) : { ...untraced(passedOn(headers)), ...trace }),
      'accept-encoding': 'identity',
      ...(body !== undefined && { 'content-type': 'application/json', 'content-length': body.length }),
    },
  })
  response.once('close', () => outgoing.destroy())
  outgoing.end(body)
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage]
  outgoing.on('error', () => undefined) // whoever reads the answer finds out
  return incoming
}

function untraced({ traceparent: _, tracestate: __, ...headers }: OutgoingHttpHeaders): OutgoingHttpHeaders {
  return headers
}

function passedOn(headers: IncomingHttpHeaders): OutgoingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !NOT_PASSED_ON.includes(name)))
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
