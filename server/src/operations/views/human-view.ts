import { isoInstant } from '../../domain/times/time.ts'
import type { HumanFacts } from '../../store/port.ts'

type ShownFacts = Pick<HumanFacts, 'assurance_levels' | 'first_seen_ms' | 'erased_at_ms' | 'refused_at_ms'>

/** Returns a person as the API shows them, alone or in a list. Counts are shown as stored. */
export function humanView<Facts extends ShownFacts>(facts: Facts) {
  const { assurance_levels, first_seen_ms, erased_at_ms, refused_at_ms, ...counts } = facts
  return {
    ...counts,
    assurance_levels: [...assurance_levels],
    ...(first_seen_ms !== undefined && { first_seen_at: isoInstant(first_seen_ms) }),
    ...(erased_at_ms !== undefined && { erased_at: isoInstant(erased_at_ms) }),
    ...(refused_at_ms !== undefined && { refused_at: isoInstant(refused_at_ms) }),
  }
}
