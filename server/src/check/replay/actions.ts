import { type ArgumentLimits, RATINGS, REASONS, type Reason, tokenRef } from '@deputize/protocol'
import { overrunChain } from '../../domain/approvals/approval.ts'
import { charging, exceedsAuthorization, release, reserve, settle, spend } from '../../domain/budget.ts'
import { increment } from '../../domain/counts.ts'
import { type ActionRequest, countAction, isRevoked, objections } from '../../domain/decision.ts'
import { outranks } from '../../domain/rank.ts'
import { countCompleted, countCreated, countRated, gateScore, scores } from '../../domain/reputation.ts'
import { closingCounts, countDenial, countSignal, countUse } from '../../domain/stats.ts'
import { argumentFaults } from '../../domain/tokens/arguments.ts'
import type { Chain } from '../../domain/tokens/token.ts'
import { trustScore } from '../../domain/tokens/trust.ts'
import { isOfEarlierVersion, type Leaf } from '../../log/leaf.ts'
import { isApprovalNeeded, useApproval } from './approvals.ts'
import { countLeaf } from './counters.ts'
import {
  type ExpectedRecord,
  type ExpectedToken,
  expectedAgent,
  expectedText,
  expectedWorkflow,
  type LeafStep,
  type ReplayState,
  type Threshold,
  talliesOf,
  touch,
} from './expected.ts'
import {
  LeafError,
  readAgentMember,
  readEvidence,
  readInstant,
  readNumber,
  readOptionalText,
  readSpend,
  readTextMember,
} from './leaf-reader.ts'
import { tokenIn } from './revocations.ts'

/**
 * Applies an action that was recorded, authorized or denied. The rules decide again and must reach the same decision.
 */
export function applyAction(step: LeafStep): void {
  const { leaf, at_ms, replay, effects } = step
  const expected = tokenIn(step)
  const { token, chain } = expected
  const request = {
    action: readTextMember(leaf, 'action'),
    resource: readTextMember(leaf, 'resource'),
    spend_micro_usd: readSpend(leaf),
  }
  const agent = expectedAgent(replay, token.agent_id, at_ms)
  const by_earlier_rules = isOfEarlierVersion(leaf)
  const reputation = () =>
    by_earlier_rules ? scores(agent.tally).combined_reputation : gateScore(agent.tally)
  const breaksLimits = (limits: ArgumentLimits) => saysArgumentsBreak(leaf, limits, request.action)
  const vouchScore = () => statedScore(step, token.agent_id)
  const circumstances = { now_ms: at_ms, reputation, vouchScore, breaksLimits, by_earlier_rules }
  const reasons = withHiddenReason(leaf, chain, objections(request, chain, circumstances))
  if (leaf.trust_score !== trustScore(token.assurance_level, token.delegation_depth))
    effects.violations.push('has another trust score than its level and depth imply')
  if (leaf.type === 'action.denied') {
    applyDenial(step, expected, request, reasons)
    return
  }
  if (reasons.length > 0)
    effects.violations.push(`allows an action that the rules deny (${reasons.join(', ')})`)
  useApproval(step, expected, request)
  const record = recordOfLeaf(step, expected, request)
  if (replay.open_records.has(record.aar_id))
    effects.violations.push('opens a record under an ID that is in use')
  const charge = record.state === 'pending' ? reserve : spend
  replay.due_thresholds.push(...crossings(expected, () => charge(chain, request.spend_micro_usd, at_ms)))
  countAction(chain, at_ms)
  touch(expected)
  countRecord(record, replay)
  effects.record = record
  if (record.state === 'pending') replay.open_records.set(record.aar_id, record)
  else effects.closed = record
}

/**
 * The score that a decision is based on, as stated by its leaf. The leaf also states the log size that the score
 * follows from, which is checked once all leaves are known. Until a score has been computed, it is 0.
 */
