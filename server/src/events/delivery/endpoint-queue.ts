import type { Delivery, EndpointState, WaitingDelivery } from '../../store/deliveries.ts'
import type { DeliveryOutcome } from './port.ts'
import { FAILING_LIMIT_MS, isLastAttempt, pauseAfterFailure, TRIED_AT_LEAST_MS } from './schedule.ts'

/** Events in memory that were read but not settled. */
const WINDOW = 64
/** Deliveries that may wait. Beyond this limit the endpoint reads no more; the log keeps the rest. */
export const MOST_WAITING = 10_000
/** Rows that aren't stored yet. Beyond this limit the store is too slow, or unavailable. */
const MOST_UNSAVED = 500
/** Concurrent attempts while the endpoint accepts what it gets. */
const AT_ONCE = 8
/** After this many failures in a row the endpoint counts as down. */
const DOWN_AFTER = 3
/**
 * While it is down, one new event is tried this often, in addition to waiting ones, because maybe only their workflows
 * fail.
 */
const PROBE_EVERY_MS = 30_000

/** An event on its way to an endpoint. */
export interface QueuedEvent<E> {
  readonly log_index: number
  readonly lane: string
  readonly event: E
}

/** One attempt to make. The event of a delivery that has waited must be read again. */
export interface DeliveryTask<E> {
  readonly log_index: number
  readonly lane: string
  readonly event: E | undefined
  /** Previous attempts. */
  readonly attempts: number
}

export interface SettledAttempt {
  readonly result: DeliveryOutcome
  readonly now_ms: number
  readonly took_ms: number
  /** From 0 to 1, for the jitter of the schedule. */
  readonly random: number
}

/** The endpoint's state after an attempt. */
export type EndpointVerdict = 'goes_on' | 'failing' | 'gone'

export interface UnsavedProgress {
  readonly next_index: number
  readonly failing_since_ms: number | undefined
  readonly rows: readonly Delivery[]
}

interface WindowItem<E> extends QueuedEvent<E> {
  state: 'queued' | 'sending' | 'settled'
}

/**
 * The deliveries of one endpoint, in memory. Decides what is sent next, in which order, and how far the endpoint has
 * got. Uses no clock, network or store.
 *
 * Guarantees: at most one event per lane is in flight, and never before an older one that waits; a failing lane doesn't
 * hold up another; memory is bounded. `next_index` never passes an event that is neither settled nor a row.
 */
export class EndpointQueue<E> {
  readonly #window: WindowItem<E>[] = []
  readonly #waiting = new Map<number, WaitingDelivery>()
  /** The log indexes that wait in each lane, ascending. */
  readonly #lanes = new Map<string, number[]>()
  readonly #busy = new Set<string>()
  #rows = new Map<number, Delivery>()
  #read_index: number
  #saved_index: number
  #failing_since_ms: number | undefined
  #saved_failing_since_ms: number | undefined
  #failures: number
  /** The time since which every attempt of this queue has failed. */
  #tried_since_ms: number | undefined
  /** While the endpoint is down, no new event is tried before this time. */
  #probe_at_ms = 0
  /** No waiting delivery is due before this time. */
  #next_due_ms = 0

  constructor({ next_index, failing_since_ms }: EndpointState, waiting: readonly WaitingDelivery[]) {
    this.#read_index = next_index
    this.#saved_index = next_index
    this.#failing_since_ms = failing_since_ms
    this.#saved_failing_since_ms = failing_since_ms
    this.#failures = failing_since_ms === undefined ? 0 : DOWN_AFTER // how many there were isn't stored
    for (const delivery of waiting) this.#wait(delivery)
  }

  /** The first log index that the endpoint still has to read. */
  get read_index(): number {
    return this.#read_index
  }

  get in_flight(): number {
    return this.#busy.size
  }

  get has_waiting(): boolean {
    return this.#waiting.size > 0
  }

  /** Whether deliveries must be stored. */
  get has_unsaved(): boolean {
    return this.#rows.size > 0
  }

