import type { AuthorizationCommand } from '../src/clerk/command.ts'

/** The members that `authorize` and `recordAction` commands share, valid by default. */
export function anAuthorization<C extends Partial<AuthorizationCommand>>(changes: C) {
  return {
    action: 'read',
    resource: 'calendar:events',
    spend_micro_usd: 0,
    parent_aar_id: undefined,
    metadata: undefined,
    trace_id: undefined,
    approval_id: undefined,
    approval_ttl_ms: 3_600_000,
    evidence: 'self_reported' as const,
    ...changes,
  }
}
