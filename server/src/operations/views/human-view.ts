import { isoInstant } from '../../domain/time.ts'
import type { HumanFacts } from '../../store/port.ts'

export function humanView({ assurance_levels, first_seen_ms, erased_at_ms, ...counts }: HumanFacts) {
  return {
    ...counts,
    assurance_levels: [...assurance_levels],
    ...(first_seen_ms !== undefined && { first_seen_at: isoInstant(first_seen_ms) }),
    ...(erased_at_ms !== undefined && { erased_at: isoInstant(erased_at_ms) }),
  }
}
