import type { Handler } from '../operation-context.ts'
import { changeTokenSuspension } from './token-suspension.ts'

export const suspendToken: Handler<'suspendToken'> = (call, context) =>
  changeTokenSuspension('suspend', call, context)
