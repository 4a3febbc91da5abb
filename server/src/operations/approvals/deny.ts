import type { Handler } from '../operation-context.ts'
import { decideApproval } from './decision-command.ts'

export const deny: Handler<'deny'> = (call, context) => decideApproval('denied', call, context)
