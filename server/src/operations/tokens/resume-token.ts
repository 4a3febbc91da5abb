import type { Handler } from '../operation-context.ts'
import { changeTokenSuspension } from './token-suspension.ts'

export const resumeToken: Handler<'resumeToken'> = (call, context) =>
  changeTokenSuspension('resume', call, context)
