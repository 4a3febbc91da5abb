import { invalidField } from '@deputize/protocol'
import type { Handler, OperationCall, OperationContext } from '../../operation-context.ts'
import { answerForPerson } from './answer-for-person.ts'
import { keepConsent } from './biometric-consent.ts'
import type { CaptureSession } from './capture-sessions.ts'
import { type FreshJudgement, type JudgementSteps, judgeSession } from './judge-session.ts'
import { assertIssuable, issuedToken, type L3Request } from './l3-token.ts'

type CaptureBody = OperationCall<'capture'>['body']

export const capture: Handler<'capture'> = async (call, context) => {
  const { body, caller } = call
  const request = tokenRequestOf(body)
  const steps: JudgementSteps = {
    beforeJudged: async (session) => {
      if (request !== undefined)
        await assertIssuable(request, session, session.check, session.opened_by, context)
    },
    beforeStored: (session, passed) => keepNewConsent(session, passed, context),
  }
  const judged = await judgeSession(body, 'verify', steps, context)
  const { document } = judged
  const token =
    request === undefined || document.decision !== 'pass'
      ? undefined
      : await issuedToken(request, judged, context)
  return {
    ...answerForPerson(document, caller.role, judged.session?.locale),
    ...(token !== undefined && { token }),
  }
}

/** Stores the consent of a person who enrolled under another text. They agreed to the current one for this session. */
async function keepNewConsent(
  session: CaptureSession,
  { known }: FreshJudgement,
  context: OperationContext,
): Promise<void> {
  if (known !== undefined) await keepConsent(session, known, session.consent, context)
}

/** Returns the token request of a call. Undefined if it requests no token. */
function tokenRequestOf(body: CaptureBody): L3Request | undefined {
  const { agent_id, resources, actions } = body
  if (agent_id === undefined && resources === undefined && actions === undefined) return undefined
  if (agent_id === undefined) throw invalidField('/agent_id', 'is required with resources and actions')
  if (resources === undefined) throw invalidField('/resources', 'is required with agent_id')
  if (actions === undefined) throw invalidField('/actions', 'is required with agent_id')
  return { ...body, agent_id, resources, actions }
}
