import { isStanding, MOST_VOUCHES, vouchName } from '../../domain/vouch.ts'
import type { Leaf } from '../../log/leaf.ts'
import {
  type ExpectedVouch,
  expectedText,
  type LeafPosition,
  type LeafStep,
  type ReplayedTrust,
  type ReplayState,
} from './expected.ts'
import { LeafError, readInstant, readNumber, readOptionalText, readTextMember } from './leaf-reader.ts'
import { isOnePerson, isOwnAgent } from './own-vouches.ts'

const AGENT = 'agent:'
const CONTEXT = /^[a-z0-9_-]{1,32}$/
const MILLION = 1_000_000
const LEAST_WEIGHT = 10_000
const MOST_BASE = 950_000
const WITHDRAWALS = ['person', 'operator', 'own_agent', 'same_person'] as const

export function applyVouch({ leaf, log_index, at_ms, replay, effects }: LeafStep): void {
  const { trust } = replay
  const from = readTextMember(leaf, 'from')
  const digest = readOptionalText(leaf, 'note_digest')
  const vouch: ExpectedVouch = {
    vouch_id: readTextMember(leaf, 'vouch_id'),
    tenant_id: readTextMember(leaf, 'tenant_id'),
    from,
    to: subjectIn(leaf),
    context: readOptionalText(leaf, 'context'),
    made_at_ms: at_ms,
    log_index,
    weight: readNumber(leaf, 'weight'),
    expires_at_ms: endIn(leaf),
    changed_index: undefined,
    ended_at_ms: undefined,
    ended_index: undefined,
    note: expectedText(replay, from, 'note', digest, log_index),
  }
  effects.violations.push(...vouchViolations(vouch, at_ms, replay))
  const before = trust.open_vouches.get(vouchName(vouch))
  if (before !== undefined) endVouch(before, { log_index, at_ms }, trust)
  trust.vouches.set(vouch.vouch_id, vouch)
  trust.open_vouches.set(vouchName(vouch), vouch)
  for (const subject of [vouch.from, vouch.to]) addTo(trust.of_subject, subject, vouch)
  if (vouch.note !== undefined) addTo(trust.noted, vouch.to, vouch)
}

function vouchViolations(vouch: ExpectedVouch, at_ms: number, replay: ReplayState): string[] {
  const { trust, humans, agents } = replay
  const { vouch_id, from, to, context, expires_at_ms } = vouch
  const found: string[] = []
  if (trust.vouches.has(vouch_id)) found.push('makes a vouch that exists already')
  if (!isWeight(vouch.weight)) found.push('has an invalid weight')
  if (context !== undefined && !CONTEXT.test(context)) found.push('has an invalid context')
  if (expires_at_ms !== undefined && expires_at_ms <= at_ms) found.push('makes a vouch that has expired')
  if (!humans.has(from)) found.push('names an unknown person')
  if (to.startsWith(AGENT)) {
    const agent_id = to.slice(AGENT.length)
    if (!agents.has(agent_id)) found.push('vouches for an unknown agent')
    if (isOwnAgent(agent_id, from, replay)) found.push('lets a person vouch for an agent of theirs')
  } else {
    if (!humans.has(to)) found.push('vouches for an unknown person')
    if (isOnePerson(from, to, replay)) found.push('lets a person vouch for themselves')
  }
  const before = trust.open_vouches.get(vouchName(vouch))
  if (before !== undefined && isStanding(before, at_ms)) found.push('repeats a vouch that stands')
  const standing = [...(trust.of_subject.get(from) ?? [])].filter(
    (one) => one.from === from && isStanding(one, at_ms),
  )
  if (standing.length >= MOST_VOUCHES) found.push('makes more vouches than a person may have')
  return found
}

export function applyVouchChange(step: LeafStep): void {
  const { leaf, log_index, at_ms, effects } = step
  const { trust } = step.replay
  const vouch = vouchIn(leaf, trust)
  if (!isStanding(vouch, at_ms)) effects.violations.push('changes a vouch that does not stand')
  const weight = readNumber(leaf, 'weight')
  const expires_at_ms = endIn(leaf)
  if (!isWeight(weight)) effects.violations.push('has an invalid weight')
  if (weight === vouch.weight && expires_at_ms === vouch.expires_at_ms)
    effects.violations.push('changes nothing')
  vouch.weight = weight
  vouch.expires_at_ms = expires_at_ms
  vouch.changed_index = log_index
}

