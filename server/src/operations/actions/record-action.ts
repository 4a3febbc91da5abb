import type { AuthorizationOutcome } from '../../clerk/judges/authorization.ts'
import type { Handler } from '../operation-context.ts'
import { submitCommand } from '../submit-command.ts'
import { recordActionAnswer } from './authorization-answer.ts'
import { recordActionCommand } from './authorization-command.ts'

export const recordAction: Handler<'recordAction'> = async (call, context) => {
  const command = recordActionCommand(call.body, call, context)
  return recordActionAnswer(await submitCommand<AuthorizationOutcome>(command, call, context))
}
