import type { FreezeCommand } from '../../clerk/command.ts'
import { callersAgent } from '../list-visibility.ts'
import { type Call, carryOut, type OperationContext } from '../operation-context.ts'
import { agentView } from '../views/agent-view.ts'
import { loadAgent } from './load-agent.ts'

export async function changeAgentSuspension(
  kind: FreezeCommand['kind'],
  call: Call<'suspendAgent'> | Call<'resumeAgent'>,
  context: OperationContext,
) {
  const agent_id = callersAgent(call.caller, call.params.agent_id)
  await carryOut({ kind, target: { agent_id } }, call, context)
  return agentView(await loadAgent(agent_id, context))
}
