import { AuthorityError } from '@deputize/protocol'
import type { AgentFacts } from '../../store/port.ts'
import type { OperationContext } from '../operation-context.ts'

/** Returns an agent, or throws `agent_unknown`. `agent_id` is scoped to its tenant. */
export async function loadAgent(agent_id: string, { reader }: OperationContext): Promise<AgentFacts> {
  const agent = await reader.agent(agent_id)
  if (agent === undefined) throw new AuthorityError('agent_unknown')
  return agent
}
