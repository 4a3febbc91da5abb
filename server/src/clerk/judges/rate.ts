import { AuthorityError, loggedAgent, type Rating } from '@deputize/protocol'
import { isoInstant } from '../../domain/time.ts'
import type { Ledger } from '../batch-state.ts'
import type { RateCommand } from '../command.ts'

export interface RateOutcome {
  readonly aar_id: string
  readonly rating: Rating
  readonly feedback_at: string
}

/** A rating is set once. A pending record may be rated too. */
export function rate(command: RateCommand, ledger: Ledger): RateOutcome {
  const { aar_id, rating, note, rater_assurance } = command
  const record = ledger.record(aar_id)
  if (record === undefined) throw new AuthorityError('record_unknown')
  if (record.rating !== undefined) {
    throw new AuthorityError('rating_immutable', undefined, {
      aar_id,
      rating: record.rating.rating,
      feedback_at: isoInstant(record.rating.feedback_at_ms),
    })
  }
  const { log_index } = ledger.log('action.rated', {
    aar_id,
    provenance_ref: record.provenance_ref,
    agent_id: loggedAgent(record.agent_id),
    rating,
    rater_assurance,
    ...(note !== undefined && { note_digest: ledger.digest(record.human_ref, 'note', note) }),
  })
  ledger.rate(record, { rating, note, rater_assurance, feedback_at_ms: ledger.now_ms, log_index })
  return { aar_id, rating, feedback_at: isoInstant(ledger.now_ms) }
}
