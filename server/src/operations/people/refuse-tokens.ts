import type { Handler } from '../operation-context.ts'
import { changeTokenRefusal } from './token-refusal.ts'

export const refuseTokens: Handler<'refuseTokens'> = (call, context) =>
  changeTokenRefusal(call.params.human_ref, true, call, context)
