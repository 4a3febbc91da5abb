/** How long commits took in the last hour, minute by minute, for people to look at. */
import { MINUTE_MS } from '../domain/times/time.ts'

export interface CommitMinute {
  readonly start_ms: number
  readonly commits: number
  readonly commands: number
  readonly failures: number
  readonly p50_ms: number
  readonly p99_ms: number
  /** The most items that were waiting when a commit ended. */
  readonly most_waiting: number
  readonly memory_bytes: number
}

interface Minute {
  start_ms: number
  commits: number
  commands: number
  failures: number
  most_waiting: number
  memory_bytes: number
  readonly durations: Uint32Array
}

export const KEPT_MINUTES = 60

/** Durations are counted in classes, each a quarter longer than the one before, from 0.05 ms to more than a minute. */
const SMALLEST_MS = 0.05
const GROWTH = 1.25
const CLASSES = 64

/** Counts commits in a bounded amount of memory. Minutes without a commit are left out. */
export class CommitHistory {
  readonly #clock: () => number
  readonly #memory: () => number
  readonly #minutes: Minute[] = []

  constructor(clock: () => number, memory: () => number) {
    this.#clock = clock
    this.#memory = memory
  }

  count(commands: number, duration_ms: number, waiting: number): void {
    const minute = this.#current()
    minute.commits += 1
    minute.commands += commands
    minute.most_waiting = Math.max(minute.most_waiting, waiting)
    const index = classOf(duration_ms)
    minute.durations[index] = (minute.durations[index] ?? 0) + 1
  }

  countFailure(): void {
    this.#current().failures += 1
  }

  /** The minutes of the last hour, oldest first. */
  minutes(): CommitMinute[] {
    const since = this.#clock() - KEPT_MINUTES * MINUTE_MS
    return this.#minutes
      .filter(({ start_ms }) => start_ms > since)
      .map(({ durations, ...minute }) => ({
        ...minute,
        p50_ms: quantile(durations, minute.commits, 0.5),
        p99_ms: quantile(durations, minute.commits, 0.99),
      }))
  }

  #current(): Minute {
    const start_ms = Math.floor(this.#clock() / MINUTE_MS) * MINUTE_MS
    const last = this.#minutes.at(-1)
    // If the clock steps back, commits count in the minute that it left.
    if (last !== undefined && start_ms <= last.start_ms) return last
    const minute = {
      start_ms,
      commits: 0,
      commands: 0,
      failures: 0,
      most_waiting: 0,
      memory_bytes: this.#memory(),
      durations: new Uint32Array(CLASSES),
    }
    this.#minutes.push(minute)
    if (this.#minutes.length > KEPT_MINUTES) this.#minutes.shift()
    return minute
  }
}

function classOf(duration_ms: number): number {
  if (!(duration_ms > SMALLEST_MS)) return 0
  return Math.min(CLASSES - 1, Math.ceil(Math.log(duration_ms / SMALLEST_MS) / Math.log(GROWTH)))
}

/** The upper end of the class that contains the quantile, with three digits. 0 if there are no commits. */
function quantile(durations: Uint32Array, commits: number, share: number): number {
  let left = Math.ceil(commits * share)
  if (left === 0) return 0
  const index = durations.findIndex((count) => {
    left -= count
    return left <= 0
  })
  return Number((SMALLEST_MS * GROWTH ** index).toPrecision(3))
}
