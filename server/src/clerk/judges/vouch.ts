import { AuthorityError, invalidField, loggedAgent } from '@deputize/protocol'
import type { VouchChanged, VouchMade, VouchWithdrawn } from '@deputize/protocol/trust'
import { isoInstant } from '../../domain/times/time.ts'
import { isStanding, MOST_VOUCHES, type StoredVouch } from '../../domain/vouch.ts'
import type { BatchState } from '../batch-state.ts'
import type { ChangeVouchCommand, VouchCommand, WithdrawVouchCommand } from '../command.ts'
import { everyRef } from './person-refs.ts'

/** A vouch after a command, without its note, which the caller has just sent or can read from the store. */
export interface VouchOutcome {
  readonly vouch: StoredVouch
  /** False if there was nothing to change. */
  readonly changed: boolean
}

const AGENT = 'agent:'
const HUMAN = 'human:'

/** Adds a vouch, at most one per person, subject and context. An expired vouch makes room for a new one. */
export function judgeVouch(command: VouchCommand, batch: BatchState): VouchOutcome {
  const { vouch_id, tenant_id, from, to, weight, context, note, expires_at_ms } = command
  assertMayVouch(command, batch)
  assertFuture(expires_at_ms, batch)
  const before = batch.trust.openVouches(command).find((one) => one.context === context)
  if (before !== undefined && isStanding(before, batch.now_ms)) throw vouchExists(before)
  if (batch.trust.countVouches(from) >= MOST_VOUCHES) throw cannotVouch('too_many')

  const { log_index } = batch.appendLeaf('vouch.made', {
    vouch_id,
    tenant_id,
    from,
    to: to.startsWith(AGENT) ? { agent_id: to } : { human_ref: to },
    weight,
    ...(context !== undefined && { context }),
    ...endMember(expires_at_ms),
    ...(note !== undefined && { note_digest: batch.digest(from, 'note', note) }),
  } satisfies Omit<VouchMade, 'type'>)
  if (before !== undefined) end(before, log_index, batch)
  const vouch: StoredVouch = {
    vouch_id,
    tenant_id,
    from,
    to,
    context,
    note,
    erased: false,
    made_at_ms: batch.now_ms,
    log_index,
    weight,
    expires_at_ms,
    changed_index: undefined,
    ended_at_ms: undefined,
    ended_index: undefined,
  }
  batch.trust.addVouch(vouch)
  return { vouch: { ...vouch }, changed: true }
}

/** Changes the weight or the end of a standing vouch. */
export function judgeChangeVouch(command: ChangeVouchCommand, batch: BatchState): VouchOutcome {
  const vouch = requireVouch(command.vouch_id, batch)
  if (!isStanding(vouch, batch.now_ms)) throw vouchEnded(vouch)
  const weight = command.weight ?? vouch.weight
  const expires_at_ms =
    command.expires_at_ms === undefined ? vouch.expires_at_ms : (command.expires_at_ms ?? undefined)
  assertFuture(expires_at_ms, batch)
  if (weight === vouch.weight && expires_at_ms === vouch.expires_at_ms)
    return { vouch: { ...vouch }, changed: false }
  const { log_index } = batch.appendLeaf('vouch.changed', {
    vouch_id: vouch.vouch_id,
    weight,
    ...endMember(expires_at_ms),
  } satisfies Omit<VouchChanged, 'type'>)
  vouch.weight = weight
  vouch.expires_at_ms = expires_at_ms
  vouch.changed_index = log_index
  batch.trust.saveVouch(vouch)
  return { vouch: { ...vouch }, changed: true }
}

/** Ends a vouch permanently. Withdrawing it again changes nothing. */
export function judgeWithdrawVouch({ vouch_id, by }: WithdrawVouchCommand, batch: BatchState): VouchOutcome {
  const vouch = requireVouch(vouch_id, batch)
  if (vouch.ended_index !== undefined) return { vouch: { ...vouch }, changed: false }
  withdraw(vouch, by, batch)
  return { vouch: { ...vouch }, changed: true }
}

/** Ends vouches for an agent by people to whom it now belongs: the person of a new token, and its owners. */
export function endVouchesForOwnAgent(
  agent_id: string,
  human_ref: string | undefined,
  batch: BatchState,
): void {
  if (!batch.trust.isVouchedFor(agent_id)) return
  const people =
    human_ref === undefined ? ownersOf(agent_id, batch) : [human_ref, ...ownersOf(agent_id, batch)]
  const refs = new Set(people.flatMap((person) => everyRef(person, batch)))
  for (const from of refs)
    for (const vouch of batch.trust.openVouches({ from, to: loggedAgent(agent_id) }))
      withdraw(vouch, 'own_agent', batch)
}

