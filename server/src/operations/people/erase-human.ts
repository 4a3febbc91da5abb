import { AuthorityError } from '@deputize/protocol'
import type { EraseOutcome } from '../../clerk/judges/erase.ts'
import { isoInstant } from '../../domain/times/time.ts'
import { orderRedactions } from '../external/redactions.ts'
import { endEveryHeldKey } from '../identity/held-key.ts'
import { everyRefOf } from '../identity/proven-person.ts'
import type { Handler, OperationContext } from '../operation-context.ts'

/**
 * Ignores the Idempotency-Key. Erasing is idempotent anyway, and a repeated call must run again: a crash after the
 * commit leaves rows of the person's sessions, which the repeated call removes. None of these sessions is valid,
 * because its beginning is sealed with the key that the erasure destroys.
 */
export const eraseHuman: Handler<'eraseHuman'> = async (call, context) => {
  const { params, caller, onSession } = call
  const { human_ref } = params
  const refs = await everyRefOf(human_ref, context) // the erasure destroys what links them
  await orderAll(refs, context)
  // Before the erasure: if a later step fails, a repeated call no longer finds the person, or not all their refs. Staff
  // who erase themselves are signed out first, and sign in again if they have to repeat the call.
  if (await endEveryHeldKey(refs, caller, context)) onSession(undefined)
  const { already_erased, erased_at_ms, revoked_count } = await erase(human_ref, context)
  await endSessions(refs, context)
  await endEveryHeldKey(refs, caller, context) // from a sign-in meanwhile
  // A check that began meanwhile is either found here, or finds its session gone and orders its own redaction. Nothing
  // links the refs any more, so this time each one is erased by name.
  if ((await orderAll(refs, context)) > 0) {
    for (const ref of refs) await erase(ref, context).catch(ignoreUnknown)
    await endSessions(refs, context)
  }
  return { erased: true, already_erased, human_ref, erased_at: isoInstant(erased_at_ms), revoked_count }
}

async function orderAll(refs: readonly string[], context: OperationContext): Promise<number> {
  let ordered = 0
  for (const ref of refs) ordered += await orderRedactions(ref, context)
  return ordered
}

/** Erases the person behind a ref, under every ref that is linked to it. */
async function erase(human_ref: string, { clerk }: OperationContext): Promise<EraseOutcome> {
  const { outcome } = await clerk.submit({ kind: 'erase_human', human_ref })
  return outcome as EraseOutcome // the outcome type of this command's judge
}

async function endSessions(refs: readonly string[], { ephemeral }: OperationContext): Promise<void> {
  for (const ref of refs) await ephemeral.endOwner('all', ref)
}

function ignoreUnknown(error: unknown): void {
  if (!(error instanceof AuthorityError && error.code === 'human_unknown')) throw error
}
