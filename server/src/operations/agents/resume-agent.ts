import type { Handler } from '../operation-context.ts'
import { changeAgentSuspension } from './agent-suspension.ts'

export const resumeAgent: Handler<'resumeAgent'> = (call, context) =>
  changeAgentSuspension('resume', call, context)
