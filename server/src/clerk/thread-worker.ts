import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import { sqliteWriteStore } from '../store/sqlite/write-store.ts'
import type { Command } from './command.ts'
import { runBatch } from './run-batch.ts'
import type { FromThread, ThreadData, ToThread } from './thread.ts'

const MOST_AT_ONCE = 1024

interface Waiting {
  readonly batch: number
  readonly commands: readonly Command[]
}

/**
 * The writing thread: it alone owns the store. Whatever has arrived while one commit was under way is carried out in the
 * next, so the busier the service is, the more callers share one sync.
 */
function main(port: MessagePort, { file, instance, vault_key }: ThreadData): void {
  const store = sqliteWriteStore({ file, instance, vault_key, clock: Date.now })
  const send = (message: FromThread) => port.postMessage(message)
  const reportBug = (cause: unknown) => send({ bug: describe(cause) })

  /** Carries several batches out in one commit, and answers each. */
  async function carryOut(waiting: readonly Waiting[]): Promise<void> {
    try {
      const all = waiting.flatMap(({ commands }) => commands)
      const { replies, wrote } = await runBatch(store, all, reportBug)
      let start = 0
      for (const { batch, commands } of waiting) {
        const own = replies.slice(start, start + commands.length)
        send({ batch, result: JSON.stringify({ replies: own, wrote }) })
        start += commands.length
      }
    } catch (error) {
      for (const { batch } of waiting) send({ batch, failure: describe(error) })
    }
  }

  /** This message and those that wait behind it, up to a limit; then what came after them. */
  function gather(first: ToThread): { waiting: Waiting[]; next: ToThread | undefined } {
    const waiting: Waiting[] = []
    let next: ToThread | undefined = first
    for (let count = 0; next !== undefined && 'batch' in next && count < MOST_AT_ONCE; ) {
      const commands: readonly Command[] = JSON.parse(next.commands)
      waiting.push({ batch: next.batch, commands })
      count += commands.length
      next = receiveMessageOnPort(port)?.message
    }
    return { waiting, next }
  }

  async function receive(message: ToThread): Promise<void> {
    const { waiting, next } = gather(message)
    if (waiting.length > 0) await carryOut(waiting)
    if (next === undefined) return
    if ('batch' in next) return receive(next)
    store.close()
    port.close()
  }

  port.on('message', (message: ToThread) => void receive(message))
  send({ ready: true })
}

function describe(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause)
  return cause.cause === undefined
    ? String(cause.stack)
    : `${cause.stack}\ncaused by ${describe(cause.cause)}`
}

if (parentPort !== null) main(parentPort, workerData)
