import { RATINGS, tokenRef } from '@deputize/protocol'
import { needsApproval } from '../../domain/approval.ts'
import { charging, isOverBudget, release, reserve, settle, spend } from '../../domain/budget.ts'
import { type ActionRequest, countAction, isRevoked, objections } from '../../domain/decision.ts'
import { countCompleted, countCreated, countRated, scores } from '../../domain/reputation.ts'
import { trustScore } from '../../domain/trust.ts'
import type { Leaf } from '../../log/leaf.ts'
import { useApproval } from './approvals.ts'
import {
  agentOf,
  increment,
  type Place,
  type Story,
  type Telling,
  type Threshold,
  type ToldRecord,
  type ToldToken,
  talliesOf,
  touch,
  wordsOf,
  workflowOf,
} from './expected.ts'
import {
  agentIn,
  evidenceIn,
  instantIn,
  LeafError,
  numberIn,
  optionalTextIn,
  spendIn,
  textIn,
} from './leaf-reader.ts'
import { tokenIn } from './revocations.ts'

/** An agent asked to do something: it was allowed and done, allowed, or denied. The rules are asked again. */
export function tellAsk(leaf: Leaf, place: Place, story: Story, telling: Telling): void {
  const told = tokenIn(leaf, story, telling)
  const { token, chain } = told
  const request = {
    action: textIn(leaf, 'action'),
    resource: textIn(leaf, 'resource'),
    spend_micro_usd: spendIn(leaf),
  }
  const agent = agentOf(story, token.agent_id, place.at_ms)
  const reputation = () => scores(agent.tally).combined_reputation
  const reasons = objections(request, chain, { now_ms: place.at_ms, reputation })
  if (leaf.trust_score !== trustScore(token.assurance_level, token.delegation_depth))
    telling.wrong.push('tells another trust score than follows from level and depth')
  if (leaf.type === 'action.denied') {
    tellDenial(leaf, told, request, reasons, place, story, telling)
    return
  }
  if (reasons.length > 0) telling.wrong.push(`allows what the rules refuse (${reasons.join(', ')})`)
  useApproval(leaf, told, request, place.at_ms, story, telling)
  const record = newRecord(leaf, told, request, place, story)
  if (story.open_records.has(record.aar_id)) telling.wrong.push('makes a record under an id that is in use')
  const charge = record.state === 'pending' ? reserve : spend
  story.crossed.push(...crossings(told, () => charge(chain, request.spend_micro_usd)))
  countAction(chain, place.at_ms)
  touch(told)
  countRecord(record, story)
  telling.record = record
  if (record.state === 'pending') story.open_records.set(record.aar_id, record)
  else telling.closed = record
}

function tellDenial(
  leaf: Leaf,
  told: ToldToken,
  request: ActionRequest,
  objected: readonly string[],
  { log_index, at_ms }: Place,
  story: Story,
  telling: Telling,
): void {
  const isHumansNo = objected.length === 0 && needsApproval(request, told.chain)
  const reasons = isHumansNo ? ['approval_denied'] : objected
  if (JSON.stringify(leaf.reasons) !== JSON.stringify(reasons))
    telling.wrong.push(`denies for other reasons than the rules give (${reasons.join(', ') || 'none'})`)
  wordsOf(story, told.token.human_ref, 'metadata', optionalTextIn(leaf, 'metadata_digest'), log_index)
  telling.denial = {
    ...request,
    log_index,
    created_at_ms: at_ms,
    denial_id: textIn(leaf, 'denial_id'),
    token: told,
    reasons: leaf.reasons,
    trace_id: optionalTextIn(leaf, 'trace_id'),
  }
}

function newRecord(
  leaf: Leaf,
  token: ToldToken,
  { action, resource, spend_micro_usd }: ActionRequest,
  { log_index, at_ms }: Place,
  story: Story,
): ToldRecord {
  const isDone = leaf.type === 'action.recorded'
  const digest = optionalTextIn(leaf, 'metadata_digest')
  return {
    log_index,
    aar_id: textIn(leaf, 'aar_id'),
    token,
    action,
    resource,
    parent_aar_id: optionalTextIn(leaf, 'parent_aar_id'),
    trace_id: optionalTextIn(leaf, 'trace_id'),
    created_at_ms: at_ms,
    expires_at_ms: isDone ? undefined : instantIn(leaf, 'expires_at'),
    state: isDone ? 'completed' : 'pending',
    result: isDone ? textIn(leaf, 'result') : undefined,
    result_hash: isDone ? optionalTextIn(leaf, 'result_hash') : undefined,
    spend_micro_usd,
    completed_at_ms: isDone ? at_ms : undefined,
    completed_index: isDone ? log_index : undefined,
    completed_after_revocation: false,
    over_budget: false,
    completion_digest: undefined,
    evidence: evidenceIn(leaf),
    metadata: wordsOf(story, token.token.human_ref, 'metadata', digest, log_index),
  }
}

function countRecord(record: ToldRecord, story: Story): void {
  const { agent_id, provenance_ref } = record.token.token
  const workflow = workflowOf(story, provenance_ref)
  workflow.records += 1
  workflow.last_action_ms = record.created_at_ms
  increment(workflow.agents, agent_id)
  increment(workflow.actions, record.action)
  const agent = agentOf(story, agent_id, record.created_at_ms)
  agent.last_action_ms = record.created_at_ms
  for (const tally of talliesOf(agent, record.created_at_ms)) countCreated(tally)
  if (record.state === 'completed') countOutcome(record, story, record.created_at_ms)
}

