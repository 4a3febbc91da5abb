import { ExpectedFailure } from '../expected-failure.ts'
import type { LogReader } from '../store/port/log-reader.ts'

/** How far a log may be ahead of the clock: nodes differ a little, and a restart takes a moment. */
const MOST_AHEAD_MS = 60_000

/** Returns the time of the newest leaf. 0 for an empty log. */
async function lastLogTime(log: Pick<LogReader, 'head' | 'leaves'>): Promise<number> {
  const { size } = await log.head()
  const [newest] = await log.leaves(size - 1, size)
  return newest === undefined ? 0 : Date.parse(JSON.parse(newest).at)
}

export interface LogTimeOptions {
  readonly now_ms: number
  /** The instant of the newest leaf, if the operator accepts a log that is ahead of the clock. */
  readonly accepted: string | undefined
}

/**
 * Throws if the log is ahead of the clock, unless the operator accepts that: new entries would all carry the time of
 * the newest one, and tokens would seem expired. Returns that time if it was accepted, undefined if the log isn't
 * ahead.
 */
export async function acceptLogTime(
  log: Pick<LogReader, 'head' | 'leaves'>,
  { now_ms, accepted }: LogTimeOptions,
): Promise<number | undefined> {
  const last_ms = await lastLogTime(log)
  if (last_ms - now_ms <= MOST_AHEAD_MS) return undefined
  const newest = new Date(last_ms).toISOString()
  if (accepted === newest) return last_ms
  throw new LogAheadError(newest, last_ms - now_ms)
}

export class LogAheadError extends ExpectedFailure {
  override readonly name = 'LogAheadError'

  constructor(newest: string, ahead_ms: number) {
    super(
      `The newest log entry is from ${newest}, ${Math.round(ahead_ms / 1000)} s ahead of the clock of this machine. If the clock is wrong, correct it. If the log was written while a clock was wrong, wait until then, or set DEPUTY_ACCEPT_CLOCK=${newest}: time in the service then stops until the clock has caught up.`,
    )
  }
}
