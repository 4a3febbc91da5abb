import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import type { WriteStore } from '../store/port.ts'
import type { Command } from './command.ts'
import { runBatch } from './run-batch.ts'
import type { FromThread, ThreadData, ToThread } from './thread.ts'

const COMMANDS_PER_COMMIT = 1024

interface ReceivedBatch {
  readonly batch: number
  readonly commands: readonly Command[]
}

/** Loads only the store that is used. */
async function openStore(data: ThreadData): Promise<WriteStore> {
  switch (data.store) {
    case 'sqlite': {
      const { sqliteWriteStore } = await import('../store/sqlite/write-store.ts')
      return sqliteWriteStore({ ...data, clock: Date.now })
    }
    case 'postgres': {
      const { postgresWriteStore } = await import('../store/postgres/write-store.ts')
      return postgresWriteStore({ ...data, clock: Date.now })
    }
  }
}

/** Messages that have arrived and wait for the next commit. */
class Inbox {
  readonly #port: MessagePort
  readonly #messages: ToThread[] = []
  #wake = () => {}

  constructor(port: MessagePort) {
    this.#port = port
    port.on('message', (message: ToThread) => {
      this.#messages.push(message)
      this.#wake()
    })
  }

  /** Resolves when there is at least one message. */
  async arrival(): Promise<void> {
    this.#receive()
    if (this.#messages.length > 0) return
    await new Promise<void>((resolve) => {
      this.#wake = resolve
    })
    this.#receive()
  }

  /** The batches at the head of the inbox, up to the limit of one commit. Empty when the thread must close. */
  takeBatches(): ReceivedBatch[] {
    const batches: ReceivedBatch[] = []
    let count = 0
    for (let next = this.#messages[0]; next !== undefined && 'batch' in next; next = this.#messages[0]) {
      if (count >= COMMANDS_PER_COMMIT) break
      const commands: readonly Command[] = JSON.parse(next.commands)
      batches.push({ batch: next.batch, commands })
      count += commands.length
      this.#messages.shift()
    }
    return batches
  }

  /** Takes in everything that has arrived by now, without waiting for the event loop to deliver it. */
  #receive(): void {
    for (
      let next = receiveMessageOnPort(this.#port);
      next !== undefined;
      next = receiveMessageOnPort(this.#port)
    )
      this.#messages.push(next.message)
  }
}

/**
 * The writing thread, the only owner of the store. All batches that arrive during a commit share the next one, so the
 * busier the service is, the more callers share one disk sync.
 */
async function runWritingThread(port: MessagePort, data: ThreadData): Promise<void> {
  const store = await openStore(data)
  const send = (message: FromThread) => port.postMessage(message)
  const inbox = new Inbox(port)
  send({ ready: true })
  // One commit after another, however long each takes: the store never runs two at a time.
  for (;;) {
    await inbox.arrival()
    const batches = inbox.takeBatches()
    if (batches.length === 0) break
    await commitBatches(store, batches, send)
  }
  await store.close()
  port.close()
}

/**
 * Runs several batches in one commit and answers each. A crash after the commit and before the answers leaves durable
 * changes that were not acknowledged.
 */
async function commitBatches(
  store: WriteStore,
  batches: readonly ReceivedBatch[],
  send: (message: FromThread) => void,
): Promise<void> {
  try {
    const all = batches.flatMap(({ commands }) => commands)
    const { replies, wrote } = await runBatch(store, all, (cause) => send({ bug: describe(cause) }))
    let start = 0
    for (const { batch, commands } of batches) {
      const own = replies.slice(start, start + commands.length)
      send({ batch, result: JSON.stringify({ replies: own, wrote }) })
      start += commands.length
    }
  } catch (error) {
    for (const { batch } of batches) send({ batch, failure: describe(error) })
  }
}

function describe(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause)
  return cause.cause === undefined
    ? String(cause.stack)
    : `${cause.stack}\ncaused by ${describe(cause.cause)}`
}

if (parentPort !== null) await runWritingThread(parentPort, workerData)
