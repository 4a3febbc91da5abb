import { Worker } from 'node:worker_threads'
import type { Lane } from '@deputize/protocol'
import { StoreError } from '../store/port.ts'
import type { ExecuteBatch } from './clerk.ts'
import { crossingCommands, readCrossedResult } from './crossing.ts'
import { weightOf } from './weight.ts'

/** The store that the writing thread opens and owns. */
export type ThreadData = SqliteData | PostgresData

interface SqliteData {
  readonly store: 'sqlite'
  readonly file: string
  readonly reserve_file: string
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

export interface BatchMessage {
  readonly batch: number
  readonly lane: Lane | undefined
  /** How many items the commands stand for. */
  readonly weight: number
  /** The time of the service. 0 while its clock is wrong. */
  readonly now_ms: number
  readonly commands: string
}

/** A batch as another node sent it. */
export type RelayedBatch = Omit<BatchMessage, 'batch'>

export type ToThread = BatchMessage | { readonly settle: number } | { readonly close: true }

/** The result of one batch. */
export interface CommittedBatch {
  readonly batch: number
  readonly result: string
}

interface FailedBatch {
  readonly batch: number
  readonly failure: string
  readonly is_full: boolean
  readonly detail: string | undefined
}

/** `deferred`: whether sums of committed batches are not in their tables. All batches of a commit are answered in one message. */
export type FromThread =
  | { readonly ready: true; readonly deferred: boolean }
  | { readonly committed: readonly CommittedBatch[]; readonly deferred: boolean }
  | { readonly settled: number; readonly failure?: string }
  | FailedBatch
  | { readonly bug: string }

export interface WritingThread {
  readonly execute: ExecuteBatch
  /** As `execute`, for a batch of another node. Resolves with the text of its result. */
  relay(batch: RelayedBatch): Promise<string>
  /** Resolves when the sums of everything acknowledged so far can be read. Undefined if they can be already. Rejects if the disk refuses. */
  settle(): Promise<void> | undefined
  close(): Promise<void>
}

export interface ThreadListener {
  /** A command hit a bug. The text is for the log only. */
  onBug(cause: string): void
  /** The thread has ended. Nothing can be written any more, so the process must exit. */
  onDeath(cause: Error): void
}

/**
 * Knows whether sums are put off, from what the thread says with each commit, and asks for them at most once at a time.
 * Messages arrive in the order of the commits, so the last one is right.
 */
class DeferredSumsWatch {
  readonly #ask: (id: number) => void
  #isDeferred = false
  /** Commits that put sums off. A request covers those that were acknowledged before it was sent. */
  #commits = 0
  #requests = 0
  #open: (PromiseWithResolvers<void> & { readonly id: number; readonly covers: number })[] = []

  constructor(ask: (id: number) => void) {
    this.#ask = ask
  }

  onCommit(isDeferred: boolean): void {
    this.#isDeferred = isDeferred
    if (isDeferred) this.#commits += 1
  }

  onSettled({ settled, failure }: Extract<FromThread, { settled: number }>): void {
    const answered = this.#open.filter(({ id }) => id === settled)
    this.#open = this.#open.filter(({ id }) => id !== settled)
    if (failure === undefined) this.#isDeferred = false
    for (const { resolve, reject } of answered) {
      if (failure === undefined) resolve()
      else reject(new StoreError(failure, 'nothing_written', undefined))
    }
  }

  settle(): Promise<void> | undefined {
    if (!this.#isDeferred) return undefined
    const last = this.#open.at(-1)
    if (last?.covers === this.#commits) return last.promise
    this.#requests += 1
    const asked = { ...Promise.withResolvers<void>(), id: this.#requests, covers: this.#commits }
    this.#open.push(asked)
    this.#ask(asked.id)
    return asked.promise
  }

  fail(cause: Error): void {
    for (const { reject } of this.#open) reject(cause)
    this.#open = []
  }
}

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
  const sums = new DeferredSumsWatch((id) => worker.postMessage({ settle: id } satisfies ToThread))
  let batches = 0
  let isClosing = false

  function failAll(cause: Error): void {
    for (const { reject } of waiting.values()) reject(cause)
    waiting.clear()
    sums.fail(cause)
  }

  function receive(message: FromThread): void {
    if ('bug' in message) listener.onBug(message.bug)
    if ('settled' in message) sums.onSettled(message)
    if ('batch' in message)
      taken(message.batch)?.reject(
        new StoreError(message.failure, 'unknown', undefined, message.is_full, message.detail),
      )
    if (!('committed' in message)) return
    sums.onCommit(message.deferred)
    for (const { batch, result } of message.committed) taken(batch)?.resolve(result)
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
      worker.postMessage({ ...sent, batch } satisfies ToThread)
    })
  }

  await new Promise<void>((resolve, reject) => {
    worker.once('message', ({ deferred }: { readonly deferred: boolean }) => {
      sums.onCommit(deferred)
      resolve()
    })
    worker.once('error', reject)
  })
  worker.on('message', receive)
  worker.on('error', (cause) => {
    failAll(cause instanceof Error ? cause : new Error(String(cause)))
    listener.onDeath(cause instanceof Error ? cause : new Error(String(cause)))
  })

  return {
    async execute(commands, lane) {
      const weight = commands.reduce((sum, command) => sum + weightOf(command), 0)
      const sent = { lane, weight, now_ms: logTime(), commands: crossingCommands(commands) }
      return readCrossedResult(await relay(sent), commands)
    },
    relay,
    settle: () => sums.settle(),
    async close() {
      if (isClosing) return
      isClosing = true
      const ended = new Promise((resolve) => worker.once('exit', resolve))
      worker.postMessage({ close: true } satisfies ToThread)
      await ended
    },
  }
}
