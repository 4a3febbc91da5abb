/**
 * Habits of earlier versions, which had no root, shape or amounts. Leaves of their requests stay valid under the rules
 * of their time. The tables no longer contain these habits.
 */
import { requiredBy } from '../../domain/approvals/approval.ts'
import { HABIT_ENDS_MS, type HabitKind } from '../../domain/approvals/habit.ts'
import type { ExpectedApproval, UnboundHabits } from './expected.ts'

const ASK_EVERY = 10

/** Counts an automatic approval. False if the habit didn't allow it. */
export function followUnbound(approval: ExpectedApproval, habits: UnboundHabits, at_ms: number): boolean {
  const habit = habits.get(kindName(kindOf(approval)))
  if (habit === undefined) return false
  const isDue = habit.auto_approvals % ASK_EVERY === ASK_EVERY - 1
  const isOver = at_ms - habit.last_human_ms >= HABIT_ENDS_MS
  habit.auto_approvals += 1
  if (isDue || isOver) return false
  return requiredBy(approval, approval.token.chain).every(
    ({ auto_approve_after = Number.POSITIVE_INFINITY }) => habit.approvals >= auto_approve_after,
  )
}

/** Applies a person's decision: an approval counts, a denial ends the habit. */
export function decideUnbound(
  approval: ExpectedApproval,
  isApproved: boolean,
  habits: UnboundHabits,
  at_ms: number,
): void {
  const name = kindName(kindOf(approval))
  if (!isApproved) {
    habits.delete(name)
    return
  }
  const { approvals, auto_approvals } = habits.get(name) ?? { approvals: 0, auto_approvals: 0 }
  // A person has just decided the tenth action, so the count moves past it.
  const passed = auto_approvals % ASK_EVERY === ASK_EVERY - 1 ? auto_approvals + 1 : auto_approvals
  habits.set(name, { approvals: approvals + 1, auto_approvals: passed, last_human_ms: at_ms })
}

export function endUnbound(kind: HabitKind, habits: UnboundHabits): boolean {
  return habits.delete(kindName(kind))
}

export function eraseUnbound(human_ref: string, habits: UnboundHabits): void {
  for (const name of habits.keys()) if (JSON.parse(name)[1] === human_ref) habits.delete(name)
}

function kindName({ agent_id, human_ref, action, resource }: HabitKind): string {
  return JSON.stringify([agent_id, human_ref, action, resource])
}

function kindOf({ token, action, resource }: ExpectedApproval): HabitKind {
  const { agent_id, human_ref } = token.token
  return { agent_id, human_ref, action, resource }
}