  /** How many more events it takes now. */
  get room(): number {
    if (this.#waiting.size >= MOST_WAITING || this.#rows.size >= MOST_UNSAVED) return 0
    return Math.max(0, (this.#isDown ? 1 : WINDOW) - this.#window.length)
  }

  /** Takes events in log order. Everything below `read_to` has been considered. */
  offer(events: readonly QueuedEvent<E>[], read_to: number): void {
    for (const event of events) this.#window.push({ ...event, state: 'queued' })
    this.pass(read_to)
  }

  /** Records that everything below an index has been considered. */
  pass(index: number): void {
    this.#read_index = Math.max(this.#read_index, index)
  }

  /** The next attempt to make, if any. `later` means that there is one, but `mayStart` doesn't allow it yet. */
  next(now_ms: number, mayStart: () => boolean = ALWAYS): DeliveryTask<E> | 'later' | undefined {
    const at_once = this.#failures > 0 ? 1 : AT_ONCE
    if (this.#busy.size >= at_once || this.#rows.size >= MOST_UNSAVED) return undefined
    const takesNew = !this.#isDown || now_ms >= this.#probe_at_ms
    const task = this.#nextWaiting(now_ms) ?? (takesNew ? this.#nextOfWindow(now_ms) : undefined)
    if (task === undefined) return undefined
    if (!mayStart()) return 'later'
    this.#busy.add(task.lane)
    const item = this.#window.find(({ log_index }) => log_index === task.log_index)
    if (item?.state === 'queued') item.state = 'sending' // a settled one is tried again from its row
    return task
  }

  settle(task: DeliveryTask<E>, settled: SettledAttempt): EndpointVerdict {
    const { result, now_ms } = settled
    this.#busy.delete(task.lane)
    const item = this.#window.find(({ log_index }) => log_index === task.log_index)
    if (item !== undefined) item.state = 'settled'
    this.#dropSettled()
    const before = this.#waiting.get(task.log_index)
    switch (result.outcome) {
      case 'skip':
        if (before !== undefined)
          this.#finish(before, task, settled, 'failed', 'not for this endpoint any more')
        return 'goes_on'
      case 'hold':
        this.#postpone(before, task, settled, task.attempts, now_ms + result.for_ms)
        return 'goes_on'
      case 'delivered':
        this.#recover(now_ms)
        this.#finish(before, task, settled, 'delivered')
        return 'goes_on'
      case 'refused':
        this.#recover(now_ms)
        this.#finish(before, task, settled, 'failed')
        return 'goes_on'
      case 'gone':
        this.#postpone(before, task, settled, task.attempts + 1, now_ms)
        return 'gone'
      case 'retry':
        return this.#fail(before, task, settled, result.after_ms)
    }
  }

  /** What must be stored, or undefined. The caller stores it and then calls `saved` or `unsaved`. */
  takeProgress(): UnsavedProgress | undefined {
    this.#dropSettled()
    const next_index = this.#window[0]?.log_index ?? this.#read_index
    const isSame = next_index === this.#saved_index && this.#failing_since_ms === this.#saved_failing_since_ms
    if (isSame && this.#rows.size === 0) return undefined
    const rows = [...this.#rows.values()]
    this.#rows = new Map()
    return { next_index, failing_since_ms: this.#failing_since_ms, rows }
  }

  saved({ next_index, failing_since_ms }: UnsavedProgress): void {
    this.#saved_index = next_index
    this.#saved_failing_since_ms = failing_since_ms
  }

  /** Takes back progress that wasn't stored. It is offered again together with newer progress. */
  unsaved({ rows }: UnsavedProgress): void {
    this.#rows = new Map([...rows.map((row) => [row.log_index, row] as const), ...this.#rows])
  }

  get #isDown(): boolean {
    return this.#failures >= DOWN_AFTER
  }

  #dropSettled(): void {
    while (this.#window[0]?.state === 'settled') this.#window.shift()
  }

  #nextWaiting(now_ms: number): DeliveryTask<E> | undefined {
    if (now_ms < this.#next_due_ms) return undefined
    let next_due_ms = Number.POSITIVE_INFINITY
    for (const [lane, [log_index = 0]] of this.#lanes) {
      if (this.#busy.has(lane)) continue
      const { attempts = 0, next_at_ms = 0 } = this.#waiting.get(log_index) ?? {}
      if (next_at_ms <= now_ms) return { log_index, lane, attempts, event: undefined }
      next_due_ms = Math.min(next_due_ms, next_at_ms)
    }
    this.#next_due_ms = next_due_ms
    return undefined
  }

  #nextOfWindow(now_ms: number): DeliveryTask<E> | undefined {
    for (const item of this.#window) {
      const { log_index, lane, event } = item
      if (item.state !== 'queued' || this.#busy.has(lane)) continue
      if (this.#lanes.has(lane)) {
        // An older event of the lane waits, so this one waits behind it, and the cursor can pass it. After a restart,
        // it may be the one that waits.
        item.state = 'settled'
        if (!this.#waiting.has(log_index)) this.#waitBehind({ log_index, lane }, now_ms)
        continue
      }
      return { log_index, lane, event, attempts: 0 }
    }
    return undefined
  }

  #waitBehind({ log_index, lane }: Pick<QueuedEvent<E>, 'log_index' | 'lane'>, now_ms: number): void {
    const times = { first_at_ms: now_ms, last_at_ms: now_ms, next_at_ms: 0 }
    this.#keepWaiting({ log_index, lane, attempts: 0, ...times })
  }

  #fail(
    before: WaitingDelivery | undefined,
    task: DeliveryTask<E>,
    settled: SettledAttempt,
    after_ms: number | undefined,
  ): EndpointVerdict {
    const { now_ms, random } = settled
    const attempts = task.attempts + 1
    const first_at_ms = firstAttemptAt(before, now_ms)
    this.#failing_since_ms ??= now_ms
    this.#tried_since_ms ??= now_ms
    this.#failures += 1
    this.#probe_at_ms = now_ms + PROBE_EVERY_MS
    // While the endpoint accepts nothing at all, no event is given up. The endpoint is eventually disabled, and
    // continues once it is enabled.
    const acceptsOthers = this.#failing_since_ms > first_at_ms
    if (isLastAttempt(attempts) && acceptsOthers) this.#finish(before, task, settled, 'failed')
    else
      this.#postpone(
        before,
        task,
        settled,
        attempts,
        now_ms + pauseAfterFailure({ attempts, after_ms, random }),
      )
    const isFailing =
      now_ms - this.#failing_since_ms >= FAILING_LIMIT_MS &&
      now_ms - this.#tried_since_ms >= TRIED_AT_LEAST_MS
    return isFailing ? 'failing' : 'goes_on'
  }

  /**
   * Called when the endpoint accepts an event. If it was down, all waiting deliveries become due, because their
   * attempts failed with the others.
   */
  #recover(now_ms: number): void {
    if (this.#isDown) {
      for (const [log_index, waiting] of this.#waiting)
        this.#waiting.set(log_index, { ...waiting, next_at_ms: Math.min(waiting.next_at_ms, now_ms) })
      this.#next_due_ms = 0
    }
    this.#failures = 0
    this.#failing_since_ms = undefined
    this.#tried_since_ms = undefined
  }

  #finish(
    before: WaitingDelivery | undefined,
    { log_index, lane, attempts }: DeliveryTask<E>,
    { result, now_ms, took_ms }: SettledAttempt,
    state: 'delivered' | 'failed',
    error?: string,
  ): void {
    this.#stopWaiting(log_index, lane)
    this.#rows.set(log_index, {
      log_index,
      lane,
      state,
      attempts: attempts + 1,
      first_at_ms: firstAttemptAt(before, now_ms),
      last_at_ms: now_ms,
      next_at_ms: now_ms,
      ...notesOf(result),
      ...(error !== undefined && { error }),
      took_ms,
    })
  }

  #postpone(
    before: WaitingDelivery | undefined,
    { log_index, lane }: DeliveryTask<E>,
    { result, now_ms, took_ms }: SettledAttempt,
    attempts: number,
    next_at_ms: number,
  ): void {
    const first_at_ms = firstAttemptAt(before, now_ms)
    this.#keepWaiting(
      { log_index, lane, attempts, first_at_ms, last_at_ms: now_ms, next_at_ms },
      { ...notesOf(result), took_ms },
    )
  }

