import { createHash } from 'node:crypto'
import { AuthorityError, canonicalJson, invalidField, type VerificationPurpose } from '@deputize/protocol'
import { MINUTE_MS } from '../../../domain/times/time.ts'
import { dueStep, dueStepId } from '../../../domain/verification/capture-session.ts'
import { MAX_OPENINGS } from '../../../domain/verification/hosted-session.ts'
import type { CaptureJudgement, StepEvidence } from '../../../verification/biometric-engine.ts'
import { EMPTY_DURESS_SLOT, isDuress } from '../../../verification/duress-slot.ts'
import type { SessionCheck } from '../../external/open-check.ts'
import { type KnownBiometric, templateOf } from '../../identity/biometric-entries.ts'
import type { OperationCall, OperationContext } from '../../operation-context.ts'
import { canonicalDigest } from '../../submit-command.ts'
import { type VerificationDocument, verificationIdOf } from '../../views/verification-view.ts'
import { assertOwnRequest, boundRequest, captureBinding, needsPasskey } from './capture-binding.ts'
import { type CaptureBinding, createdPasskey, provesPasskey } from './capture-passkey.ts'
import {
  assertNotCancelled,
  assertOpen,
  type CaptureSession,
  capturedEvidence,
  claimPerson,
  claimStep,
  dropEvidence,
  findSession,
  isNonceOf,
  releaseCapture,
  saveSession,
  sessionClosed,
} from './capture-sessions.ts'
import { judgeExternally } from './judge-externally.ts'
import { assertOpenerInForce, callerOf } from './session-opener.ts'
import { type AnsweredStep, recordingDigest, takeAnswer } from './take-answer.ts'
import {
  addUnknownFailure,
  addVerification,
  assertNotLocked,
  attemptsOf,
  findVerification,
  nowText,
} from './verification-entries.ts'

type FinishBody = OperationCall<'capture'>['body'] | OperationCall<'enroll'>['body']

/** A capture that was judged by this call, now or in an earlier attempt. */
export interface JudgedSession {
  readonly document: VerificationDocument
  readonly tenant_id: string
  /** Undefined once the session is forgotten. */
  readonly session: CaptureSession | undefined
  /** What was judged. Undefined if the answer repeats an earlier one. */
  readonly judged: FreshJudgement | undefined
}

export interface FreshJudgement {
  readonly steps: readonly StepEvidence[]
  readonly known: KnownBiometric | undefined
}

/** What the call that finishes a session adds to its judgement. */
export interface JudgementSteps {
  /** Runs before anything is judged, and throws if a pass would be useless. */
  readonly beforeJudged?: (session: CaptureSession) => Promise<void>
  /** Runs after a capture has passed and before the result is stored, to store what belongs with it. */
  readonly beforeStored: (session: CaptureSession, judged: FreshJudgement) => Promise<void>
}

/** Judges a session once. Repeating the call returns the same judgement; a different call is refused. */
export async function judgeSession(
  body: FinishBody,
  purpose: VerificationPurpose,
  { beforeJudged, beforeStored }: JudgementSteps,
  context: OperationContext,
): Promise<JudgedSession> {
  const fingerprint = fingerprintOf(body)
  const found = await findSession(body.session_id, context)
  if (found === undefined) return storedJudgement(body, fingerprint, context)
  if (!isNonceOf(found, body.nonce)) throw new AuthorityError('nonce_mismatch')
  assertOwnRequest(found, body)
  await assertOpenerInForce(found, context)
  if (found.result?.fingerprint === fingerprint)
    return { document: found.result, tenant_id: found.tenant_id, session: found, judged: undefined }
  assertOpen(found)
  if (found.purpose !== purpose)
    throw invalidField('/session_id', `is a session to ${found.purpose}, not to ${purpose}`)
  await assertNotLocked(found, context)
  await beforeJudged?.(found)
  const session = await withLastStep(found, body, context)
  const claim = await claimStep(session, context)
  if (claim === undefined)
    throw new AuthorityError('step_mismatch', 'Another call is finishing this session.')
  try {
    const judged = await judgedAlone(session, context, () =>
      session.check === undefined
        ? judgeNow(session, body, fingerprint, beforeStored, context)
        : externallyJudged(session, session.check, body, fingerprint, context),
    )
    return { ...judged, tenant_id: session.tenant_id }
  } finally {
    await releaseCapture(claim, context)
  }
}

