import { setTimeout as sleep } from 'node:timers/promises'
import { type AnswerOf, AuthorityError, type OPERATIONS, shownAgent, toUsd } from '@deputize/protocol'
import type { Caller } from '../access/caller.ts'
import type { DecideApprovalCommand, Reply } from '../clerk/command.ts'
import { currentState, type Habit, type HabitKey, type StoredApproval } from '../domain/approval.ts'
import { isoInstant } from '../domain/time.ts'
import { itemOf } from './batches.ts'
import { type Call, carryOut, type Handler, type OperationContext } from './operation-context.ts'
import { emptyPage, pageAnswer, pageRequest, timeRange } from './pages.ts'
import { agentSeen, sightOf } from './sight.ts'

const POLL_MS = 100

export const listApprovals: Handler<'listApprovals'> = async ({ caller, query }, { reader, clock }) => {
  const sight = sightOf(caller, query)
  if (sight === undefined) return emptyPage()
  const { state, assurance_level, provenance_ref } = query
  const filter = { ...sight, state, assurance_level, provenance_ref, ...timeRange(query) }
  return pageAnswer(await reader.approvals(filter, pageRequest(query), clock()), (one) =>
    approvalView(one, clock()),
  )
}

/** Waits while a human has not decided, but never past the end of the service or the patience of the caller. */
export const getApproval: Handler<'getApproval'> = async (
  { params, query },
  { reader, clock, isShuttingDown },
) => {
  const end = performance.now() + (query.wait ?? 0) * 1000
  for (;;) {
    const approval = await reader.approval(params.id)
    if (approval === undefined) throw new AuthorityError('approval_unknown')
    const isOpen = currentState(approval, clock()) === 'pending'
    if (!isOpen || performance.now() >= end || isShuttingDown()) return approvalView(approval, clock())
    await sleep(POLL_MS)
  }
}

export const approve: Handler<'approve'> = (call, context) => decide('approved', call, context)

export const deny: Handler<'deny'> = (call, context) => decide('denied', call, context)

async function decide(
  decision: 'approved' | 'denied',
  call: Call<'approve'> | Call<'deny'>,
  context: OperationContext,
) {
  const command = decisionCommand(call.params.id, decision, call.body.note, call.caller)
  return approvalView(await carryOut<StoredApproval>(command, call, context), context.clock())
}

export const decideApprovals: Handler<'decideApprovals'> = async (call, context) => {
  const items = call.body.items.map(({ approval_id, decision, note }) =>
    decisionCommand(approval_id, decision, note, call.caller),
  )
  const replies = await carryOut<Reply[]>({ kind: 'many', items }, call, context)
  return {
    items: replies.map((reply) =>
      itemOf<StoredApproval, Approval>(reply, (one) => approvalView(one, context.clock())),
    ),
  }
}

export const listHabits: Handler<'listHabits'> = async ({ caller, query }, { reader }) => {
  const sight = sightOf(caller, query)
  return { data: sight === undefined ? [] : (await reader.habits(sight)).map(habitView) }
}

export function habitView({ last_human_ms, ...habit }: HabitKey & Habit) {
  return { ...habit, agent_id: shownAgent(habit.agent_id), last_human_at: isoInstant(last_human_ms) }
}

export const endHabit: Handler<'endHabit'> = async (call, context) =>
  carryOut<{ ended: boolean }>(
    { kind: 'end_habit', key: { ...call.body, agent_id: agentSeen(call.caller, call.body.agent_id) } },
    call,
    context,
  )

function decisionCommand(
  approval_id: string,
  decision: 'approved' | 'denied',
  note: string | undefined,
  caller: Caller,
): DecideApprovalCommand {
  const by = caller.role === 'human' ? caller.human_ref : 'human'
  return { kind: 'decide_approval', approval_id, decision, by, note }
}

type Approval = AnswerOf<typeof OPERATIONS.getApproval>

export function approvalView(approval: StoredApproval, now_ms: number): Approval {
  return {
    approval_id: approval.approval_id,
    state: currentState(approval, now_ms),
    vat_jti: approval.vat_jti,
    provenance_ref: approval.provenance_ref,
    agent_id: shownAgent(approval.agent_id),
    human_ref: approval.human_ref,
    assurance_level: approval.assurance_level,
    action: approval.action,
    resource: approval.resource,
    spend_usd: toUsd(approval.spend_micro_usd),
    created_at: isoInstant(approval.created_at_ms),
    expires_at: isoInstant(approval.expires_at_ms),
    log_index: approval.log_index,
    ...(approval.metadata !== undefined && { metadata: JSON.parse(approval.metadata) }),
    ...(approval.decided_at_ms !== undefined && { decided_at: isoInstant(approval.decided_at_ms) }),
    ...(approval.decided_by !== undefined && { decided_by: approval.decided_by }),
    ...(approval.decided_log_index !== undefined && { decided_log_index: approval.decided_log_index }),
    ...(approval.note !== undefined && { note: approval.note }),
    ...(approval.used_by !== undefined && { used_by: approval.used_by }),
    ...(approval.erased && { erased: true }),
  }
}
