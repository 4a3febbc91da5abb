import { type QuietHours, quietUntil } from './quiet-hours.ts'
import { HOUR_MS, MINUTE_MS } from './time.ts'

/** Questions that arrive within this time are sent together. */
export const GATHER_MS = 5_000
/** The shortest time between two messages on one channel, except before an urgent one. */
export const MESSAGE_GAP_MS = 30_000
/** After this many messages in an hour, further ones are gathered for longer and sent together. */
export const MOST_PER_HOUR = 10
export const DIGEST_GAP_MS = 15 * MINUTE_MS

export interface MessageTiming {
  /** When the message itself is ready to be sent. */
  readonly ready_ms: number
  /** When messages were sent on the channel, oldest first. */
  readonly sent_ms: readonly number[]
  readonly quiet: QuietHours | undefined
  /** Doesn't wait for the gap after other messages or the end of quiet hours, but is held back in a flood too. */
  readonly is_urgent: boolean
}

/** Returns when a message may be sent: now or later. */
export function messageDueAt({ ready_ms, sent_ms, quiet, is_urgent }: MessageTiming, now_ms: number): number {
  const isFlooded = sent_ms.filter((at_ms) => at_ms > now_ms - HOUR_MS).length >= MOST_PER_HOUR
  const gap_ms = isFlooded ? DIGEST_GAP_MS : is_urgent ? 0 : MESSAGE_GAP_MS
  const spaced_ms = Math.max(ready_ms, (sent_ms.at(-1) ?? Number.NEGATIVE_INFINITY) + gap_ms, now_ms)
  return is_urgent ? spaced_ms : (quietUntil(quiet, spaced_ms) ?? spaced_ms)
}