/** Judges while no other capture of the person is being judged, on any node. */
async function judgedAlone<Judged>(
  session: CaptureSession,
  context: OperationContext,
  judge: () => Promise<Judged>,
): Promise<Judged> {
  const claim = await claimPerson(session, context)
  if (claim === undefined)
    throw new AuthorityError('engine_busy', 'Another capture of this person is being judged.', {
      retry_after_s: 1,
    })
  try {
    await assertNotLocked(session, context)
    return await judge()
  } finally {
    await releaseCapture(claim, context)
  }
}

/** Returns a digest that identifies the call. Media is compared by its own digest. */
function fingerprintOf({ frames, audio, device, step_id, ...rest }: FinishBody): string {
  const recording =
    frames === undefined ? null : recordingDigest({ step_id: step_id ?? '', frames, audio, device })
  return canonicalDigest({ ...rest, recording })
}

/** Returns the judgement of a session that has been forgotten, which happens some minutes after its end. */
async function storedJudgement(
  { session_id, nonce }: FinishBody,
  fingerprint: string,
  context: OperationContext,
): Promise<JudgedSession> {
  const known = await verificationWithNonce(session_id, nonce, context)
  if (known === undefined) throw new AuthorityError('session_unknown')
  if (known.document.fingerprint !== fingerprint) throw sessionClosed('judged')
  return { ...known, session: undefined, judged: undefined }
}

/** Finds the verification with a nonce. A hosted session has one for each of its captures, each with its own nonce. */
async function verificationWithNonce(session_id: string, nonce: string, context: OperationContext) {
  for (let opening = 1; opening <= MAX_OPENINGS; opening += 1) {
    const known = await findVerification(verificationIdOf(session_id, opening), context)
    if (known !== undefined && isNonceOf(known.document, nonce)) return known
  }
  return undefined
}

async function withLastStep(
  session: CaptureSession,
  { step_id, frames, audio, device }: FinishBody,
  context: OperationContext,
): Promise<CaptureSession> {
  if (frames === undefined || step_id === undefined) return assertComplete(session)
  const { steps, steps_done } = session.progress
  const recording: AnsweredStep = { step_id, frames, audio, device }
  const taken = await takeAnswer(session, recording, { is_last: steps_done + 1 >= steps.length }, context)
  return assertComplete(taken.session)
}

function assertComplete(session: CaptureSession): CaptureSession {
  if (dueStep(session.progress) === undefined) return session
  const step_id = dueStepId(session.progress)
  throw new AuthorityError('step_mismatch', `Step ${step_id} has not been answered yet.`, { step_id })
}

async function judgeNow(
  session: CaptureSession,
  body: FinishBody,
  fingerprint: string,
  beforeStored: JudgementSteps['beforeStored'],
  context: OperationContext,
): Promise<Omit<JudgedSession, 'tenant_id'>> {
  const engine_version = context.verification.engine.readyVersion()
  const steps = await capturedEvidence(session, context)
  const known = await templateOf(session, context)
  const passkey = await sessionPasskey(session, body, captureBinding(session, steps, body), context)
  const has_passkey = await passkey.isGiven()
  const judgement = context.verification.engine.judge({
    steps,
    template: known?.document.template ?? (session.purpose === 'verify' ? decoyTemplate() : undefined),
    accommodations: session.accommodations,
    has_passkey,
  })
  const judged = { steps, known }
  if (judgement.decision === 'pass') {
    await passkey.register()
    await beforeStored(session, judged)
  }
  const document = await storeJudgement(
    session,
    judgement,
    {
      ...judged,
      engine_version,
      fingerprint,
      approval_id: approvalOf(boundRequest(session, body)),
    },
    context,
  )
  await saveJudgement(session, document, context)
  await dropEvidence(session, context)
  context.verification.onSafetyNote()
  return { document, session, judged }
}

async function externallyJudged(
  session: CaptureSession,
  check: SessionCheck,
  body: FinishBody,
  fingerprint: string,
  context: OperationContext,
): Promise<Omit<JudgedSession, 'tenant_id'>> {
  const document = await judgeExternally(session, check, body, fingerprint, context)
  await saveJudgement(session, document, context)
  context.verification.onSafetyNote()
  return { document, session, judged: undefined }
}

/**
 * Saves a judgement. Throws, so that no token is issued, if the session was removed with its person, or cancelled at
 * this moment: the cancellation then holds. An enrollment has already happened by then.
 */
