import { AuthorityError } from '@deputize/protocol'
import type { Command, Reply } from '../../../clerk/command.ts'
import { isoInstant } from '../../../domain/times/time.ts'
import type { KeptEntry } from '../../../store/port/registry.ts'
import type { Handler, OperationContext } from '../../operation-context.ts'
import { assertDesk } from '../../safety/safety-desk.ts'
import { resolutionCommand, type SafetyNote } from '../../safety/safety-notes.ts'
import { submitCommand, withoutReplay } from '../../submit-command.ts'
import { alertView, duressNoteIn, resolutionOf, tokenOfVerification } from './duress-alerts.ts'

/** Ignores the Idempotency-Key: the first decision is final, and repeating it changes nothing. */
export const resolveDuressAlert: Handler<'resolveDuressAlert'> = async (call, context) => {
  const { caller, params, body } = call
  assertDesk(caller)
  const { entry, note } = await loadAlert(params.id, caller.tenant_id, context)
  const known = await resolutionOf(note, context)
  if (known !== undefined && known.outcome !== body.outcome)
    throw new AuthorityError('registry_conflict', `The alert was already resolved: ${known.outcome}.`)
  // The token comes first. A crash before the decision is stored leaves an open alert, which the desk resolves again.
  const jti = await tokenOfVerification(entry, note, context)
  if (jti !== undefined) await submitCommand(tokenCommand(body.outcome, jti), withoutReplay(call), context)
  if (known === undefined) {
    const resolution = {
      resolves: note.verification_id,
      outcome: body.outcome,
      note: body.note,
      at: isoInstant(context.clock()),
    }
    const owner = { tenant_id: entry.tenant_id, human_ref: entry.owner ?? '' }
    await submitCommand<Reply>(resolutionCommand(owner, note, resolution), withoutReplay(call), context)
  }
  return alertView(entry, note, context)
}

/** Returns the command for the token. A revocation has no reason, because the person could read it. */
function tokenCommand(outcome: 'safe' | 'revoke', vat_jti: string): Command {
  return outcome === 'safe' ? { kind: 'release', vat_jti } : { kind: 'revoke', vat_jti, reason: undefined }
}

async function loadAlert(
  id: string,
  tenant_id: string,
  { reader }: OperationContext,
): Promise<{ readonly entry: KeptEntry; readonly note: SafetyNote }> {
  const found = await reader.registry.entry('review', id)
  const document = found?.document
  if (found === undefined || document === undefined || found.tenant_id !== tenant_id)
    throw new AuthorityError('alert_unknown')
  const entry = { ...found, document }
  const note = duressNoteIn(entry)
  if (note === undefined) throw new AuthorityError('alert_unknown')
  return { entry, note }
}
