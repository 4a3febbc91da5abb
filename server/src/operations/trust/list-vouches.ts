import type { Caller } from '../../access/caller.ts'
import type { VouchFilter } from '../../store/port/filters.ts'
import { visibleTenant } from '../lists/list-visibility.ts'
import { pageRequest } from '../lists/pages.ts'
import type { Handler, OperationCall } from '../operation-context.ts'
import { emptyPage, pageAnswer } from '../views/page-answer.ts'
import { vouchView } from '../views/vouch-view.ts'
import { loggedSubject } from './subjects.ts'

export const listVouches: Handler<'listVouches'> = async ({ caller, query }, { reader, clock }) => {
  const page = pageRequest(query)
  const filter = visibleVouches(caller, query, clock())
  if (filter === undefined) return emptyPage()
  return pageAnswer(await reader.trust.vouches(filter, page), (one) => vouchView(one, clock()))
}

/** Returns the filter for a caller's visible vouches. People see those that they gave or, on request, received. */
function visibleVouches(
  caller: Caller,
  { from, to, context, standing }: OperationCall<'listVouches'>['query'],
  now_ms: number,
): VouchFilter | undefined {
  const filter = {
    ...visibleTenant(caller),
    from,
    to: to === undefined ? undefined : loggedSubject(to, caller),
    context,
    standing_at_ms: standing === undefined ? undefined : now_ms,
  }
  if (caller.role !== 'human') return filter
  const isOwn = [from, to].some((ref) => ref !== undefined && caller.human_refs.includes(ref))
  if (isOwn) return filter
  return from === undefined ? { ...filter, from: caller.human_ref } : undefined
}
