import { once } from 'node:events'
import { createServer, type ServerResponse as HttpResponse, type IncomingMessage } from 'node:http'
import type { CallAuthorizer } from './call-authorizer.ts'
import { type Exchange, openExchanges } from './exchanges.ts'
import {
  isContradicted,
  limitedBody,
  progressSender,
  requestProblem,
  sendJson,
  sendMessage,
  sessionOf,
  withHeaderTrace,
} from './http-messages.ts'
import {
  errorMessage,
  ID_IN_USE,
  INTERNAL_ERROR,
  INVALID_REQUEST,
  type McpToolCall,
  type MessageId,
  readClientMessage,
  resultMessage,
  withTrace,
} from './messages.ts'
import { type RelayParts, relay } from './relay.ts'
import type { Upstream } from './upstream.ts'

export interface HttpGuardOptions extends PassingRules {
  readonly host: string
  readonly port: number
  readonly upstream: Upstream
  readonly authorizer: CallAuthorizer
  readonly say: (text: string) => void
}

/** Which messages pass, and in what form. */
interface PassingRules {
  readonly hide_denied: boolean
  /** Methods that pass in addition to those of the protocol. */
  readonly methods: readonly string[]
}

export interface HttpGuard {
  /** The URL that clients connect to. */
  readonly url: string
  close(): Promise<void>
}

/** A client request and the response to it. */
interface HttpCall {
  readonly request: IncomingMessage
  readonly response: HttpResponse
  readonly body: Buffer
}

/** Guards a server that speaks streamable HTTP. */
export async function guardHttp(options: HttpGuardOptions): Promise<HttpGuard> {
  const { host, port, upstream, authorizer, say } = options
  const exchanges = openExchanges(authorizer)
  const parts = { upstream, authorizer, exchanges, say }
  const server = createServer((request, response) => {
    handle(parts, request, response, options).catch((error: unknown) => fail(say, response, error))
  })
  server.requestTimeout = 0 // a stream stays open as long as the client wants
  server.listen(port, host)
  await once(server, 'listening')
  const address = server.address()
  const bound = typeof address === 'object' && address !== null ? address.port : port
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}${upstream.url.pathname}`,
    async close() {
      server.close()
      const given_up = exchanges.giveUpAll()
      server.closeAllConnections()
      await given_up
      await authorizer.settle()
    },
  }
}

function fail(say: (text: string) => void, response: HttpResponse, error: unknown): void {
  say(error instanceof Error ? String(error.stack) : String(error))
  if (response.headersSent) response.destroy()
  else sendJson(response, 500, errorMessage(null, INTERNAL_ERROR, 'The guard failed.'))
}

async function handle(
  parts: RelayParts,
  request: IncomingMessage,
  response: HttpResponse,
  rules: PassingRules,
): Promise<void> {
  const problem = requestProblem(request)
  if (problem !== undefined) return refuse(response, problem.status, problem.message)
  if (request.method !== 'POST') return relay(parts, request, response, undefined)
  const body = await limitedBody(request)
  if (body === undefined) return refuse(response, 413, 'The message is too long.')
  return handleMessage(parts, { request, response, body }, rules)
}

function refuse(response: HttpResponse, status: number, message: string): void {
  sendJson(response, status, errorMessage(null, INVALID_REQUEST, message))
}

function refuseId(response: HttpResponse, id: MessageId): void {
  sendJson(response, 400, errorMessage(id, INVALID_REQUEST, ID_IN_USE))
}

async function handleMessage(
  parts: RelayParts,
  http: HttpCall,
  { hide_denied, methods }: PassingRules,
): Promise<void> {
  const { request, response, body } = http
  const message = readClientMessage(body, methods)
  if (message.kind === 'refused')
    return sendJson(response, 400, errorMessage(message.id, message.code, message.message))
  if (isContradicted(message, request.headers))
    return refuse(response, 400, 'The headers name another call than the message.')
  if (message.kind === 'call') return callTool(parts, http, withHeaderTrace(message.call, request.headers))
  if (message.kind === 'cancel') {
    const exchange = parts.exchanges.find(sessionOf(request.headers), message.id)
    if (exchange !== undefined) void parts.exchanges.giveUp(exchange)
  }
  // The response to either of two requests with one id could be taken for that of the other.
  else if (message.id !== null && !parts.exchanges.ask(sessionOf(request.headers), message.id))
    return refuseId(response, message.id)
  const list = message.kind === 'list' && hide_denied ? message.id : undefined
  const asked = message.kind === 'cancel' ? undefined : (message.id ?? undefined)
  return relay(parts, request, response, body, { list, asked })
}

async function callTool(parts: RelayParts, http: HttpCall, call: McpToolCall): Promise<void> {
  const { request, response, body } = http
  const session = sessionOf(request.headers)
  const exchange = parts.exchanges.open(session, call)
  if (exchange === undefined) return refuseId(response, call.id)
  response.once('close', () => clientLeft(parts, exchange, response))
  const decision = await parts.authorizer.authorize(
    call,
    { transport: 'tcp', session },
    exchange.stop.signal,
    progressSender(call, request, response),
  )
  if (decision.kind !== 'allowed') exchange.close()
  if (decision.kind === 'denied') return sendMessage(response, resultMessage(call.id, decision.result))
  if (decision.kind === 'cancelled') return void response.end()
  const { trace } = decision.allowed
  exchange.allowed = decision.allowed
  exchange.is_with_server = true
  const message = trace === undefined ? body : Buffer.from(withTrace(body, trace))
  return relay(parts, request, response, message, { exchange })
}

/**
 * Called when the client disconnects. Since the protocol revision of 2026, that cancels the call. In earlier revisions
 * the client may reconnect, so the call continues and the guard reads its response.
 */
function clientLeft({ exchanges }: RelayParts, exchange: Exchange, response: HttpResponse): void {
  if (response.writableFinished) return
  exchange.is_orphan = true
  if (exchange.is_with_server && !exchange.call.has_result_types) return
  exchange.outgoing?.destroy()
  void exchanges.giveUp(exchange)
}
