import { loggedAgent, RANKS, type Rank, SUSPEND_CODES, type SuspendCode } from '@deputize/protocol'
import { outranks } from '../../domain/rank.ts'
import type { Marks } from '../../domain/tokens/token.ts'
import type { Leaf } from '../../log/leaf.ts'
import {
  type ExpectedText,
  type ExpectedToken,
  expectedHuman,
  expectedText,
  type LeafEffects,
  type LeafStep,
} from './expected.ts'
import { LeafError, readAgentMember, readOptionalText, readTextMember } from './leaf-reader.ts'
import { eraseUnbound } from './unbound-habits.ts'
import { eraseFromTrust } from './vouches.ts'

/** The token that a leaf names. Its agent and workflow must match the leaf. */
export function tokenIn({ leaf, replay, effects }: LeafStep): ExpectedToken {
  const expected = replay.tokens.get(readTextMember(leaf, 'token'))
  if (expected === undefined) throw new LeafError('names a token that was never issued')
  const { agent_id, provenance_ref } = expected.token
  if (leaf.agent_id !== loggedAgent(agent_id)) effects.violations.push('does not name the agent of its token')
  if (leaf.provenance_ref !== provenance_ref)
    effects.violations.push('does not name the workflow of its token')
  return expected
}

export function applyRevocation(step: LeafStep): void {
  const { leaf, log_index, at_ms, replay, effects } = step
  const expected = tokenIn(step)
  if (expected.state.revoked_at_ms !== undefined)
    effects.violations.push('revokes a token that is revoked already')
  expected.state.revoked_at_ms = at_ms
  expected.has_state = true
  const digest = readOptionalText(leaf, 'reason_digest')
  expected.reason = expectedText(replay, expected.token.human_ref, 'reason', digest, log_index)
}

/** Revokes all tokens that an agent or a person has so far. */
export function applyOwnerRevocation({ leaf, log_index, replay, effects }: LeafStep): void {
  if (leaf.type === 'agent.revoked') {
    const agent = replay.agents.get(readAgentMember(leaf))
    if (agent === undefined) throw new LeafError('names an unknown agent')
    agent.marks.revoked_below = log_index
    return
  }
  const human_ref = readTextMember(leaf, 'human_ref')
  if (!replay.humans.has(human_ref)) effects.violations.push('names an unknown person')
  expectedHuman(replay, human_ref).marks.revoked_below = log_index
  expectedText(replay, human_ref, 'reason', readOptionalText(leaf, 'reason_digest'), log_index)
}

/** Suspends or resumes a token or an agent. Leaves from before ranks were stored have no `rank`. */
export function applyFreeze(step: LeafStep): void {
  const { leaf, effects } = step
  const isSuspension = leaf.type === 'token.suspended' || leaf.type === 'agent.suspended'
  const frozen = frozenIn(step)
  if (isSuspension) applySuspension(step, frozen)
  else applyResumption(leaf, frozen, effects)
}

/** Applies the safety desk's release of a token. */
export function applyRelease(step: LeafStep): void {
  const { at_ms, effects } = step
  const expected = tokenIn(step)
  if (expected.inner_limits === undefined) effects.violations.push('releases a token without inner limits')
  if (expected.state.released_at_ms !== undefined)
    effects.violations.push('releases a token that is released already')
  expected.state.released_at_ms = at_ms
  expected.has_state = true
}

/** The target of a suspension or resumption. */
interface Frozen {
  readonly marks: Pick<Marks, 'suspended_at_ms' | 'suspended_rank'> & {
    suspend_code?: SuspendCode | undefined
  }
  readonly text: { suspend_reason: ExpectedText | undefined }
  /** The person whose key seals the reason. */
  readonly human_ref: string | undefined
}

function frozenIn(step: LeafStep): Frozen {
  const { leaf, replay } = step
  if (leaf.type === 'token.suspended' || leaf.type === 'token.resumed') {
    const expected = tokenIn(step)
    expected.has_state = true
    return { marks: expected.state, text: expected, human_ref: expected.token.human_ref }
  }
  const agent = replay.agents.get(readAgentMember(leaf))
  if (agent === undefined) throw new LeafError('names an unknown agent')
  return { marks: agent.marks, text: agent, human_ref: undefined }
}

/** Applies a suspension. A repeated one must have a higher rank. */
function applySuspension(
  { leaf, log_index, at_ms, replay, effects }: LeafStep,
  { marks, text, human_ref }: Frozen,
): void {
  const rank = rankIn(leaf)
  const before = marks.suspended_rank
  const isFirst = marks.suspended_at_ms === undefined
  if (!isFirst && (rank === undefined || (before !== undefined && outranks(before, rank))))
    effects.violations.push('suspends a suspended token or agent without a higher rank')
  marks.suspended_at_ms ??= at_ms
  marks.suspended_rank = rank
  const code = codeIn(leaf)
  if (isFirst || code !== undefined) marks.suspend_code = code
  const digest = readOptionalText(leaf, 'reason_digest')
  const reason = expectedText(replay, human_ref, 'reason', digest, log_index)
  if (reason !== undefined) text.suspend_reason = reason
}

function applyResumption(leaf: Leaf, { marks, text }: Frozen, effects: LeafEffects): void {
  const rank = rankIn(leaf)
  if (marks.suspended_at_ms === undefined)
    effects.violations.push('resumes a token or agent that is not suspended')
  if (marks.suspended_rank !== undefined && (rank === undefined || !outranks(rank, marks.suspended_rank)))
    effects.violations.push('resumes a token or agent that a higher rank suspended')
  marks.suspended_at_ms = undefined
  marks.suspended_rank = undefined
  marks.suspend_code = undefined
  text.suspend_reason = undefined
}

function rankIn(leaf: Leaf): Rank | undefined {
  return leaf.rank === undefined ? undefined : memberOf(RANKS, leaf.rank, 'rank')
}

function codeIn(leaf: Leaf): SuspendCode | undefined {
  return leaf.code === undefined ? undefined : memberOf(SUSPEND_CODES, leaf.code, 'code')
}

function memberOf<T>(list: readonly T[], value: unknown, name: string): T {
  const found = list.find((one) => one === value)
  if (found === undefined) throw new LeafError(`has an unknown ${name}`)
  return found
}

/** Applies a person's refusal of new tokens in their name, or its end. */
export function applyRefusal({ leaf, at_ms, replay, effects }: LeafStep): void {
  const { marks } = expectedHuman(replay, readTextMember(leaf, 'human_ref'))
  const refuses = leaf.type === 'human.refused'
  if ((marks.refused_at_ms !== undefined) === refuses)
    effects.violations.push(
      refuses ? 'lets a person refuse tokens twice' : 'lets a person accept tokens who did not refuse them',
    )
  marks.refused_at_ms = refuses ? at_ms : undefined
}

/** Destroys a person's data key and ends their habits. */
export function applyErasure({ leaf, log_index, at_ms, replay, effects }: LeafStep): void {
  const human_ref = readTextMember(leaf, 'human_ref')
  const human = expectedHuman(replay, human_ref)
  if (human.marks.revoked_below !== log_index - 1)
    effects.violations.push('erases a person without revoking their tokens directly before')
  human.erased_at.push(log_index)
  human.erased_at_ms = at_ms
  human.keys_gone += human.needs_key ? 1 : 0
  human.needs_key = false
  for (const [name, { key }] of replay.habits) if (key.human_ref === human_ref) replay.habits.delete(name)
  eraseUnbound(human_ref, replay.unbound_habits)
  eraseFromTrust(human_ref, { log_index, at_ms }, replay.trust)
}
