import { type AnswerOf, AuthorityError, type OPERATIONS } from '@deputize/protocol'
import type { RecordActionCommand } from '../clerk/command.ts'
import type { AuthorizationOutcome } from '../clerk/judges/authorization.ts'
import { askCommand } from './ask.ts'
import {
  type Call,
  type CallEnvelope,
  carryOut,
  type Handler,
  type OperationContext,
} from './operation-context.ts'

export const recordAction: Handler<'recordAction'> = async (call, context) => {
  const command = recordActionCommand(call.body, '', call, context)
  return recordActionAnswer(await carryOut<AuthorizationOutcome>(command, call, context))
}

export function recordActionCommand(
  body: Call<'recordAction'>['body'],
  pointer: string,
  envelope: CallEnvelope,
  context: OperationContext,
): RecordActionCommand {
  const { result, result_hash } = body
  return { kind: 'record_action', ...askCommand(body, pointer, envelope, context), result, result_hash }
}

/** The refusal comes after the commit, so that the denial it names has been kept. */
export function recordActionAnswer(outcome: AuthorizationOutcome): AnswerOf<typeof OPERATIONS.recordAction> {
  const { provenance_ref, trust_score, delegation_depth } = outcome
  if (outcome.allowed && outcome.aar_id !== undefined) {
    return { recorded: true, aar_id: outcome.aar_id, provenance_ref, trust_score, delegation_depth }
  }
  throw outcome.allowed ? new Error('an action was allowed without a record') : refusalOf(outcome)
}

function refusalOf(outcome: Extract<AuthorizationOutcome, { allowed: false }>): AuthorityError {
  const { reasons, denial_id, approval_id, provenance_ref, trust_score } = outcome
  return new AuthorityError(
    'not_allowed',
    `The token does not allow this: ${reasons.join(', ')}. Nothing was recorded as done.`,
    {
      recorded: false,
      reason: reasons[0],
      reasons,
      ...(denial_id !== undefined && { denial_id }),
      ...(approval_id !== undefined && { approval_id }),
      provenance_ref,
      trust_score,
    },
  )
}
