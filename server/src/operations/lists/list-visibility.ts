import { DEFAULT_TENANT, scopedAgent, withoutAgentPrefix } from '@deputize/protocol'
import type { Caller } from '../../access/caller.ts'
import type { TenantFilter } from '../../store/port/filters.ts'

/** A filter that limits a list of tokens, or of what was done with them, to what the caller may see. */
interface ListVisibility extends TenantFilter {
  readonly agent_id: string | undefined
  readonly human_ref: string | undefined
}

/**
 * Combines the caller's own filter with what they may see: everything in their tenant or, for people, only their own.
 * Undefined if nothing remains. The answer is then an empty list, which doesn't reveal whether anything exists.
 */
export function listVisibility(
  caller: Caller,
  { agent_id, human_ref }: { agent_id?: string; human_ref?: string },
): ListVisibility | undefined {
  if (caller.role === 'human' && human_ref !== undefined && !caller.human_refs.includes(human_ref))
    return undefined
  return {
    ...visibleTenant(caller),
    agent_id: agent_id === undefined ? undefined : callersAgent(caller, agent_id),
    human_ref: caller.role === 'human' ? (human_ref ?? caller.human_ref) : human_ref,
  }
}

/** Returns the filter for the caller's tenant. Open mode has only the default tenant, so it needs none. */
export function visibleTenant({ role, tenant_id }: Caller): TenantFilter {
  return { tenant_id: role === 'local' ? undefined : tenant_id }
}

/** Whether the caller sees every tenant: operators and auditors of the deployment, and every caller in open mode. */
export function seesEveryTenant({ role, tenant_id }: Caller): boolean {
  if (role === 'local') return true
  return tenant_id === DEFAULT_TENANT && (role === 'operator' || role === 'auditor')
}

/** Returns the agent with this name in the caller's tenant. */
export function callersAgent({ tenant_id }: Caller, agent_id: string): string {
  return scopedAgent(tenant_id, withoutAgentPrefix(agent_id))
}
