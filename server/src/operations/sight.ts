import { scopedAgent } from '@deputize/protocol'
import type { Caller } from '../access/caller.ts'
import type { TenantFilter } from '../store/port.ts'

/** What a list of tokens, or of what was done with them, is narrowed to for a caller. */
export interface Sight extends TenantFilter {
  readonly agent_id: string | undefined
  readonly human_ref: string | undefined
}

/**
 * What of a list a caller may see: everything of their tenant that they ask for; people only what is theirs. Undefined
 * when that is nothing, which is answered like a list with nothing in it.
 */
export function sightOf(
  caller: Caller,
  { agent_id, human_ref }: { agent_id?: string; human_ref?: string },
): Sight | undefined {
  if (caller.role === 'human' && human_ref !== undefined && !caller.human_refs.includes(human_ref))
    return undefined
  return {
    ...tenantSeen(caller),
    agent_id: agent_id === undefined ? undefined : agentSeen(caller, agent_id),
    human_ref: caller.role === 'human' ? (human_ref ?? caller.human_ref) : human_ref,
  }
}

/** In open mode there is no tenant but the first, so nothing has to be narrowed. */
export function tenantSeen({ role, tenant_id }: Caller): TenantFilter {
  return { tenant_id: role === 'local' ? undefined : tenant_id }
}

/** The agent that a caller means by a name: always one of their own tenant. */
export function agentSeen({ tenant_id }: Caller, agent_id: string): string {
  return scopedAgent(tenant_id, agent_id)
}
