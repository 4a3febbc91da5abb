import { AuthorityError, type Lane } from '@deputize/protocol'
import { LoadGauge } from '../domain/load/load-gauge.ts'
import { StoreError } from '../store/port/store-error.ts'
import type { Command, Reply } from './command.ts'
import { CommandQueue } from './command-queue.ts'
import type { BatchResult } from './run-batch.ts'
import { isOwn, loadOf, takesBack, weightOf } from './weight.ts'

/**
 * Executes one batch durably. If it rejects, no command of the batch was acknowledged. A batch in the stop lane goes
 * ahead of those that wait.
 */
export type ExecuteBatch = (commands: readonly Command[], lane?: Lane) => Promise<BatchResult>

/** Why the store refuses writes. */
export type StoreFault = 'storage_unavailable' | 'storage_full'

interface Fault {
  readonly code: StoreFault
  readonly detail: string | undefined
}

export interface ClerkOptions {
  /** Items that may wait. Beyond this limit callers get `overloaded`. */
  readonly queue_limit: number
  /** Items in one batch. */
  readonly batch_limit: number
  /**
   * A batch with this many items is handed over at once: the store works on it while more requests are read. Otherwise a
   * batch closes when the event loop turn ends.
   */
  readonly closes_at?: number
  /** Batches that may be in flight, so that the next one is ready when the previous one commits. */
  readonly batches_in_flight: number
  /** Why the clock can't be trusted. While it returns a string, only the stop lane is open. */
  clockFault?(): string | undefined
  /** Measures how long commands wait. By default the steady clock of the process. */
  steadyClock?(): number
  /** Called after every batch, for metrics. */
  onBatch?(size: number, duration_ms: number): void
  /** Called when a batch fails, for the log. */
  onFailure?(error: unknown): void
}

export interface CommandResult {
  readonly outcome: unknown
  readonly replayed: boolean
}

/**
 * Accepts commands one by one and executes them in batches. A batch closes when it has enough items or when the event
 * loop turn ends, so a single caller never waits for a timer and many callers share one disk sync. The stop lane goes
 * first, in its own batches.
 */
export interface Clerk {
  /**
   * Resolves when the command is durable. Rejects with an AuthorityError if it is refused or can't be stored. Under load, a
   * command whose caller has left is dropped, unless it is in the stop lane.
   */
  submit(command: Command, lane?: Lane, hasLeft?: () => boolean): Promise<CommandResult>
  /** Why the last attempt to write failed. Undefined while the store accepts writes. */
  fault(): StoreFault | undefined
  /** Details of the fault, if the store knows any. */
  faultDetail(): string | undefined
  /** Number of waiting items. */
  waiting(): number
  /** How long a new command would wait at the pace of recent commits. */
  expectedWaitMs(): number
  /** Rejects new commands and resolves when the accepted ones are done. */
  drain(): Promise<void>
}

interface Pending {
  readonly command: Command
  readonly weight: number
  readonly submitted_at_ms: number
  readonly hasLeft: (() => boolean) | undefined
  resolve(result: CommandResult): void
  reject(error: Error): void
}

/**
 * Commands of the service itself that append no leaf and take no time from the clock. They are accepted while the clock
 * is wrong or the queue is full, because there is never more than one of each.
 */
const TIMELESS: readonly Command['kind'][] = ['keep_checkpoint', 'probe']

/** Only under load does a command wait this long for its batch. */
const LATE_MS = 100

