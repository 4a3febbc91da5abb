import { AuthorityError } from '@deputize/protocol'
import type { Reply } from '../../clerk/command.ts'
import { problemBody } from '../../domain/problem.ts'

interface BatchItem<View> {
  status: number
  answer?: View
  problem?: Record<string, unknown>
}

/** Returns the status and body that the item would have had as a single call. */
export function batchItem<Outcome, View>(reply: Reply, viewOf: (outcome: Outcome) => View): BatchItem<View> {
  try {
    return { status: 200, answer: viewOf(replyOutcome<Outcome>(reply)) }
  } catch (error) {
    if (!(error instanceof AuthorityError)) throw error
    const problem = problemBody(error)
    return { status: problem.status, problem }
  }
}

function replyOutcome<Outcome>(reply: Reply): Outcome {
  if ('refusal' in reply)
    throw new AuthorityError(reply.refusal.code, reply.refusal.detail, reply.refusal.members)
  if ('bug' in reply) throw new Error('an item of a batch could not be judged')
  return reply.outcome as Outcome // each caller names the outcome type of the judge that its commands go to
}
