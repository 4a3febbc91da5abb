/** The token of a capture that passed. */
import type { Level } from '@deputize/protocol'
import type { IssueOutcome } from '../../../clerk/judges/issue.ts'
import { BUILTIN_PROVIDER } from '../../../domain/verification/provider-choice.ts'
import { biometricId, type EnrolledPerson } from '../../identity/biometric-entries.ts'
import { mintToken } from '../../minting/minting.ts'
import { reviewedLimits } from '../../minting/reviewed-limits.ts'
import { rootClaims } from '../../minting/root-claims.ts'
import type { OperationCall, OperationContext } from '../../operation-context.ts'
import { canonicalDigest } from '../../submit-command.ts'
import { type VerificationDocument, verificationIdOf } from '../../views/verification-view.ts'
import { type JudgedSession, TOKEN_WINDOW_MS } from './judge-session.ts'
import { callerOf } from './session-opener.ts'

type CaptureBody = OperationCall<'capture'>['body']

/** The token that a capture or a prepared session requests. */
export type L3Request = Pick<
  CaptureBody,
  'constraints' | 'expires_in' | 'audience' | 'agent_jwk' | 'policy_assertions' | 'purpose'
> &
  Required<Pick<CaptureBody, 'agent_id' | 'resources' | 'actions'>>

/** Refuses a request that can never be issued before anything is judged, because a capture works only once. */
export function assertIssuable(
  request: L3Request,
  person: EnrolledPerson,
  external: { readonly level: Level } | undefined,
  context: OperationContext,
): void {
  claimsOf(request, { ...person, level: external?.level ?? 'L3' }, undefined, context)
}

function claimsOf(
  request: L3Request,
  { tenant_id, human_ref, level }: EnrolledPerson & { readonly level: Level },
  document: VerificationDocument | undefined,
  context: OperationContext,
) {
  const proof = document === undefined ? {} : { svc_verification: verificationClaim(document) }
  const person = { tenant_id, assurance_level: level, human_ref, email_verified: false, proof } as const
  return rootClaims(request, person, context)
}

function verificationClaim(document: VerificationDocument) {
  const { session_id, opening, modalities, verified_at, external } = document
  return {
    id: verificationIdOf(session_id, opening),
    methods: modalities.filter(({ passed }) => passed).map(({ name }) => name),
    verified_at: Math.floor(Date.parse(verified_at) / 1000),
    provider: external?.provider ?? BUILTIN_PROVIDER,
  }
}

/**
 * Issues the token once: a repeated call gets the stored answer. The session acts for the caller that opened it, and so
 * does the token. Undefined if the session is forgotten or was judged too long ago.
 */
export async function issuedToken(
  request: L3Request,
  { document, session, tenant_id }: Omit<JudgedSession, 'judged'>,
  context: OperationContext,
): Promise<IssueOutcome | undefined> {
  if (session === undefined || context.clock() - Date.parse(document.verified_at) > TOKEN_WINDOW_MS)
    return undefined
  const { human_ref, session_id, fingerprint, external } = document
  const level = external?.level ?? 'L3'
  const claims = claimsOf(request, { tenant_id, human_ref, level }, document, context)
  const minted = await mintToken(claims, callerOf(session.opened_by), context)
  const replay = { key: canonicalDigest(['capture', session_id]), fingerprint }
  const restsOn =
    external === undefined
      ? { template_id: biometricId({ tenant_id, human_ref }) }
      : { check_id: external.check_id }
  const inner_limits =
    level === 'L3' ? await reviewedLimits(tenant_id, document.duress === 1, context) : undefined
  const command = {
    kind: 'issue',
    purpose: request.purpose,
    ...restsOn,
    ...minted,
    inner_limits,
    replay,
  } as const
  const { outcome } = await context.clerk.submit(command)
  return outcome as IssueOutcome // the outcome type of this command's judge
}
