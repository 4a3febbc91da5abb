import type { Reply } from '../../clerk/command.ts'
import type { Handler } from '../operation-context.ts'
import { submitCommand } from '../submit-command.ts'
import { batchItem } from '../views/batch-item.ts'
import { recordActionAnswer } from './authorization-answer.ts'
import { recordActionCommand } from './authorization-command.ts'

export const recordBatch: Handler<'recordBatch'> = async (call, context) => {
  const items = call.body.items.map((item, index) =>
    recordActionCommand(item, call, context, `/items/${index}`),
  )
  const replies = await submitCommand<Reply[]>({ kind: 'many', items }, call, context)
  return { items: replies.map((reply) => batchItem(reply, recordActionAnswer)) }
}
