import { callersAgent } from '../lists/list-visibility.ts'
import { loadAgent } from '../loading/load-agent.ts'
import type { Handler } from '../operation-context.ts'
import { reputationView } from '../views/reputation-view.ts'

export const getReputation: Handler<'getReputation'> = async ({ caller, params }, context) =>
  reputationView(await loadAgent(callersAgent(caller, params.agent_id), context))
