import type { Handler } from '../operation-context.ts'
import { submitDecision } from './approval-decision.ts'

export const approve: Handler<'approve'> = (call, context) =>
  submitDecision({ decision: 'approved', ...call.body }, call, context)
