import type { IncomingHttpHeaders } from 'node:http'
import { STEADY_HEADERS } from '../lean/plain-request.ts'

/** The request line and headers of a request. */
export interface RequestNames {
  readonly method: string
  readonly url: string
  /** Alternating names and values, as sent. */
  readonly raw_headers: readonly string[]
  /** By lower-case name. A repeated header has its last value. */
  readonly headers: Readonly<IncomingHttpHeaders>
}

/** The head of a request whose end is certain. */
export interface RequestHead extends RequestNames {
  readonly head_bytes: number
  readonly body_bytes: number
  /** Whether a header was sent twice. */
  readonly has_repeated: boolean
}

const NEXT_LINE = '\r\n'
const END = NEXT_LINE + NEXT_LINE
const MOST_HEAD_BYTES = 8 * 1024
const MOST_HEADERS = 50
const REQUEST_LINE = /^(GET|HEAD|POST|PUT|PATCH|DELETE) (\/[\x21-\x7e]*) HTTP\/1\.1$/
/** Allows no empty value, no tab, no space around a value except the one after the colon, and no continuation line. */
const HEADER_LINE = /^([!#$%&'*+.^_`|~\dA-Za-z-]+): ([\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)$/
const LENGTH = /^(?:0|[1-9]\d{0,8})$/
/** Headers that change where a request ends or what the connection is used for. */
const UNUSUAL: ReadonlySet<string> = new Set([
  'transfer-encoding',
  'expect',
  'upgrade',
  'trailer',
  'te',
  '__proto__', // can't be a member name
])

/** Everything in a head but the request line. */
type HeaderBlock = Omit<RequestHead, 'method' | 'url' | 'head_bytes'>

/** Blocks with other headers aren't remembered: they differ from request to request, or hold a secret. */
const REMEMBERED_HEADERS: ReadonlySet<string> = new Set(STEADY_HEADERS)
const REMEMBERED_BLOCKS = 500
const MOST_REMEMBERED_CHARACTERS = 512
/** By the text they were read from: a client sends the same headers with request after request. */
const blocksByText = new Map<string, HeaderBlock>()

/**
 * Reads the request head at the start of the bytes. Accepts only the form that programs write, on which all HTTP
 * parsers agree. Returns undefined for anything else, including a head that hasn't arrived completely.
 */
export function readRequestHead(bytes: Buffer): RequestHead | undefined {
  const end = bytes.indexOf(END)
  if (end <= 0 || end > MOST_HEAD_BYTES) return undefined
  const first_end = bytes.indexOf(NEXT_LINE)
  const [, method, url] = REQUEST_LINE.exec(bytes.toString('latin1', 0, first_end)) ?? []
  if (method === undefined || url === undefined) return undefined
  // Decoded separately, because a slice of a longer string would keep all of it in memory.
  const block = headerBlock(bytes.toString('latin1', first_end + NEXT_LINE.length, end))
  if (block === undefined) return undefined
  const { raw_headers, headers, body_bytes, has_repeated } = block
  return { method, url, headers, raw_headers, head_bytes: end + END.length, body_bytes, has_repeated }
}

/** The one header that SDKs send with another value each time. */
const IDEMPOTENCY_KEY = /\r\n(idempotency-key): ([\x21-\x7e]+)(?=\r\n|$)/i

/** Reads a block. An Idempotency-Key is read by itself, so that the rest can be that of an earlier request. */
function headerBlock(text: string): HeaderBlock | undefined {
  const found = IDEMPOTENCY_KEY.exec(text)
  if (found === null) return steadyBlock(text)
  const [line, name = '', value = ''] = found
  const before = text.slice(0, found.index)
  const rest = steadyBlock(before + text.slice(found.index + line.length))
  if (rest === undefined || rest.raw_headers.length >= 2 * MOST_HEADERS) return undefined
  if (rest.headers['idempotency-key'] !== undefined) return readHeaderBlock(text) // sent more than once
  const { headers, raw_headers, body_bytes, has_repeated } = rest
  return {
    headers: { ...headers, 'idempotency-key': value },
    raw_headers: withPair(raw_headers, 2 * linesIn(before), name, value),
    body_bytes,
    has_repeated,
  }
}

function linesIn(text: string): number {
  let lines = 1
  for (let at = text.indexOf(NEXT_LINE); at >= 0; at = text.indexOf(NEXT_LINE, at + 1)) lines += 1
  return lines
}

/** Returns the list with two more entries at a position. Faster than `toSpliced`. */
function withPair(list: readonly string[], position: number, name: string, value: string): string[] {
  const longer: string[] = []
  for (let index = 0; index < position; index++) longer.push(list[index] ?? '')
  longer.push(name, value)
  for (let index = position; index < list.length; index++) longer.push(list[index] ?? '')
  return longer
}

/** Reads a block, or reuses that of an earlier request with the same text. Blocks are frozen. */
function steadyBlock(text: string): HeaderBlock | undefined {
  const known = blocksByText.get(text)
  if (known !== undefined) return known
  const block = readHeaderBlock(text)
  if (block !== undefined && text.length <= MOST_REMEMBERED_CHARACTERS && isSteady(block)) {
    if (blocksByText.size >= REMEMBERED_BLOCKS) blocksByText.clear()
    blocksByText.set(text, block)
  }
  return block
}

function isSteady({ headers }: HeaderBlock): boolean {
  for (const name in headers) if (!REMEMBERED_HEADERS.has(name)) return false
  return true
}

function readHeaderBlock(text: string): HeaderBlock | undefined {
  const lines = text.split(NEXT_LINE)
  if (lines.length > MOST_HEADERS) return undefined
  const raw_headers: string[] = []
  const headers: IncomingHttpHeaders = {}
  let has_repeated = false
  let body_bytes = 0
  for (const line of lines) {
    const [, name, value] = HEADER_LINE.exec(line) ?? []
    if (name === undefined || value === undefined) return undefined
    const lower = name.toLowerCase()
    if (UNUSUAL.has(lower) || (lower === 'connection' && value.toLowerCase() !== 'keep-alive'))
      return undefined
    if (lower === 'content-length') {
      if (headers[lower] !== undefined || !LENGTH.test(value)) return undefined
      body_bytes = Number(value)
    }
    if (headers[lower] !== undefined) has_repeated = true
    headers[lower] = value
    raw_headers.push(name, value)
  }
  if (headers.host === undefined) return undefined
  return Object.freeze({
    headers: Object.freeze(headers),
    raw_headers: Object.freeze(raw_headers),
    body_bytes,
    has_repeated,
  })
}

/** Returns headers by lower-case name. */
export function headersOf(raw_headers: readonly string[]): IncomingHttpHeaders {
  const headers: IncomingHttpHeaders = {}
  for (let index = 0; index < raw_headers.length; index += 2)
    headers[String(raw_headers[index]).toLowerCase()] = raw_headers[index + 1]
  return headers
}

/** Encodes a request again, for a reader that expects HTTP from its beginning. */
export function requestBytes(
  { method, url, raw_headers }: Pick<RequestNames, 'method' | 'url' | 'raw_headers'>,
  body: Buffer,
): Buffer {
  let head = `${method} ${url} HTTP/1.1\r\n`
  for (let index = 0; index < raw_headers.length; index += 2)
    head += `${raw_headers[index]}: ${raw_headers[index + 1]}\r\n`
  return Buffer.concat([Buffer.from(`${head}\r\n`, 'latin1'), body])
}
