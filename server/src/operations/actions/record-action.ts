import type { AuthorizationOutcome } from '../../clerk/judges/authorization.ts'
import { type Handler, submitCommand } from '../operation-context.ts'
import { recordActionAnswer } from './authorization-answer.ts'
import { recordActionCommand } from './authorization-command.ts'

export const recordAction: Handler<'recordAction'> = async (call, context) => {
  const command = recordActionCommand(call.body, call, context)
  return recordActionAnswer(await submitCommand<AuthorizationOutcome>(command, call, context))
}
