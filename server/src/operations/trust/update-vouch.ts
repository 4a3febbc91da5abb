import type { VouchOutcome } from '../../clerk/judges/vouch.ts'
import type { Handler } from '../operation-context.ts'
import { submitCommand } from '../submit-command.ts'
import { toMillionths, vouchView } from '../views/vouch-view.ts'
import { loadOwnVouch } from './own-vouch.ts'
import { futureInstant } from './vouch-end.ts'

export const updateVouch: Handler<'updateVouch'> = async (call, context) => {
  const { params, body, caller } = call
  const { clock } = context
  const { note, erased } = await loadOwnVouch(params.vouch_id, caller, context)
  const command = {
    kind: 'change_vouch',
    vouch_id: params.vouch_id,
    weight: body.weight === undefined ? undefined : toMillionths(body.weight),
    expires_at_ms:
      typeof body.expires_at === 'string' ? futureInstant(body.expires_at, clock()) : body.expires_at,
  } as const
  const { vouch } = await submitCommand<VouchOutcome>(command, call, context)
  return vouchView({ ...vouch, note, erased }, clock())
}
