import { type HabitKey, type HabitKind, habitName, isOfKind } from '../../domain/approvals/habit.ts'
import {
  type ExpectedApproval,
  type ExpectedToken,
  type LeafStep,
  type ReplayState,
  rootTokenOf,
} from './expected.ts'
import { LeafError, readAgentMember, readTextMember } from './leaf-reader.ts'
import { endUnbound } from './unbound-habits.ts'

/** The habit that a request belongs to. Here root tokens are identified by number. */
export function expectedHabitKey(
  token: ExpectedToken,
  { action, resource }: Pick<HabitKind, 'action' | 'resource'>,
  shape: string,
): HabitKey {
  const { agent_id, human_ref } = token.token
  return { agent_id, human_ref, action, resource, root_jti: String(rootTokenOf(token).token_key), shape }
}

/** The key of the habit that an approval belongs to. Undefined for a request from an earlier version. */
export function habitKeyOfApproval(approval: ExpectedApproval): HabitKey | undefined {
  return approval.shape === undefined ? undefined : expectedHabitKey(approval.token, approval, approval.shape)
}

/** Ends the habits of a kind, with their grants. False if there were none. */
export function endHabitsOf(kind: HabitKind, { habits }: ReplayState): boolean {
  const ended = [...habits.values()].filter(({ key }) => isOfKind(key, kind))
  for (const { key } of ended) habits.delete(habitName(key))
  return ended.length > 0
}

export function applyHabitEnd({ leaf, replay, effects }: LeafStep): void {
  const kind = {
    agent_id: readAgentMember(leaf),
    human_ref: readTextMember(leaf, 'human_ref'),
    action: readTextMember(leaf, 'action'),
    resource: readTextMember(leaf, 'resource'),
  }
  const endedUnbound = endUnbound(kind, replay.unbound_habits)
  if (!endHabitsOf(kind, replay) && !endedUnbound) effects.violations.push('ends a habit that does not exist')
}

export function applyGrantEnd({ leaf, at_ms, replay, effects }: LeafStep): void {
  const approval_id = readTextMember(leaf, 'approval_id')
  const found = [...replay.habits.values()].find(({ habit }) => habit.grant?.approval_id === approval_id)
  if (found?.habit.grant === undefined) throw new LeafError('ends a grant that does not exist')
  if (at_ms >= found.habit.grant.expires_at_ms) effects.violations.push('ends a grant that is over')
  replay.habits.set(habitName(found.key), { ...found, habit: { ...found.habit, grant: undefined } })
}
