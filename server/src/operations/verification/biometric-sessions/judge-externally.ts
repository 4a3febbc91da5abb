/** Finishes a session whose person was verified by an external provider: its decision, and the person's own passkey. */
import { AuthorityError } from '@deputize/protocol'
import { EMPTY_DURESS_SLOT } from '../../../verification/duress-slot.ts'
import { type ExternalCheck, type ExternalStatus, isFinal } from '../../../verification/external/verdict.ts'
import { type CheckDocument, findCheck, type KnownCheck } from '../../external/check-entries.ts'
import { EXTERNAL_REASON_TEXTS } from '../../external/external-reason-texts.ts'
import type { SessionCheck } from '../../external/open-check.ts'
import { providerRefusal } from '../../external/provider-refusal.ts'
import { refreshCheck } from '../../external/refresh-check.ts'
import type { OperationContext } from '../../operation-context.ts'
import type { VerificationDocument } from '../../views/verification-view.ts'
import { captureBinding, needsPasskey } from './capture-binding.ts'
import { type PasskeyAnswer, provesPasskey } from './capture-passkey.ts'
import { assertNotCancelled, type CaptureSession } from './capture-sessions.ts'
import { addVerification, attemptsOf, nowText } from './verification-entries.ts'

interface FinishCall {
  readonly nonce: string
  readonly passkey?: PasskeyAnswer | undefined
}

const DECISIONS = {
  pass: 'pass',
  fail: 'fail',
  withdrawn: 'fail',
  retry: 'retry',
  expired: 'retry',
} as const satisfies Partial<Record<ExternalStatus, VerificationDocument['decision']>>

/**
 * Fetches the decision now, whatever a callback or a poll reported before. Only a pass needs the passkey: it confirms
 * this session and the token that it is for.
 */
export async function judgeExternally(
  session: CaptureSession,
  sessionCheck: SessionCheck,
  body: FinishCall,
  fingerprint: string,
  context: OperationContext,
): Promise<VerificationDocument> {
  const { document: check } = await currentCheck(sessionCheck, context)
  const decision = decisionOf(check)
  if (decision === 'pass') await assertConfirmed(session, body, context)
  // The provider may be slow, and the person may have given up meanwhile.
  await assertNotCancelled(session, context)
  const document = await judgedDocument(session, sessionCheck, check, decision, fingerprint, context)
  // A crash after this line leaves a judged session that is still open: judging it again is refused here.
  await addVerification(session, document, EMPTY_DURESS_SLOT, context)
  return document
}

async function currentCheck(
  { check_id, provider }: SessionCheck,
  context: OperationContext,
): Promise<KnownCheck> {
  const known = await findCheck(check_id, context)
  if (known === undefined) throw new AuthorityError('session_unknown')
  try {
    return await refreshCheck(known, context)
  } catch (error) {
    throw providerRefusal(provider, error)
  }
}

function decisionOf({ status, fallen, provider }: CheckDocument): VerificationDocument['decision'] {
  if (fallen !== undefined) return 'fail'
  if (isFinal(status) && status !== 'pending' && status !== 'review') return DECISIONS[status]
  throw new AuthorityError(
    'verification_pending',
    status === 'review'
      ? `${provider} is reviewing this manually. Watch the session, and finish it once the provider has decided.`
      : `${provider} has not decided yet. Let the person finish there, then send this call again.`,
    { provider_status: status, retry_after_s: 2 },
  )
}

async function assertConfirmed(
  session: CaptureSession,
  body: FinishCall,
  context: OperationContext,
): Promise<void> {
  const is_needed = await needsPasskey(session, context)
  const binding = captureBinding(session, [], body)
  await provesPasskey(body.passkey, binding, { person: session, caller: undefined, is_needed }, context)
}

async function judgedDocument(
  { session_id, nonce_hash, purpose, human_ref, tenant_id, hosted }: CaptureSession,
  { check_id, kind }: SessionCheck,
  check: CheckDocument,
  decision: VerificationDocument['decision'],
  fingerprint: string,
  context: OperationContext,
): Promise<VerificationDocument> {
  const { attempts_left } = await attemptsOf({ tenant_id, human_ref }, context)
  return {
    session_id,
    ...(hosted !== undefined && hosted.opening > 1 && { opening: hosted.opening }),
    nonce_hash,
    fingerprint,
    purpose,
    human_ref,
    decision,
    modalities: modalitiesOf(check, kind),
    score: decision === 'pass' ? 1 : 0,
    evidence_hash: check.raw_hash,
    engine_version: kind,
    attempts_left: decision === 'fail' ? Math.max(0, attempts_left - 1) : attempts_left,
    verified_at: nowText(context),
    external: {
      provider: check.provider,
      level: check.level,
      check_id,
      reasons: check.reasons.map((reason) => EXTERNAL_REASON_TEXTS[reason]),
    },
    duress: 0,
  }
}

function modalitiesOf({ checks }: CheckDocument, kind: string): VerificationDocument['modalities'] {
  const names = Object.keys(checks) as ExternalCheck[] // the keys of a record with these keys
  return names.map((name) => {
    const passed = checks[name] === true
    return { name, passed, method: kind, reasons: [], score: passed ? 1 : 0, measures: {} }
  })
}
