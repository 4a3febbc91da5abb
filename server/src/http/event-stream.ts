import type { ServerResponse } from 'node:http'
import { invalidField } from '@deputize/protocol'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { EventNumbers } from '../events/event-numbers.ts'
import type { DeliveryThread, StreamHandle, StreamSink } from '../events/thread/delivery-thread.ts'
import { type EventStream, prepareEventStream } from '../operations/events/event-stream.ts'
import type { OperationCall, OperationContext } from '../operations/operation-context.ts'

const MEDIA_TYPE = 'text/event-stream'
const HEARTBEAT_MS = 15_000
/** How soon clients reconnect after the connection was lost. */
const RETRY_MS = 1_000
/** A client that reads nothing for this long is cut off. It reconnects with the index of the last event it got. */
const STALLED_MS = 20_000

/** Why the service ends a stream, as sent in the `closing` event. */
type ClosingReason = 'shutting_down' | 'credential_ended' | 'too_slow'

/** Whether the client asks for a stream. */
export function wantsEventStream({ headers }: FastifyRequest): boolean {
  return headers.accept?.split(',').some((type) => type.split(';')[0]?.trim() === MEDIA_TYPE) === true
}

/** Answers with server-sent events until the client leaves, its credential ends, or the service shuts down. */
export async function sendEventStream(
  call: OperationCall<'listEvents'>,
  request: FastifyRequest,
  reply: FastifyReply,
  context: OperationContext,
): Promise<FastifyReply> {
  const stream = await prepareEventStream(call, lastEventId(request), context)
  reply.hijack()
  const { raw } = reply
  for (const [name, value] of Object.entries(reply.getHeaders()))
    if (value !== undefined) raw.setHeader(name, value)
  raw.writeHead(200, {
    'content-type': MEDIA_TYPE,
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  })
  if (request.method === 'HEAD') {
    stream.end()
    raw.end()
    return reply
  }
  const isValid = async () => {
    const { keyed } = context.accessControl
    if (keyed === undefined || request.credentials === undefined) return true
    return (await keyed.isStillValid(request.caller, request.credentials)) && stream.isEntitled()
  }
  new StreamWriter(stream, raw, { isStillValid: isValid, numbers: context.events.feed.numbers }).start(
    context.events.deliveries.thread,
  )
  return reply
}

/** Returns the id of the last event that the client saw, which browsers send when they reconnect. */
function lastEventId({ headers }: FastifyRequest): number | undefined {
  const value = headers['last-event-id']
  if (value === undefined || value === '') return undefined
  if (typeof value !== 'string' || !/^\d{1,16}$/.test(value))
    throw invalidField('Last-Event-ID', 'must be the id of an event of this stream')
  return Number(value)
}

/** Writes one stream at its client's pace. */
class StreamWriter implements StreamSink {
  readonly #stream: EventStream
  readonly #raw: ServerResponse
  readonly #isStillValid: () => Promise<boolean>
  readonly #numbers: EventNumbers
  /** Everything up to this index was written, or is not for this client. */
  #cursor: number
  #open: StreamHandle | undefined
  #heartbeat: NodeJS.Timeout | undefined
  #isEnded = false

  constructor(
    stream: EventStream,
    raw: ServerResponse,
    { isStillValid, numbers }: { isStillValid: () => Promise<boolean>; numbers: EventNumbers },
  ) {
    this.#stream = stream
    this.#raw = raw
    this.#isStillValid = isStillValid
    this.#numbers = numbers
    this.#cursor = stream.order.from - 1
  }

  start(thread: DeliveryThread): void {
    const raw = this.#raw
    raw.once('close', () => this.#finish())
    raw.on('error', () => {}) // 'close' follows
    raw.write(`retry: ${RETRY_MS}\n${this.#idLine()}: following\n\n`)
    this.#heartbeat = setInterval(() => void this.#beat().catch(() => raw.destroy()), HEARTBEAT_MS)
    this.#open = thread.open(this.#stream.order, this)
  }

  write(text: Uint8Array, next: number): boolean {
    const raw = this.#raw
    if (raw.destroyed || this.#isEnded) return false
    if (raw.write(text)) {
      this.#cursor = next - 1
      return true
    }
    void this.#whenDrained(next)
    return false
  }

  isValid(): Promise<boolean> {
    return this.#isStillValid()
  }

  /** Keeps the connection open, and lets a client whose filter matches little resume near the end of the log. */
  passed(next: number | undefined): void {
    if (this.#isEnded || this.#raw.writableLength > 0) return
    if (next !== undefined) this.#cursor = Math.max(this.#cursor, next - 1)
    this.#raw.write(`${this.#idLine()}: heartbeat\n\n`)
  }

  /** Ends the stream with the cursor to resume from. A client that doesn't read even that is disconnected. */
  end(reason: ClosingReason): void {
    const raw = this.#raw
    this.#finish()
    if (raw.destroyed || raw.writableEnded) return
    const data = JSON.stringify({ reason, cursor: this.#numbers.of(this.#cursor) })
    raw.end(`event: closing\n${this.#idLine()}data: ${data}\n\n`)
    setTimeout(() => raw.destroy(), reason === 'too_slow' ? 0 : STALLED_MS).unref()
  }

  async #whenDrained(next: number): Promise<void> {
    const isDrained = await drained(this.#raw)
    if (this.#isEnded) return
    if (isDrained) {
      this.#cursor = next - 1
      this.#open?.taken()
    } else this.end('too_slow')
  }

  async #beat(): Promise<void> {
    if (await this.#isStillValid()) this.#open?.where()
    else this.end('credential_ended')
  }

  #finish(): void {
    if (this.#isEnded) return
    this.#isEnded = true
    clearInterval(this.#heartbeat)
    this.#open?.leave()
    this.#stream.end()
  }

  #idLine(): string {
    return this.#cursor >= 0 ? `id: ${this.#numbers.of(this.#cursor)}\n` : ''
  }
}

/** Resolves to true if the client takes what was written in time. */
function drained(raw: ServerResponse): Promise<boolean> {
  return new Promise((resolve) => {
    const settle = (isDrained: boolean) => () => {
      clearTimeout(timer)
      raw.off('drain', onDrain)
      raw.off('close', onClose)
      resolve(isDrained)
    }
    const onDrain = settle(true)
    const onClose = settle(false)
    const timer = setTimeout(onClose, STALLED_MS)
    raw.once('drain', onDrain)
    raw.once('close', onClose)
  })
}
