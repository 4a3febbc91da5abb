import type { Reply } from '../../clerk/command.ts'
import type { AuthorizationOutcome } from '../../clerk/judges/authorization.ts'
import type { Handler } from '../operation-context.ts'
import { submitCommand } from '../submit-command.ts'
import { batchItem } from '../views/batch-item.ts'
import { authorizeAnswer } from './authorization-answer.ts'
import { authorizeCommand } from './authorization-command.ts'

export const authorizeBatch: Handler<'authorizeBatch'> = async (call, context) => {
  const items = call.body.items.map((item, index) => authorizeCommand(item, call, context, `/items/${index}`))
  const replies = await submitCommand<Reply[]>({ kind: 'many', items }, call, context)
  return {
    items: replies.map((reply, index) =>
      batchItem(reply, (outcome: AuthorizationOutcome) =>
        authorizeAnswer(outcome, items[index]?.dry_run ?? false),
      ),
    ),
  }
}