export function applyWithdrawal(step: LeafStep): void {
  const { leaf, effects } = step
  const { trust } = step.replay
  const vouch = vouchIn(leaf, trust)
  if (!WITHDRAWALS.some((by) => by === leaf.by)) throw new LeafError('has an unknown kind of withdrawal')
  if (vouch.ended_index !== undefined) effects.violations.push('withdraws a vouch that has ended')
  endVouch(vouch, step, trust)
}

export function applyAnchor({ leaf, log_index, at_ms, replay, effects }: LeafStep): void {
  const { anchors } = replay.trust
  const human_ref = readTextMember(leaf, 'human_ref')
  const tenant_id = readTextMember(leaf, 'tenant_id')
  if (leaf.type === 'anchor.removed') {
    const known = anchors.get(human_ref)
    if (known === undefined) throw new LeafError('removes an anchor that was never named')
    if (known.removed_index !== undefined)
      effects.violations.push('removes an anchor that is removed already')
    if (known.tenant_id !== tenant_id) effects.violations.push('removes an anchor of another tenant')
    known.removed_index = log_index
    known.reason = undefined
    return
  }
  const base = readNumber(leaf, 'base')
  if (!Number.isInteger(base) || base < 0 || base > MOST_BASE) effects.violations.push('has an invalid base')
  if (!replay.humans.has(human_ref)) effects.violations.push('names an unknown person')
  const reason = expectedText(replay, human_ref, 'reason', readTextMember(leaf, 'reason_digest'), log_index)
  anchors.set(human_ref, {
    tenant_id,
    base,
    named_at_ms: at_ms,
    log_index,
    removed_index: undefined,
    reason,
  })
}

/**
 * Ends every vouch from and to an erased person, and their anchor, and removes the notes about them. An anchor with
 * base 0 loses only its reason.
 */
export function eraseFromTrust(human_ref: string, position: LeafPosition, trust: ReplayedTrust): void {
  for (const vouch of [...(trust.of_subject.get(human_ref) ?? [])]) endVouch(vouch, position, trust)
  for (const vouch of trust.noted.get(human_ref) ?? []) vouch.note = undefined
  const anchor = trust.anchors.get(human_ref)
  if (anchor === undefined || anchor.removed_index !== undefined) return
  anchor.reason = undefined
  if (anchor.base > 0) anchor.removed_index = position.log_index
}

function endVouch(vouch: ExpectedVouch, { log_index, at_ms }: LeafPosition, trust: ReplayedTrust): void {
  vouch.ended_at_ms = at_ms
  vouch.ended_index = log_index
  if (trust.open_vouches.get(vouchName(vouch)) === vouch) trust.open_vouches.delete(vouchName(vouch))
  for (const subject of [vouch.from, vouch.to]) trust.of_subject.get(subject)?.delete(vouch)
}

function addTo(index: Map<string, Set<ExpectedVouch>>, subject: string, vouch: ExpectedVouch): void {
  const known = index.get(subject) ?? new Set()
  index.set(subject, known.add(vouch))
}

function vouchIn(leaf: Leaf, { vouches }: ReplayedTrust): ExpectedVouch {
  const vouch = vouches.get(readTextMember(leaf, 'vouch_id'))
  if (vouch === undefined) throw new LeafError('names a vouch that was never made')
  return vouch
}

function subjectIn({ to }: Leaf): string {
  if (typeof to === 'object' && to !== null) {
    if ('human_ref' in to && typeof to.human_ref === 'string') return to.human_ref
    if ('agent_id' in to && typeof to.agent_id === 'string' && to.agent_id.startsWith(AGENT))
      return to.agent_id
  }
  throw new LeafError('names nobody to vouch for')
}

function endIn(leaf: Leaf): number | undefined {
  return leaf.expires_at === undefined ? undefined : readInstant(leaf, 'expires_at')
}

function isWeight(weight: number): boolean {
  return Number.isInteger(weight) && weight >= LEAST_WEIGHT && weight <= MILLION
}