  #keepWaiting(
    waiting: WaitingDelivery,
    notes: Pick<Delivery, 'status' | 'error' | 'answer' | 'took_ms'> = NO_NOTES,
  ): void {
    this.#wait(waiting)
    this.#rows.set(waiting.log_index, { ...waiting, state: 'waiting', ...notes })
  }

  #wait(delivery: WaitingDelivery): void {
    const { log_index, lane, next_at_ms } = delivery
    if (!this.#waiting.has(log_index)) {
      const indexes = this.#lanes.get(lane)
      if (indexes === undefined) this.#lanes.set(lane, [log_index])
      else indexes.push(log_index)
    }
    this.#waiting.set(log_index, delivery)
    this.#next_due_ms = Math.min(this.#next_due_ms, next_at_ms)
  }

  #stopWaiting(log_index: number, lane: string): void {
    if (!this.#waiting.delete(log_index)) return
    const indexes = this.#lanes.get(lane) ?? []
    indexes.splice(indexes.indexOf(log_index), 1)
    if (indexes.length === 0) this.#lanes.delete(lane)
    this.#next_due_ms = 0
  }
}

const ALWAYS = () => true
const NO_NOTES = { status: undefined, error: undefined, answer: undefined, took_ms: undefined } as const

/** When the first attempt of a delivery ended, if one ends now. It may have waited behind others before. */
function firstAttemptAt(before: WaitingDelivery | undefined, now_ms: number): number {
  return before === undefined || before.attempts === 0 ? now_ms : before.first_at_ms
}

function notesOf(result: DeliveryOutcome): Pick<Delivery, 'status' | 'error' | 'answer'> {
  return {
    status: 'status' in result ? result.status : undefined,
    error: 'error' in result ? result.error : undefined,
    answer: 'answer' in result ? result.answer : undefined,
  }
}
