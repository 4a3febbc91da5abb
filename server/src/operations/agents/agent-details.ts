import { loadAgent } from '../loading/load-agent.ts'
import type { OperationContext } from '../operation-context.ts'
import { agentView } from '../views/agent-view.ts'

const MAX_KEYS = 100

/** Returns an agent with the keys that it uses. `agent_id` is scoped to its tenant. */
export async function agentDetails(agent_id: string, context: OperationContext) {
  const view = agentView(await loadAgent(agent_id, context))
  const keys = await context.reader.agentKeys(agent_id, MAX_KEYS)
  return keys.length === 0 ? view : { ...view, keys: keys.map(({ jkt }) => jkt) }
}
