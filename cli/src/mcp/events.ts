/** One event of a stream of server-sent events, with the blank line that ends it. */
export interface ServerEvent {
  readonly bytes: Buffer
  /** What it carries, without the names of the fields. */
  readonly data: string
}

/** The events of a stream, byte by byte as they came. What is left at the end comes as it is. */
export async function* events(stream: AsyncIterable<Buffer>): AsyncGenerator<ServerEvent> {
  // Latin 1 has a character for every byte: nothing is lost, wherever a chunk ends.
  const blank = /\r\n\r\n|\n\n|\r\r/g // one for each stream: it remembers where it was
  let text = ''
  for await (const chunk of stream) {
    blank.lastIndex = Math.max(0, text.length - 3)
    text += chunk.toString('latin1')
    let start = 0
    for (let end = blank.exec(text); end !== null; end = blank.exec(text)) {
      yield eventOf(text.slice(start, blank.lastIndex))
      start = blank.lastIndex
    }
    text = text.slice(start)
  }
  if (text !== '') yield eventOf(text)
}

function eventOf(text: string): ServerEvent {
  const bytes = Buffer.from(text, 'latin1')
  const data = bytes
    .toString('utf8')
    .split(/\r\n|\n|\r/)
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice('data:'.length).replace(/^ /, ''))
    .join('\n')
  return { bytes, data }
}

/** The same event with other data. */
export function withData({ bytes }: ServerEvent, data: string): Buffer {
  const others = bytes
    .toString('utf8')
    .split(/\r\n|\n|\r/)
    .filter((line) => line !== '' && !line.startsWith('data:'))
  return Buffer.from(`${[...others, `data: ${data}`].join('\n')}\n\n`)
}

export function messageEvent(text: string): string {
  return `event: message\ndata: ${text}\n\n`
}
