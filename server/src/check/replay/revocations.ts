import { loggedAgent } from '@deputize/protocol'
import type { Leaf } from '../../log/leaf.ts'
import {
  type ExpectedToken,
  expectedAgent,
  expectedHuman,
  expectedText,
  type LeafEffects,
  type LeafPosition,
  type ReplayState,
} from './expected.ts'
import { LeafError, readAgentMember, readOptionalText, readTextMember } from './leaf-reader.ts'

/** The token that a leaf names. Its agent and workflow must be those that the leaf names. */
export function tokenIn(leaf: Leaf, replay: ReplayState, effects: LeafEffects): ExpectedToken {
  const expected = replay.tokens.get(readTextMember(leaf, 'token'))
  if (expected === undefined) throw new LeafError('names a token that was never issued')
  const { agent_id, provenance_ref } = expected.token
  if (leaf.agent_id !== loggedAgent(agent_id)) effects.violations.push('does not name the agent of its token')
  if (leaf.provenance_ref !== provenance_ref)
    effects.violations.push('does not name the workflow of its token')
  return expected
}

export function applyRevocation(
  leaf: Leaf,
  { log_index, at_ms }: LeafPosition,
  replay: ReplayState,
  effects: LeafEffects,
): void {
  const expected = tokenIn(leaf, replay, effects)
  if (expected.state.revoked_at_ms !== undefined)
    effects.violations.push('revokes a token that is revoked already')
  expected.state.revoked_at_ms = at_ms
  expected.has_state = true
  const digest = readOptionalText(leaf, 'reason_digest')
  expected.reason = expectedText(replay, expected.token.human_ref, 'reason', digest, log_index)
}

/** All tokens of an agent or a person are revoked, except those issued later. */
export function applyOwnerRevocation(
  leaf: Leaf,
  { log_index }: LeafPosition,
  replay: ReplayState,
  effects: LeafEffects,
): void {
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

/** A token or an agent is suspended or resumed. */
export function applyFreeze(
  leaf: Leaf,
  { at_ms }: LeafPosition,
  replay: ReplayState,
  effects: LeafEffects,
): void {
  const isToken = leaf.type === 'token.suspended' || leaf.type === 'token.resumed'
  const isSuspension = leaf.type === 'token.suspended' || leaf.type === 'agent.suspended'
  const marks = isToken ? frozenToken(leaf, replay, effects) : replay.agents.get(readAgentMember(leaf))?.marks
  if (marks === undefined) throw new LeafError('names an unknown agent')
  if ((marks.suspended_at_ms !== undefined) === isSuspension)
    effects.violations.push(
      isSuspension ? 'suspends a suspended token or agent' : 'resumes a token or agent that is not suspended',
    )
  marks.suspended_at_ms = isSuspension ? at_ms : undefined
}

function frozenToken(leaf: Leaf, replay: ReplayState, effects: LeafEffects): ExpectedToken['state'] {
  const expected = tokenIn(leaf, replay, effects)
  expected.has_state = true
  return expected.state
}

export function applyAgent(leaf: Leaf, { at_ms }: LeafPosition, replay: ReplayState): void {
  expectedAgent(replay, readAgentMember(leaf), at_ms).profile_digest = readTextMember(leaf, 'profile_digest')
}

/** A person's data key is destroyed, and their habits end. */
export function applyErasure(
  leaf: Leaf,
  { log_index, at_ms }: LeafPosition,
  replay: ReplayState,
  effects: LeafEffects,
): void {
  const human_ref = readTextMember(leaf, 'human_ref')
  const human = expectedHuman(replay, human_ref)
  if (human.marks.revoked_below !== log_index - 1)
    effects.violations.push('erases a person without revoking their tokens directly before')
  human.erased_at.push(log_index)
  human.erased_at_ms = at_ms
  human.keys_gone += human.needs_key ? 1 : 0
  human.needs_key = false
  for (const [name, { key }] of replay.habits) if (key.human_ref === human_ref) replay.habits.delete(name)
}
