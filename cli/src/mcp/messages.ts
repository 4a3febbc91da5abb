import { JsonError, readJson } from '@deputize/protocol'
import { type TraceHeaders, traceOf } from '@deputize/sdk/opentelemetry'

export type JsonObject = Readonly<Record<string, unknown>>

/** How a request is named, by its sender. */
export type Id = string | number

export interface ToolCall {
  readonly id: Id
  readonly tool: string
  readonly arguments: unknown
  /** Under which the client wants to hear how it goes on. */
  readonly progress_token: Id | undefined
  /** The client speaks a revision in which every result says of what type it is. */
  readonly has_result_types: boolean
  /** The trace that the client says it belongs to. */
  readonly trace: TraceHeaders
}

/** What a client says, as far as the guard has to know. */
export type ClientMessage =
  | { readonly kind: 'call'; readonly call: ToolCall }
  | { readonly kind: 'list'; readonly id: Id }
  | { readonly kind: 'cancel'; readonly id: Id }
  | { readonly kind: 'other' }
  | { readonly kind: 'refused'; readonly id: Id | null; readonly code: number; readonly message: string }

export const PARSE_ERROR = -32700
export const INVALID_REQUEST = -32600
export const INTERNAL_ERROR = -32603

const LIMITS = { depth: 128, members: 100_000, items: 1_000_000 }
const MESSAGE_MEMBERS = ['jsonrpc', 'id', 'method', 'params']
const CALL_MEMBERS = ['name', 'arguments', '_meta']
const VERSION_META = 'io.modelcontextprotocol/protocolVersion'

/**
 * Reads a message that a client sent. What two readers could take for two different messages is refused: the server must
 * not see a tool call where the guard saw none.
 */
export function readClientMessage(bytes: Uint8Array): ClientMessage {
  const message = parsed(bytes)
  if (message === undefined) return refused(null, PARSE_ERROR, 'This is no JSON that has one meaning only.')
  if (Array.isArray(message)) return refused(null, INVALID_REQUEST, 'Send messages one by one.')
  if (!isObject(message)) return refused(null, INVALID_REQUEST, 'This is no message of JSON-RPC.')
  const { method, params } = message
  const id = isId(message.id) ? message.id : null
  const lookalike =
    lookalikeIn(message, MESSAGE_MEMBERS) ??
    (isObject(params) ? lookalikeIn(params, CALL_MEMBERS) : undefined)
  if (lookalike !== undefined) return refused(id, INVALID_REQUEST, `The member ${lookalike} is misspelled.`)
  if (method === undefined) return { kind: 'other' } // an answer to what the server asked
  if (typeof method !== 'string') return refused(id, INVALID_REQUEST, 'The method has to be a text.')
  if (method === 'tools/call') return toolCall(id, params)
  if (method === 'tools/list' && id !== null) return { kind: 'list', id }
  if (method === 'notifications/cancelled' && isObject(params) && isId(params.requestId))
    return { kind: 'cancel', id: params.requestId }
  return { kind: 'other' }
}

function toolCall(id: Id | null, params: unknown): ClientMessage {
  // Without an id nobody would learn how it ended, but a careless server would do it all the same.
  if (id === null) return refused(id, INVALID_REQUEST, 'A tool call needs an id.')
  if (!isObject(params) || typeof params.name !== 'string' || params.name === '')
    return refused(id, INVALID_REQUEST, 'A tool call has to name its tool.')
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

/** A reviver that sees how a value was written, and a way to write a number the same: newer than the types of JSON. */
interface ExactJson {
  parse(text: string, revive: (name: string, value: unknown, context: { source: string }) => unknown): unknown
  rawJSON(text: string): object
}

const exactJson = JSON as unknown as ExactJson // every Node that runs this has both

/** A tool call with another trace in its `_meta`. Numbers stay as they are written, however many digits they have. */
export function withTrace(bytes: Buffer, { traceparent, tracestate }: TraceHeaders): string {
  const message = exactJson.parse(bytes.toString('utf8'), (_name, value, { source }) =>
    typeof value === 'number' ? exactJson.rawJSON(source) : value,
  )
  const { params, ...others } = isObject(message) ? message : {}
  const { _meta, ...call } = isObject(params) ? params : {}
  const meta = { ...(isObject(_meta) ? _meta : {}), traceparent, tracestate }
  return JSON.stringify({ ...others, params: { ...call, _meta: meta } })
}

function refused(id: Id | null, code: number, message: string): ClientMessage {
  return { kind: 'refused', id, code, message }
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return readJson(bytes, LIMITS)
  } catch (error) {
    if (error instanceof JsonError) return undefined
    throw error
  }
}

/** A member that readers who do not mind capitals take for one of `names`. */
function lookalikeIn(object: JsonObject, names: readonly string[]): string | undefined {
  return Object.keys(object).find(
    (member) => !names.includes(member) && names.includes(member.toUpperCase().toLowerCase()),
  )
}

/** How a request of the client was answered. */
export interface Answered {
  readonly id: Id
  /** The whole message. */
  readonly message: JsonObject
  readonly result: unknown
  readonly error: unknown
}

/** The answer that a message of the server is, if it is one. */
export function readAnswer(text: string): Answered | undefined {
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

export function resultMessage(id: Id, result: unknown): string {
  return JSON.stringify({ jsonrpc: '2.0', id, result })
}

export function errorMessage(id: Id | null, code: number, message: string): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } })
}

export function progressMessage(progressToken: Id, progress: number, message: string): string {
  return JSON.stringify({
    jsonrpc: '2.0',
    method: 'notifications/progress',
    params: { progressToken, progress, message },
  })
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isId(value: unknown): value is Id {
  return typeof value === 'string' || typeof value === 'number'
}
