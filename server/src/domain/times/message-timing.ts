import { type QuietHours, quietUntil } from './quiet-hours.ts'
import { HOUR_MS, MINUTE_MS } from './time.ts'

/** Questions that come within this time go out together. */
export const GATHER_MS = 5_000
/** The shortest time between two messages on one channel, except before an urgent one. */
export const MESSAGE_GAP_MS = 30_000
/** After this many messages in an hour, what comes is gathered for longer, and goes out together. */
export const MOST_PER_HOUR = 10
export const DIGEST_GAP_MS = 15 * MINUTE_MS

export interface MessageTiming {
  /** When the message may go out as far as it alone is concerned. */
  readonly ready_ms: number
  /** When the channel carried messages, oldest first. */
  readonly sent_ms: readonly number[]
  readonly quiet: QuietHours | undefined
  /** Waits neither for the messages before it nor for the end of quiet hours. It, too, is held back in a flood. */
  readonly is_urgent: boolean
}

/** When a message may go out: now, or at the instant that is returned. */
export function messageDueAt({ ready_ms, sent_ms, quiet, is_urgent }: MessageTiming, now_ms: number): number {
  const isFlooded = sent_ms.filter((at_ms) => at_ms > now_ms - HOUR_MS).length >= MOST_PER_HOUR
  const gap_ms = isFlooded ? DIGEST_GAP_MS : is_urgent ? 0 : MESSAGE_GAP_MS
  const spaced_ms = Math.max(ready_ms, (sent_ms.at(-1) ?? Number.NEGATIVE_INFINITY) + gap_ms, now_ms)
  return is_urgent ? spaced_ms : (quietUntil(quiet, spaced_ms) ?? spaced_ms)
}
