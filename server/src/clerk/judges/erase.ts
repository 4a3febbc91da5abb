import { AuthorityError } from '@deputize/protocol'
import type { Ledger } from '../batch-state.ts'
import type { EraseHumanCommand } from '../command.ts'

export interface EraseOutcome {
  readonly already_erased: boolean
  readonly erased_at_ms: number
  readonly revoked_count: number
}

/**
 * Revokes every token of a person and destroys the key to everything personal. The leaves stay as they are: what stood
 * in them as a digest can no longer be guessed by anybody. Again: nothing changes, and leftover copies are cleared.
 */
export function eraseHuman({ human_ref }: EraseHumanCommand, ledger: Ledger): EraseOutcome {
  const marks = ledger.humanMarks(human_ref)
  const person = ledger.person(human_ref)
  if (marks === undefined || person === undefined) throw new AuthorityError('human_unknown')
  const revoked_count = ledger.countLiveOf({ human_ref })
  ledger.scrub()
  const { erased_at_ms, has_data } = person
  if (erased_at_ms !== undefined && !has_data && revoked_count === 0)
    return { already_erased: true, erased_at_ms, revoked_count }

  marks.revoked_below = ledger.nextIndex()
  ledger.markHuman(human_ref)
  ledger.log('human.revoked', { human_ref })
  ledger.erase(human_ref)
  ledger.log('human.erased', { human_ref })
  return { already_erased: false, erased_at_ms: ledger.now_ms, revoked_count }
}
