import { setImmediate as nextTurn } from 'node:timers/promises'
import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import { StoreError } from '../store/port/store-error.ts'
import type { WriteStore } from '../store/port/write-store.ts'
import type { SqliteOptions } from '../store/sqlite/write/write-store.ts'
import { CommandQueue } from './command-queue.ts'
import { crossingResult, readCrossedCommands } from './crossing.ts'
import { type CrossedError, crossingError } from './crossing-error.ts'
import { runBatch } from './run-batch.ts'
import type { BatchMessage, Behind, CatchUpMessage, FromThread, ThreadData, ToThread } from './thread.ts'

/**
 * Items in one commit. A stop waits for at most two commits: one that is being made durable, and one that is being
 * judged.
 */
const ITEMS_PER_COMMIT = 1_000

/** Acknowledged rows are published to other connections once nothing has arrived for this long. */
const PAUSE_MS = 10

/** A thread that always finds work waiting yields to its event loop this often, because store syncs complete there. */
const MOST_WITHOUT_TURN_MS = 10

/** Deferred sums are written once nothing has arrived for this long. */
const IDLE_MS = 200

interface ReceivedBatch extends BatchMessage {
  readonly received_at_ms: number
}

/** Opens the store, and loads only the code for its kind. */
async function openStore(
  data: ThreadData,
  clock: () => number,
  listener: Required<Pick<SqliteOptions, 'onPublished' | 'onLeftOut'>>,
): Promise<WriteStore> {
  switch (data.store) {
    case 'sqlite': {
      const { sqliteWriteStore } = await import('../store/sqlite/write/write-store.ts')
      const { openReserve } = await import('../store/sqlite/reserve.ts')
      const reserve = openReserve(data.reserve_file)
      const store = sqliteWriteStore({ ...data, clock, reserve, defers_sums: true, ...listener })
      reserve.restore()
      return store
    }
    case 'postgres': {
      const { postgresWriteStore } = await import('../store/postgres/write/write-store.ts')
      return postgresWriteStore({ ...data, clock, defers_sums: true })
    }
  }
}

/**
 * The thread's next work: the batches of one commit, and requests of reads. If there are neither, the thread is idle.
 */
interface Work {
  readonly batches: readonly ReceivedBatch[]
  readonly requests: readonly CatchUpMessage[]
}

