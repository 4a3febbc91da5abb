import { type OperationContext, submitCommand, type UntypedCall } from '../operation-context.ts'
import { agentView } from '../views/agent-view.ts'
import { loadAgent } from './load-agent.ts'

interface AgentProfileChange {
  readonly agent_id: string
  readonly profile: Readonly<Record<string, unknown>>
  /** Refuse with `agent_unknown` instead of registering a new agent. */
  readonly must_exist: boolean
}

export async function setAgentProfile(
  change: AgentProfileChange,
  call: UntypedCall,
  context: OperationContext,
) {
  await submitCommand({ kind: 'register_agent', ...change }, call, context)
  return agentView(await loadAgent(change.agent_id, context))
}
