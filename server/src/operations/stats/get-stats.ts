import { DEFAULT_TENANT, invalidField } from '@deputize/protocol'
import type { Caller } from '../../access/caller.ts'
import { isoInstant } from '../../domain/times/time.ts'
import type { ReadStore } from '../../store/port.ts'
import { callersAgent } from '../lists/list-visibility.ts'
import { eachEntry } from '../lists/pages.ts'
import type { Handler } from '../operation-context.ts'
import { counterQueryOf, rangeOf } from './stats-question.ts'
import { shownCounts, statsRows } from './stats-rows.ts'

const DEFAULT_GROUPS = 20

export const getStats: Handler<'getStats'> = async ({ caller, query }, { reader, clock }) => {
  const { bucket = 'hour', group_by, limit = DEFAULT_GROUPS } = query
  const now_ms = clock()
  const question = {
    from_ms: query.from === undefined ? undefined : Date.parse(query.from),
    to_ms: query.to === undefined ? now_ms : Date.parse(query.to),
    bucket,
    group_by,
    agent_id: query.agent_id === undefined ? undefined : callersAgent(caller, query.agent_id),
    action: query.action,
    resource: query.resource,
    tenants: group_by === 'tenant' ? await visibleTenants(caller, reader) : [caller.tenant_id],
  }
  const range = rangeOf(question)
  const counters = counterQueryOf(question, range, now_ms)
  const { is_complete, sums } = await reader.stats.sums(counters)
  if (!is_complete)
    throw invalidField(
      '?group_by',
      'needs more than 20,000 counters for this time range. Use a shorter range, bucket=day, or one agent_id',
    )
  const { rows, truncated } = statsRows(sums, { group_by, limit, range })
  return {
    from: isoInstant(range.from_ms),
    to: isoInstant(range.to_ms),
    bucket,
    ...(group_by !== undefined && { group_by }),
    totals: shownCounts(sums.map(({ counts }) => counts)),
    truncated,
    data: rows,
  }
}

/** Returns the tenants that a caller sees: all for operators and auditors of the deployment, otherwise its own. */
async function visibleTenants({ role, tenant_id }: Caller, { registry }: ReadStore): Promise<string[]> {
  const seesAll = tenant_id === DEFAULT_TENANT && role !== 'developer'
  if (!seesAll) return [tenant_id]
  const tenants = [DEFAULT_TENANT]
  for await (const { id } of eachEntry((page) => registry.list('tenant', {}, page))) tenants.push(id)
  return tenants
}
