/** One server-sent event, with the blank line that ends it. */
export interface ServerEvent {
  readonly bytes: Buffer
  /** The value of its data fields. Decoded on every access, because it may be large. */
  readonly data: string
  /** Whether a client can resume the stream after this event. */
  readonly has_id: boolean
}

const LINE_FEED = 0x0a
export const CARRIAGE_RETURN = 0x0d
const SPACE = 0x20

/** The events of a stream, as unchanged bytes. The last one may lack its blank line. */
export async function* streamEvents(stream: AsyncIterable<Buffer>): AsyncGenerator<ServerEvent> {
  let parts: Buffer[] = []
  let is_line_empty = true
  let is_after_return = false // a line feed that follows belongs to the same line end
  for await (const chunk of stream) {
    let start = 0
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at]
      const is_second = byte === LINE_FEED && is_after_return
      is_after_return = false
      if (is_second) continue
      if (byte !== LINE_FEED && byte !== CARRIAGE_RETURN) {
        is_line_empty = false
        continue
      }
      if (byte === CARRIAGE_RETURN && chunk[at + 1] === LINE_FEED) at += 1
      else is_after_return = byte === CARRIAGE_RETURN
      if (is_line_empty) {
        const event = eventOf([...parts, chunk.subarray(start, at + 1)])
        parts = []
        start = at + 1
        yield event
      }
      is_line_empty = true
    }
    if (start < chunk.length) parts.push(chunk.subarray(start))
  }
  if (parts.length > 0) yield eventOf(parts)
}

function eventOf(parts: readonly Buffer[]): ServerEvent {
  const bytes = Buffer.concat(parts)
  return {
    bytes,
    get data() {
      return valuesIn(bytes, 'data').join('\n')
    },
    get has_id() {
      return valuesIn(bytes, 'id').some((id) => id !== '')
    },
  }
}

/** The values of a field. An event may be large, so only this field is decoded. */
function valuesIn(bytes: Buffer, field: string): string[] {
  const name = Buffer.from(`${field}:`)
  return linesIn(bytes)
    .filter((line) => line.subarray(0, name.length).equals(name))
    .map((line) => line.subarray(name.length + (line[name.length] === SPACE ? 1 : 0)).toString('utf8'))
}

function linesIn(bytes: Buffer): Buffer[] {
  const found: Buffer[] = []
  let start = 0
  for (let at = 0; at < bytes.length; at += 1) {
    if (bytes[at] !== LINE_FEED && bytes[at] !== CARRIAGE_RETURN) continue
    found.push(bytes.subarray(start, at))
    if (bytes[at] === CARRIAGE_RETURN && bytes[at + 1] === LINE_FEED) at += 1
    start = at + 1
  }
  return start < bytes.length ? [...found, bytes.subarray(start)] : found
}

/** The event with its data replaced. */
export function withData({ bytes }: ServerEvent, data: string): Buffer {
  const others = linesIn(bytes)
    .map(String)
    .filter((line) => line !== '' && !line.startsWith('data:'))
  return Buffer.from(`${[...others, `data: ${data}`].join('\n')}\n\n`)
}

export function messageEvent(text: string): string {
  return `event: message\ndata: ${text}\n\n`
}
