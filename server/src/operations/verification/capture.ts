import { invalidField } from '@deputize/protocol'
import type { IssueOutcome } from '../../clerk/judges/issue.ts'
import { biometricId } from '../biometric-entries.ts'
import { mintToken } from '../minting.ts'
import {
  canonicalDigest,
  type Handler,
  type OperationCall,
  type OperationContext,
} from '../operation-context.ts'
import { reviewedLimits } from '../reviewed-limits.ts'
import { rootClaims } from '../root-claims.ts'
import { type VerificationDocument, verificationIdOf, verificationView } from '../views/verification-view.ts'
import { keepConsent } from './biometric-consent.ts'
import { type CaptureSession, findSession } from './capture-sessions.ts'
import { type FreshJudgement, type JudgedSession, judgeSession, TOKEN_WINDOW_MS } from './judge-session.ts'
import { callerOf } from './session-opener.ts'

type CaptureBody = OperationCall<'capture'>['body']

export const capture: Handler<'capture'> = async (call, context) => {
  const { body, caller } = call
  const request = tokenRequestOf(body)
  if (request !== undefined) await assertIssuable(request, body.session_id, context)
  const judged = await judgeSession(body, 'verify', (...pass) => keepNewConsent(...pass, context), context)
  const { document } = judged
  const token =
    request === undefined || document.decision !== 'pass'
      ? undefined
      : await issuedToken(request, judged, context)
  return {
    ...verificationView(document, caller.role),
    attempts_left: document.attempts_left,
    ...(token !== undefined && { token }),
  }
}

/** A person who agreed to another text before has agreed to the current one for this session. */
async function keepNewConsent(
  session: CaptureSession,
  { known }: FreshJudgement,
  context: OperationContext,
): Promise<void> {
  if (known !== undefined) await keepConsent(session, known, session.consent, context)
}

type L3Request = CaptureBody & Required<Pick<CaptureBody, 'agent_id' | 'resources' | 'actions'>>

/** Undefined when the call asks for no token. */
function tokenRequestOf(body: CaptureBody): L3Request | undefined {
  const { agent_id, resources, actions } = body
  if (agent_id === undefined && resources === undefined && actions === undefined) return undefined
  if (agent_id === undefined) throw invalidField('/agent_id', 'is required with resources and actions')
  if (resources === undefined) throw invalidField('/resources', 'is required with agent_id')
  if (actions === undefined) throw invalidField('/actions', 'is required with agent_id')
  return { ...body, agent_id, resources, actions }
}

/** A capture works once, so a request that can never be issued is refused before it is judged. */
async function assertIssuable(
  request: L3Request,
  session_id: string,
  context: OperationContext,
): Promise<void> {
  const session = await findSession(session_id, context)
  if (session !== undefined) claimsOf(request, session, undefined, context)
}

function claimsOf(
  request: L3Request,
  { tenant_id, human_ref }: { readonly tenant_id: string; readonly human_ref: string },
  document: VerificationDocument | undefined,
  context: OperationContext,
) {
  const proof = document === undefined ? {} : { svc_verification: verificationClaim(document) }
  const person = { tenant_id, assurance_level: 'L3', human_ref, email_verified: false, proof } as const
  return rootClaims(request, person, context)
}

function verificationClaim(document: VerificationDocument) {
  const { session_id, modalities, verified_at } = document
  return {
    id: verificationIdOf(session_id),
    methods: modalities.filter(({ passed }) => passed).map(({ name }) => name),
    verified_at: Math.floor(Date.parse(verified_at) / 1000),
    provider: 'builtin',
  }
}

/**
 * The token of a capture that passed. It is issued once: the same call again gets the stored answer. The session stands
 * for the caller who opened it, and so does the token.
 */
async function issuedToken(
  request: L3Request,
  { document, session, tenant_id }: JudgedSession,
  context: OperationContext,
): Promise<IssueOutcome | undefined> {
  if (session === undefined || context.clock() - Date.parse(document.verified_at) > TOKEN_WINDOW_MS)
    return undefined
  const { human_ref, session_id, fingerprint } = document
  const claims = claimsOf(request, { tenant_id, human_ref }, document, context)
  const minted = await mintToken(claims, callerOf(session.opened_by), context)
  const replay = { key: canonicalDigest(['capture', session_id]), fingerprint }
  const template_id = biometricId({ tenant_id, human_ref })
  const inner_limits = await reviewedLimits(tenant_id, document.duress === 1, context)
  const command = {
    kind: 'issue',
    purpose: request.purpose,
    template_id,
    ...minted,
    inner_limits,
    replay,
  } as const
  const { outcome } = await context.clerk.submit(command)
  return outcome as IssueOutcome // the outcome type of this command's judge
}
