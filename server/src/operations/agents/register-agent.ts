import { callersAgent } from '../lists/list-visibility.ts'
import type { Handler } from '../operation-context.ts'
import { setAgentProfile } from './agent-profile.ts'

export const registerAgent: Handler<'registerAgent'> = async (call, context) => {
  const { agent_id: name, owned_by, add_keys, ...profile } = call.body
  const agent_id = callersAgent(call.caller, name)
  return setAgentProfile({ agent_id, profile, owned_by, add_keys, must_exist: false }, call, context)
}
