import { callersAgent } from '../lists/list-visibility.ts'
import type { Handler } from '../operation-context.ts'
import { agentDetails } from './agent-details.ts'

export const getAgent: Handler<'getAgent'> = async ({ caller, params }, context) =>
  agentDetails(callersAgent(caller, params.agent_id), context)
