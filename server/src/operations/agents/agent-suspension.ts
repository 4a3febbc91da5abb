import type { FreezeCommand } from '../../clerk/command.ts'
import { callersAgent } from '../list-visibility.ts'
import { type OperationCall, type OperationContext, submitCommand } from '../operation-context.ts'
import { agentView } from '../views/agent-view.ts'
import { loadAgent } from './load-agent.ts'

export async function changeAgentSuspension(
  kind: FreezeCommand['kind'],
  call: OperationCall<'suspendAgent'> | OperationCall<'resumeAgent'>,
  context: OperationContext,
) {
  const agent_id = callersAgent(call.caller, call.params.agent_id)
  await submitCommand({ kind, target: { agent_id } }, call, context)
  return agentView(await loadAgent(agent_id, context))
}
