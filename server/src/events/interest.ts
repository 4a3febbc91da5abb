import type { EventType } from '@deputize/protocol'
import type { Subscriber } from './audience.ts'
import type { LoggedChange } from './change.ts'

/** Which of the events that it may see a subscriber wants. Absent members match everything. */
export interface FeedFilter {
  readonly types?: ReadonlySet<EventType> | undefined
  /** The agent's name in the service, which includes the tenant. */
  readonly agent_id?: string | undefined
  readonly provenance_ref?: string | undefined
  /** A token, by its name in the log. */
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
 * The keys under which an interest is filed, so that a change finds its subscribers without checking all of them. They
 * are the narrowest keys that cover every event of the interest.
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

/** The keys under which interests in a change may be filed. No key occurs twice. */
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
