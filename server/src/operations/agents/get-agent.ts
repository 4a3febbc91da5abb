import { callersAgent } from '../list-visibility.ts'
import type { Handler } from '../operation-context.ts'
import { agentView } from '../views/agent-view.ts'
import { loadAgent } from './load-agent.ts'

export const getAgent: Handler<'getAgent'> = async ({ caller, params }, context) =>
  agentView(await loadAgent(callersAgent(caller, params.agent_id), context))
