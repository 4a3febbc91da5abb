import { callersAgent } from '../list-visibility.ts'
import type { Handler } from '../operation-context.ts'
import { reputationView } from '../views/reputation-view.ts'
import { loadAgent } from './load-agent.ts'

export const getReputation: Handler<'getReputation'> = async ({ caller, params }, context) =>
  reputationView(await loadAgent(callersAgent(caller, params.agent_id), context))
