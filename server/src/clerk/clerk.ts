import { AuthorityError } from '@deputize/protocol'
import type { Command, Reply } from './command.ts'
import type { BatchResult } from './run-batch.ts'

/** Executes one batch durably. If it rejects, no command of the batch was acknowledged. */
export type ExecuteBatch = (commands: readonly Command[]) => Promise<BatchResult>

export interface ClerkOptions {
  /** Commands that may wait. Beyond this limit callers get `overloaded`. */
  readonly queue_limit: number
  readonly batch_limit: number
  /** Batches that may be in flight, so that the next one is ready when the previous one commits. */
  readonly batches_in_flight: number
  /** Called after every batch, for metrics. */
  onBatch?(size: number, duration_ms: number): void
  /** Called when a batch fails, for the log. */
  onFailure?(error: unknown): void
}

export interface Settled {
  readonly outcome: unknown
  readonly replayed: boolean
}

/**
 * Accepts commands one by one and executes them in batches. A batch closes when the event loop turn ends, so a single
 * caller never waits for a timer and many callers share one disk sync. Revocations go first.
 */
export interface Clerk {
  /** Resolves when the command is durable. Rejects with an AuthorityError if it is refused or can't be stored. */
  submit(command: Command): Promise<Settled>
  /** Whether the last attempt to write a batch succeeded. */
  isHealthy(): boolean
  waiting(): number
  /** Rejects new commands and resolves when the accepted ones are done. */
  drain(): Promise<void>
}

interface Pending {
  readonly command: Command
  resolve(settled: Settled): void
  reject(error: Error): void
}

const URGENT: readonly Command['kind'][] = ['revoke', 'revoke_all', 'suspend', 'erase_human', 'end_session']

/** Commands that take back authority or a credential go first and ignore the queue limit. */
function isUrgent(command: Command): boolean {
  return URGENT.includes(command.kind) || (command.kind === 'register' && command.document === undefined)
}

export function openClerk(execute: ExecuteBatch, options: ClerkOptions): Clerk {
  const urgent: Pending[] = []
  const ordinary: Pending[] = []
  let inFlight = 0
  let isScheduled = false
  let isHealthy = true
  let draining: PromiseWithResolvers<void> | undefined

  const waiting = () => urgent.length + ordinary.length
  const isIdle = () => inFlight === 0 && waiting() === 0

  function schedule(): void {
    if (isScheduled || inFlight >= options.batches_in_flight || waiting() === 0) return
    isScheduled = true
    setImmediate(() => {
      isScheduled = false
      void runNext()
    })
  }

  function nextBatch(): Pending[] {
    const batch = urgent.splice(0, options.batch_limit)
    return batch.concat(ordinary.splice(0, options.batch_limit - batch.length))
  }

  async function runNext(): Promise<void> {
    const batch = nextBatch()
    const started = performance.now()
    inFlight += 1
    try {
      const { replies, wrote } = await execute(batch.map(({ command }) => command))
      isHealthy ||= wrote
      options.onBatch?.(batch.length, performance.now() - started)
      for (const [index, pending] of batch.entries()) settlePending(pending, replies[index])
    } catch (error) {
      isHealthy = false
      options.onFailure?.(error)
      for (const { reject } of batch) reject(new AuthorityError('storage_unavailable'))
    }
    inFlight -= 1
    schedule()
    if (isIdle()) draining?.resolve()
  }

  return {
    submit(command) {
      if (draining !== undefined) return Promise.reject(new AuthorityError('shutting_down'))
      if (!isUrgent(command) && waiting() >= options.queue_limit)
        return Promise.reject(new AuthorityError('overloaded'))
      return new Promise((resolve, reject) => {
        const queue = isUrgent(command) ? urgent : ordinary
        queue.push({ command, resolve, reject })
        schedule()
      })
    },
    isHealthy: () => isHealthy,
    waiting,
    drain() {
      draining ??= Promise.withResolvers()
      if (isIdle()) draining.resolve()
      return draining.promise
    },
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
