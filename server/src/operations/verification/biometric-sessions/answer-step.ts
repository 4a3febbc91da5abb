import type { Handler } from '../../operation-context.ts'
import { sessionWithNonce } from './capture-sessions.ts'
import { assertOpenerInForce } from './session-opener.ts'
import { takeAnswer } from './take-answer.ts'

export const answerStep: Handler<'answerStep'> = async ({ params, body }, context) => {
  const session = await sessionWithNonce(params.id, body.nonce, context)
  await assertOpenerInForce(session, context)
  const { answer } = await takeAnswer(session, body, { is_last: false }, context)
  return answer
}
