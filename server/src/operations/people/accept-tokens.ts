import type { Handler } from '../operation-context.ts'
import { changeTokenRefusal } from './token-refusal.ts'

export const acceptTokens: Handler<'acceptTokens'> = (call, context) =>
  changeTokenRefusal(call.params.human_ref, false, call, context)