function countOutcome({ token, result = '' }: ToldRecord, story: Story, at_ms: number): void {
  increment(workflowOf(story, token.token.provenance_ref).results, result)
  for (const tally of talliesOf(agentOf(story, token.token.agent_id, at_ms), at_ms))
    countCompleted(tally, result)
}

/** A pending record is completed, cancelled or expired. */
export function tellClosing(leaf: Leaf, place: Place, story: Story, telling: Telling): void {
  const record = story.open_records.get(textIn(leaf, 'aar_id'))
  if (record === undefined) {
    story.announced.length = 0
    throw new LeafError('closes a record that is not open')
  }
  const { token } = record.token
  const names = [agentIn(leaf), leaf.provenance_ref, leaf.authorized_index]
  if (String(names) !== String([token.agent_id, token.provenance_ref, record.log_index]))
    telling.wrong.push('names another agent, workflow or leaf than those of its record')
  record.completed_at_ms = place.at_ms
  record.completed_index = place.log_index
  touch(record.token)
  if (leaf.type === 'action.completed') complete(leaf, record, place, story, telling)
  else giveUp(leaf, record, place, telling)
  story.open_records.delete(record.aar_id)
  telling.closed = record
}

function complete(leaf: Leaf, record: ToldRecord, place: Place, story: Story, telling: Telling): void {
  const { chain, token } = record.token
  const reserved = record.spend_micro_usd
  const spent = spendIn(leaf)
  const crossed = crossings(record.token, () => settle(chain, reserved, spent))
  if (JSON.stringify(crossed) !== JSON.stringify(story.announced))
    telling.wrong.push('completes an action whose budgets reached other thresholds than were told')
  story.announced.length = 0
  record.state = 'completed'
  record.result = textIn(leaf, 'result')
  record.result_hash = optionalTextIn(leaf, 'result_hash')
  record.spend_micro_usd = spent
  record.completion_digest = textIn(leaf, 'completion_digest')
  record.evidence = evidenceIn(leaf)
  record.completed_after_revocation = chain.some(isRevoked)
  record.over_budget = spent > reserved && isOverBudget(chain, spent)
  if (record.completed_after_revocation !== (leaf.completed_after_revocation === true))
    telling.wrong.push('is wrong about whether the token was revoked by then')
  if (record.over_budget !== (leaf.over_budget === true))
    telling.wrong.push('is wrong about whether a budget was exceeded')
  wordsOf(story, token.human_ref, 'completion', record.completion_digest, place.log_index)
  const digest = optionalTextIn(leaf, 'metadata_digest')
  record.metadata = wordsOf(story, token.human_ref, 'metadata', digest, place.log_index) ?? record.metadata
  countOutcome(record, story, place.at_ms)
}

function giveUp(leaf: Leaf, record: ToldRecord, { at_ms }: Place, telling: Telling): void {
  release(record.token.chain, record.spend_micro_usd)
  record.spend_micro_usd = 0
  record.state = leaf.type === 'action.expired' ? 'expired' : 'cancelled'
  if (record.state === 'cancelled') {
    record.evidence = evidenceIn(leaf)
    return
  }
  if (leaf.evidence !== undefined) telling.wrong.push('tells of evidence where nobody said anything')
  if (at_ms < (record.expires_at_ms ?? 0)) telling.wrong.push('expires a record before its time')
}

export function tellRating(leaf: Leaf, { log_index, at_ms }: Place, story: Story, telling: Telling): void {
  const agent_id = agentIn(leaf)
  const rating = RATINGS.find((known) => known === leaf.rating)
  if (rating === undefined) throw new LeafError('rates with a word that is no rating')
  const agent = story.agents.get(agent_id)
  if (agent === undefined) throw new LeafError('rates an agent that nobody has heard of')
  for (const tally of talliesOf(agent, at_ms)) countRated(tally, rating)
  telling.rating = {
    log_index,
    aar_id: textIn(leaf, 'aar_id'),
    agent_id,
    provenance_ref: textIn(leaf, 'provenance_ref'),
    rating,
    rater_assurance: textIn(leaf, 'rater_assurance'),
    feedback_at_ms: at_ms,
    note_digest: optionalTextIn(leaf, 'note_digest'),
  }
}

/** A budget is half used, nearly used or used up. */
export function tellThreshold(leaf: Leaf, _place: Place, story: Story, telling: Telling): void {
  const { ref } = tokenIn(leaf, story, telling)
  const percent = numberIn(leaf, 'percent')
  const [next] = story.crossed
  if (next === undefined) {
    story.announced.push({ ref, percent })
    return
  }
  story.crossed.shift()
  if (next.ref !== ref || next.percent !== percent)
    telling.wrong.push('tells of another threshold than the one that was reached')
}

/** The thresholds that a charge reaches, as leaves tell of them. */
function crossings(told: ToldToken, charge: () => void): Threshold[] {
  return charging(told.chain, charge).map(({ link, percent }) => ({ ref: refOf(link.token.jti), percent }))
}

/** A token whose claims are not known goes by the reference itself. */
function refOf(jti: string): string {
  return jti.startsWith('sha256:') ? jti : tokenRef(jti)
}