function statedScore(step: LeafStep, agent_id: string): number {
  const { leaf, log_index, effects } = step
  const { trust } = step.replay
  const score = readNumber(leaf, 'vouch_score')
  if (leaf.vouch_log_size === undefined) {
    if (score !== 0) effects.violations.push('states a score that was never computed')
    return score
  }
  const log_size = readNumber(leaf, 'vouch_log_size')
  if (log_size > log_index) effects.violations.push('states a score of a later log')
  const claim = { agent_id, log_size, score, table: 'leaves', key: log_index } as const
  trust.score_claims.set(`${agent_id} ${log_size} ${score}`, claim)
  return score
}

/**
 * Whether the arguments of an action break limits. Leaves hold only a digest of the arguments, so the leaf is believed,
 * except if there are no arguments: then every limit is broken.
 */
function saysArgumentsBreak(leaf: Leaf, limits: ArgumentLimits, action: string): boolean {
  if (leaf.metadata_digest === undefined) return argumentFaults(limits, action, undefined).length > 0
  return namesArguments(leaf)
}

function namesArguments({ reasons }: Leaf): boolean {
  return Array.isArray(reasons) && reasons.includes('argument_not_allowed')
}

/**
 * Adds the reason `argument_not_allowed` if the leaf states it and claims of the chain are missing: leaves omit limits
 * on arguments, so the leaf is believed.
 */
function withHiddenReason(leaf: Leaf, chain: Chain, reasons: readonly Reason[]): readonly Reason[] {
  if (!namesArguments(leaf) || !chain.some(({ token }) => hasNoClaims(token.jti))) return reasons
  return REASONS.filter((reason) => reason === 'argument_not_allowed' || reasons.includes(reason))
}

function applyDenial(
  { leaf, log_index, at_ms, replay, effects }: LeafStep,
  expected: ExpectedToken,
  request: ActionRequest,
  objected: readonly string[],
): void {
  const isHumansNo = objected.length === 0 && isApprovalNeeded(request, expected, at_ms, true)
  const reasons = isHumansNo ? [approvalReasonIn(leaf)] : objected
  if (JSON.stringify(leaf.reasons) !== JSON.stringify(reasons))
    effects.violations.push(`has other reasons for a denial than the rules (${reasons.join(', ') || 'none'})`)
  expectedText(
    replay,
    expected.token.human_ref,
    'metadata',
    readOptionalText(leaf, 'metadata_digest'),
    log_index,
  )
  effects.denial = {
    ...request,
    log_index,
    created_at_ms: at_ms,
    denial_id: readTextMember(leaf, 'denial_id'),
    token: expected,
    reasons: leaf.reasons,
    trace_id: readOptionalText(leaf, 'trace_id'),
  }
  const use = { agent_id: expected.token.agent_id, action: request.action, resource: request.resource }
  const given = Array.isArray(leaf.reasons) ? leaf.reasons.map(String) : []
  countLeaf(replay.counters, at_ms, (activity) => countDenial(activity, use, given))
}

/** Why an action that the token allows was denied: by a person, or because too many requests are open. */
function approvalReasonIn({ reasons }: Leaf): string {
  const given = Array.isArray(reasons) ? String(reasons[0]) : ''
  return ['approval_limit_root', 'approval_limit_person'].includes(given) ? given : 'approval_denied'
}

function recordOfLeaf(
  { leaf, log_index, at_ms, replay }: LeafStep,
  token: ExpectedToken,
  { action, resource, spend_micro_usd }: ActionRequest,
): ExpectedRecord {
  const isDone = leaf.type === 'action.recorded'
  const digest = readOptionalText(leaf, 'metadata_digest')
  return {
    log_index,
    aar_id: readTextMember(leaf, 'aar_id'),
    token,
    action,
    resource,
    parent_aar_id: readOptionalText(leaf, 'parent_aar_id'),
    trace_id: readOptionalText(leaf, 'trace_id'),
    created_at_ms: at_ms,
    expires_at_ms: isDone ? undefined : readInstant(leaf, 'expires_at'),
    state: isDone ? 'completed' : 'pending',
    result: isDone ? readTextMember(leaf, 'result') : undefined,
    result_hash: isDone ? readOptionalText(leaf, 'result_hash') : undefined,
    spend_micro_usd,
    completed_at_ms: isDone ? at_ms : undefined,
    completed_index: isDone ? log_index : undefined,
    completed_after_revocation: false,
    over_budget: false,
    exceeded: false,
    completion_digest: undefined,
    evidence: readEvidence(leaf),
    metadata: expectedText(replay, token.token.human_ref, 'metadata', digest, log_index),
  }
}

