import { callersAgent } from '../lists/list-visibility.ts'
import type { Handler } from '../operation-context.ts'
import { setAgentProfile } from './agent-profile.ts'

export const updateAgent: Handler<'updateAgent'> = async (call, context) => {
  const agent_id = callersAgent(call.caller, call.params.agent_id)
  const { owned_by, add_keys, remove_keys, ...profile } = call.body
  return setAgentProfile(
    { agent_id, profile, owned_by, add_keys, remove_keys, must_exist: true },
    call,
    context,
  )
}
