import type { TestScope } from './scope.ts'

/** A block in a stream of server-sent events. */
export interface StreamBlock {
  readonly id: string | undefined
  readonly event: string | undefined
  readonly data: string | undefined
  readonly comment: string | undefined
}

export interface OpenStream {
  readonly status: number
  readonly media_type: string | null
  /** The next block with data, or undefined once the service has ended the stream. */
  next(): Promise<StreamBlock | undefined>
  /** The next `count` events, parsed. Fails if the stream ends before. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into events freely; a wrong guess fails the test
  events(count: number): Promise<any[]>
  close(): void
}

/** Opens a stream of events, independently of the code that it tests. */
export async function anEventStream(
  scope: TestScope,
  url: string,
  headers: Record<string, string> = {},
): Promise<OpenStream> {
  const abort = new AbortController()
  scope.after(() => abort.abort())
  const response = await fetch(url, {
    headers: { accept: 'text/event-stream', ...headers },
    signal: abort.signal,
  })
  const blocks = blocksOf(response.body ?? new ReadableStream())
  async function next(): Promise<StreamBlock | undefined> {
    for (;;) {
      const { value, done } = await blocks.next()
      if (done === true) return undefined
      if (value.data !== undefined) return value
    }
  }
  return {
    // Keeps the response alive: its body ends if the response is garbage-collected.
    get status() {
      return response.status
    },
    get media_type() {
      return response.headers.get('content-type')
    },
    next,
    async events(count) {
      const events = []
      while (events.length < count) {
        const block = await next()
        if (block?.data === undefined) throw new Error(`the stream ended after ${events.length} events`)
        if (block.event === undefined) events.push(JSON.parse(block.data))
      }
      return events
    },
    close: () => abort.abort(),
  }
}

async function* blocksOf(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamBlock, void> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of body) {
    text += decoder.decode(chunk, { stream: true })
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      yield blockOf(text.slice(0, end))
      text = text.slice(end + 2)
    }
  }
}

function blockOf(text: string): StreamBlock {
  const fields = text.split('\n').map((line) => /^([^:]*): ?(.*)$/.exec(line))
  const field = (name: string) => fields.find((found) => found?.[1] === name)?.[2]
  return { id: field('id'), event: field('event'), data: field('data'), comment: field('') }
}
