import type { Handler } from '../operation-context.ts'
import { changeAgentSuspension } from './agent-suspension.ts'

export const suspendAgent: Handler<'suspendAgent'> = (call, context) =>
  changeAgentSuspension('suspend', call, context)
