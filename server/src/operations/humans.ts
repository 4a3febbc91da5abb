import { AuthorityError } from '@deputy/protocol'
import type { EraseOutcome } from '../clerk/judges/erase.ts'
import { isoInstant } from '../domain/time.ts'
import type { Handler } from './operation-context.ts'

export const getHuman: Handler<'getHuman'> = async ({ params }, { reader, clock }) => {
  const human = await reader.human(params.human_ref, clock())
  if (human === undefined) throw new AuthorityError('human_unknown')
  const { assurance_levels, first_seen_ms, erased_at_ms, ...counts } = human
  return {
    ...counts,
    assurance_levels: [...assurance_levels],
    ...(first_seen_ms !== undefined && { first_seen_at: isoInstant(first_seen_ms) }),
    ...(erased_at_ms !== undefined && { erased_at: isoInstant(erased_at_ms) }),
  }
}

/**
 * Takes no note of an Idempotency-Key: erasing twice is no different from erasing once, and a repeat has to finish what
 * the first one may have left undone, which a stored answer would not.
 */
export const eraseHuman: Handler<'eraseHuman'> = async ({ params }, { clerk }) => {
  const { human_ref } = params
  const { outcome } = await clerk.submit({ kind: 'erase_human', human_ref })
  const { already_erased, erased_at_ms, revoked_count } = outcome as EraseOutcome // what the judge of it returns
  return { erased: true, already_erased, human_ref, erased_at: isoInstant(erased_at_ms), revoked_count }
}
