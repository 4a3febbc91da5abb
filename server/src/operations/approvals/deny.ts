import type { Handler } from '../operation-context.ts'
import { submitDecision } from './approval-decision.ts'

export const deny: Handler<'deny'> = (call, context) =>
  submitDecision({ decision: 'denied', ...call.body }, call, context)