/** Ends a person's vouches for themselves and for their own agents. Called when an address was linked to them. */
export function endVouchesForOneself(human_ref: string, batch: BatchState): void {
  const refs = everyRef(human_ref, batch)
  for (const vouch of refs.flatMap((from) => batch.trust.openVouches({ from }))) {
    const { to } = vouch
    if (refs.includes(to)) withdraw(vouch, 'same_person', batch)
    else if (to.startsWith(AGENT) && isOwnAgent(to.slice(AGENT.length), refs, batch))
      withdraw(vouch, 'own_agent', batch)
  }
}

function withdraw(vouch: StoredVouch, by: VouchWithdrawn['by'], batch: BatchState): void {
  const { vouch_id } = vouch
  const members = { vouch_id, by } satisfies Omit<VouchWithdrawn, 'type'>
  end(vouch, batch.appendLeaf('vouch.withdrawn', members).log_index, batch)
}

function ownersOf(agent_id: string, batch: BatchState): string[] {
  const owners = batch.ownedBy(agent_id) ?? []
  return owners.filter((owner) => owner.startsWith(HUMAN)).map((owner) => owner.slice(HUMAN.length))
}

/** Whether an agent acts or acted in the name of a person with these refs, or belongs to them. */
function isOwnAgent(agent_id: string, refs: readonly string[], batch: BatchState): boolean {
  const owners = ownersOf(agent_id, batch)
  return refs.some((ref) => owners.includes(ref) || batch.hasActedFor(agent_id, ref))
}

function end(vouch: StoredVouch, ended_index: number, batch: BatchState): void {
  vouch.ended_at_ms = batch.now_ms
  vouch.ended_index = ended_index
  batch.trust.saveVouch(vouch)
}

function endMember(expires_at_ms: number | undefined) {
  return expires_at_ms === undefined ? {} : { expires_at: isoInstant(expires_at_ms) }
}

/** Compares with the time of the log: the call may have waited since its end was compared with the clock. */
function assertFuture(expires_at_ms: number | undefined, { now_ms }: BatchState): void {
  if (expires_at_ms !== undefined && expires_at_ms <= now_ms)
    throw invalidField('/expires_at', 'must be in the future')
}

function requireVouch(vouch_id: string, batch: BatchState): StoredVouch {
  const vouch = batch.trust.vouch(vouch_id)
  if (vouch === undefined) throw new AuthorityError('vouch_unknown')
  return vouch
}

/**
 * Throws if a person vouches for themselves: for one of their refs, or for an agent that is theirs or has acted in
 * their name.
 */
function assertMayVouch({ from, to }: VouchCommand, batch: BatchState): void {
  if (batch.humanMarks(from) === undefined) throw new AuthorityError('human_unknown')
  if (!to.startsWith(AGENT)) {
    if (everyRef(from, batch).includes(to)) throw cannotVouch('yourself')
    if (batch.humanMarks(to) === undefined) throw new AuthorityError('human_unknown')
    return
  }
  const agent_id = to.slice(AGENT.length)
  if (batch.tally(agent_id) === undefined) throw new AuthorityError('agent_unknown')
  if (isOwnAgent(agent_id, everyRef(from, batch), batch)) throw cannotVouch('own_agent')
}

const REFUSALS = {
  yourself: 'You cannot vouch for yourself, under any of your refs. Ask someone else to vouch for you.',
  own_agent: 'This agent acts or acted in your name, so you cannot vouch for it. Ask someone else to.',
  too_many: `A person has at most ${MOST_VOUCHES} standing vouches. Withdraw some of yours first (POST /v1/vat/trust/vouches/{vouch_id}/withdraw).`,
} as const

function cannotVouch(reason: keyof typeof REFUSALS): AuthorityError {
  return new AuthorityError('cannot_vouch', REFUSALS[reason], { reason })
}

function vouchExists({ vouch_id, weight, made_at_ms }: StoredVouch): AuthorityError {
  return new AuthorityError(
    'vouch_exists',
    `You already vouch for this subject in this context. Change that vouch instead: PATCH /v1/vat/trust/vouches/${vouch_id}.`,
    { vouch_id, weight: weight / 1_000_000, made_at: isoInstant(made_at_ms) },
  )
}

function vouchEnded({ ended_at_ms, expires_at_ms }: StoredVouch): AuthorityError {
  return new AuthorityError('vouch_ended', undefined, {
    ended_at: isoInstant(ended_at_ms ?? expires_at_ms ?? 0),
  })
}
