import { hasInexactNumber, INEXACT_NUMBER, isObject, JsonError, readJson } from '@deputize/protocol'
import { type TraceHeaders, traceOf } from '@deputize/sdk/opentelemetry'
import { foldedName } from './folded-name.ts'
import { CALL_METHOD, isPassedMethod, nearMethod } from './mcp-methods.ts'

export type JsonObject = Readonly<Record<string, unknown>>

/** The JSON-RPC id of a request. */
export type MessageId = string | number

/** A tool call of the client. */
export interface McpToolCall {
  readonly id: MessageId
  readonly tool: string
  readonly arguments: unknown
  /** The token for progress notifications, if the client wants them. */
  readonly progress_token: MessageId | undefined
  /** The client uses a protocol revision in which results have a type. */
  readonly has_result_types: boolean
  /** The trace context that the client sent. */
  readonly trace: TraceHeaders
}

/** A message of the client, as far as the guard needs it. */
export type ClientMessage =
  | { readonly kind: 'call'; readonly call: McpToolCall }
  | { readonly kind: 'list'; readonly id: MessageId }
  | { readonly kind: 'cancel'; readonly id: MessageId }
  /** A response to a request of the server has no method. Only another request has an `id` here. */
  | { readonly kind: 'other'; readonly method: string | undefined; readonly id: MessageId | null }
  | {
      readonly kind: 'refused'
      readonly id: MessageId | null
      readonly code: number
      readonly message: string
    }

export const PARSE_ERROR = -32700
export const INVALID_REQUEST = -32600
const METHOD_NOT_FOUND = -32601
export const INTERNAL_ERROR = -32603
export const ID_IN_USE = 'A request with this id is still open. Use another id.'

const MESSAGE_LIMITS = { depth: 128, members: 100_000, items: 1_000_000 }
const MESSAGE_MEMBERS = ['jsonrpc', 'id', 'method', 'params']
const CALL_MEMBERS = ['name', 'arguments', '_meta']
const VERSION_META = 'io.modelcontextprotocol/protocolVersion'

/**
 * Reads a message of the client. Ambiguous messages and unknown methods are rejected: the server must not see a tool call
 * where the guard saw none. `more_methods` pass too.
 */
export function readClientMessage(bytes: Uint8Array, more_methods: readonly string[]): ClientMessage {
  const message = strictlyParsed(bytes)
  if (message === undefined) return refusedMessage(null, PARSE_ERROR, 'The message is not unambiguous JSON.')
  if (Array.isArray(message))
    return refusedMessage(null, INVALID_REQUEST, 'Batches are not supported. Send messages one by one.')
  if (!isObject(message))
    return refusedMessage(null, INVALID_REQUEST, 'The message is not a JSON-RPC message.')
  const { method, params } = message
  const id = isId(message.id) ? message.id : null
  const lookalike =
    lookalikeIn(message, MESSAGE_MEMBERS) ??
    (isObject(params) ? lookalikeIn(params, CALL_MEMBERS) : undefined)
  if (lookalike !== undefined)
    return refusedMessage(id, INVALID_REQUEST, `The member ${lookalike} is misspelled.`)
  if (method === undefined) return { kind: 'other', method, id: null }
  if (typeof method !== 'string') return refusedMessage(id, INVALID_REQUEST, 'The method must be a string.')
  if (method === CALL_METHOD) return toolCall(id, params, bytes)
  if (!isPassedMethod(method, more_methods))
    return refusedMessage(id, METHOD_NOT_FOUND, unknownMethod(method))
  if (method === 'tools/list' && id !== null) return { kind: 'list', id }
  if (method === 'notifications/cancelled' && isObject(params) && isId(params.requestId))
    return { kind: 'cancel', id: params.requestId }
  return { kind: 'other', method, id }
}

function unknownMethod(method: string): string {
  const near = nearMethod(method)
  return near === undefined
    ? 'The guard does not pass this method on. If the server needs it, add it to methods in the mapping.'
    : `The method is misspelled. Did you mean ${near}?`
}

