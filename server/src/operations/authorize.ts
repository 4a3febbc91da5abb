import type { AnswerOf, OPERATIONS } from '@deputize/protocol'
import type { AuthorizeCommand } from '../clerk/command.ts'
import type { AuthorizationOutcome } from '../clerk/judges/authorization.ts'
import { isoInstant } from '../domain/time.ts'
import { askCommand } from './ask.ts'
import {
  type Call,
  type CallEnvelope,
  carryOut,
  type Handler,
  type OperationContext,
} from './operation-context.ts'

export const authorize: Handler<'authorize'> = async (call, context) => {
  const command = authorizeCommand(call.body, '', call, context)
  return authorizeAnswer(await carryOut<AuthorizationOutcome>(command, call, context), command.dry_run)
}

export function authorizeCommand(
  body: Call<'authorize'>['body'],
  pointer: string,
  envelope: CallEnvelope,
  context: OperationContext,
): AuthorizeCommand {
  return {
    kind: 'authorize',
    ...askCommand(body, pointer, envelope, context),
    dry_run: body.dry_run ?? false,
    pending_ttl_ms: context.pending_ttl_ms,
  }
}

/** A no is an answer, not an error. */
export function authorizeAnswer(
  outcome: AuthorizationOutcome,
  dry_run: boolean,
): AnswerOf<typeof OPERATIONS.authorize> {
  const { provenance_ref, human_ref, assurance_level, trust_score, delegation_depth } = outcome
  const standing = {
    trust_score,
    delegation_depth,
    provenance_ref,
    human_ref,
    assurance_level,
    ...(dry_run && { dry_run }),
  }
  if (!outcome.allowed) {
    const { reasons, denial_id, approval_id } = outcome
    const [reason] = reasons
    return {
      authorized: false,
      ...(reason !== undefined && { reason }),
      reasons: [...reasons],
      ...(denial_id !== undefined && { denial_id }),
      ...(approval_id !== undefined && { approval_id }),
      ...standing,
    }
  }
  const { aar_id, expires_at_ms } = outcome
  return {
    authorized: true,
    ...(aar_id !== undefined && { aar_id }),
    ...(expires_at_ms !== undefined && { expires_at: isoInstant(expires_at_ms) }),
    ...standing,
  }
}
