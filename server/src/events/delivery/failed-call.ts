import { OUTBOUND_REASONS, OutboundError } from '../../outbound/outbound.ts'
import type { DeliveryOutcome } from './port.ts'

/** The outcome of a call that got no answer: it is made again. Rethrows everything else, which is a bug. */
export function outcomeOfFailedCall(error: unknown): DeliveryOutcome {
  if (!(error instanceof OutboundError)) throw error
  return { outcome: 'retry', error: OUTBOUND_REASONS[error.reason] }
}
