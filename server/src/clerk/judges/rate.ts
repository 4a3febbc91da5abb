import { AuthorityError, loggedAgent, type Rating } from '@deputize/protocol'
import { isoInstant } from '../../domain/times/time.ts'
import type { BatchState } from '../batch-state.ts'
import type { RateCommand } from '../command.ts'

export interface RateOutcome {
  readonly aar_id: string
  readonly rating: Rating
  readonly feedback_at: string
}

/** Sets the rating of a record, once. A pending record can be rated too. */
export function judgeRate(command: RateCommand, batch: BatchState): RateOutcome {
  const { aar_id, rating, note, rater_assurance } = command
  const record = batch.requireRecord(aar_id)
  if (record.rating !== undefined) {
    throw new AuthorityError('rating_immutable', undefined, {
      aar_id,
      rating: record.rating.rating,
      feedback_at: isoInstant(record.rating.feedback_at_ms),
    })
  }
  const { log_index } = batch.appendLeaf('action.rated', {
    aar_id,
    provenance_ref: record.provenance_ref,
    agent_id: loggedAgent(record.agent_id),
    rating,
    rater_assurance,
    ...(note !== undefined && { note_digest: batch.digest(record.human_ref, 'note', note) }),
  })
  batch.rate(record, { rating, note, rater_assurance, feedback_at_ms: batch.now_ms, log_index })
  return { aar_id, rating, feedback_at: isoInstant(batch.now_ms) }
}
