import { AuthorityError } from '@deputize/protocol'
import type { ManyCommand, Reply } from '../clerk/command.ts'
import type { AuthorizationOutcome } from '../clerk/judges/authorization.ts'
import { problemOf } from '../domain/problem.ts'
import { authorizeAnswer, authorizeCommand } from './authorize.ts'
import { carryOut, type Handler } from './operation-context.ts'
import { recordActionAnswer, recordActionCommand } from './record-action.ts'

export const authorizeBatch: Handler<'authorizeBatch'> = async (call, context) => {
  const items = call.body.items.map((item, index) => authorizeCommand(item, `/items/${index}`, call, context))
  const replies = await carryOut<Reply[]>({ kind: 'many', items } satisfies ManyCommand, call, context)
  return {
    items: replies.map((reply, index) =>
      itemOf(reply, (outcome: AuthorizationOutcome) =>
        authorizeAnswer(outcome, items[index]?.dry_run ?? false),
      ),
    ),
  }
}

export const recordBatch: Handler<'recordBatch'> = async (call, context) => {
  const items = call.body.items.map((item, index) =>
    recordActionCommand(item, `/items/${index}`, call, context),
  )
  const replies = await carryOut<Reply[]>({ kind: 'many', items } satisfies ManyCommand, call, context)
  return { items: replies.map((reply) => itemOf(reply, recordActionAnswer)) }
}

type Item<Answer> = { status: number; answer?: Answer; problem?: Record<string, unknown> }

/** What a lone call would have answered, status and all. */
export function itemOf<Outcome, Answer>(reply: Reply, answerOf: (outcome: Outcome) => Answer): Item<Answer> {
  try {
    return { status: 200, answer: answerOf(outcomeOf<Outcome>(reply)) }
  } catch (error) {
    if (!(error instanceof AuthorityError)) throw error
    const problem = problemOf(error)
    return { status: problem.status, problem }
  }
}

function outcomeOf<Outcome>(reply: Reply): Outcome {
  if ('refusal' in reply)
    throw new AuthorityError(reply.refusal.code, reply.refusal.detail, reply.refusal.members)
  if ('bug' in reply) throw new Error('an item of a batch could not be judged')
  return reply.outcome as Outcome // each caller names the outcome type of the judge that its commands go to
}
