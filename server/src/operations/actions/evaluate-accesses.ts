import { invalidField } from '@deputize/protocol'
import type { Handler, OperationCall } from '../operation-context.ts'
import { type AccessDecision, type AccessEvaluation, decideAccess } from './access-evaluation.ts'

type EvaluationsBody = OperationCall<'evaluateAccesses'>['body']
type EvaluationItem = NonNullable<EvaluationsBody['evaluations']>[number]

export const evaluateAccesses: Handler<'evaluateAccesses'> = async (call, context) => {
  const { evaluations, options, ...defaults } = call.body
  if (evaluations === undefined || evaluations.length === 0)
    return decideAccess(complete({}, defaults, ''), call, context)
  const items = evaluations.map((item, index) => complete(item, defaults, `/evaluations/${index}`))
  const decide = (item: AccessEvaluation, index: number) =>
    decideAccess(item, { ...call, idempotency_key: keyOf(call.idempotency_key, index) }, context)
  switch (options?.evaluations_semantic) {
    case 'deny_on_first_deny':
      return { evaluations: await untilDecision(items, decide, false) }
    case 'permit_on_first_permit':
      return { evaluations: await untilDecision(items, decide, true) }
    default:
      return { evaluations: await Promise.all(items.map(decide)) }
  }
}

/** Fills in an evaluation with the defaults for what it leaves out. */
function complete(item: EvaluationItem, defaults: EvaluationItem, pointer: string): AccessEvaluation {
  const { subject, action, resource, context } = { ...defaults, ...item }
  if (subject === undefined) throw invalidField(`${pointer}/subject`, 'is required')
  if (action === undefined) throw invalidField(`${pointer}/action`, 'is required')
  if (resource === undefined) throw invalidField(`${pointer}/resource`, 'is required')
  return { subject, action, resource, ...(context !== undefined && { context }) }
}

/** Returns the idempotency key of one evaluation, so that a repeated request repeats each answer. */
function keyOf(idempotency_key: string | undefined, index: number): string | undefined {
  return idempotency_key === undefined ? undefined : `${idempotency_key} ${index}`
}

/** Evaluates in turn until a decision equals `last`, which is the last one in the answer. */
async function untilDecision(
  items: readonly AccessEvaluation[],
  decide: (item: AccessEvaluation, index: number) => Promise<AccessDecision>,
  last: boolean,
): Promise<AccessDecision[]> {
  const decisions: AccessDecision[] = []
  for (const [index, item] of items.entries()) {
    const decision = await decide(item, index)
    decisions.push(decision)
    if (decision.decision === last) break
  }
  return decisions
}
