import { Worker } from 'node:worker_threads'
import type { Lane } from '@deputize/protocol'
import { StoreError } from '../store/port/store-error.ts'
import type { ExecuteBatch } from './clerk.ts'
import { crossingCommands, readCrossedResult } from './crossing.ts'
import { type CrossedError, crossedError, withCrossedStack } from './crossing-error.ts'
import { weightOf } from './weight.ts'

/** The store that the writing thread opens and owns. */
export type ThreadData = SqliteData | PostgresData

interface SqliteData {
  readonly store: 'sqlite'
  readonly file: string
  readonly reserve_file: string
  /** The thread waits for a sync that usually takes less than this. Undefined: the store decides. */
  readonly quick_sync_ms?: number
  /** The size at which a journal file is full. Undefined: the store decides. */
  readonly journal_file_bytes?: number
  readonly instance: string
  readonly vault_key: Uint8Array
}

interface PostgresData {
  readonly store: 'postgres'
  readonly url: string
  readonly instance: string
  readonly vault_key: Uint8Array
  /** Identifies this process among all writers. */
  readonly writer_id: string
  readonly allow_unsafe: boolean
}

/** A batch in the form in which nodes send it. */
export interface RelayedBatch {
  readonly lane: Lane | undefined
  /** How many items the commands stand for. */
  readonly weight: number
  /** The time of the service. 0 while its clock is wrong. */
  readonly now_ms: number
  readonly commands: string
}

export interface BatchMessage extends RelayedBatch {
  readonly kind: 'batch'
  readonly batch: number
}

/** Asks the thread to make the rows of everything acknowledged visible to reads, or rows and sums. */
export interface CatchUpMessage {
  readonly kind: 'catch_up'
  readonly request: number
  readonly sums: boolean
}

export type ToThread = BatchMessage | CatchUpMessage | { readonly kind: 'close' }

/** The result of one batch. */
export interface CommittedBatch {
  readonly batch: number
  readonly result: string
}

interface FailedBatch {
  readonly kind: 'failed'
  readonly batch: number
  readonly failure: CrossedError
  readonly is_full: boolean
  readonly detail: string | undefined
}

/** Which parts of acknowledged batches aren't visible to reads yet. */
export interface Behind {
  /** Their rows. */
  readonly hidden: boolean
  /** Their sums, which aren't in their tables yet. */
  readonly deferred: boolean
}

/** All batches that were made durable together are answered in one message. */
export type FromThread =
  | ({ readonly kind: 'ready' } & Behind)
  | ({ readonly kind: 'committed'; readonly batches: readonly CommittedBatch[] } & Behind)
  | ({ readonly kind: 'published' } & Behind)
  | ({
      readonly kind: 'caught_up'
      readonly request: number
      /** Why the disk refused. */
      readonly failure: CrossedError | undefined
    } & Behind)
  /** The last batch in the previous process's journal isn't in the store. Sent before `ready`. */
  | { readonly kind: 'left_out'; readonly refusal: CrossedError }
  | FailedBatch
  | { readonly kind: 'bug'; readonly cause: CrossedError }

export interface WritingThread {
  readonly execute: ExecuteBatch
  /** Like `execute`, for a batch of another node. Resolves with the text of its result. */
  relay(batch: RelayedBatch): Promise<string>
  /**
   * Resolves when the rows of everything acknowledged so far can be read. Undefined if they already can. Rejects if the
   * disk refuses.
   */
  publish(): Promise<void> | undefined
  /** Like `publish`, for rows and sums. */
  settle(): Promise<void> | undefined
  /** Changes when more of what was acknowledged becomes visible to other connections. */
  version(): number
  close(): Promise<void>
}

export interface ThreadListener {
  /** A command hit a bug. The error is for the log only. */
  onBug(cause: Error): void
  /** The thread has ended. Nothing more can be written, so the process must exit. */
  onDeath(cause: Error): void
  /** Something is wrong that the operator should know about, but the thread continues. */
  onTrouble?(cause: unknown, what: string): void
  /**
   * Other connections see everything acknowledged so far. Called only by stores that publish after they acknowledge.
   */
  onPublished?(): void
}

/**
 * Tracks whether reads show everything acknowledged, which the thread reports with each message, and asks it to catch
 * up, once for all reads that wait for the same commits. Messages arrive in commit order, so the last one is right.
 */
class BehindWatch {
  readonly #ask: (id: number) => void
  #isBehind = false
  /** Commits that left something out. A request covers those that were acknowledged before it was sent. */
  #commits = 0
  #open: (PromiseWithResolvers<void> & { readonly id: number; readonly covers: number })[] = []

  constructor(ask: (id: number) => void) {
    this.#ask = ask
  }

