/** The token of a capture that passed. */
import {
  type Claims,
  EXTERNAL_MODALITIES,
  type Level,
  newId,
  VERIFICATION_MODALITIES,
} from '@deputize/protocol'
import type { IssueOutcome } from '../../../clerk/judges/issue.ts'
import { MAX_OPENINGS } from '../../../domain/verification/hosted-session.ts'
import { BUILTIN_PROVIDER } from '../../../domain/verification/provider-choice.ts'
import type { SessionCheck } from '../../external/open-check.ts'
import { biometricId, type EnrolledPerson } from '../../identity/biometric-entries.ts'
import { assertMintable, mintToken } from '../../minting/minting.ts'
import { reviewedLimits } from '../../minting/reviewed-limits.ts'
import { rootClaims } from '../../minting/root-claims.ts'
import type { OperationCall, OperationContext } from '../../operation-context.ts'
import { canonicalDigest } from '../../submit-command.ts'
import { type VerificationDocument, verificationIdOf } from '../../views/verification-view.ts'
import type { SessionOpener } from './capture-sessions.ts'
import { type JudgedSession, TOKEN_WINDOW_MS } from './judge-session.ts'
import { callerOf } from './session-opener.ts'

type CaptureBody = OperationCall<'capture'>['body']

/** The token that a capture or a prepared session requests. */
export type L3Request = Pick<
  CaptureBody,
  'constraints' | 'expires_in' | 'audience' | 'agent_jwk' | 'policy_assertions' | 'purpose'
> &
  Required<Pick<CaptureBody, 'agent_id' | 'resources' | 'actions'>>

/** Who verifies the person of a session, and the level of the token. */
export type SessionVerifier = Pick<SessionCheck, 'provider' | 'level'>

/**
 * Refuses a token that couldn't be issued if the person passed now, before they are asked to do anything. A refusal
 * after a capture would waste it, because it works only once.
 */
export async function assertIssuable(
  request: L3Request,
  { tenant_id, human_ref }: EnrolledPerson,
  external: SessionVerifier | undefined,
  opener: SessionOpener,
  context: OperationContext,
): Promise<void> {
  const person = { tenant_id, human_ref, level: external?.level ?? 'L3' }
  const claims = claimsOf(request, person, verificationNow(external, context), context)
  await assertMintable(claims, callerOf(opener), context)
}

function claimsOf(
  request: L3Request,
  { tenant_id, human_ref, level }: EnrolledPerson & { readonly level: Level },
  svc_verification: VerificationClaim,
  context: OperationContext,
) {
  const proof = { svc_verification }
  const person = { tenant_id, assurance_level: level, human_ref, email_verified: false, proof } as const
  return rootClaims(request, person, context)
}

type VerificationClaim = NonNullable<Claims['svc_verification']>

/** Returns the longest claim that the person gets if they pass now. */
function verificationNow(
  external: SessionVerifier | undefined,
  { clock }: OperationContext,
): VerificationClaim {
  const now_ms = clock()
  return {
    id: verificationIdOf(newId('verification_session', now_ms), MAX_OPENINGS),
    methods: [...(external === undefined ? VERIFICATION_MODALITIES : EXTERNAL_MODALITIES)],
    verified_at: Math.floor(now_ms / 1000),
    provider: external?.provider ?? BUILTIN_PROVIDER,
  }
}

function verificationClaim(document: VerificationDocument): VerificationClaim {
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
  const claims = claimsOf(request, { tenant_id, human_ref, level }, verificationClaim(document), context)
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
