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
  const store = (session: CaptureSession, judged: FreshJudgement) => storePerson(session, judged, context)
  const { document, session } = await judgeSession(body, 'enroll', store, context)
  return {
    ...answerForPerson(document, caller.role, session?.locale),
    enrolled: document.decision === 'pass',
  }
}

/** A person who is enrolled already was judged against the template that this one replaces. */
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

/** A withdrawal cancels sessions first and then deletes: what it could not find yet, it has asked this call to delete. */
async function assertNotWithdrawn(session: CaptureSession, context: OperationContext): Promise<void> {
  const now = await findSession(session.session_id, context)
  if (now !== undefined && now.state !== 'cancelled') return
  await deleteTemplate(session, undefined, context)
  throw sessionClosed('cancelled')
}