function countRecord(record: ExpectedRecord, replay: ReplayState): void {
  const { agent_id, provenance_ref } = record.token.token
  const workflow = expectedWorkflow(replay, provenance_ref)
  workflow.records += 1
  workflow.last_action_ms = record.created_at_ms
  increment(workflow.agents, agent_id)
  increment(workflow.actions, record.action)
  const agent = expectedAgent(replay, agent_id, record.created_at_ms)
  agent.last_action_ms = record.created_at_ms
  for (const tally of talliesOf(agent, record.created_at_ms)) countCreated(tally)
  const ending = record.state === 'completed' ? closingCounts(record) : {}
  const use = { agent_id, action: record.action, resource: record.resource }
  countLeaf(replay.counters, record.created_at_ms, (activity) =>
    countUse(activity, use, { allowed: 1, ...ending }, record.log_index),
  )
  if (record.state === 'completed') countResult(record, replay, record.created_at_ms)
}

function countResult(record: ExpectedRecord, replay: ReplayState, at_ms: number): void {
  const { token, result = '', evidence, exceeded } = record
  increment(expectedWorkflow(replay, token.token.provenance_ref).results, result)
  for (const tally of talliesOf(expectedAgent(replay, token.token.agent_id, at_ms), at_ms))
    countCompleted(tally, { result, evidence, exceeded })
}

/** Completes, cancels or expires a pending record. */
export function applyClosing(step: LeafStep): void {
  const { leaf, log_index, at_ms, replay, effects } = step
  const record = replay.open_records.get(readTextMember(leaf, 'aar_id'))
  if (record === undefined) {
    replay.early_thresholds.length = 0
    throw new LeafError('closes a record that is not open')
  }
  const { token } = record.token
  const names = [readAgentMember(leaf), leaf.provenance_ref, leaf.authorized_index]
  if (String(names) !== String([token.agent_id, token.provenance_ref, record.log_index]))
    effects.violations.push('does not name the agent, workflow or leaf of its record')
  record.completed_at_ms = at_ms
  record.completed_index = log_index
  touch(record.token)
  if (leaf.type === 'action.completed') applyCompletion(step, record)
  else applyAbandonment(step, record)
  replay.open_records.delete(record.aar_id)
  const use = { agent_id: token.agent_id, action: record.action, resource: record.resource }
  countLeaf(replay.counters, at_ms, (activity) => countUse(activity, use, closingCounts(record)))
  effects.closed = record
}

function applyCompletion(
  { leaf, log_index, at_ms, replay, effects }: LeafStep,
  record: ExpectedRecord,
): void {
  const { chain, token } = record.token
  const spent = readSpend(leaf)
  const reservation = { reserved_micro_usd: record.spend_micro_usd, allowed_at_ms: record.created_at_ms }
  const due_thresholds = crossings(record.token, () => {
    record.over_budget = settle(chain, reservation, spent, at_ms)
  })
  if (JSON.stringify(due_thresholds) !== JSON.stringify(replay.early_thresholds))
    effects.violations.push('completes an action that reached other thresholds than the leaves before it say')
  replay.early_thresholds.length = 0
  record.state = 'completed'
  record.result = readTextMember(leaf, 'result')
  record.result_hash = readOptionalText(leaf, 'result_hash')
  record.spend_micro_usd = spent
  record.completion_digest = readTextMember(leaf, 'completion_digest')
  record.evidence = readEvidence(leaf)
  record.completed_after_revocation = chain.some(isRevoked)
  if (record.completed_after_revocation !== (leaf.completed_after_revocation === true))
    effects.violations.push('is wrong about whether the token was revoked')
  if (record.over_budget !== (leaf.over_budget === true))
    effects.violations.push('is wrong about whether a budget was exceeded')
  record.exceeded = !isOfEarlierVersion(leaf) && exceedsAuthorization(chain, reservation, spent)
  if (record.exceeded !== (leaf.exceeded === true))
    effects.violations.push('is wrong about whether the action cost more than it was authorized for')
  if (record.exceeded) replay.due_suspension = dueSuspension(record)
  expectedText(replay, token.human_ref, 'completion', record.completion_digest, log_index)
  const digest = readOptionalText(leaf, 'metadata_digest')
  record.metadata = expectedText(replay, token.human_ref, 'metadata', digest, log_index) ?? record.metadata
  countResult(record, replay, at_ms)
}

