import { unexpectedAnswer } from '../errors.ts'
import { OPERATIONS, type OperationId } from '../generated/operations.ts'
import { jsonBody } from '../json-body.ts'
import { checkLimits, checkOptions } from '../options.ts'
import type { CallOptions, Download } from './call-types.ts'
import { checkIdempotencyKey, newIdempotencyKey } from './idempotency-key.ts'
import { type Connection, type OutgoingRequest, send } from './request.ts'

/** A row of `OPERATIONS`. */
export interface OperationRow {
  readonly method: string
  readonly path: string
  readonly params?: readonly string[]
  /** The path parameter that may contain slashes. */
  readonly rest?: string
  readonly query?: readonly string[]
  readonly body?: 'json' | 'form'
  readonly answer: 'json' | 'text' | 'bytes' | 'download'
  readonly pages?: 'cursor' | 'after' | 'start'
}

export type CallInput = Readonly<Record<string, unknown>>

const CALL_OPTIONS: Record<keyof CallOptions, true> = {
  signal: true,
  timeout_ms: true,
  retries: true,
  idempotency_key: true,
  headers: true,
}

/** Makes one call and reads the response in the format of its row. */
export async function call(
  connection: Connection,
  id: OperationId,
  input: CallInput = {},
  options: CallOptions = {},
): Promise<unknown> {
  checkOptions(options, CALL_OPTIONS)
  checkLimits(options)
  if (options.idempotency_key !== undefined) checkIdempotencyKey(options.idempotency_key)
  const row: OperationRow = OPERATIONS[id]
  return send(connection, outgoingRequest(row, input, options), options, READERS[row.answer])
}

const READERS: Readonly<Record<OperationRow['answer'], (response: Response) => Promise<unknown>>> = {
  json: jsonAnswer,
  text: (response) => response.text(),
  bytes: async (response) => new Uint8Array(await response.arrayBuffer()),
  download: async (response) => downloadOf(response),
}

async function jsonAnswer(response: Response): Promise<unknown> {
  const text = await response.text()
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null) return value
    throw new TypeError('The response is not an object.')
  } catch (cause) {
    throw unexpectedAnswer(response.status, { cause })
  }
}

function outgoingRequest(
  row: OperationRow,
  input: CallInput,
  { idempotency_key }: CallOptions,
): OutgoingRequest {
  const { method, query = [], body: form } = row
  const given = Object.entries(input).filter(
    ([name, value]) => value !== undefined && !row.params?.includes(name),
  )
  const isReading = method === 'GET' || method === 'DELETE'
  // Unknown members are sent too, so that the service rejects them by name.
  const inQuery = given.filter(([name]) => isReading || query.includes(name))
  const inBody = given.filter(([name]) => !isReading && !query.includes(name))
  const search = encodedForm(inQuery)
  const { wait } = Object.fromEntries(inQuery)
  return {
    method,
    target: `${filledPath(row, input)}${search === '' ? '' : `?${search}`}`,
    headers: {
      accept: row.answer === 'json' ? 'application/json' : '*/*',
      ...(!isReading && { 'content-type': form === 'form' ? FORM : 'application/json' }),
      ...(method === 'POST' && { 'idempotency-key': idempotency_key ?? newIdempotencyKey() }),
    },
    body: isReading ? undefined : encodedBody(form, Object.fromEntries(inBody)),
    extra_ms: typeof wait === 'number' ? wait * 1000 : 0,
    is_download: row.answer === 'download',
  }
}

const FORM = 'application/x-www-form-urlencoded'

function encodedBody(form: OperationRow['body'], members: Record<string, unknown>): string {
  if (form !== 'form') return jsonBody(members)
  return encodedForm(Object.entries(members))
}

export function encodedForm(members: readonly (readonly [string, unknown])[]): string {
  const form = new URLSearchParams()
  // A list is sent as one parameter for each entry.
  for (const [name, value] of members)
    for (const entry of Array.isArray(value) ? value : [value]) form.append(name, String(entry))
  return form.toString()
}

function filledPath({ path, rest }: OperationRow, input: CallInput): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = input[name]
    if ((typeof value !== 'string' && typeof value !== 'number') || value === '')
      throw new TypeError(`${name} is missing. Pass a non-empty string or a number.`)
    // URL parsing would resolve these as directories.
    if (/^\.{1,2}$/.test(String(value))) throw new TypeError(`${name} cannot be "${value}".`)
    const parts = name === rest ? String(value).split('/') : [String(value)]
    return parts.map(encodeURIComponent).join('/')
  })
}

function downloadOf(response: Response): Download {
  const { body, headers } = response
  if (body === null) throw unexpectedAnswer(response.status)
  return {
    media_type: (headers.get('content-type') ?? '').split(';')[0] ?? '',
    file_name: /filename="([^"]*)"/.exec(headers.get('content-disposition') ?? '')?.[1],
    body,
    text: () => response.text(),
    lines: () => linesIn(body),
  }
}

export async function* linesIn(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      const lines = `${rest}${decoder.decode(value, { stream: !done })}`.split(/\r?\n/)
      rest = lines.pop() ?? ''
      yield* lines
      if (done) break
    }
    if (rest !== '') yield rest
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}
