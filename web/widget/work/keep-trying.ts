import { until } from '../../capture/until.ts'
import { isPassingRefusal } from '../problems.ts'
import type { SendingTrouble } from '../screens.ts'
import { CallRefused, Unreachable } from '../session-calls.ts'

const GIVE_UP_AFTER_MS = 60_000
const SEND_AGAIN_MS = 1500
const LONGEST_WAIT_S = 10

/**
 * Repeats a call while the service is unreachable or busy, for a minute. Only for idempotent calls: the lost answer may
 * be the one to a recording that passed.
 */
export async function keepTrying<Answer>(
  call: () => Promise<Answer>,
  signal: AbortSignal,
  onTrouble: (trouble: SendingTrouble) => void = () => {},
): Promise<Answer> {
  const give_up_at = performance.now() + GIVE_UP_AFTER_MS
  for (;;) {
    const isLast = performance.now() > give_up_at
    try {
      return await call()
    } catch (error) {
      const trouble = troubleOf(error)
      if (trouble === undefined || isLast) throw error
      onTrouble(trouble)
      await waitFor(error, signal)
    }
  }
}

/** Undefined if the same call would be refused again. */
export function troubleOf(error: unknown): SendingTrouble | undefined {
  if (error instanceof Unreachable) return 'offline'
  return error instanceof CallRefused && isPassingRefusal(error) ? 'busy' : undefined
}

/** Waits as long as the service asks for, within limits. */
export function waitFor(error: unknown, signal: AbortSignal): Promise<void> {
  const wanted_s = error instanceof CallRefused ? error.retry_after_s : undefined
  const ms = wanted_s === undefined ? SEND_AGAIN_MS : Math.min(LONGEST_WAIT_S, wanted_s) * 1000
  return until(performance.now() + ms, signal)
}
