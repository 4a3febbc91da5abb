import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import { StoreError, type WriteStore } from '../store/port.ts'
import type { Command } from './command.ts'
import { CommandQueue } from './command-queue.ts'
import { runBatch } from './run-batch.ts'
import type { BatchMessage, FromThread, ThreadData, ToThread } from './thread.ts'

/** Items in one commit. A stop that arrives during a commit waits for this much work at most. */
const ITEMS_PER_COMMIT = 2_000

interface ReceivedBatch extends BatchMessage {
  readonly received_at_ms: number
}

/** Loads only the store that is used. */
async function openStore(data: ThreadData, clock: () => number): Promise<WriteStore> {
  switch (data.store) {
    case 'sqlite': {
      const { sqliteWriteStore } = await import('../store/sqlite/write-store.ts')
      const { openReserve } = await import('../store/sqlite/reserve.ts')
      const reserve = openReserve(data.reserve_file)
      const store = sqliteWriteStore({ ...data, clock, reserve })
      reserve.restore()
      return store
    }
    case 'postgres': {
      const { postgresWriteStore } = await import('../store/postgres/write-store.ts')
      return postgresWriteStore({ ...data, clock })
    }
  }
}

/** Batches that have arrived and wait for the next commit. */
class Inbox {
  readonly #port: MessagePort
  readonly #stops = new CommandQueue<ReceivedBatch>()
  readonly #ordinary = new CommandQueue<ReceivedBatch>()
  #isClosing = false
  #wasStop = false
  #wake = () => {}

  constructor(port: MessagePort) {
    this.#port = port
    port.on('message', (message: ToThread) => {
      this.#add(message)
      this.#wake()
    })
  }

  /**
   * The batches of the next commit. The stop lane goes first and has commits of its own; between two of them, one ordinary
   * commit gets its turn. Undefined when the thread must close.
   */
  async next(): Promise<ReceivedBatch[] | undefined> {
    this.#receive()
    if (this.#isEmpty()) {
      if (this.#isClosing) return undefined
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
      this.#receive()
    }
    const isStop = this.#stops.weight > 0 && !(this.#wasStop && this.#ordinary.weight > 0)
    this.#wasStop = isStop
    return (isStop ? this.#stops : this.#ordinary).take(ITEMS_PER_COMMIT)
  }

  #isEmpty(): boolean {
    return this.#stops.weight + this.#ordinary.weight === 0
  }

  #add(message: ToThread): void {
    if ('close' in message) this.#isClosing = true
    else
      (message.lane === 'stop' ? this.#stops : this.#ordinary).push({
        ...message,
        received_at_ms: performance.now(),
      })
  }

  /** Takes in everything that has arrived by now, without waiting for the event loop to deliver it. */
  #receive(): void {
    for (
      let next = receiveMessageOnPort(this.#port);
      next !== undefined;
      next = receiveMessageOnPort(this.#port)
    )
      this.#add(next.message)
  }
}

/**
 * The writing thread, the only owner of the store. All batches that arrive during a commit share the next one, so the
 * busier the service is, the more callers share one disk sync.
 */
async function runWritingThread(port: MessagePort, data: ThreadData): Promise<void> {
  let now_ms = 0
  const store = await openStore(data, () => now_ms)
  const send = (message: FromThread) => port.postMessage(message)
  const inbox = new Inbox(port)
  send({ ready: true })
  // One commit after another, however long each takes: the store never runs two at a time.
  for (;;) {
    const batches = await inbox.next()
    if (batches === undefined) break
    now_ms = Math.max(0, ...batches.map(timeOf))
    if (batches.length > 0) await commitBatches(store, batches, send)
  }
  await store.close()
  port.close()
}

/** The time of the service, which the main thread sent with the batch, and the time that the batch has waited since. */
function timeOf({ now_ms, received_at_ms }: ReceivedBatch): number {
  return now_ms === 0 ? 0 : now_ms + Math.floor(performance.now() - received_at_ms)
}

/**
 * Runs several batches in one commit and answers each. A crash after the commit and before the answers leaves durable
 * changes that were not acknowledged.
 */
async function commitBatches(
  store: WriteStore,
  received: readonly ReceivedBatch[],
  send: (message: FromThread) => void,
): Promise<void> {
  try {
    const batches = received.map(({ batch, commands }) => ({
      batch,
      commands: JSON.parse(commands) as readonly Command[], // only the main thread sends messages, and only these
    }))
    const all = batches.flatMap(({ commands }) => commands)
    const reportBug = (cause: unknown) => send({ bug: describe(cause) })
    const { replies, wrote } = await runBatch(store, all, reportBug, received[0]?.lane)
    let start = 0
    for (const { batch, commands } of batches) {
      const own = replies.slice(start, start + commands.length)
      send({ batch, result: JSON.stringify({ replies: own, wrote }) })
      start += commands.length
    }
  } catch (error) {
    const is_full = error instanceof StoreError && error.is_full
    for (const { batch } of received) send({ batch, failure: describe(error), is_full })
  }
}

function describe(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause)
  return cause.cause === undefined
    ? String(cause.stack)
    : `${cause.stack}\ncaused by ${describe(cause.cause)}`
}

if (parentPort !== null) await runWritingThread(parentPort, workerData)
