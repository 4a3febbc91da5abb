/** The beginning of a capture: its steps are drawn, and the first one is revealed. */
import { randomBytes } from 'node:crypto'
import { MAX_MEDIA_BODY_BYTES, type VerificationPurpose } from '@deputize/protocol'
import { isoInstant } from '../../../domain/times/time.ts'
import {
  CAPTURE_SESSION_MS,
  EXTERNAL_SESSION_MS,
  LEAD_MS,
} from '../../../domain/verification/capture-session.ts'
import { BUILTIN_PROVIDER } from '../../../domain/verification/provider-choice.ts'
import { type Accommodation, CAPTURE_SETTINGS, drawSteps } from '../../../verification/biometric-engine.ts'
import type { CaptureLocale } from '../../../verification/capture-prompts.ts'
import type { SessionCheck } from '../../external/open-check.ts'
import type { BiometricConsent, EnrolledPerson } from '../../identity/biometric-entries.ts'
import type { OperationContext } from '../../operation-context.ts'
import { needsPasskey } from './capture-binding.ts'
import { type CaptureSession, hashOfNonce, type SessionOpener } from './capture-sessions.ts'
import { shownStep } from './take-answer.ts'

const NONCE_BYTES = 32

export interface CaptureStart {
  readonly session_id: string
  readonly purpose: VerificationPurpose
  readonly person: EnrolledPerson
  readonly opened_by: SessionOpener
  readonly accommodations: readonly Accommodation[]
  readonly locale: CaptureLocale
  readonly consent: BiometricConsent | undefined
  /** The check at an external provider, which then judges in place of the engine. */
  readonly check?: SessionCheck | undefined
  readonly hosted?: CaptureSession['hosted']
  /** Whether a sign of coercion was given in an earlier capture of the session. */
  readonly duress?: CaptureSession['duress'] | undefined
  /** The number of steps that earlier captures of the session have shown. */
  readonly reveals_before?: number
  /** Drawn unless given. */
  readonly nonce?: string | undefined
}

export interface NewCapture {
  readonly session: CaptureSession
  readonly nonce: string
}

export function newCapture(start: CaptureStart, { clock }: OperationContext): NewCapture {
  const { person, hosted, check, duress = 0, reveals_before = 0, nonce = newNonce(), ...head } = start
  const now_ms = clock()
  const session: CaptureSession = {
    ...head,
    nonce_hash: hashOfNonce(nonce),
    tenant_id: person.tenant_id,
    human_ref: person.human_ref,
    expires_at_ms: now_ms + (check === undefined ? CAPTURE_SESSION_MS : EXTERNAL_SESSION_MS),
    state: 'open',
    progress: {
      steps: check === undefined ? drawSteps(start.accommodations) : [],
      steps_done: 0,
      repeats: 0,
      reveals: reveals_before + 1,
      revealed_at_ms: now_ms,
    },
    duress,
    ...(check !== undefined && { check }),
    ...(hosted !== undefined && { hosted }),
  }
  return { session, nonce }
}

function newNonce(): string {
  return randomBytes(NONCE_BYTES).toString('base64url')
}

/** Returns what the device needs, whether the engine or a provider judges. */
export function openAnswer(capture: NewCapture, attempts_left: number, context: OperationContext) {
  const { check } = capture.session
  return check === undefined
    ? captureAnswer(capture, attempts_left, context)
    : checkAnswer(capture, check, attempts_left, context)
}

/** Returns what the device needs to begin. */
export async function captureAnswer(
  { session, nonce }: NewCapture,
  attempts_left: number,
  context: OperationContext,
) {
  const step = shownStep(session)
  if (step === undefined) throw new Error('a session starts with a step')
  return {
    ...(await openingMembers({ session, nonce }, attempts_left, context)),
    provider: BUILTIN_PROVIDER,
    capture: { ...CAPTURE_SETTINGS, lead_ms: LEAD_MS, max_bytes: MAX_MEDIA_BODY_BYTES },
    step,
  } as const
}

/** Returns what the device needs to send the person to an external provider. */
async function checkAnswer(
  capture: NewCapture,
  { provider, redirect_url, client_token }: SessionCheck,
  attempts_left: number,
  context: OperationContext,
) {
  return {
    ...(await openingMembers(capture, attempts_left, context)),
    provider,
    ...(redirect_url !== undefined && { redirect_url }),
    ...(client_token !== undefined && { provider_client_token: client_token }),
  } as const
}

async function openingMembers(
  { session, nonce }: NewCapture,
  attempts_left: number,
  context: OperationContext,
) {
  const { session_id, purpose, state, expires_at_ms, human_ref, progress } = session
  return {
    session_id,
    purpose,
    state,
    nonce,
    expires_at: isoInstant(expires_at_ms),
    human_ref,
    steps_total: progress.steps.length,
    passkey_required: await needsPasskey(session, context),
    attempts_left,
  } as const
}
