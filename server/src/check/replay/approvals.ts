import { followsHabit, type HabitKey, habitAfter, habitName, needsApproval } from '../../domain/approval.ts'
import type { ActionRequest } from '../../domain/decision.ts'
import type { Leaf } from '../../log/leaf.ts'
import {
  humanOf,
  type Place,
  type Story,
  type Telling,
  type ToldApproval,
  type ToldToken,
  wordsOf,
} from './expected.ts'
import { agentIn, instantIn, LeafError, optionalTextIn, spendIn, textIn } from './leaf-reader.ts'
import { tokenIn } from './revocations.ts'

/** A human is asked. */
export function tellQuestion(leaf: Leaf, { log_index, at_ms }: Place, story: Story, telling: Telling): void {
  const token = tokenIn(leaf, story, telling)
  const { human_ref, limits } = token.token
  const binding = textIn(leaf, 'binding')
  humanOf(story, human_ref).needs_key = true
  const approval: ToldApproval = {
    log_index,
    approval_id: textIn(leaf, 'approval_id'),
    token,
    action: textIn(leaf, 'action'),
    resource: textIn(leaf, 'resource'),
    spend_micro_usd: spendIn(leaf),
    binding,
    created_at_ms: at_ms,
    expires_at_ms: instantIn(leaf, 'expires_at'),
    metadata: wordsOf(story, human_ref, 'metadata', optionalTextIn(leaf, 'metadata_digest'), log_index),
    replaces: story.questions.get(binding),
    state: 'pending',
    decided_at_ms: undefined,
    decided_by: undefined,
    decided_index: undefined,
    note: undefined,
    used_by: undefined,
  }
  if (approval.expires_at_ms > limits.expires_at_ms)
    telling.wrong.push('asks for an approval that would outlive its token')
  if (!needsApproval(approval, token.chain)) telling.wrong.push('asks a human about what needs no approval')
  if (story.approvals.has(approval.approval_id)) telling.wrong.push('asks under an id that is in use')
  telling.approval = approval
  story.asked = approval
  story.approvals.set(approval.approval_id, approval)
  story.questions.set(binding, approval)
}

/** A question that no habit answers at once has taken the place of one that had expired. */
export function settleReplaced(next: Leaf | undefined, story: Story, telling: Telling): void {
  const { asked } = story
  story.asked = undefined
  if (asked?.replaces === undefined) return
  if (next?.type === 'approval.decided' && next.approval_id === asked.approval_id && next.by === 'habit')
    return
  if (asked.created_at_ms < asked.replaces.expires_at_ms)
    telling.wrong.push('follows a question that was still open when it was asked again')
  asked.replaces.state = 'expired'
  settle(asked.replaces, story, telling)
}

/** A human or a habit decides. */
export function tellDecision(leaf: Leaf, { log_index, at_ms }: Place, story: Story, telling: Telling): void {
  const approval = story.approvals.get(textIn(leaf, 'approval_id'))
  if (approval === undefined || approval.state !== 'pending')
    throw new LeafError('decides what was not asked, or was decided before')
  const decision = decisionIn(leaf)
  const by = textIn(leaf, 'by')
  const { human_ref, provenance_ref } = approval.token.token
  if (leaf.provenance_ref !== provenance_ref)
    telling.wrong.push('names another workflow than that of the approval')
  if (at_ms >= approval.expires_at_ms) telling.wrong.push('decides an approval that had expired')
  if (by === 'habit') followHabit(approval, decision, log_index, at_ms, story, telling)
  else setHabit(approval, decision === 'approved', at_ms, story)

  approval.state = decision
  approval.decided_at_ms = at_ms
  approval.decided_by = by
  approval.decided_index = log_index
  approval.note = wordsOf(story, human_ref, 'note', optionalTextIn(leaf, 'note_digest'), log_index)
  if (story.questions.get(approval.binding) === approval) story.questions.delete(approval.binding)
  if (by === 'habit' && approval.replaces !== undefined)
    story.questions.set(approval.binding, approval.replaces) // a habit answers beside it and leaves it open
  if (decision === 'denied') settle(approval, story, telling)
}

function decisionIn(leaf: Leaf): 'approved' | 'denied' {
  const decision = textIn(leaf, 'decision')
  if (decision === 'approved' || decision === 'denied') return decision
  throw new LeafError('decides neither yes nor no')
}

function followHabit(
  approval: ToldApproval,
  decision: string,
  log_index: number,
  at_ms: number,
  story: Story,
  telling: Telling,
): void {
  const key = habitKey(approval, approval.token)
  const habit = story.habits.get(habitName(key))?.habit
  if (
    decision !== 'approved' ||
    approval.log_index !== log_index - 1 ||
    habit === undefined ||
    !followsHabit(approval, approval.token.chain, habit, at_ms)
  )
    telling.wrong.push('approves by a habit that was none')
  if (habit !== undefined) habit.auto_approvals += 1
}

function setHabit(approval: ToldApproval, isApproved: boolean, at_ms: number, story: Story): void {
  const key = habitKey(approval, approval.token)
  const name = habitName(key)
  const habit = habitAfter(story.habits.get(name)?.habit, isApproved, at_ms)
  if (habit === undefined) story.habits.delete(name)
  else story.habits.set(name, { key, habit })
}

function habitKey({ action, resource }: ActionRequest, { token }: ToldToken): HabitKey {
  return { agent_id: token.agent_id, human_ref: token.human_ref, action, resource }
}

export function tellHabitEnd(leaf: Leaf, _place: Place, story: Story, telling: Telling): void {
  const name = habitName({
    agent_id: agentIn(leaf),
    human_ref: textIn(leaf, 'human_ref'),
    action: textIn(leaf, 'action'),
    resource: textIn(leaf, 'resource'),
  })
  if (!story.habits.delete(name)) telling.wrong.push('ends a habit that was none')
}

/** What an action that was allowed did with approvals: it used up the right one, or needed none. */
export function useApproval(
  leaf: Leaf,
  token: ToldToken,
  request: ActionRequest,
  at_ms: number,
  story: Story,
  telling: Telling,
): void {
  const approval_id = optionalTextIn(leaf, 'approval_id')
  if (needsApproval(request, token.chain) !== (approval_id !== undefined))
    telling.wrong.push(
      approval_id === undefined
        ? 'allows without an approval what needs one'
        : 'uses up an approval that was not needed',
    )
  if (approval_id === undefined) return
  const approval = story.approvals.get(approval_id)
  if (approval === undefined) throw new LeafError('uses an approval that was never given, or was used before')
  const isGood =
    approval.state === 'approved' &&
    at_ms < approval.expires_at_ms &&
    approval.token === token &&
    approval.action === request.action &&
    approval.resource === request.resource &&
    approval.spend_micro_usd === request.spend_micro_usd &&
    approval.metadata?.digest === leaf.metadata_digest
  if (!isGood) telling.wrong.push('uses an approval that was not given for exactly this')
  approval.used_by = textIn(leaf, 'aar_id')
  settle(approval, story, telling)
}

function settle(approval: ToldApproval, story: Story, telling: Telling): void {
  story.approvals.delete(approval.approval_id)
  telling.settled.push(approval)
}
