import type { Handler } from '../operation-context.ts'
import { decideAccess } from './access-evaluation.ts'

export const evaluateAccess: Handler<'evaluateAccess'> = (call, context) =>
  decideAccess(call.body, call, context)