/** The token to suspend, unless it is already suspended with at least a person's rank. */
function dueSuspension(record: ExpectedRecord): string | undefined {
  const [{ token, state }] = overrunChain(record, record.token.chain)
  const { suspended_at_ms, suspended_rank } = state
  const isHeld = suspended_at_ms !== undefined && suspended_rank !== undefined
  return isHeld && outranks(suspended_rank, 'person') ? undefined : refOf(token.jti)
}

function applyAbandonment({ leaf, at_ms, effects }: LeafStep, record: ExpectedRecord): void {
  const reservation = { reserved_micro_usd: record.spend_micro_usd, allowed_at_ms: record.created_at_ms }
  release(record.token.chain, reservation, at_ms)
  record.spend_micro_usd = 0
  record.state = leaf.type === 'action.expired' ? 'expired' : 'cancelled'
  if (record.state === 'cancelled') {
    record.evidence = readEvidence(leaf)
    return
  }
  if (leaf.evidence !== undefined) effects.violations.push('has evidence for an expiry')
  if (at_ms < (record.expires_at_ms ?? 0)) effects.violations.push('expires a record too early')
}

export function applyRating({ leaf, log_index, at_ms, replay, effects }: LeafStep): void {
  const agent_id = readAgentMember(leaf)
  const rating = RATINGS.find((known) => known === leaf.rating)
  if (rating === undefined) throw new LeafError('has an unknown rating')
  const agent = replay.agents.get(agent_id)
  if (agent === undefined) throw new LeafError('rates an unknown agent')
  for (const tally of talliesOf(agent, at_ms)) countRated(tally, rating)
  if (rating === 'rejected')
    countLeaf(replay.counters, at_ms, (activity) => countSignal(activity, agent_id, { rejected: 1 }))
  effects.rating = {
    log_index,
    aar_id: readTextMember(leaf, 'aar_id'),
    agent_id,
    provenance_ref: readTextMember(leaf, 'provenance_ref'),
    rating,
    rater_assurance: readTextMember(leaf, 'rater_assurance'),
    feedback_at_ms: at_ms,
    note_digest: readOptionalText(leaf, 'note_digest'),
  }
}

/** Applies the leaf of a budget that reached 50, 80 or 100 %. */
export function applyThreshold(step: LeafStep): void {
  const { leaf, at_ms, replay, effects } = step
  const { ref, token } = tokenIn(step)
  const percent = readNumber(leaf, 'percent')
  countLeaf(replay.counters, at_ms, (activity) =>
    countSignal(activity, token.agent_id, { budget_percent: percent }),
  )
  const [next] = replay.due_thresholds
  if (next === undefined) {
    replay.early_thresholds.push({ ref, percent })
    return
  }
  replay.due_thresholds.shift()
  if (next.ref !== ref || next.percent !== percent)
    effects.violations.push('names a different threshold than the one that was reached')
}

/** The thresholds that a charge reaches, with the references that leaves use. */
function crossings(expected: ExpectedToken, charge: () => void): Threshold[] {
  return charging(expected.chain, charge).map(({ link, percent }) => ({
    ref: refOf(link.token.jti),
    percent,
  }))
}

/** The reference of a token. A token without stored claims has its reference as ID. */
function refOf(jti: string): string {
  return hasNoClaims(jti) ? jti : tokenRef(jti)
}

function hasNoClaims(jti: string): boolean {
  return jti.startsWith('sha256:')
}
