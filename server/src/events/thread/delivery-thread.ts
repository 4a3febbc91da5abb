import { performance } from 'node:perf_hooks'
import { MessageChannel, Worker } from 'node:worker_threads'
import type { StoreAddress } from '../../store/open-elsewhere.ts'
import type { RegistryKind, RegistryReader } from '../../store/port/registry.ts'
import type { DisabledEndpoint } from '../delivery/engine.ts'
import type { LogRestore } from '../event-numbers.ts'
import type { SetClaims } from '../signals/security-event-token.ts'
import { STREAM_KIND } from '../signals/stream-document.ts'
import { WEBHOOK_KIND } from '../webhooks/webhook-document.ts'
import { DeliveryHost, type DeliveryHostParts } from './delivery-host.ts'
import type { FromHost, StreamOrder, ToHost } from './messages.ts'
import { Wire, type WirePort } from './wire.ts'

/** The thread's startup data. */
export interface DeliveryThreadData {
  readonly stores: StoreAddress
  /** The setting that lists private targets. */
  readonly allowlist: string
  readonly access: 'open' | 'keyed'
  readonly source: string
  readonly restores: readonly LogRestore[]
  /** How far the service's time is ahead of the machine's clock, in milliseconds. Shared memory. */
  readonly ahead: Float64Array
}

/** A connection to a running host. */
export interface HostConnection {
  readonly port: WirePort
  /** Ends it. */
  end(): Promise<unknown>
}

/** Writes one stream to its client. */
export interface StreamSink {
  /** Writes text, after which everything below `next` has been written. False if the client hasn't taken it yet. */
  write(text: Uint8Array, next: number): boolean
  /** Whether the client's credential is still valid. */
  isValid(): Promise<boolean>
  /**
   * Reports that everything below `next` was written or isn't for the client. Undefined while something is on its way.
   */
  passed(next: number | undefined): void
  end(reason: 'shutting_down' | 'credential_ended'): void
}

/** A stream that the thread writes. */
export interface StreamHandle {
  /** Call this when the client has taken what was written. */
  taken(): void
  /** Asks how far the stream has got. `passed` is called with the answer. */
  where(): void
  /** Call this when the client has left. */
  leave(): void
}

export interface DeliveryThreadOptions {
  /** Starts a host. `onEnd` is called when it ends by itself. */
  readonly connect: (onEnd: (cause: Error) => void) => HostConnection
  readonly registry: Pick<RegistryReader, 'list'>
  readonly sign: (claims: SetClaims) => Promise<string>
  readonly onDisabled: (endpoint: DisabledEndpoint) => Promise<void>
  readonly onRefused: (about: { readonly stream_id: string; readonly event_id: string }, why: string) => void
  readonly onAway: (cause: string) => void
  readonly onTrouble: (cause: unknown, what: string) => void
}

interface UnwrittenPiece {
  readonly stream_id: number
  readonly bytes: Uint8Array
  readonly next: number
}

/** Registry entries that events are pushed to. */
const ENDPOINT_KINDS: readonly RegistryKind[] = [WEBHOOK_KIND, STREAM_KIND]
/** How often this node checks whether another one has created the first endpoint. */
const LOOK_EVERY_MS = 2_000
const CLOSE_LIMIT_MS = 10_000
/** The longest time that callers wait while streams are written. */
const SLICE_MS = 1
const NEWEST = { limit: 1, before: undefined }

/**
 * Runs streams, webhooks and pushed signals in their own thread, which reads the log, finds the subscribers of each
 * event, encodes, signs and sends. The HTTP thread only writes ready bytes to the sockets of streams. The delivery
 * thread starts with the first stream or endpoint. If it ends, the next one continues from the store, and clients of
 * streams reconnect.
 */
export class DeliveryThread {
  readonly #options: DeliveryThreadOptions
  readonly #streams = new Map<number, StreamSink>()
  #host: { readonly wire: Wire<ToHost, FromHost>; readonly connection: HostConnection } | undefined
  #last_stream = 0
  #isStarted = false
  #isClosed = false
  #looking: NodeJS.Timeout | undefined
  /** Whether the host was woken and hasn't asked yet to be woken again. */
  #isAwake = false
  #isWakeDue = false
  #load = performance.eventLoopUtilization()
  /** Bytes for streams that aren't written yet, in order. */
  #unwritten: UnwrittenPiece[] = []
  #taken: number[] = []
  #took_ms = 0
  #isTakenDue = false

