import { Worker } from 'node:worker_threads'
import type { Lane } from '@deputize/protocol'
import { StoreError } from '../store/port.ts'
import type { ExecuteBatch } from './clerk.ts'
import type { BatchResult } from './run-batch.ts'
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

/** Batches and results cross as JSON text, which is faster than structured cloning for small plain objects. */
export interface BatchMessage {
  readonly batch: number
  readonly lane: Lane | undefined
  /** How many items the commands stand for. */
  readonly weight: number
  /** The time of the service. 0 while its clock is wrong. */
  readonly now_ms: number
  readonly commands: string
}

export type ToThread = BatchMessage | { readonly close: true }

export type FromThread =
  | { readonly ready: true }
  | { readonly batch: number; readonly result: string }
  | { readonly batch: number; readonly failure: string; readonly is_full: boolean }
  | { readonly bug: string }

export interface WritingThread {
  readonly execute: ExecuteBatch
  close(): Promise<void>
}

export interface ThreadListener {
  /** A command hit a bug. The text is for the log only. */
  onBug(cause: string): void
  /** The thread has ended. Nothing can be written any more, so the process must exit. */
  onDeath(cause: Error): void
}

/** Starts the thread that owns the store. Resolves when the store is open. */
export async function startWritingThread(
  data: ThreadData,
  logTime: () => number,
  listener: ThreadListener,
): Promise<WritingThread> {
  const worker = new Worker(new URL('./thread-worker.ts', import.meta.url), { workerData: data })
  const waiting = new Map<number, { resolve(result: BatchResult): void; reject(error: Error): void }>()
  let batches = 0
  let isClosing = false

  function failAll(cause: Error): void {
    for (const { reject } of waiting.values()) reject(cause)
    waiting.clear()
  }

  function receive(message: FromThread): void {
    if ('bug' in message) listener.onBug(message.bug)
    if (!('batch' in message)) return
    const caller = waiting.get(message.batch)
    waiting.delete(message.batch)
    if ('failure' in message)
      caller?.reject(new StoreError(message.failure, 'unknown', undefined, message.is_full))
    else caller?.resolve(JSON.parse(message.result))
  }

  await new Promise<void>((resolve, reject) => {
    worker.once('message', () => resolve())
    worker.once('error', reject)
  })
  worker.on('message', receive)
  worker.on('error', (cause) => {
    failAll(cause instanceof Error ? cause : new Error(String(cause)))
    listener.onDeath(cause instanceof Error ? cause : new Error(String(cause)))
  })

  return {
    execute(commands, lane) {
      const batch = batches++
      const weight = commands.reduce((sum, command) => sum + weightOf(command), 0)
      return new Promise((resolve, reject) => {
        waiting.set(batch, { resolve, reject })
        worker.postMessage({
          batch,
          lane,
          weight,
          now_ms: logTime(),
          commands: JSON.stringify(commands),
        } satisfies ToThread)
      })
    },
    async close() {
      if (isClosing) return
      isClosing = true
      const ended = new Promise((resolve) => worker.once('exit', resolve))
      worker.postMessage({ close: true } satisfies ToThread)
      await ended
    },
  }
}
