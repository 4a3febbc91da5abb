import { callersAgent } from '../list-visibility.ts'
import type { Handler } from '../operation-context.ts'
import { setAgentProfile } from './agent-profile.ts'

export const updateAgent: Handler<'updateAgent'> = async (call, context) => {
  const agent_id = callersAgent(call.caller, call.params.agent_id)
  return setAgentProfile({ agent_id, profile: call.body, must_exist: true }, call, context)
}
