import { rankOf } from '../../access/caller.ts'
import { callersAgent } from '../lists/list-visibility.ts'
import type { Handler } from '../operation-context.ts'
import { submitCommand } from '../submit-command.ts'
import { agentDetails } from './agent-details.ts'

export const suspendAgent: Handler<'suspendAgent'> = async (call, context) => {
  const { caller, params, body } = call
  const agent_id = callersAgent(caller, params.agent_id)
  await submitCommand(
    { kind: 'suspend', target: { agent_id }, rank: rankOf(caller), reason: body.reason },
    call,
    context,
  )
  return agentDetails(agent_id, context)
}
