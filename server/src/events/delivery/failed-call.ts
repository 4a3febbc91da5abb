import { OUTBOUND_REASONS, OutboundError } from '../../outbound/outbound.ts'
import type { DeliveryOutcome } from './port.ts'

/** The outcome of a call that got no answer: a retry. Rethrows any other error, which is a bug. */
export function outcomeOfFailedCall(error: unknown): DeliveryOutcome {
  if (!(error instanceof OutboundError)) throw error
  return { outcome: 'retry', error: OUTBOUND_REASONS[error.reason] }
}
