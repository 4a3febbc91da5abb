import { AuthorityError } from '@deputize/protocol'
import { findPasskey, type KnownPasskey, type PasskeyDocument } from '../../access/passkey-document.ts'
import { isoInstant } from '../../domain/time.ts'
import { type Assertion, isCloneOf, passkeyRefused, verifyAssertion } from '../../verification/passkeys.ts'
import type { OperationCall, OperationContext } from '../operation-context.ts'
import type { TakenChallenge } from './challenges.ts'
import { belongsTo, type PasskeyOwner, putPasskey } from './passkey-entries.ts'
import { isUserHandle } from './user-handle.ts'

export type PasskeyAssertion = OperationCall<'finishPasskeyLogin'>['body']['response']

/** Verifies a response, records that the passkey was used, and returns the passkey. */
export async function usedPasskey(
  response: PasskeyAssertion,
  { challenge, party }: Pick<TakenChallenge, 'challenge' | 'party'>,
  owner: PasskeyOwner | undefined,
  context: OperationContext,
): Promise<KnownPasskey> {
  const found = await findPasskey(context.reader.registry, response.id)
  if (found === undefined) throw passkeyRefused('credential')
  if (owner !== undefined && !belongsTo(found, owner)) throw passkeyRefused('other_person')
  if (found.document.made_in_open_mode === true && context.access === 'keyed')
    throw passkeyRefused('credential')
  const { userHandle } = response.response
  if (userHandle !== undefined && !isUserHandle(userHandle, found.human_ref))
    throw passkeyRefused('credential')
  return recordUse(found, await verifyAssertion(party, response, challenge, found.document), context)
}

/** Of two concurrent responses, the second is checked against the counter that the first one stored. */
async function recordUse(
  passkey: KnownPasskey | undefined,
  assertion: Assertion,
  context: OperationContext,
): Promise<KnownPasskey> {
  if (passkey === undefined) throw passkeyRefused('credential')
  if (passkey.document.suspected_clone === true) throw passkeyRefused('suspected_clone')
  const isClone = isCloneOf(passkey.document, assertion)
  const last_used_at = isoInstant(context.clock())
  const document: PasskeyDocument = isClone
    ? { ...passkey.document, suspected_clone: true }
    : { ...passkey.document, ...assertion, last_used_at }
  const used: KnownPasskey = { ...passkey, document }
  if (!(await isStored(used, context)))
    return recordUse(await findPasskey(context.reader.registry, passkey.id), assertion, context)
  if (isClone) throw passkeyRefused('suspected_clone')
  return used
}

/** False if the entry has changed since it was read. */
async function isStored(passkey: KnownPasskey, context: OperationContext): Promise<boolean> {
  try {
    await putPasskey(passkey, passkey.log_index, context)
    return true
  } catch (error) {
    if (error instanceof AuthorityError && error.code === 'registry_conflict') return false
    throw error
  }
}
