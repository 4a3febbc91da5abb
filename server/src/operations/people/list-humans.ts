import { isoInstant } from '../../domain/time.ts'
import type { PersonFacts } from '../../store/port.ts'
import { visibleTenant } from '../list-visibility.ts'
import type { Handler } from '../operation-context.ts'
import { pageRequest } from '../pages.ts'
import { pageAnswer } from '../views/page-answer.ts'

export const listHumans: Handler<'listHumans'> = async ({ caller, query }, { reader, clock }) =>
  pageAnswer(await reader.people(visibleTenant(caller), pageRequest(query), clock()), personView)

function personView({
  assurance_levels,
  first_seen_ms,
  erased_at_ms,
  refused_at_ms,
  ...counts
}: PersonFacts) {
  return {
    ...counts,
    assurance_levels: [...assurance_levels],
    ...(first_seen_ms !== undefined && { first_seen_at: isoInstant(first_seen_ms) }),
    ...(erased_at_ms !== undefined && { erased_at: isoInstant(erased_at_ms) }),
    ...(refused_at_ms !== undefined && { refused_at: isoInstant(refused_at_ms) }),
  }
}