/** Batches that have arrived and wait for the next commit. */
class Inbox {
  readonly #port: MessagePort
  readonly #stops = new CommandQueue<ReceivedBatch>()
  readonly #ordinary = new CommandQueue<ReceivedBatch>()
  #requests: CatchUpMessage[] = []
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
   * The batches of the next commit. The stop lane goes first and has its own commits; between two of them, one ordinary
   * commit gets its turn. Undefined if the thread must close.
   */
  async next(patience_ms: number | undefined): Promise<Work | undefined> {
    this.#receive()
    if (this.#isEmpty()) {
      if (this.#isClosing) return undefined
      await this.#arrival(patience_ms)
      this.#receive()
    }
    const isStop = this.#stops.weight > 0 && !(this.#wasStop && this.#ordinary.weight > 0)
    this.#wasStop = isStop
    const batches = (isStop ? this.#stops : this.#ordinary).take(ITEMS_PER_COMMIT)
    return { batches, requests: isStop ? [] : this.#requests.splice(0) }
  }

  #isEmpty(): boolean {
    return this.#stops.weight + this.#ordinary.weight + this.#requests.length === 0
  }

  /** Resolves with the next message, or when patience is over. */
  #arrival(patience_ms: number | undefined): Promise<void> {
    return new Promise((resolve) => {
      const timer = patience_ms === undefined ? undefined : setTimeout(resolve, patience_ms)
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  #add(message: ToThread): void {
    switch (message.kind) {
      case 'batch': {
        const lane = message.lane === 'stop' ? this.#stops : this.#ordinary
        lane.push({ ...message, received_at_ms: performance.now() })
        break
      }
      case 'catch_up':
        this.#requests.push(message)
        break
      case 'close':
        this.#isClosing = true
        break
      default:
        message satisfies never
    }
  }

  /** Takes in everything that has arrived so far, without waiting for the event loop to deliver it. */
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
  const send = (message: FromThread) => port.postMessage(message)
  let opened: WriteStore | undefined
  const behind = (): Behind => ({
    hidden: opened?.isHidden?.() === true,
    deferred: opened?.hasDeferred?.() === true,
  })
  const onPublished = () => {
    if (opened !== undefined) send({ kind: 'published', ...behind() }) // while the store opens, no read waits
  }
  const onLeftOut = (refusal: Error) => send({ kind: 'left_out', refusal: crossingError(refusal) })
  const store = await openStore(data, () => now_ms, { onPublished, onLeftOut })
  opened = store
  const inbox = new Inbox(port)
  const answering = new Set<Promise<void>>()
  let isIdle = false
  let turned_at_ms = performance.now()
  send({ kind: 'ready', ...behind() })
  for (;;) {
    await store.room()
    if (performance.now() - turned_at_ms > MOST_WITHOUT_TURN_MS) {
      await nextTurn()
      turned_at_ms = performance.now()
    }
    const work = await inbox.next(isIdle ? undefined : patienceOf(behind()))
    if (work === undefined) break
    const { batches, requests } = work
    if (batches.length > 0) {
      now_ms = timeOfAll(batches)
      const answered = commitBatches(store, batches, send, behind)
      answering.add(answered)
      void answered.then(() => answering.delete(answered))
    }
    if (requests.length > 0) await answerRequests(store, requests, send, behind)
    // If the disk refuses writes, an idle thread tries once. A read that needs more tries again.
    if (batches.length + requests.length > 0) isIdle = false
    else isIdle = !(await catchUp(store, behind()))
  }
  await Promise.all(answering)
  await store.close()
  port.close()
}

/** How long to wait for work before hidden rows or deferred sums are written. */
function patienceOf({ hidden, deferred }: Behind): number | undefined {
  if (hidden) return PAUSE_MS
  return deferred ? IDLE_MS : undefined
}

/** Publishes hidden rows, or else settles deferred sums. False if nothing is left to do, or the disk refuses. */
async function catchUp(store: WriteStore, { hidden, deferred }: Behind): Promise<boolean> {
  try {
    if (hidden) await store.publish?.()
    else if (deferred) await store.settle?.()
    return hidden
  } catch {
    return false
  }
}

/** Publishes or settles, then answers the reads that wait for it. */
async function answerRequests(
  store: WriteStore,
  requests: readonly CatchUpMessage[],
  send: (message: FromThread) => void,
  behind: () => Behind,
): Promise<void> {
  let failure: CrossedError | undefined
  try {
    if (requests.some(({ sums }) => sums)) await store.settle?.()
    else await store.publish?.()
  } catch (error) {
    failure = crossingError(error)
  }
  for (const { request } of requests) send({ kind: 'caught_up', request, failure, ...behind() })
}

function timeOfAll(batches: readonly ReceivedBatch[]): number {
  return Math.max(0, ...batches.map(timeOf))
}

/**
 * The time of the service, which the main thread sent with the batch, plus the time that the batch has waited since.
 */
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
  behind: () => Behind,
): Promise<void> {
  const clock = () => timeOfAll(received)
  const dated: WriteStore = {
    ...store,
    transact: (needs, judge, lane) => store.transact(needs, judge, lane, clock),
  }
  try {
    const batches = received.map(({ batch, commands }) => ({
      batch,
      commands: readCrossedCommands(commands),
    }))
    const all = batches.flatMap(({ commands }) => commands)
    const reportBug = (cause: unknown) => send({ kind: 'bug', cause: crossingError(cause) })
    const { replies, wrote } = await runBatch(dated, all, reportBug, received[0]?.lane)
    let start = 0
    const committed = batches.map(({ batch, commands }) => {
      const own = replies.slice(start, start + commands.length)
      start += commands.length
      return { batch, result: crossingResult(commands, { replies: own, wrote }) }
    })
    send({ kind: 'committed', batches: committed, ...behind() })
  } catch (error) {
    const { is_full, detail } = error instanceof StoreError ? error : { is_full: false, detail: undefined }
    for (const { batch } of received)
      send({ kind: 'failed', batch, failure: crossingError(error), is_full, detail })
  }
}

if (parentPort !== null) await runWritingThread(parentPort, workerData)