function toolCall(id: MessageId | null, params: unknown, bytes: Uint8Array): ClientMessage {
  // A server might execute a notification, although there would be no response to record.
  if (id === null) return refusedMessage(id, INVALID_REQUEST, 'A tool call needs an id.')
  if (!isObject(params) || typeof params.name !== 'string' || params.name === '')
    return refusedMessage(id, INVALID_REQUEST, 'A tool call must name its tool.')
  if (hasInexactArguments(bytes))
    return refusedMessage(id, INVALID_REQUEST, `The call was not made: ${INEXACT_NUMBER}`)
  const meta = isObject(params._meta) ? params._meta : {}
  return {
    kind: 'call',
    call: {
      id,
      tool: params.name,
      arguments: params.arguments,
      progress_token: isId(meta.progressToken) ? meta.progressToken : undefined,
      has_result_types: VERSION_META in meta,
      trace: traceOf((name) => meta[name]),
    },
  }
}

/** Parsing with source text access, and raw JSON numbers. TypeScript's types for JSON do not have them yet. */
interface ExactJson {
  parse(text: string, revive: (name: string, value: unknown, context: { source: string }) => unknown): unknown
  rawJSON(text: string): object
}

const exactJson = JSON as unknown as ExactJson // every supported Node has both

/** The message with numbers that keep all their digits when it is written again. */
function exactMessage(text: string): unknown {
  return exactJson.parse(text, (_name, value, { source }) =>
    typeof value === 'number' ? exactJson.rawJSON(source) : value,
  )
}

/** Whether a number would lose digits: the server gets all of them, but the service and people judge a rounded one. */
function hasInexactArguments(bytes: Uint8Array): boolean {
  const text = Buffer.from(bytes).toString('utf8')
  if (!hasInexactNumber(text)) return false
  const message = exactMessage(text)
  const params = isObject(message) ? message.params : undefined
  const given = isObject(params) ? params.arguments : undefined
  return given !== undefined && hasInexactNumber(JSON.stringify(given))
}

/** The tool call with another trace context in its `_meta`. Numbers keep all their digits. */
export function withTrace(bytes: Buffer, { traceparent, tracestate }: TraceHeaders): string {
  const message = exactMessage(bytes.toString('utf8'))
  const { params, ...others } = isObject(message) ? message : {}
  const { _meta, ...call } = isObject(params) ? params : {}
  const meta = { ...(isObject(_meta) ? _meta : {}), traceparent, tracestate }
  return JSON.stringify({ ...others, params: { ...call, _meta: meta } })
}

function refusedMessage(id: MessageId | null, code: number, message: string): ClientMessage {
  return { kind: 'refused', id, code, message }
}

function strictlyParsed(bytes: Uint8Array): unknown {
  try {
    return readJson(bytes, MESSAGE_LIMITS)
  } catch (error) {
    if (error instanceof JsonError) return undefined
    throw error
  }
}

/** A member that a lenient reader would take for one of `names`. */
function lookalikeIn(object: JsonObject, names: readonly string[]): string | undefined {
  return Object.keys(object).find((member) => !names.includes(member) && names.includes(foldedName(member)))
}

/** The response of the server to a request of the client. */
export interface ServerResponse {
  readonly id: MessageId
  /** The whole message. */
  readonly message: JsonObject
  readonly result: unknown
  readonly error: unknown
}

/** Undefined if the message of the server is not a response. */
export function readServerResponse(text: string): ServerResponse | undefined {
  const message = lenientlyParsed(text)
  if (!isObject(message) || 'method' in message || !isId(message.id)) return undefined
  return { id: message.id, message, result: message.result, error: message.error }
}

function lenientlyParsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export function resultMessage(id: MessageId, result: unknown): string {
  return JSON.stringify({ jsonrpc: '2.0', id, result })
}

export function errorMessage(id: MessageId | null, code: number, message: string): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } })
}

export function progressMessage(progressToken: MessageId, progress: number, message: string): string {
  return JSON.stringify({
    jsonrpc: '2.0',
    method: 'notifications/progress',
    params: { progressToken, progress, message },
  })
}

function isId(value: unknown): value is MessageId {
  return typeof value === 'string' || typeof value === 'number'
}
