import { newId } from '@deputize/protocol'
import { BUILTIN_PROVIDER } from '../../../domain/verification/provider-choice.ts'
import { providerOfSession } from '../../external/tenant-providers.ts'
import { templateOf } from '../../identity/biometric-entries.ts'
import type { Handler } from '../../operation-context.ts'
import { addSession } from './capture-sessions.ts'
import { sessionOpener } from './session-opener.ts'
import { assertEnrolled, assertFreshSignIn, sessionConsent, verificationPerson } from './session-person.ts'
import { captureAnswer, newCapture } from './start-capture.ts'
import { assertNotLocked } from './verification-entries.ts'

export const createVerificationSession: Handler<'createVerificationSession'> = async (call, context) => {
  const { body, caller } = call
  const { purpose, accommodations = [], locale = 'en' } = body
  await providerOfSession(caller.tenant_id, BUILTIN_PROVIDER, context)
  assertFreshSignIn(caller, purpose, context)
  const person = await verificationPerson(body, caller, context)
  const known = await templateOf(person, context)
  assertEnrolled(known, purpose, caller)
  const consent = sessionConsent(purpose, body.consent, known, context)
  context.verification.engine.readyVersion()
  const { attempts_left } = await assertNotLocked(person, context)
  const session_id = newId('verification_session', context.clock())
  const opened_by = sessionOpener(caller)
  const start = { session_id, purpose, person, opened_by, accommodations, locale, consent }
  const capture = newCapture(start, context)
  await addSession(capture.session, context)
  return captureAnswer(capture, attempts_left, context)
}
