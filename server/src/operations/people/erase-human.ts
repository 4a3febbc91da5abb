import type { EraseOutcome } from '../../clerk/judges/erase.ts'
import { isoInstant } from '../../domain/time.ts'
import { orderRedactions } from '../external/redactions.ts'
import type { Handler } from '../operation-context.ts'

/**
 * Ignores the Idempotency-Key. Erasing is idempotent by itself, and a repeat must run again: a crash after the commit
 * leaves rows of the person's sessions, and the repeat removes them. No such session is valid: its begin is sealed with
 * the key that the erasure destroys.
 */
export const eraseHuman: Handler<'eraseHuman'> = async ({ params }, context) => {
  const { human_ref } = params
  const { clerk, ephemeral } = context
  await orderRedactions(human_ref, context)
  const { outcome } = await clerk.submit({ kind: 'erase_human', human_ref })
  await ephemeral.endOwner(human_ref)
  const { already_erased, erased_at_ms, revoked_count } = outcome as EraseOutcome // the outcome type of this command's judge
  return { erased: true, already_erased, human_ref, erased_at: isoInstant(erased_at_ms), revoked_count }
}
