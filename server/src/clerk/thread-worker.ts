import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import type { WriteStore } from '../store/port.ts'
import { postgresWriteStore } from '../store/postgres/write-store.ts'
import { sqliteWriteStore } from '../store/sqlite/write-store.ts'
import type { Command } from './command.ts'
import { runBatch } from './run-batch.ts'
import type { FromThread, ThreadData, ToThread } from './thread.ts'

const MOST_AT_ONCE = 1024

interface Waiting {
  readonly batch: number
  readonly commands: readonly Command[]
}

async function openStore(data: ThreadData): Promise<WriteStore> {
  switch (data.store) {
    case 'sqlite':
      return sqliteWriteStore({ ...data, clock: Date.now })
    case 'postgres':
      return postgresWriteStore({ ...data, clock: Date.now })
  }
}

/**
 * The writing thread: it alone owns the store. Whatever has arrived while one commit was under way is carried out in the
 * next, so the busier the service is, the more callers share one sync.
 */
async function main(port: MessagePort, data: ThreadData): Promise<void> {
  const store = await openStore(data)
  const send = (message: FromThread) => port.postMessage(message)
  const reportBug = (cause: unknown) => send({ bug: describe(cause) })
  const inbox: ToThread[] = []
  let wake = () => {}

  /** What has arrived by now, without waiting for the event loop to bring it. */
  function takeIn(): void {
    for (let next = receiveMessageOnPort(port); next !== undefined; next = receiveMessageOnPort(port))
      inbox.push(next.message)
  }

  async function arrival(): Promise<void> {
    takeIn()
    if (inbox.length > 0) return
    await new Promise<void>((resolve) => {
      wake = resolve
    })
    takeIn()
  }

  /** The batches at the head of the inbox, up to a limit. None when it is time to close. */
  function gather(): Waiting[] {
    const waiting: Waiting[] = []
    let count = 0
    for (
      let next = inbox[0];
      next !== undefined && 'batch' in next && count < MOST_AT_ONCE;
      next = inbox[0]
    ) {
      const commands: readonly Command[] = JSON.parse(next.commands)
      waiting.push({ batch: next.batch, commands })
      count += commands.length
      inbox.shift()
    }
    return waiting
  }

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

  port.on('message', (message: ToThread) => {
    inbox.push(message)
    wake()
  })
  send({ ready: true })
  // One after another, however long a commit takes: the store is never asked for two at a time.
  for (;;) {
    await arrival()
    const waiting = gather()
    if (waiting.length === 0) break
    await carryOut(waiting)
  }
  await store.close()
  port.close()
}

function describe(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause)
  return cause.cause === undefined
    ? String(cause.stack)
    : `${cause.stack}\ncaused by ${describe(cause.cause)}`
}

if (parentPort !== null) await main(parentPort, workerData)
