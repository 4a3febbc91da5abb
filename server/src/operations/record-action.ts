import { type AnswerOf, AuthorityError, newSuffix, type OPERATIONS, toMicroUsd } from '@deputy/protocol'
import type { RecordActionCommand } from '../clerk/command.ts'
import type { AskOutcome } from '../clerk/judges/ask.ts'
import { keepMetadata } from './metadata.ts'
import {
  type Call,
  type CallEnvelope,
  carryOut,
  type Handler,
  type OperationContext,
} from './operation-context.ts'

export const recordAction: Handler<'recordAction'> = async (call, context) => {
  const command = recordActionCommand(call.body, '', call, context)
  return recordActionAnswer(await carryOut<AskOutcome>(command, call, context))
}

export function recordActionCommand(
  body: Call<'recordAction'>['body'],
  pointer: string,
  { trace_id }: CallEnvelope,
  { clock, keys }: OperationContext,
): RecordActionCommand {
  return {
    kind: 'record_action',
    suffix: newSuffix(clock()),
    vat_jti: body.vat_jti,
    action: body.action,
    resource: body.resource,
    spend_micro_usd: toMicroUsd(body.spend_usd ?? 0),
    parent_aar_id: body.parent_aar_id,
    trace_id,
    result: body.result,
    result_hash: body.result_hash,
    ...keepMetadata(body.metadata, `${pointer}/metadata`, keys),
  }
}

/** The refusal comes after the commit, so that the denial it names has been kept. */
export function recordActionAnswer(outcome: AskOutcome): AnswerOf<typeof OPERATIONS.recordAction> {
  const { provenance_ref, trust_score, delegation_depth } = outcome
  if (outcome.allowed && outcome.aar_id !== undefined) {
    return { recorded: true, aar_id: outcome.aar_id, provenance_ref, trust_score, delegation_depth }
  }
  const reasons = outcome.allowed ? [] : outcome.reasons
  throw new AuthorityError(
    'not_allowed',
    `The token does not allow this: ${reasons.join(', ')}. Nothing was recorded as done.`,
    {
      recorded: false,
      reason: reasons[0],
      reasons,
      denial_id: outcome.allowed ? undefined : outcome.denial_id,
      provenance_ref,
      trust_score,
    },
  )
}
