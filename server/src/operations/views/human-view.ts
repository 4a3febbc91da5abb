import { isoInstant } from '../../domain/time.ts'
import type { HumanFacts } from '../../store/port.ts'

export function humanView({ assurance_levels, first_seen_ms, erased_at_ms, ...facts }: HumanFacts) {
  const { refused_at_ms, ...counts } = facts
  return {
    ...counts,
    assurance_levels: [...assurance_levels],
    ...(first_seen_ms !== undefined && { first_seen_at: isoInstant(first_seen_ms) }),
    ...(erased_at_ms !== undefined && { erased_at: isoInstant(erased_at_ms) }),
    ...(refused_at_ms !== undefined && { refused_at: isoInstant(refused_at_ms) }),
  }
}