async function saveJudgement(
  session: CaptureSession,
  document: VerificationDocument,
  context: OperationContext,
): Promise<void> {
  const judged = { ...session, state: 'judged', result: document } as const
  const isSaved = await saveSession(judged, session.progress.reveals, context)
  if (session.purpose !== 'verify' || document.decision !== 'pass') return
  if (!isSaved) throw sessionClosed('expired')
  await assertNotCancelled(session, context)
}

function approvalOf({ approval_id }: Readonly<Record<string, unknown>>): string | undefined {
  return typeof approval_id === 'string' ? approval_id : undefined
}

/**
 * Verifies the passkey of a session, before anything is judged: without it, a caller can neither try faces nor use up a
 * person's attempts. A passkey that an enrollment creates is registered only once the person is accepted.
 */
async function sessionPasskey(
  session: CaptureSession,
  body: FinishBody,
  binding: CaptureBinding,
  context: OperationContext,
) {
  const created = 'passkey_registration' in body ? body.passkey_registration : undefined
  const isEnrolment = session.purpose === 'enroll'
  const details = {
    person: session,
    caller: isEnrolment ? callerOf(session.opened_by) : undefined,
    is_needed: await needsPasskey(session, context),
  }
  return {
    async isGiven() {
      if (created === undefined) return provesPasskey(body.passkey, binding, details, context)
      await createdPasskey(created, binding, details, context)
      return true
    },
    async register() {
      if (created !== undefined) await provesPasskey(created, binding, details, context)
    },
  }
}

async function storeJudgement(
  session: CaptureSession,
  judgement: CaptureJudgement,
  judged: FreshJudgement & Pick<VerificationDocument, 'engine_version' | 'fingerprint' | 'approval_id'>,
  context: OperationContext,
): Promise<VerificationDocument> {
  const { steps, known, engine_version, fingerprint, approval_id } = judged
  const { session_id, nonce_hash, purpose, human_ref, hosted } = session
  const opening = hosted === undefined || hosted.opening === 1 ? undefined : hosted.opening
  const { decision, modalities, score, duress } = judgement
  const slot = known?.document.duress ?? EMPTY_DURESS_SLOT
  const isStored = known !== undefined || decision === 'pass'
  if (!isStored && decision !== 'retry')
    await addUnknownFailure(session, verificationIdOf(session_id, opening), context)
  const document: VerificationDocument = {
    session_id,
    ...(opening !== undefined && { opening }),
    nonce_hash,
    fingerprint,
    purpose,
    human_ref,
    decision,
    modalities,
    score,
    evidence_hash: evidenceHash(session_id, steps),
    engine_version,
    attempts_left: await attemptsAfter(session, decision, isStored, context),
    verified_at: nowText(context),
    ...(approval_id !== undefined && { approval_id }),
    duress: isDuress(duress || session.duress === 1, slot) ? 1 : 0,
  }
  // A crash after this line leaves a judged capture whose session is still open: judging it again is refused here.
  if (isStored) await addVerification(session, document, slot, context)
  return document
}

/**
 * Returns a digest of the recordings alone. Findings of the engine must not be part of it: anyone with the recordings
 * can run the same nets, and would learn from the digest whether a sign of coercion was found.
 */
function evidenceHash(session_id: string, steps: readonly StepEvidence[]): string {
  const media = steps.map(({ media_digest }) => media_digest)
  return `sha256:${createHash('sha256').update(canonicalJson({ session_id, media })).digest('hex')}`
}

async function attemptsAfter(
  session: CaptureSession,
  decision: CaptureJudgement['decision'],
  isStored: boolean,
  context: OperationContext,
): Promise<number> {
  const { attempts_left } = await attemptsOf(session, context)
  return isStored && (decision === 'fail' || decision === 'review')
    ? Math.max(0, attempts_left - 1)
    : attempts_left
}

const DECOY_DIMENSIONS = 128

/** Returns a random template for a ref without one, so that the capture is judged and fails like any other. */
function decoyTemplate(): NonNullable<
  Parameters<OperationContext['verification']['engine']['judge']>[0]['template']
> {
  const face = Float32Array.from({ length: DECOY_DIMENSIONS }, () => Math.random() - 0.5)
  const length = Math.hypot(...face)
  const unit = face.map((value) => value / length)
  return {
    version: 1,
    engine_version: '',
    face: Buffer.from(unit.buffer).toString('base64'),
    voice: {},
  }
}

/** How long after a judgement a repeated call still gets its token. */
export const TOKEN_WINDOW_MS = 10 * MINUTE_MS
