import type { ServerResponse as HttpResponse, IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { type TraceHeaders, traceOf } from '@deputize/sdk/opentelemetry'
import { messageEvent } from './events.ts'
import { CALL_METHOD } from './mcp-methods.ts'
import {
  type ClientMessage,
  errorMessage,
  INTERNAL_ERROR,
  type McpToolCall,
  type MessageId,
  progressMessage,
} from './messages.ts'

const MAX_BODY_BYTES = 32 * 1024 * 1024
const METHODS = ['GET', 'POST', 'DELETE', 'OPTIONS']

/** The reason why a request is rejected before its body is read. */
export interface RequestProblem {
  readonly status: number
  readonly message: string
}

export function requestProblem(request: IncomingMessage): RequestProblem | undefined {
  const { method = '', headers } = request
  // Other people's web pages must not reach this machine, whatever their host names resolve to.
  if (!isLocal(`http://${headers.host ?? ''}`))
    return { status: 403, message: 'Unknown host name. Use localhost or 127.0.0.1.' }
  if (headers.origin !== undefined && !isLocal(headers.origin))
    return { status: 403, message: 'Requests from this origin are not allowed.' }
  if (!METHODS.includes(method)) return { status: 405, message: `${method} is not supported.` }
  const is_json = /^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i.test(headers['content-type'] ?? '')
  if (method === 'POST' && !is_json) return { status: 415, message: 'Send application/json in UTF-8.' }
  return undefined
}

function isLocal(address: string): boolean {
  return URL.canParse(address) && /^(localhost|127\.0\.0\.1|\[::1\])$/.test(new URL(address).hostname)
}

/** The body of a request. Undefined if it is too long. */
export async function limitedBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size <= MAX_BODY_BYTES) chunks.push(chunk)
  }
  return size > MAX_BODY_BYTES ? undefined : Buffer.concat(chunks)
}

/**
 * Since the protocol revision of 2026, headers repeat the method and name of a call. A server that reads the headers
 * must see the same call as the guard.
 */
export function isContradicted(message: ClientMessage, headers: IncomingHttpHeaders): boolean {
  const { 'mcp-method': method, 'mcp-name': name } = headers
  if (method !== undefined && method !== methodOf(message)) return true
  return message.kind === 'call' && name !== undefined && headerText(String(name)) !== message.call.tool
}

function methodOf(message: ClientMessage): string | undefined {
  if (message.kind === 'call') return CALL_METHOD
  if (message.kind === 'list') return 'tools/list'
  if (message.kind === 'cancel') return 'notifications/cancelled'
  return message.kind === 'other' ? message.method : undefined
}

const BASE64_HEADER = /^=\?base64\?(.*)\?=$/

function headerText(text: string): string {
  const [, base64] = BASE64_HEADER.exec(text) ?? []
  return base64 === undefined ? text : Buffer.from(base64, 'base64').toString('utf8')
}

export function sessionOf(headers: IncomingHttpHeaders): string | undefined {
  const session = headers['mcp-session-id']
  return typeof session === 'string' ? session : undefined
}

/** Whether a client resumes a stream: it names the last event that it received. */
export function isResuming({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' && headers['last-event-id'] !== undefined
}

/** The trace context of the message takes precedence: an HTTP request may carry messages from other callers. */
export function withHeaderTrace(call: McpToolCall, headers: IncomingHttpHeaders): McpToolCall {
  if (call.trace.traceparent !== undefined) return call
  return { ...call, trace: traceOf((name) => headers[name]) }
}

/** The headers of a client, with the trace context of the guard if it has its own. */
export function headersWithTrace(
  headers: IncomingHttpHeaders,
  trace: TraceHeaders | undefined,
): IncomingHttpHeaders {
  if (trace === undefined) return headers
  const { traceparent: _, tracestate: __, ...rest } = headers
  return { ...rest, ...trace }
}

/** Sends progress while a call waits for an approval, if the client asked for it and accepts a stream. */
export function progressSender(
  { progress_token }: McpToolCall,
  { headers }: IncomingMessage,
  response: HttpResponse,
): (text: string) => void {
  let count = 0
  return (text) => {
    if (progress_token === undefined || !(headers.accept ?? '').includes('text/event-stream')) return
    if (!response.headersSent)
      response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
    count += 1
    // Progress must increase, and the server starts counting later.
    response.write(messageEvent(progressMessage(progress_token, count / 1_000_000, text)))
  }
}

/** Sends a message as the response, or as an event if the response is already a stream. */
export function sendMessage(response: HttpResponse, text: string, status = 200): void {
  if (response.headersSent) response.end(messageEvent(text))
  else sendJson(response, status, text)
}

export function sendUnreachable(response: HttpResponse, id: MessageId | null): void {
  sendMessage(response, errorMessage(id, INTERNAL_ERROR, 'The server could not be reached.'), 502)
}

export function sendJson(response: HttpResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(text)
}
