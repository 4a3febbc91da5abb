import { callersAgent } from '../lists/list-visibility.ts'
import type { Handler } from '../operation-context.ts'
import { submitCommand } from '../submit-command.ts'

export const endHabit: Handler<'endHabit'> = async (call, context) => {
  const agent_id = callersAgent(call.caller, call.body.agent_id)
  return submitCommand<{ ended: boolean }>(
    { kind: 'end_habit', of: { ...call.body, agent_id } },
    call,
    context,
  )
}
