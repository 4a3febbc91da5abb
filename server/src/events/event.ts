import { type DeputyEvent, type EventType, eventId, evidenceIn, shownAgent } from '@deputize/protocol'
import { isoInstant } from '../domain/times/time.ts'
import type { Leaf, LeafType } from '../log/leaf.ts'

/** Names that a leaf omits and the store knows. Only those who may see the leaf see them. */
export interface LeafNames {
  readonly tenant_id: string
  /** The number of the event. */
  readonly number: number
  /** The person of the workflow. */
  readonly human_ref?: string | undefined
  /** The agent that the leaf is about, by its name in the service. */
  readonly agent_id?: string | undefined
  /** What the action or the approval was about, if the leaf contains only its ID. */
  readonly action?: string | undefined
  readonly resource?: string | undefined
  /** Both ends of a vouch. */
  readonly from?: string | undefined
  readonly to?: string | undefined
  readonly vat_jti?: string | undefined
  /** The token directly above a new one. */
  readonly above_jti?: string | undefined
}

/** Leaves that aren't published as events, each with the reason. */
export const UNTOLD = {
  'token.released':
    'The safety desk released a token that was held for review. Nobody else sees whether one is held.',
} as const satisfies Partial<Record<LeafType, string>>

/** Registry entries that aren't published as events, each with the reason. */
export const UNTOLD_ENTRIES: Readonly<Record<string, string>> = {
  review: 'A sealed note for the safety desk. Whether it says something must not show.',
}

/** The event type of a leaf, or undefined if it isn't an event. */
export function eventTypeOf(
  leaf: Pick<Leaf, 'type'> & Readonly<Record<string, unknown>>,
): EventType | undefined {
  switch (leaf.type) {
    case 'token.released':
      return undefined
    case 'action.recorded':
      return 'action.completed'
    case 'vouch.made':
      return 'vouch.created'
    case 'budget.threshold':
      return leaf.percent === 100 ? 'budget.exhausted' : 'budget.threshold'
    case 'registry.changed':
      if (typeof leaf.kind === 'string' && Object.hasOwn(UNTOLD_ENTRIES, leaf.kind)) return undefined
      return leaf.kind === 'verification' && leaf.removed !== true
        ? 'verification.completed'
        : 'registry.changed'
    default:
      return leaf.type
  }
}

/** The event of a leaf, for those who may see it. */
export function eventOf(leaf: Leaf, log_index: number, type: EventType, names: LeafNames): DeputyEvent {
  const { provenance_ref } = leaf
  return {
    id: eventId(names.number),
    type,
    log_index,
    occurred_at: leaf.at,
    tenant_id: names.tenant_id,
    ...(typeof provenance_ref === 'string' && { provenance_ref }),
    data: dataOf(leaf, type, names),
  } as DeputyEvent // a test compares the data of every type with its schema
}

/** Members that repeat the envelope or the names, or that only serve as proof. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  'v',
  'type',
  'at',
  'salt',
  'token',
  'above',
  'provenance_ref',
  'agent_id',
  'jwt_hash',
  'claims_hash',
  'binding',
  'shape',
  'jkt',
  'session_ref',
  'owned_by',
  'tenant_id',
  'authorized_index',
  'vouch_log_size',
])

const MILLION = 1_000_000

/** The leaf's members under their API names, with the names that the leaf omits. */
function dataOf(leaf: Leaf, type: EventType, names: LeafNames): Record<string, unknown> {
  const { agent_id, human_ref, vat_jti, action, resource } = names
  const data: Record<string, unknown> = {
    ...(agent_id !== undefined && { agent_id: shownAgent(agent_id) }),
    ...(human_ref !== undefined && { human_ref }),
    ...(vat_jti !== undefined && { vat_jti }),
    ...(action !== undefined && { action }),
    ...(resource !== undefined && { resource }),
  }
  for (const [name, value] of Object.entries(leaf))
    if (!LEFT_OUT.has(name) && !name.endsWith('_digest')) data[name] = value
  return inWordsOfTheApi(type, data, names)
}

function inWordsOfTheApi(
  type: EventType,
  data: Record<string, unknown>,
  names: LeafNames,
): Record<string, unknown> {
  const { rank, code, by, expires_at_s, weight, base, key_of, evidence: _, ...rest } = data
  switch (type) {
    case 'token.issued':
    case 'token.delegated':
    case 'token.renewed':
      return { ...rest, expires_at: isoInstant(Number(expires_at_s) * 1000), ...aboveMember(type, names) }
    case 'token.suspended':
    case 'agent.suspended':
      return {
        ...rest,
        suspended_by: rank,
        ...(code !== undefined && { suspend_code: code }),
        ...(typeof key_of === 'string' && { key_of: shownAgent(key_of.slice('agent:'.length)) }),
      }
    case 'token.resumed':
    case 'agent.resumed':
      return { ...rest, resumed_by: rank }
    case 'action.denied':
      return { ...rest, ...scoreMember(rest) }
    case 'action.authorized':
    case 'action.completed':
    case 'action.cancelled':
      return { ...rest, ...scoreMember(rest), evidence: evidenceIn(data) }
    case 'approval.decided':
      return { ...rest, decided_by: by }
    case 'vouch.created':
    case 'vouch.changed':
      return { ...rest, ...endsOf(names), weight: Number(weight) / MILLION }
    case 'vouch.withdrawn':
      return { ...rest, ...endsOf(names), by }
    case 'anchor.named':
      return { ...rest, base: Number(base) / MILLION }
    case 'registry.changed':
      return {
        kind: rest.kind,
        entry_ref: rest.id_ref,
        ...personMember(rest),
        removed: rest.removed === true,
        ...(by !== undefined && { by }),
      }
    case 'verification.completed':
      return personMember(rest)
    default:
      return by === undefined ? rest : { ...rest, by }
  }
}

function aboveMember(type: EventType, { above_jti }: LeafNames) {
  if (above_jti === undefined) return {}
  return type === 'token.renewed' ? { renews_jti: above_jti } : { parent_jti: above_jti }
}

function scoreMember({ vouch_score }: Record<string, unknown>) {
  return vouch_score === undefined ? {} : { vouch_score: Number(vouch_score) / MILLION }
}

function endsOf({ from, to }: LeafNames) {
  return { from, to }
}

function personMember({ human_ref }: Record<string, unknown>) {
  return human_ref === undefined ? {} : { human_ref }
}
