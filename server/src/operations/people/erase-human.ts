import type { EraseOutcome } from '../../clerk/judges/erase.ts'
import { isoInstant } from '../../domain/time.ts'
import { orderRedactions } from '../external/redactions.ts'
import type { Handler, OperationContext } from '../operation-context.ts'

/**
 * Ignores the Idempotency-Key. Erasing is idempotent by itself, and a repeat must run again: a crash after the commit
 * leaves rows of the person's sessions, and the repeat removes them. No such session is valid: its begin is sealed with
 * the key that the erasure destroys.
 */
export const eraseHuman: Handler<'eraseHuman'> = async ({ params }, context) => {
  const { human_ref } = params
  await orderRedactions(human_ref, context)
  const { already_erased, erased_at_ms, revoked_count } = await eraseOnce(human_ref, context)
  // A check that began meanwhile is found here, or finds its session gone and orders its own redaction.
  if ((await orderRedactions(human_ref, context)) > 0) await eraseOnce(human_ref, context)
  return { erased: true, already_erased, human_ref, erased_at: isoInstant(erased_at_ms), revoked_count }
}

async function eraseOnce(human_ref: string, { clerk, ephemeral }: OperationContext): Promise<EraseOutcome> {
  const { outcome } = await clerk.submit({ kind: 'erase_human', human_ref })
  await ephemeral.endOwner(human_ref)
  return outcome as EraseOutcome // the outcome type of this command's judge
}
