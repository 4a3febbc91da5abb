import { randomBytes } from 'node:crypto'
import { AuthorityError, invalidField, MAX_MEDIA_BODY_BYTES, newId, newSuffix } from '@deputize/protocol'
import type { Caller } from '../../access/caller.ts'
import { emailRef, humanRef } from '../../access/human-ref.ts'
import { CAPTURE_SESSION_MS, LEAD_MS } from '../../domain/capture-session.ts'
import { isoInstant } from '../../domain/time.ts'
import { CAPTURE_SETTINGS, drawSteps } from '../../verification/biometric-engine.ts'
import {
  type BiometricConsent,
  type EnrolledPerson,
  type KnownBiometric,
  templateOf,
} from '../biometric-entries.ts'
import type { Handler, OperationCall, OperationContext } from '../operation-context.ts'
import { acceptedConsent } from './biometric-consent.ts'
import { needsPasskey } from './capture-binding.ts'
import { addSession, type CaptureSession, hashOfNonce } from './capture-sessions.ts'
import { FRESH_SIGN_IN_S } from './login-flow.ts'
import { sessionOpener } from './session-opener.ts'

import { shownStep } from './take-answer.ts'
import { assertNotLocked } from './verification-entries.ts'

const NONCE_BYTES = 32
const SIGN_IN_PATH = '/sign-in?fresh=1&return_to=/me'

type SessionRequest = OperationCall<'createVerificationSession'>['body']

export const createVerificationSession: Handler<'createVerificationSession'> = async (call, context) => {
  const { body, caller } = call
  assertFresh(call, context)
  const person = personOf(body, caller, context)
  const known = await templateOf(person, context)
  assertEnrolled(known, call)
  const consent = consentOf(body, known, context)
  context.engine.readyVersion()
  const { attempts_left } = await assertNotLocked(person, context)
  const nonce = randomBytes(NONCE_BYTES).toString('base64url')
  const session = newSession(body, caller, person, { nonce, consent }, context)
  await addSession(session, context)
  const step = shownStep(session)
  if (step === undefined) throw new Error('a session starts with a step')
  const { session_id, purpose, state, expires_at_ms, human_ref, progress } = session
  return {
    session_id,
    purpose,
    state,
    nonce,
    expires_at: isoInstant(expires_at_ms),
    human_ref,
    provider: 'builtin',
    capture: { ...CAPTURE_SETTINGS, lead_ms: LEAD_MS, max_bytes: MAX_MEDIA_BODY_BYTES },
    steps_total: progress.steps.length,
    step,
    passkey_required: await needsPasskey(session, context),
    attempts_left,
  }
}

/** A template outlives the session that stores it, so a session that was stolen hours later must not store one. */
function assertFresh(
  { caller, body }: OperationCall<'createVerificationSession'>,
  { clock }: OperationContext,
): void {
  if (caller.role !== 'human' || body.purpose === 'verify') return
  if (clock() - caller.auth_time_ms > FRESH_SIGN_IN_S * 1000)
    throw new AuthorityError('sign_on_too_old', undefined, { sign_in_path: SIGN_IN_PATH })
}

/** A person verifies themselves. Others name the person; without a name, an enrolment makes a new one. */
function personOf(body: SessionRequest, caller: Caller, { keys, clock }: OperationContext): EnrolledPerson {
  const { tenant_id } = caller
  const { purpose, developer_email, human_ref } = body
  if (human_ref !== undefined && developer_email !== undefined)
    throw invalidField('/developer_email', 'must be absent when human_ref is given')
  const named = developer_email === undefined ? human_ref : emailRef(keys, tenant_id, developer_email)
  if (caller.role === 'human') {
    if (named !== undefined && !caller.human_refs.includes(named))
      throw new AuthorityError('not_yours', 'A signed-in person verifies only themselves.')
    return { tenant_id, human_ref: caller.human_ref }
  }
  if (named !== undefined) return { tenant_id, human_ref: named }
  if (purpose === 'verify') throw invalidField('/human_ref', 'is required to verify')
  return { tenant_id, human_ref: humanRef(keys, tenant_id, `enrolled|${newSuffix(clock())}`) }
}

/** Developers do not learn whether a person is enrolled: the capture of one who is not fails like any other. */
function assertEnrolled(
  known: KnownBiometric | undefined,
  { body, caller }: OperationCall<'createVerificationSession'>,
): void {
  if (body.purpose === 'verify' && known === undefined && caller.role !== 'developer')
    throw new AuthorityError('not_enrolled')
}

/** An enrolment needs consent to the current text; so does a person who agreed to another one. */
function consentOf(
  { purpose, consent }: SessionRequest,
  known: KnownBiometric | undefined,
  context: OperationContext,
): BiometricConsent | undefined {
  const isAgreed = known === undefined || known.document.consent.text_hash === context.consent.text_hash
  return purpose === 'verify' && isAgreed ? undefined : acceptedConsent(consent, context)
}

function newSession(
  { purpose, accommodations = [], locale = 'en' }: SessionRequest,
  caller: Caller,
  { tenant_id, human_ref }: EnrolledPerson,
  { nonce, consent }: { readonly nonce: string; readonly consent: BiometricConsent | undefined },
  { clock }: OperationContext,
): CaptureSession {
  const now_ms = clock()
  const steps = drawSteps(accommodations)
  return {
    session_id: newId('verification_session', now_ms),
    nonce_hash: hashOfNonce(nonce),
    purpose,
    tenant_id,
    human_ref,
    opened_by: sessionOpener(caller),
    accommodations,
    locale,
    consent,
    expires_at_ms: now_ms + CAPTURE_SESSION_MS,
    state: 'open',
    progress: { steps, steps_done: 0, repeats: 0, reveals: 1, revealed_at_ms: now_ms },
  }
}
