import { AuthorityError } from '@deputize/protocol'
import type { EraseOutcome } from '../clerk/judges/erase.ts'
import { isoInstant } from '../domain/time.ts'
import type { HumanFacts } from '../store/port.ts'
import type { Handler, OperationContext } from './operation-context.ts'

export const getHuman: Handler<'getHuman'> = async ({ params }, context) =>
  humanView(await knownHuman(params.human_ref, context))

export async function knownHuman(
  human_ref: string,
  { reader, clock }: OperationContext,
): Promise<HumanFacts> {
  const human = await reader.human(human_ref, clock())
  if (human === undefined) throw new AuthorityError('human_unknown')
  return human
}

export function humanView({ assurance_levels, first_seen_ms, erased_at_ms, ...counts }: HumanFacts) {
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
export const eraseHuman: Handler<'eraseHuman'> = async ({ params }, { clerk, ephemeral }) => {
  const { human_ref } = params
  const { outcome } = await clerk.submit({ kind: 'erase_human', human_ref })
  await ephemeral.endOwner(human_ref) // nobody is signed in as somebody who is erased
  const { already_erased, erased_at_ms, revoked_count } = outcome as EraseOutcome // what the judge of it returns
  return { erased: true, already_erased, human_ref, erased_at: isoInstant(erased_at_ms), revoked_count }
}
