import { invalidField } from '@deputize/protocol'

/** Reads when a vouch is to end. Refuses an instant in the past. */
export function futureInstant(text: string, now_ms: number): number {
  const at_ms = Date.parse(text)
  if (at_ms <= now_ms) throw invalidField('/expires_at', 'must be in the future')
  return at_ms
}
