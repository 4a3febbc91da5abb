import { RANKS, type Rank, scopedAgent, withoutAgentPrefix } from '@deputize/protocol'
import type { Command } from '../clerk/command.ts'

/** An event in the form of the feed, webhooks and `deputy tail --json`. */
export interface ArchivedEvent {
  readonly type: string
  readonly log_index: number
  readonly tenant_id: string
  readonly data: Readonly<Record<string, unknown>>
}

/** A change that took authority back after the backup was taken. */
export interface LaterStop {
  readonly log_index: number
  readonly type: string
  readonly command: Command
}

export interface LaterStops {
  readonly stops: readonly LaterStop[]
  /** How many events of each type took something back and can't be re-applied from the event alone. */
  readonly by_hand: Readonly<Record<string, number>>
}

const REASON = 'Re-applied after a restore from a backup'

/** Events that take authority back, or may do so, but don't contain enough to be re-applied. */
const BY_HAND: ReadonlySet<string> = new Set([
  'agent.registered', // replaces the keys of an agent
  'approval.grant_ended',
  'approval.habit_ended',
  'key.rotated',
  'vouch.changed',
  'vouch.withdrawn',
  'anchor.named', // with a base of 0, it takes a person out
  'anchor.removed',
])

/** The event that each of these undoes, if it is about the same thing. */
const UNDONE_BY: Readonly<Record<string, string>> = {
  'token.resumed': 'token.suspended',
  'agent.resumed': 'agent.suspended',
  'human.accepted': 'human.refused',
}

/**
 * Collects what was stopped at or after a log index. Only stops, never permissions. Takes events as they happened: an
 * earlier restore replaced the entries from its own on, so what they stopped or resumed doesn't count.
 */
export function laterStops(from_index: number) {
  let later: ArchivedEvent[] = []

  return {
    add(event: ArchivedEvent): void {
      const { type, log_index } = event
      if (type === 'deployment.restored') later = later.filter((one) => one.log_index < log_index)
      else if (log_index >= from_index && isRelevant(type)) later.push(event)
    },
    end: (): LaterStops => stopsIn(later),
  }
}

function isRelevant(type: string): boolean {
  return (
    STOPPING.has(type) || BY_HAND.has(type) || type === 'registry.changed' || UNDONE_BY[type] !== undefined
  )
}

/** What these events stopped, in log order. */
function stopsIn(events: readonly ArchivedEvent[]): LaterStops {
  const stops = new Map<string, LaterStop>()
  const by_hand: Record<string, number> = {}

  function note(type: string): void {
    by_hand[type] = (by_hand[type] ?? 0) + 1
  }

  function noteEntry({ kind, removed }: ArchivedEvent['data']): void {
    if (removed === true) note(`${String(kind)} removed`)
    // If it was rotated, its old secret works again.
    else if (kind === 'api_key') note('api_key created or rotated')
    // Limits and requirements that it got since then don't apply.
    else if (kind === 'tenant') note('tenant created or changed')
  }

  for (const event of events) {
    const { type, log_index, data } = event
    const undone = UNDONE_BY[type]
    if (undone !== undefined) stops.delete(`${undone} ${subjectOf(event)}`)
    if (BY_HAND.has(type)) note(type)
    if (type === 'registry.changed') noteEntry(data)
    if (!STOPPING.has(type)) continue
    const command = commandOf(event)
    const place = `${type} ${subjectOf(event)}`
    if (command === undefined) note(type)
    else if (!isCovered(command, stops.get(place)?.command)) stops.set(place, { log_index, type, command })
  }
  return {
    stops: [...stops.values()].sort((one, other) => one.log_index - other.log_index),
    by_hand,
  }
}

const STOPPING: ReadonlySet<string> = new Set([
  'token.revoked',
  'token.suspended',
  'agent.revoked',
  'agent.suspended',
  'human.revoked',
  'human.refused',
  'human.erased',
  'key.withdrawn',
])

/** A later withdrawal of a key changes something only if it is from an earlier time. */
function isCovered(command: Command, known: Command | undefined): boolean {
  return (
    command.kind === 'key_withdrawn' &&
    known?.kind === 'key_withdrawn' &&
    Date.parse(known.from) <= Date.parse(command.from)
  )
}

function subjectOf({ tenant_id, data }: ArchivedEvent): string {
  return JSON.stringify([tenant_id, data.vat_jti ?? data.kid ?? data.agent_id ?? data.human_ref])
}

/** Undefined if the event does not name what was stopped. */
function commandOf({ type, tenant_id, data }: ArchivedEvent): Command | undefined {
  const { vat_jti, human_ref, kid, from } = data
  const agent_id =
    typeof data.agent_id === 'string' ? scopedAgent(tenant_id, withoutAgentPrefix(data.agent_id)) : undefined
  if (type.startsWith('token.')) {
    if (typeof vat_jti !== 'string') return undefined
    const alone = { reason: REASON, keeps_renewed: true } as const // each token has its own event
    return type === 'token.revoked'
      ? { kind: 'revoke', vat_jti, ...alone }
      : { kind: 'suspend', target: { vat_jti }, rank: rankOf(data.suspended_by), ...alone }
  }
  if (type === 'key.withdrawn')
    return typeof kid === 'string' && typeof from === 'string'
      ? { kind: 'key_withdrawn', kid, from, reason: REASON }
      : undefined
  if (type.startsWith('agent.')) {
    if (agent_id === undefined) return undefined
    return type === 'agent.revoked'
      ? { kind: 'revoke_all', owner: { agent_id }, reason: REASON }
      : { kind: 'suspend', target: { agent_id }, rank: rankOf(data.suspended_by), reason: REASON }
  }
  if (typeof human_ref !== 'string') return undefined
  if (type === 'human.erased') return { kind: 'erase_human', human_ref }
  if (type === 'human.refused') return { kind: 'refuse_tokens', human_ref, refuses: true }
  return { kind: 'revoke_all', owner: { human_ref }, reason: REASON }
}

/** Without a known rank, only an operator can resume it. */
function rankOf(said: unknown): Rank {
  return RANKS.find((rank) => rank === said) ?? 'operator'
}

/** Reads one line of an archive. Undefined if it is not an event. */
export function readEvent(line: string): ArchivedEvent | undefined {
  try {
    const value = JSON.parse(line)
    const { type, log_index, tenant_id, data } = value
    const isEvent =
      typeof type === 'string' && Number.isSafeInteger(log_index) && typeof tenant_id === 'string'
    return isEvent && typeof data === 'object' && data !== null
      ? { type, log_index, tenant_id, data }
      : undefined
  } catch {
    return undefined
  }
}
