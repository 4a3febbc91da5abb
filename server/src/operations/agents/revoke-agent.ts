import { shownAgent } from '@deputize/protocol'
import type { RevokeAllOutcome } from '../../clerk/judges/revoke.ts'
import { isoInstant } from '../../domain/times/time.ts'
import { callersAgent } from '../lists/list-visibility.ts'
import type { Handler } from '../operation-context.ts'
import { submitCommand } from '../submit-command.ts'

export const revokeAgent: Handler<'revokeAgent'> = async (call, context) => {
  const { reason } = call.body
  const agent_id = callersAgent(call.caller, call.body.agent_id)
  const { revoked_at_ms, revoked_count } = await submitCommand<RevokeAllOutcome>(
    { kind: 'revoke_all', owner: { agent_id }, reason },
    call,
    context,
  )
  return {
    revoked: true,
    revoked_at: isoInstant(revoked_at_ms),
    revoked_count,
    agent_id: shownAgent(agent_id),
  }
}
