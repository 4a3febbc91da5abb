import { rankOf } from '../../access/caller.ts'
import { callersAgent } from '../lists/list-visibility.ts'
import type { Handler } from '../operation-context.ts'
import { submitCommand } from '../submit-command.ts'
import { agentDetails } from './agent-details.ts'

export const resumeAgent: Handler<'resumeAgent'> = async (call, context) => {
  const { caller, params } = call
  const agent_id = callersAgent(caller, params.agent_id)
  await submitCommand({ kind: 'resume', target: { agent_id }, rank: rankOf(caller) }, call, context)
  return agentDetails(agent_id, context)
}
