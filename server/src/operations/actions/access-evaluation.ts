import {
  AuthorityError,
  type AuthzenReason,
  adviceOn,
  ERRORS,
  isTokenId,
  shownAgent,
  TEXT_FORMATS,
  withoutAgentPrefix,
} from '@deputize/protocol'
import type { AuthorizationOutcome } from '../../clerk/judges/authorization.ts'
import { isoInstant } from '../../domain/times/time.ts'
import type { CallEnvelope, OperationCall, OperationContext } from '../operation-context.ts'
import { submitCommand } from '../submit-command.ts'
import { authorizeCommand } from './authorization-command.ts'

export type AccessEvaluation = OperationCall<'evaluateAccess'>['body']
export type AccessDecision = {
  decision: boolean
  context: {
    id?: AuthzenReason
    reason_admin?: Record<string, string>
    reason_user?: Record<string, string>
    details?: Extract<AuthorizationOutcome, { allowed: false }>['details'][number][]
    error?: { status: number; message: string }
    aar_id?: string
    expires_at?: string
    denial_id?: string
    approval_id?: string
    provenance_ref?: string
    trust_score?: number
  }
}

/** Decides one AuthZEN evaluation with the judge of `authorize`. Anything unknown is a denial, not an error. */
export async function decideAccess(
  evaluation: AccessEvaluation,
  call: CallEnvelope,
  context: OperationContext,
): Promise<AccessDecision> {
  const subject = await tokenOfSubject(evaluation, context)
  if ('reason' in subject) return denied([subject.reason])
  const request = requestOf(evaluation, subject.vat_jti)
  const malformed = malformedReasons(request)
  if (malformed.length > 0) return denied(malformed)
  try {
    const command = authorizeCommand(request, call, context, '/action/properties')
    const outcome = await submitCommand<AuthorizationOutcome>(
      command,
      { ...call, params: undefined, body: request },
      context,
    )
    return decisionOf(outcome)
  } catch (error) {
    if (!(error instanceof AuthorityError) || ERRORS[error.code].status >= 500) throw error
    return {
      decision: false,
      context: { error: { status: ERRORS[error.code].status, message: error.message } },
    }
  }
}

/** Returns the token that a subject acts with, or why there is none. The access table points at the same two places. */
async function tokenOfSubject(
  { subject }: AccessEvaluation,
  { reader }: OperationContext,
): Promise<{ readonly vat_jti: string } | { readonly reason: AuthzenReason }> {
  if (subject.type === 'token')
    return isTokenId(subject.id) ? known(subject.id) : { reason: 'subject_unknown' }
  if (subject.type !== 'agent') return { reason: 'subject_unknown' }
  const vat_jti = subject.properties?.vat_jti
  if (vat_jti === undefined) return { reason: 'token_required' }
  return known(vat_jti, shownAgent(withoutAgentPrefix(subject.id)))

  async function known(jti: string, agent?: string) {
    const chain = await reader.standing.chain(jti)
    if (chain === undefined) return { reason: 'subject_unknown' as const }
    if (agent !== undefined && chain[0].token.claims.sub !== agent)
      return { reason: 'subject_mismatch' as const }
    return { vat_jti: jti }
  }
}

function requestOf({ action, resource, context = {} }: AccessEvaluation, vat_jti: string) {
  const { record, spend_usd, approval_id, parent_aar_id } = context
  return {
    vat_jti,
    action: action.name,
    resource: `${resource.type}:${resource.id}`,
    dry_run: record !== true,
    ...(action.properties !== undefined && { metadata: action.properties }),
    ...(spend_usd !== undefined && { spend_usd }),
    ...(approval_id !== undefined && { approval_id }),
    ...(parent_aar_id !== undefined && { parent_aar_id }),
  }
}

/** Returns the reasons for names outside the grammar: no scope can contain them. They are never stored. */
function malformedReasons({ action, resource }: ReturnType<typeof requestOf>): AuthzenReason[] {
  return [
    ...(TEXT_FORMATS.action.check(action) ? [] : (['action_not_in_scope'] as const)),
    ...(TEXT_FORMATS.resource.check(resource) ? [] : (['resource_not_in_scope'] as const)),
  ]
}

function decisionOf(outcome: AuthorizationOutcome): AccessDecision {
  const { provenance_ref, trust_score } = outcome
  if (!outcome.allowed) {
    const { reasons, details, denial_id, approval_id, aar_id } = outcome
    const { context } = denied(reasons)
    return {
      decision: false,
      context: {
        ...context,
        ...(details.length > 0 && { details: [...details] }),
        ...(aar_id !== undefined && { aar_id }),
        ...(denial_id !== undefined && { denial_id }),
        ...(approval_id !== undefined && { approval_id }),
        provenance_ref,
        trust_score,
      },
    }
  }
  const { aar_id, expires_at_ms } = outcome
  return {
    decision: true,
    context: {
      ...(aar_id !== undefined && { aar_id }),
      ...(expires_at_ms !== undefined && { expires_at: isoInstant(expires_at_ms) }),
      provenance_ref,
      trust_score,
    },
  }
}

function denied(reasons: readonly AuthzenReason[]): AccessDecision {
  const [id] = reasons
  return {
    decision: false,
    context: {
      ...(id !== undefined && { id }),
      reason_admin: { en: reasons.join(', ') },
      reason_user: { en: reasons.map(adviceOn).join(' ') },
    },
  }
}
