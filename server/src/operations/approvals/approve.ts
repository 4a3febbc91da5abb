import type { Handler } from '../operation-context.ts'
import { decideApproval } from './decision-command.ts'

export const approve: Handler<'approve'> = (call, context) => decideApproval('approved', call, context)
