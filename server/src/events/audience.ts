import { DEFAULT_TENANT, type EventType, type Role } from '@deputize/protocol'
import type { Leaf } from '../log/leaf.ts'

/** Roles that watch over a tenant. Which of them see an event depends on what they may read. */
type StaffRole = Extract<Role, 'operator' | 'developer' | 'auditor'>

/** Who wants events. The rules are the same for streams, webhooks and messages. */
export type Subscriber =
  /** Any program on this machine, in open mode. */
  | { readonly role: 'local' }
  | { readonly role: StaffRole; readonly tenant_id: string }
  | {
      readonly role: 'human'
      readonly tenant_id: string
      /** Every ref of the person. */
      readonly human_refs: readonly string[]
      /** Whether they decide approvals of other people. */
      readonly is_reviewer: boolean
    }
  | {
      readonly role: 'agent'
      readonly tenant_id: string
      readonly provenance_ref: string
      /** Its own token, by its name in the log. */
      readonly token_ref: string
    }

/** Who may see a leaf. */
export interface EventAudience {
  /** Undefined if it is unknown: then only operators and auditors of the tenant `default` see the event. */
  readonly tenant_id: string | undefined
  readonly staff: readonly StaffRole[]
  /** Whether every tenant's staff sees it. */
  readonly every_tenant: boolean
  /** The people whom it concerns. */
  readonly human_refs: readonly string[]
  /** Whether reviewers of the tenant see it too. */
  readonly reviewers: boolean
  /** The workflow, whose agents may see it. */
  readonly provenance_ref: string | undefined
  /** Whether agents see it only if it is about their own token, not about one below it. */
  readonly own_token_only: boolean
  /** The token that it is about and every token above it, by their names in the log. Looked up only for agents. */
  readonly token_path: readonly string[]
}

/** Facts that determine a leaf's audience, in addition to the leaf itself. */
export interface AudienceFacts {
  readonly tenant_id: string | undefined
  /** The person of the workflow, or the people that the leaf is about. */
  readonly human_refs: readonly string[]
  /** Whether any reviewer of the tenant may decide it. */
  readonly reviewers?: boolean
}

const ALL_STAFF: readonly StaffRole[] = ['operator', 'developer', 'auditor']
const OPERATORS: readonly StaffRole[] = ['operator', 'auditor']

/**
 * The audience of a leaf: those who may read its subject according to the access table. Staff reads the tenant's
 * workflows, agents, people, vouches and anchors; people read what is done on their behalf.
 */
export function audienceOf(leaf: Leaf, type: EventType, facts: AudienceFacts): EventAudience {
  const { provenance_ref } = leaf
  return {
    tenant_id: facts.tenant_id,
    staff: facts.tenant_id === undefined ? OPERATORS : staffFor(type),
    every_tenant: FOR_EVERY_TENANT.has(type),
    human_refs: isForPeople(leaf, type) ? facts.human_refs : [],
    reviewers: facts.reviewers === true,
    provenance_ref: typeof provenance_ref === 'string' ? provenance_ref : undefined,
    own_token_only: type.startsWith('approval.'),
    token_path: [],
  }
}

/** Events that concern the whole deployment. */
const FOR_EVERY_TENANT: ReadonlySet<EventType> = new Set([
  'key.rotated',
  'key.withdrawn',
  'deployment.restored',
])

/** Keys, tenants, passkeys and sign-ins are the business of operators; developers don't list them. */
const FOR_OPERATORS: ReadonlySet<EventType> = new Set([
  'registry.changed',
  'access.changed',
  'session.begun',
  'session.ended',
])

function staffFor(type: EventType): readonly StaffRole[] {
  return FOR_OPERATORS.has(type) ? OPERATORS : ALL_STAFF
}

/** Registry entries that people may read about themselves. */
const OWN_ENTRIES: readonly unknown[] = ['passkey', 'biometric', 'verification']

/** Whether the people concerned see the event. Anchors are named by operators, who don't have to tell the person. */
function isForPeople({ kind }: Leaf, type: EventType): boolean {
  if (type === 'registry.changed') return OWN_ENTRIES.includes(kind)
  return !type.startsWith('anchor.')
}

/** Whether a subscriber may see an event. Events that aren't known to be theirs stay hidden. */
export function maySee(subscriber: Subscriber, audience: EventAudience): boolean {
  switch (subscriber.role) {
    case 'local':
      return true
    case 'human':
      return isForPerson(subscriber, audience)
    case 'agent':
      return audience.tenant_id === subscriber.tenant_id && isForToken(subscriber, audience)
    default:
      return audience.staff.includes(subscriber.role) && isOfTenant(subscriber.tenant_id, audience)
  }
}

function isForPerson(
  { tenant_id, human_refs, is_reviewer }: Extract<Subscriber, { role: 'human' }>,
  audience: EventAudience,
): boolean {
  if (audience.tenant_id !== tenant_id) return false
  return (audience.reviewers && is_reviewer) || audience.human_refs.some((ref) => human_refs.includes(ref))
}

function isForToken(
  { provenance_ref, token_ref }: Extract<Subscriber, { role: 'agent' }>,
  audience: EventAudience,
): boolean {
  if (audience.provenance_ref !== provenance_ref) return false
  const { token_path, own_token_only } = audience
  return own_token_only ? token_path[0] === token_ref : token_path.includes(token_ref)
}

function isOfTenant(own: string, { tenant_id = DEFAULT_TENANT, every_tenant }: EventAudience): boolean {
  return every_tenant || own === tenant_id
}
