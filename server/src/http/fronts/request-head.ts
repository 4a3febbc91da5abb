/** The head of a request whose end is certain. */
export interface RequestHead {
  readonly method: string
  readonly url: string
  /** Names and values in turn, as they were sent. */
  readonly raw_headers: readonly string[]
  readonly head_bytes: number
  readonly body_bytes: number
  /** Whether a header was sent twice. */
  readonly has_repeated: boolean
}

const END = '\r\n\r\n'
const MOST_HEAD_BYTES = 8 * 1024
const MOST_HEADERS = 50
const REQUEST_LINE = /^(GET|HEAD|POST|PUT|PATCH|DELETE) (\/[\x21-\x7e]*) HTTP\/1\.1$/
/** No empty value, no tab, no space around a value but the one after the colon, no line that continues another. */
const HEADER_LINE = /^([!#$%&'*+.^_`|~\dA-Za-z-]+): ([\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)$/
const LENGTH = /^(?:0|[1-9]\d{0,8})$/
/** What changes where a request ends, or what the connection is used for. */
const UNUSUAL: ReadonlySet<string> = new Set(['transfer-encoding', 'expect', 'upgrade', 'trailer', 'te'])

/**
 * Reads the head of a request at the start of some bytes. Only the form that programs write is accepted, on which all
 * readers of HTTP agree. Undefined for everything else, also for a head that has not arrived as a whole.
 */
export function readRequestHead(bytes: Buffer): RequestHead | undefined {
  const end = bytes.indexOf(END)
  if (end <= 0 || end > MOST_HEAD_BYTES) return undefined
  const [first = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n')
  const [, method, url] = REQUEST_LINE.exec(first) ?? []
  if (method === undefined || url === undefined || lines.length > MOST_HEADERS) return undefined
  const raw_headers: string[] = []
  const seen = new Set<string>()
  let body_bytes = 0
  for (const line of lines) {
    const [, name, value] = HEADER_LINE.exec(line) ?? []
    if (name === undefined || value === undefined) return undefined
    const lower = name.toLowerCase()
    if (UNUSUAL.has(lower) || (lower === 'connection' && value.toLowerCase() !== 'keep-alive'))
      return undefined
    if (lower === 'content-length') {
      if (seen.has(lower) || !LENGTH.test(value)) return undefined
      body_bytes = Number(value)
    }
    seen.add(lower)
    raw_headers.push(name, value)
  }
  if (!seen.has('host')) return undefined
  const has_repeated = seen.size < lines.length
  return { method, url, raw_headers, head_bytes: end + END.length, body_bytes, has_repeated }
}

/** The bytes of a request again, for whoever reads HTTP from its beginning. */
export function requestBytes(
  { method, url, raw_headers }: Pick<RequestHead, 'method' | 'url' | 'raw_headers'>,
  body: Buffer,
): Buffer {
  let head = `${method} ${url} HTTP/1.1\r\n`
  for (let index = 0; index < raw_headers.length; index += 2)
    head += `${raw_headers[index]}: ${raw_headers[index + 1]}\r\n`
  return Buffer.concat([Buffer.from(`${head}\r\n`, 'latin1'), body])
}
