import type { RateOutcome } from '../../clerk/judges/rate.ts'
import type { CallEnvelope, Handler } from '../operation-context.ts'
import { submitCommand } from '../submit-command.ts'

export const rateRecord: Handler<'rateRecord'> = async (call, context) => {
  const { rating, note } = call.body
  return submitCommand<RateOutcome>(
    {
      kind: 'rate',
      aar_id: call.params.id,
      rating,
      note,
      rater_assurance: raterAssurance(call),
    },
    call,
    context,
  )
}

/** Returns how the rater was verified. Open mode has no sign-in, which the record shows as `none`. */
function raterAssurance({ caller, stepped_up }: CallEnvelope): string {
  if (caller.role !== 'human') return 'none'
  return stepped_up ? `${caller.assurance_level}+passkey` : caller.assurance_level
}
