import type { RateOutcome } from '../clerk/judges/rate.ts'
import { carryOut, type Handler } from './operation-context.ts'

export const rateRecord: Handler<'rateRecord'> = async (call, context) => {
  const { rating, note } = call.body
  return carryOut<RateOutcome>(
    {
      kind: 'rate',
      aar_id: call.params.id,
      rating,
      note,
      // In open mode nobody proves who they are, and the record says so.
      rater_assurance: 'none',
    },
    call,
    context,
  )
}
