import { AuthorityError } from '@deputize/protocol'
import type { BatchState } from '../batch-state.ts'
import type { EraseHumanCommand } from '../command.ts'
import { everyRef, storedRefs } from './person-refs.ts'
import { revokeRef } from './revoke.ts'

export interface EraseOutcome {
  readonly already_erased: boolean
  readonly erased_at_ms: number
  readonly revoked_count: number
}

/**
 * Revokes every token of a person, ends the vouches from and to them, and destroys their data keys, for each of their refs.
 * Leaves never change, but without the key their digests can't be matched to a text. A repeated erasure changes nothing and
 * clears leftover copies of the keys.
 */
export function judgeEraseHuman({ human_ref }: EraseHumanCommand, batch: BatchState): EraseOutcome {
  const human_refs = storedRefs(everyRef(human_ref, batch), batch)
  batch.scrub('data_keys')
  const outcomes = human_refs.map((ref) => eraseRef(ref, batch))
  return {
    already_erased: outcomes.every(({ already_erased }) => already_erased),
    erased_at_ms: Math.max(...outcomes.map(({ erased_at_ms }) => erased_at_ms)),
    revoked_count: outcomes.reduce((sum, { revoked_count }) => sum + revoked_count, 0),
  }
}

function eraseRef(human_ref: string, batch: BatchState): EraseOutcome {
  const person = batch.person(human_ref)
  if (person === undefined) throw new AuthorityError('human_unknown')
  const revoked_count = batch.countLiveOf({ human_ref })
  const { erased_at_ms, has_data } = person
  if (
    erased_at_ms !== undefined &&
    !has_data &&
    revoked_count === 0 &&
    !batch.trust.isInTrustGraph(human_ref)
  )
    return { already_erased: true, erased_at_ms, revoked_count }

  revokeRef(human_ref, {}, batch)
  const { log_index } = batch.appendLeaf('human.erased', { human_ref })
  batch.erase(human_ref, log_index)
  return { already_erased: false, erased_at_ms: batch.now_ms, revoked_count }
}