  onCommit(isBehind: boolean): void {
    this.#isBehind = isBehind
    if (isBehind) this.#commits += 1
  }

  onCaughtUp(id: number, failure: CrossedError | undefined): void {
    const answered = this.#open.filter((asked) => asked.id === id)
    this.#open = this.#open.filter((asked) => asked.id !== id)
    for (const { resolve, reject } of answered) {
      if (failure === undefined) resolve()
      else reject(withCrossedStack(new StoreError(failure.message, 'nothing_written', undefined), failure))
    }
  }

  catchUp(): Promise<void> | undefined {
    if (!this.#isBehind) return undefined
    const last = this.#open.at(-1)
    if (last?.covers === this.#commits) return last.promise
    const asked = { ...Promise.withResolvers<void>(), id: nextRequest(), covers: this.#commits }
    this.#open.push(asked)
    this.#ask(asked.id)
    return asked.promise
  }

  fail(cause: Error): void {
    for (const { reject } of this.#open) reject(cause)
    this.#open = []
  }
}

let requests = 0

/** Returns a number that no other request of the process has. */
function nextRequest(): number {
  requests += 1
  return requests
}

/** Text for the process log. */
const LEFT_OUT =
  'the last batch in the journal was left out because the store refuses a row of it: none of it was acknowledged, so nothing is lost'

/** A batch that the thread has not answered yet. */
interface WaitingBatch {
  resolve(result: string): void
  reject(error: Error): void
}

/** Starts the thread that owns the store. Resolves when the store is open. */
export async function startWritingThread(
  data: ThreadData,
  logTime: () => number,
  listener: ThreadListener,
): Promise<WritingThread> {
  const worker = new Worker(new URL('./thread-worker.ts', import.meta.url), { workerData: data })
  const waiting = new Map<number, WaitingBatch>()
  const send = (message: ToThread) => worker.postMessage(message)
  const ask = (sums: boolean) => (request: number) => send({ kind: 'catch_up', request, sums })
  const rows = new BehindWatch(ask(false))
  const sums = new BehindWatch(ask(true))
  let batches = 0
  let version = 0
  const ended = new Promise((resolve) => worker.once('exit', resolve)) // from the start: it may die before it is closed

  function failAll(cause: Error): void {
    for (const { reject } of waiting.values()) reject(cause)
    waiting.clear()
    rows.fail(cause)
    sums.fail(cause)
  }

  function receive(message: FromThread): void {
    switch (message.kind) {
      case 'ready':
        note(message)
        break
      case 'committed':
        note(message)
        for (const { batch, result } of message.batches) taken(batch)?.resolve(result)
        break
      case 'published':
        note(message)
        listener.onPublished?.()
        break
      case 'caught_up':
        note(message)
        rows.onCaughtUp(message.request, message.failure)
        sums.onCaughtUp(message.request, message.failure)
        break
      case 'failed': {
        const { batch, failure, is_full, detail } = message
        const error = new StoreError(failure.message, 'unknown', undefined, is_full, detail)
        taken(batch)?.reject(withCrossedStack(error, failure))
        break
      }
      case 'left_out':
        listener.onTrouble?.(crossedError(message.refusal), LEFT_OUT)
        break
      case 'bug':
        listener.onBug(crossedError(message.cause))
        break
      default:
        message satisfies never
    }
  }

  function note({ hidden, deferred }: Behind): void {
    if (!hidden) version += 1 // a later message makes hidden rows visible
    rows.onCommit(hidden)
    sums.onCommit(hidden || deferred) // a read that shows sums shows rows too
  }

  function taken(batch: number): WaitingBatch | undefined {
    const caller = waiting.get(batch)
    waiting.delete(batch)
    return caller
  }

  function relay(sent: RelayedBatch): Promise<string> {
    const batch = batches++
    return new Promise((resolve, reject) => {
      waiting.set(batch, { resolve, reject })
      send({ ...sent, kind: 'batch', batch })
    })
  }

  await new Promise<void>((resolve, reject) => {
    worker.on('message', (message: FromThread) => {
      receive(message)
      if (message.kind === 'ready') resolve()
    })
    worker.once('error', reject)
  })
  worker.on('error', (thrown) => {
    const cause = thrown instanceof Error ? thrown : new Error(String(thrown))
    failAll(cause)
    listener.onDeath(cause)
  })

  return {
    async execute(commands, lane) {
      const weight = commands.reduce((sum, command) => sum + weightOf(command), 0)
      const sent = { lane, weight, now_ms: logTime(), commands: crossingCommands(commands) }
      return readCrossedResult(await relay(sent), commands)
    },
    relay,
    publish: () => rows.catchUp(),
    settle: () => sums.catchUp(),
    version: () => version,
    async close() {
      send({ kind: 'close' })
      await ended
    },
  }
}
