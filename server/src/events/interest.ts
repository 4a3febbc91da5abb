import type { EventType } from '@deputize/protocol'
import type { Subscriber } from './audience.ts'
import type { LoggedChange } from './change.ts'

/** Which events a subscriber wants, of those it may see. Absent members match everything. */
export interface FeedFilter {
  readonly types?: ReadonlySet<EventType> | undefined
  /** As the service names agents: with the tenant. */
  readonly agent_id?: string | undefined
  readonly provenance_ref?: string | undefined
  /** A token, as the log names it. */
  readonly token_ref?: string | undefined
}

export interface EventInterest {
  readonly subscriber: Subscriber
  readonly filter: FeedFilter
}

export function matches(
  { types, agent_id, provenance_ref, token_ref }: FeedFilter,
  change: LoggedChange,
): boolean {
  return (
    (types === undefined || types.has(change.type)) &&
    (agent_id === undefined || agent_id === change.agent_id) &&
    (provenance_ref === undefined || provenance_ref === change.audience.provenance_ref) &&
    (token_ref === undefined || token_ref === change.token_ref)
  )
}

/**
 * Under which names an interest is filed, so that a change finds those who want it without asking everyone: by the
 * narrowest thing that every event of the interest has.
 */
export function interestKeys({ subscriber, filter }: EventInterest): readonly string[] {
  if (filter.token_ref !== undefined) return [`t ${filter.token_ref}`]
  if (filter.provenance_ref !== undefined) return [`p ${filter.provenance_ref}`]
  if (filter.agent_id !== undefined) return [`a ${filter.agent_id}`]
  switch (subscriber.role) {
    case 'local':
      return ['all']
    case 'agent':
      return [`p ${subscriber.provenance_ref}`]
    case 'human':
      return [
        ...subscriber.human_refs.map((ref) => `h ${ref}`),
        ...(subscriber.is_reviewer ? [`r ${subscriber.tenant_id}`] : []),
      ]
    default:
      return ['staff', `s ${subscriber.tenant_id}`]
  }
}

/** The names under which those may be filed who want a change. Each is distinct. */
export function changeKeys({ agent_id, token_ref, audience }: LoggedChange): string[] {
  const { tenant_id, every_tenant, provenance_ref, human_refs, reviewers } = audience
  const keys = ['all', every_tenant || tenant_id === undefined ? 'staff' : `s ${tenant_id}`]
  if (token_ref !== undefined) keys.push(`t ${token_ref}`)
  if (provenance_ref !== undefined) keys.push(`p ${provenance_ref}`)
  if (agent_id !== undefined) keys.push(`a ${agent_id}`)
  for (const ref of new Set(human_refs)) keys.push(`h ${ref}`)
  if (reviewers) keys.push(`r ${tenant_id}`)
  return keys
}
