/** Locks verification after too many failures, by the person or by someone in their name. */
import { DAY_MS, MINUTE_MS } from '../times/time.ts'

const ATTEMPTS = 5
const FIRST_LOCK_MS = MINUTE_MS
/** The longest lock, and how long a failure counts. */
const LONGEST_MS = DAY_MS

/** A judged capture. A recording that was only too dark or too quiet isn't one. */
export interface PastAttempt {
  readonly at_ms: number
  readonly passed: boolean
}

export interface AttemptsState {
  readonly attempts_left: number
  /** Undefined unless locked now. */
  readonly locked_until_ms: number | undefined
}

/** The fifth failure in a row locks for a minute, each further one for twice as long. `past` is newest first. */
export function attemptsState(past: readonly PastAttempt[], now_ms: number): AttemptsState {
  const recent = past.filter(({ at_ms }) => now_ms - at_ms < LONGEST_MS)
  const lastPass = recent.findIndex(({ passed }) => passed)
  const failures = lastPass === -1 ? recent : recent.slice(0, lastPass)
  const beyond = failures.length - ATTEMPTS
  if (beyond < 0) return { attempts_left: -beyond, locked_until_ms: undefined }
  const locked_until_ms = (failures[0]?.at_ms ?? 0) + Math.min(LONGEST_MS, FIRST_LOCK_MS * 2 ** beyond)
  if (locked_until_ms <= now_ms) return { attempts_left: 1, locked_until_ms: undefined }
  return { attempts_left: 0, locked_until_ms }
}
