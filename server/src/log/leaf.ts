import { canonicalJson } from '@deputize/protocol'

/**
 * The kinds of change that the log records. Leaves are public and permanent: people appear only as keyed hashes, tokens
 * only as the SHA-256 of their ID, free text only as a keyed digest.
 */
export type LeafType =
  | 'token.issued'
  | 'token.delegated'
  | 'token.renewed'
  | 'token.revoked'
  | 'token.suspended'
  | 'token.resumed'
  | 'token.released'
  | 'agent.registered'
  | 'agent.suspended'
  | 'agent.resumed'
  | 'agent.revoked'
  | 'human.revoked'
  | 'human.refused'
  | 'human.accepted'
  | 'human.erased'
  | 'approval.requested'
  | 'approval.endorsed'
  | 'approval.escalated'
  | 'approval.decided'
  | 'approval.habit_ended'
  | 'approval.grant_ended'
  | 'budget.threshold'
  | 'key.rotated'
  | 'key.withdrawn'
  | 'registry.changed'
  | 'session.begun'
  | 'session.ended'
  | 'access.changed'
  | 'deployment.restored'
  | 'webhook.disabled'
  | 'action.recorded'
  | 'action.authorized'
  | 'action.denied'
  | 'action.completed'
  | 'action.cancelled'
  | 'action.expired'
  | 'action.rated'
  | 'vouch.made'
  | 'vouch.changed'
  | 'vouch.withdrawn'
  | 'anchor.named'
  | 'anchor.removed'
  | 'alert.fired'

/** Leaves that revoke, suspend or resume a token, or all tokens of an agent, a person or a key. The revocation feed lists them. */
const STANDING_TYPES: ReadonlySet<LeafType> = new Set([
  'token.revoked',
  'token.suspended',
  'token.resumed',
  'agent.suspended',
  'agent.resumed',
  'agent.revoked',
  'human.revoked',
  'key.withdrawn',
])

export function changesStanding(type: LeafType): boolean {
  return STANDING_TYPES.has(type)
}

/** Leaves of a workflow that no token, record, rating, denial or approval points to. */
const LONE_TYPES: ReadonlySet<LeafType> = new Set([
  'token.revoked',
  'token.suspended',
  'token.resumed',
  'token.released',
  'budget.threshold',
  'approval.endorsed',
  'approval.escalated',
  'approval.grant_ended',
])

export function standsAlone(type: LeafType): boolean {
  return LONE_TYPES.has(type)
}

/**
 * Whether a leaf changes the trust graph and no other table leads to it. Ratings and root tokens change it, too, but
 * have their own rows.
 */
export function changesTrust(type: LeafType, members: Readonly<Record<string, unknown>>): boolean {
  if (type === 'session.begun') return members.assurance_level !== 'L1'
  if (type === 'registry.changed')
    return (members.kind === 'biometric' && members.removed === true) || members.withdraws !== undefined
  return TRUST_TYPES.has(type)
}

const TRUST_TYPES: ReadonlySet<LeafType> = new Set([
  'vouch.made',
  'vouch.changed',
  'vouch.withdrawn',
  'anchor.named',
  'anchor.removed',
  'human.erased',
])

export interface Leaf {
  readonly v: 1
  readonly type: LeafType
  /** ISO 8601 UTC. Never earlier than the leaf before it. */
  readonly at: string
  /** 128 random bits, base64url. Only the leaves of early versions have none. */
  readonly salt?: string
  readonly [member: string]: unknown
}

/** Whether an earlier version wrote the leaf, without salts and the rules that came with them. */
export function isOfEarlierVersion({ salt }: Leaf): boolean {
  return salt === undefined
}

/** Returns the text that is stored and hashed into the log: RFC 8785 canonical JSON. */
export function leafText(leaf: Leaf): string {
  let text = ''
  for (const name of sortedNames(leaf))
    text += `${text === '' ? '{' : ','}"${name}":${canonicalJson(leaf[name])}`
  return `${text}}`
}

interface NameOrder {
  readonly names: readonly string[]
  readonly sorted: readonly string[]
}

/** The sorted names of the last leaf of each type. The next one mostly has the same names. */
const orders = new Map<LeafType, NameOrder>()

function sortedNames(leaf: Leaf): readonly string[] {
  const names = Object.keys(leaf)
  const known = orders.get(leaf.type)
  if (known !== undefined && isSame(known.names, names)) return known.sorted
  const sorted = names.toSorted()
  orders.set(leaf.type, { names, sorted })
  return sorted
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((name, index) => name === b[index])
}
