import { type AnswerOf, AuthorityError, type OPERATIONS, withAdvice } from '@deputize/protocol'
import type { AuthorizationOutcome } from '../../clerk/judges/authorization.ts'
import { isoInstant } from '../../domain/times/time.ts'

/** Builds the answer of `authorize`. A denial is a normal answer, not an error. */
export function authorizeAnswer(
  outcome: AuthorizationOutcome,
  dry_run: boolean,
): AnswerOf<typeof OPERATIONS.authorize> {
  const { provenance_ref, human_ref, assurance_level, trust_score, delegation_depth } = outcome
  const authority = {
    trust_score,
    delegation_depth,
    provenance_ref,
    human_ref,
    assurance_level,
    ...(dry_run && { dry_run }),
  }
  if (!outcome.allowed) {
    // An outcome that an earlier version stored for a repeated request has no details.
    const { reasons, details = [], denial_id, approval_id, aar_id } = outcome
    const [reason] = reasons
    return {
      authorized: false,
      ...(aar_id !== undefined && { aar_id }),
      ...(reason !== undefined && { reason }),
      reasons: [...reasons],
      ...(details.length > 0 && { details: [...details] }),
      ...(denial_id !== undefined && { denial_id }),
      ...(approval_id !== undefined && { approval_id }),
      ...authority,
    }
  }
  const { aar_id, expires_at_ms } = outcome
  return {
    authorized: true,
    ...(aar_id !== undefined && { aar_id }),
    ...(expires_at_ms !== undefined && { expires_at: isoInstant(expires_at_ms) }),
    ...authority,
  }
}

/** Builds the answer of `recordAction`. Refuses only after the commit, so the denial that the error names is stored. */
export function recordActionAnswer(outcome: AuthorizationOutcome): AnswerOf<typeof OPERATIONS.recordAction> {
  const { provenance_ref, trust_score, delegation_depth } = outcome
  if (outcome.allowed && outcome.aar_id !== undefined) {
    return { recorded: true, aar_id: outcome.aar_id, provenance_ref, trust_score, delegation_depth }
  }
  throw outcome.allowed ? new Error('an action was allowed without a record') : notAllowedError(outcome)
}

function notAllowedError(outcome: Extract<AuthorizationOutcome, { allowed: false }>): AuthorityError {
  const { reasons, details = [], denial_id, approval_id, provenance_ref, trust_score } = outcome
  return new AuthorityError(
    'not_allowed',
    `${withAdvice('Not allowed', reasons, details)} No action was recorded.`,
    {
      recorded: false,
      reason: reasons[0],
      reasons,
      ...(details.length > 0 && { details }),
      ...(denial_id !== undefined && { denial_id }),
      ...(approval_id !== undefined && { approval_id }),
      provenance_ref,
      trust_score,
    },
  )
}
