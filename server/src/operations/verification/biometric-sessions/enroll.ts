import {
  deleteTemplate,
  type NewTemplate,
  replaceTemplate,
  storeTemplate,
} from '../../identity/biometric-entries.ts'
import type { Handler, OperationContext } from '../../operation-context.ts'
import { answerForPerson } from './answer-for-person.ts'
import { type CaptureSession, findSession, sessionClosed } from './capture-sessions.ts'
import { type FreshJudgement, judgeSession } from './judge-session.ts'

export const enroll: Handler<'enroll'> = async ({ body, caller }, context) => {
  const beforeStored = (session: CaptureSession, judged: FreshJudgement) =>
    storePerson(session, judged, context)
  const { document, session } = await judgeSession(body, 'enroll', { beforeStored }, context)
  return {
    ...answerForPerson(document, caller.role, session?.locale),
    enrolled: document.decision === 'pass',
  }
}

/** Stores a person's template. If they were already enrolled, they were judged against the one that it replaces. */
async function storePerson(
  session: CaptureSession,
  { steps, known }: FreshJudgement,
  context: OperationContext,
): Promise<void> {
  const { engine } = context.verification
  if (session.consent === undefined) throw new Error('an enrollment starts with consent')
  const template = engine.makeTemplate(steps, engine.readyVersion())
  if (template === undefined) throw new Error('a capture that passed shows a face')
  const enrollment: NewTemplate = { template, consent: session.consent }
  if (known !== undefined) {
    await replaceTemplate(session, enrollment, context)
    return
  }
  await storeTemplate(session, enrollment, context)
  await assertNotWithdrawn(session, context)
}

/**
 * Refuses if consent was withdrawn meanwhile. A withdrawal cancels sessions and then deletes templates. A template that
 * it couldn't find yet is deleted here.
 */
async function assertNotWithdrawn(session: CaptureSession, context: OperationContext): Promise<void> {
  const now = await findSession(session.session_id, context)
  if (now !== undefined && now.state !== 'cancelled') return
  await deleteTemplate(session, undefined, context)
  throw sessionClosed('cancelled')
}
