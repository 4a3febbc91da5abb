import { AuthorityError } from '@deputize/protocol'
import type { BatchState } from '../batch-state.ts'
import type { EraseHumanCommand } from '../command.ts'

export interface EraseOutcome {
  readonly already_erased: boolean
  readonly erased_at_ms: number
  readonly revoked_count: number
}

/**
 * Revokes every token of a person, ends the vouches from and to them, and destroys their data key. Leaves never change, but without the key their digests
 * can't be matched to a text. A repeated erasure changes nothing and clears leftover copies of the key.
 */
export function judgeEraseHuman({ human_ref }: EraseHumanCommand, batch: BatchState): EraseOutcome {
  const marks = batch.humanMarks(human_ref)
  const person = batch.person(human_ref)
  if (marks === undefined || person === undefined) throw new AuthorityError('human_unknown')
  const revoked_count = batch.countLiveOf({ human_ref })
  batch.scrub('data_keys')
  const { erased_at_ms, has_data } = person
  if (erased_at_ms !== undefined && !has_data && revoked_count === 0 && !batch.isInTrustGraph(human_ref))
    return { already_erased: true, erased_at_ms, revoked_count }

  marks.revoked_below = batch.nextIndex()
  batch.saveHumanMarks(human_ref)
  batch.appendLeaf('human.revoked', { human_ref })
  const { log_index } = batch.appendLeaf('human.erased', { human_ref })
  batch.erase(human_ref, log_index)
  return { already_erased: false, erased_at_ms: batch.now_ms, revoked_count }
}
