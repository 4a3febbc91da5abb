import { invalidField } from '@deputize/protocol'

/** The instant at which a vouch is to end. */
export function futureInstant(text: string, now_ms: number): number {
  const at_ms = Date.parse(text)
  if (at_ms <= now_ms) throw invalidField('/expires_at', 'must be in the future')
  return at_ms
}
