import type { SecurityEventCount } from '../../access/security-events.ts'
import { HOUR_MS, isoInstant } from '../../domain/times/time.ts'
import { cursorOf, pageRequest } from '../lists/pages.ts'
import type { Handler } from '../operation-context.ts'

export const listSecurityEvents: Handler<'listSecurityEvents'> = async ({ caller, query }, context) => {
  const { tenant_id = caller.tenant_id, kind, from } = query
  const { limit, before } = pageRequest(query)
  const page = await context.accessControl.securityEvents.list(tenant_id, {
    kind,
    limit,
    from_ms: from === undefined ? undefined : Date.parse(from),
    before,
  })
  return {
    data: page.entries.map(countView),
    next_cursor: page.before === undefined ? null : cursorOf('c', page.before),
    has_more: page.before !== undefined,
  }
}

function countView({ hour, first_ms, last_ms, ...count }: SecurityEventCount) {
  return {
    ...count,
    hour: isoInstant(hour * HOUR_MS),
    first_at: isoInstant(first_ms),
    last_at: isoInstant(last_ms),
  }
}
