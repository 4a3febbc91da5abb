import type { VouchOutcome } from '../../clerk/judges/vouch.ts'
import type { Handler } from '../operation-context.ts'
import { submitCommand } from '../submit-command.ts'
import { vouchView } from '../views/vouch-view.ts'
import { loadOwnVouch } from './own-vouch.ts'

export const withdrawVouch: Handler<'withdrawVouch'> = async (call, context) => {
  const { params, caller } = call
  const { note, erased } = await loadOwnVouch(params.vouch_id, caller, context)
  const by = caller.role === 'operator' ? 'operator' : 'person'
  const command = { kind: 'withdraw_vouch', vouch_id: params.vouch_id, by } as const
  const { vouch } = await submitCommand<VouchOutcome>(command, call, context)
  return vouchView({ ...vouch, note, erased }, context.clock())
}