export function openClerk(execute: ExecuteBatch, options: ClerkOptions): Clerk {
  const { queue_limit, batch_limit, closes_at = Number.POSITIVE_INFINITY, batches_in_flight } = options
  const { clockFault = () => undefined } = options
  const steadyClock = options.steadyClock ?? (() => performance.now())
  const stops = new CommandQueue<Pending>()
  const ordinary = new CommandQueue<Pending>()
  const load = new LoadGauge()
  let inFlight = 0
  let isScheduled = false
  let fault: Fault | undefined
  let draining: PromiseWithResolvers<void> | undefined

  const waiting = () => stops.weight + ordinary.weight
  const isIdle = () => inFlight === 0 && waiting() === 0

  const hasRoom = () => inFlight < batches_in_flight && ordinary.weight > 0

  function schedule(): void {
    // A stop never waits for a place in flight, which a few slow batches could occupy.
    if (isScheduled || !(stops.weight > 0 || hasRoom())) return
    isScheduled = true
    setImmediate(() => {
      isScheduled = false
      handOver()
      schedule()
    })
  }

  function handOver(): void {
    if (stops.weight > 0) void run(stops.take(batch_limit), 'stop')
    if (!hasRoom()) return
    const awaited = ordinary.take(batch_limit).filter(isAwaited)
    if (awaited.length > 0) void run(awaited, undefined)
    else if (isIdle()) draining?.resolve()
  }

  async function run(batch: readonly Pending[], lane: Lane | undefined): Promise<void> {
    const started = steadyClock()
    inFlight += 1
    try {
      const { replies, wrote, is_forwarded } = await execute(
        batch.map(({ command }) => command),
        lane,
      )
      // A stop can succeed when other changes fail: on a full disk, or after the files were moved away.
      if (wrote && lane !== 'stop' && is_forwarded !== true) fault = undefined
      options.onBatch?.(batch.length, steadyClock() - started)
      for (const [index, pending] of batch.entries()) settlePending(pending, replies[index])
    } catch (error) {
      const found = faultOf(error)
      fault = found
      options.onFailure?.(error)
      for (const { reject } of batch) reject(new AuthorityError(found.code, found.detail))
    }
    const ended_at_ms = steadyClock()
    for (const { command } of batch) load.end(loadOf(command), ended_at_ms)
    inFlight -= 1
    schedule()
    if (isIdle()) draining?.resolve()
  }

  return {
    submit(command, asked, hasLeft) {
      const lane = asked ?? (takesBack(command) ? 'stop' : undefined)
      const refusal = refusalOf(command, lane)
      if (refusal !== undefined) return Promise.reject(refusal)
      return new Promise((resolve, reject) => {
        const queue = lane === 'stop' ? stops : ordinary
        const submitted_at_ms = steadyClock()
        const weight = weightOf(command)
        load.begin(loadOf(command), submitted_at_ms)
        const pending = { command, weight, submitted_at_ms, hasLeft, resolve, reject }
        // Others would fail with it, or wait for it, although another node may be able to write them.
        if (isOwn(command)) return void run([pending], undefined)
        queue.push(pending)
        if (ordinary.weight >= closes_at) handOver()
        schedule()
      })
    },
    fault: () => fault?.code,
    faultDetail: () => fault?.detail,
    waiting,
    expectedWaitMs: () => load.expectedWaitMs(steadyClock()),
    drain() {
      draining ??= Promise.withResolvers()
      if (isIdle()) draining.resolve()
      return draining.promise
    },
  }

  /**
   * False for a command that has waited too long and whose caller has left. Rejects it, which is safe because it hasn't
   * been judged.
   */
  function isAwaited({ command, submitted_at_ms, hasLeft, reject }: Pending): boolean {
    const now_ms = steadyClock()
    if (hasLeft === undefined || now_ms - submitted_at_ms < LATE_MS || !hasLeft()) return true
    load.end(loadOf(command), now_ms)
    reject(new AuthorityError('overloaded'))
    return false
  }

  function refusalOf(command: Command, lane: Lane | undefined): AuthorityError | undefined {
    if (draining !== undefined) return new AuthorityError('shutting_down')
    if (lane === 'stop' || TIMELESS.includes(command.kind)) return undefined
    if (waiting() >= queue_limit) return new AuthorityError('overloaded')
    const jumped = clockFault()
    return jumped === undefined ? undefined : new AuthorityError('clock_jumped', jumped)
  }
}

function settlePending({ resolve, reject }: Pending, reply: Reply | undefined): void {
  if (reply === undefined || 'bug' in reply) {
    reject(new Error('the command could not be judged'))
  } else if ('refusal' in reply) {
    const { code, detail, members } = reply.refusal
    reject(new AuthorityError(code, detail, members))
  } else {
    resolve({ outcome: reply.outcome, replayed: reply.replayed === true })
  }
}

function faultOf(error: unknown): Fault {
  if (!(error instanceof StoreError)) return { code: 'storage_unavailable', detail: undefined }
  return { code: error.is_full ? 'storage_full' : 'storage_unavailable', detail: error.detail }
}
