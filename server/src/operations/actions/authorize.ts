import type { AuthorizationOutcome } from '../../clerk/judges/authorization.ts'
import type { Handler } from '../operation-context.ts'
import { submitCommand } from '../submit-command.ts'
import { authorizeAnswer } from './authorization-answer.ts'
import { authorizeCommand } from './authorization-command.ts'

export const authorize: Handler<'authorize'> = async (call, context) => {
  const command = authorizeCommand(call.body, call, context)
  return authorizeAnswer(await submitCommand<AuthorizationOutcome>(command, call, context), command.dry_run)
}