  constructor(options: DeliveryThreadOptions) {
    this.#options = options
  }

  /** Lets deliveries begin immediately, or once the first endpoint exists. */
  start(): void {
    if (this.#isStarted || this.#isClosed) return
    this.#isStarted = true
    if (this.#host !== undefined) this.#host.wire.tell({ kind: 'start' })
    this.#looking = setInterval(() => void this.#look(), LOOK_EVERY_MS)
    void this.#look()
  }

  /** Must be called after a commit, here or on another node. Costs nothing while there is no stream or endpoint. */
  readonly wake = (): void => {
    const host = this.#host
    if (host === undefined) return
    this.#isWakeDue = this.#isAwake
    if (this.#isAwake) return
    this.#isAwake = true
    const load = performance.eventLoopUtilization()
    const { utilization: busy } = performance.eventLoopUtilization(load, this.#load)
    this.#load = load
    host.wire.tell({ kind: 'wake', busy })
  }

  /**
   * Must be called when endpoints or their deliveries have changed. Resolves when the thread knows, and never rejects.
   */
  async changed(): Promise<void> {
    if (this.#isClosed) return
    const { onTrouble } = this.#options
    await this.#running()
      .ask('changed', undefined)
      .catch((cause) => onTrouble(cause, 'webhooks could not be checked'))
  }

  open(order: StreamOrder, sink: StreamSink): StreamHandle {
    if (this.#isClosed) {
      sink.end('shutting_down')
      return { taken() {}, where() {}, leave() {} }
    }
    const wire = this.#running()
    this.#last_stream += 1
    const stream_id = this.#last_stream
    this.#streams.set(stream_id, sink)
    wire.tell({ kind: 'open', stream_id, order })
    return {
      taken: () => this.#tellTaken(stream_id),
      where: () => wire.tell({ kind: 'where', stream_id }),
      leave: () => {
        if (this.#streams.delete(stream_id)) wire.tell({ kind: 'leave', stream_id })
      },
    }
  }

  /** Ends every stream, and stores the progress of deliveries. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearInterval(this.#looking)
    this.#endStreams()
    const host = this.#host
    if (host === undefined) return
    const closed = host.wire.ask('close', undefined)
    // After this time the host is cut off. The next node repeats deliveries whose outcome wasn't stored.
    const limit = setTimeout(() => host.wire.end(new Error('it took too long')), CLOSE_LIMIT_MS)
    await closed.catch((cause) => this.#options.onTrouble(cause, 'deliveries not closed'))
    clearTimeout(limit)
    this.#host = undefined
    host.wire.end(new Error('the service shuts down'))
    await host.connection.end()
  }

  #running(): Wire<ToHost, FromHost> {
    this.#host ??= this.#connect()
    return this.#host.wire
  }

  #connect() {
    const connection = this.#options.connect((cause) => this.#onEnd(cause))
    const wire = new Wire<ToHost, FromHost>(connection.port, {
      onTell: (message) => this.#hear(message),
      answers: {
        sign: (claims) => this.#options.sign(claims),
        disabled: async (endpoint) => {
          await this.#options.onDisabled(endpoint)
          return undefined
        },
      },
    })
    this.#isAwake = false
    if (this.#isStarted) wire.tell({ kind: 'start' })
    return { wire, connection }
  }

  /** Called when the host is gone. Deliveries continue with the next one, and clients of streams reconnect. */
  #onEnd(cause: Error): void {
    if (this.#isClosed) return
    this.#host?.wire.end(cause)
    this.#host = undefined
    this.#options.onTrouble(cause, 'the delivery thread ended and is being restarted')
    this.#endStreams()
  }

  #endStreams(): void {
    for (const sink of this.#streams.values()) sink.end('shutting_down')
    this.#streams.clear()
    this.#unwritten = []
  }

  /** Starts the host if any endpoint exists, which another node may have created. Never rejects. */
  async #look(): Promise<void> {
    if (this.#host !== undefined) return
    try {
      for (const kind of ENDPOINT_KINDS) {
        const { entries } = await this.#options.registry.list(kind, {}, NEWEST)
        if (entries.length === 0 || this.#isClosed) continue
        this.#running()
        return
      }
    } catch (cause) {
      this.#options.onTrouble(cause, 'webhooks could not be checked')
    }
  }

  #hear(message: FromHost['tells']): void {
    switch (message.kind) {
      case 'listening':
        this.#isAwake = false
        if (this.#isWakeDue) this.wake()
        break
      case 'write':
        this.#write(message)
        break
      case 'verify':
        void this.#verify(message)
        break
      case 'passed':
        this.#streams.get(message.stream_id)?.passed(message.next)
        break
      case 'trouble':
        this.#options.onTrouble(new Error(message.cause), message.what)
        break
      case 'away':
        this.#options.onAway(message.cause)
        break
      case 'refused':
        this.#options.onRefused(message.about, message.why)
        break
    }
  }

  #write({ texts, pieces }: Extract<FromHost['tells'], { kind: 'write' }>): void {
    const isIdle = this.#unwritten.length === 0
    for (const { text, ...piece } of pieces) {
      const bytes = texts[text]
      if (bytes !== undefined) this.#unwritten.push({ ...piece, bytes })
    }
    if (isIdle) this.#writeSlice()
  }

  /** Writes for a short time. Callers are answered before the next slice. */
  #writeSlice(): void {
    const started = performance.now()
    let took_ms = 0
    let written = 0
    for (const { stream_id, bytes, next } of this.#unwritten) {
      if (this.#streams.get(stream_id)?.write(bytes, next) === true) this.#tellTaken(stream_id)
      written += 1
      took_ms = performance.now() - started
      if (took_ms >= SLICE_MS) break
    }
    this.#unwritten.splice(0, written)
    this.#took_ms += took_ms
    if (this.#unwritten.length > 0) setImmediate(() => this.#writeSlice())
  }

  /**
   * Reports that a stream's bytes were taken. Most sockets take bytes immediately, so one message reports many streams.
   */
  #tellTaken(stream_id: number): void {
    this.#taken.push(stream_id)
    if (!this.#isTakenDue) setImmediate(() => this.#sendTaken())
    this.#isTakenDue = true
  }

  /** Reports everything that was written together, so that the time it took counts as a whole. */
  #sendTaken(): void {
    if (this.#unwritten.length > 0) {
      setImmediate(() => this.#sendTaken())
      return
    }
    this.#isTakenDue = false
    this.#host?.wire.tell({ kind: 'taken', stream_ids: this.#taken, took_ms: this.#took_ms })
    this.#taken = []
    this.#took_ms = 0
  }

  async #verify({ stream_id, doubt }: { readonly stream_id: number; readonly doubt: number }): Promise<void> {
    const sink = this.#streams.get(stream_id)
    if (sink === undefined) return
    const wire = this.#host?.wire
    if (await sink.isValid().catch(() => false)) {
      wire?.tell({ kind: 'valid', stream_id, doubt })
      return
    }
    this.#streams.delete(stream_id)
    wire?.tell({ kind: 'leave', stream_id })
    sink.end('credential_ended')
  }
}

/** Starts the host as a thread of this process. */
export function threadHost(
  data: Omit<DeliveryThreadData, 'ahead'>,
  clock: () => number,
  onEnd: (cause: Error) => void,
): HostConnection {
  const ahead = new Float64Array(new SharedArrayBuffer(Float64Array.BYTES_PER_ELEMENT))
  const compare = () => {
    ahead[0] = clock() - Date.now()
  }
  compare()
  const timer = setInterval(compare, COMPARE_CLOCKS_MS).unref()
  const workerData = { ...data, ahead } satisfies DeliveryThreadData
  const worker = new Worker(new URL('./delivery-worker.ts', import.meta.url), { workerData })
  let failure: Error | undefined
  worker.on('error', (cause) => {
    failure = cause instanceof Error ? cause : new Error(String(cause))
  })
  worker.on('exit', (code) => {
    clearInterval(timer)
    onEnd(failure ?? new Error(`the delivery thread ended with code ${code}`))
  })
  return { port: worker, end: () => worker.terminate() }
}

const COMPARE_CLOCKS_MS = 1_000

/** Runs the host in this thread, for services whose store and clock can't be opened elsewhere. */
export function localHost(parts: DeliveryHostParts): HostConnection {
  const { port1, port2 } = new MessageChannel()
  new DeliveryHost(port2, parts)
  return {
    port: port1,
    async end() {
      port1.close()
    },
  }
}
