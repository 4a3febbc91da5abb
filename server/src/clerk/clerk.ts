import { AuthorityError } from '@deputize/protocol'
import type { Command, Reply } from './command.ts'
import type { BatchResult } from './run-batch.ts'

/** Carries out one batch durably, or rejects and has done nothing that was acknowledged. */
export type Execute = (commands: readonly Command[]) => Promise<BatchResult>

export interface ClerkOptions {
  /** Commands that may wait; beyond that callers are told to come back. */
  readonly queue_limit: number
  readonly batch_limit: number
  /** Batches handed over at a time, so that the next is ready when the one before it commits. */
  readonly batches_in_flight: number
  /** Told of every batch, for metrics. */
  onBatch?(size: number, duration_ms: number): void
  /** Told why a batch failed, for the log. */
  onFailure?(error: unknown): void
}

export interface Settled {
  readonly outcome: unknown
  readonly replayed: boolean
}

/**
 * Takes commands one by one and carries them out in batches. A batch closes when the turn of the event loop ends, so a
 * lone caller never waits for a timer and many callers share one disk sync. What stops somebody goes first.
 */
export interface Clerk {
  /** Resolves when the command is durable; rejects with an AuthorityError when it is refused or cannot be kept. */
  submit(command: Command): Promise<Settled>
  /** Whether changes can be made durable, as far as the last attempt to write one tells. */
  isHealthy(): boolean
  waiting(): number
  /** Takes no more commands and resolves when those it has are carried out. */
  drain(): Promise<void>
}

interface Pending {
  readonly command: Command
  resolve(settled: Settled): void
  reject(error: Error): void
}

const URGENT: readonly Command['kind'][] = ['revoke', 'revoke_all', 'suspend', 'erase_human']

/** What takes authority or a credential back overtakes the rest and is never sent away. */
function isUrgent(command: Command): boolean {
  return URGENT.includes(command.kind) || (command.kind === 'register' && command.document === undefined)
}

export function openClerk(execute: Execute, options: ClerkOptions): Clerk {
  const urgent: Pending[] = []
  const ordinary: Pending[] = []
  let inFlight = 0
  let isScheduled = false
  let isHealthy = true
  let isDraining = false
  let onIdle: (() => void) | undefined

  const waiting = () => urgent.length + ordinary.length

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
      for (const [index, pending] of batch.entries()) answer(pending, replies[index])
    } catch (error) {
      isHealthy = false
      options.onFailure?.(error)
      for (const { reject } of batch) reject(new AuthorityError('storage_unavailable'))
    }
    inFlight -= 1
    schedule()
    if (inFlight === 0 && waiting() === 0) onIdle?.()
  }

  return {
    submit(command) {
      if (isDraining) return Promise.reject(new AuthorityError('shutting_down'))
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
    async drain() {
      isDraining = true
      if (inFlight === 0 && waiting() === 0) return
      await new Promise<void>((resolve) => {
        onIdle = resolve
      })
    },
  }
}

function answer({ resolve, reject }: Pending, reply: Reply | undefined): void {
  if (reply === undefined || 'bug' in reply) {
    reject(new Error('the command could not be judged'))
  } else if ('refusal' in reply) {
    const { code, detail, members } = reply.refusal
    reject(new AuthorityError(code, detail, members))
  } else {
    resolve({ outcome: reply.outcome, replayed: reply.replayed === true })
  }
}
