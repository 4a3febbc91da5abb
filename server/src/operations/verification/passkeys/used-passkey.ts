import { AuthorityError } from '@deputize/protocol'
import { findPasskey, type KnownPasskey } from '../../../access/passkey-document.ts'
import { isoInstant } from '../../../domain/times/time.ts'
import { type Assertion, isCloneOf, passkeyRefused, verifyAssertion } from '../../../verification/passkeys.ts'
import { everyRefOf } from '../../identity/proven-person.ts'
import type { OperationCall, OperationContext } from '../../operation-context.ts'
import type { TakenChallenge } from './challenges.ts'
import { type PasskeyOwner, putPasskey } from './passkey-entries.ts'
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
  if (owner !== undefined && !(await isOf(found, owner, context))) throw passkeyRefused('other_person')
  if (found.document.made_in_open_mode === true && context.access === 'keyed')
    throw passkeyRefused('credential')
  const { userHandle } = response.response
  if (userHandle !== undefined && !isUserHandle(userHandle, found.human_ref))
    throw passkeyRefused('credential')
  const shelf = {
    find: (id: string) => findPasskey(context.reader.registry, id),
    put: (passkey: KnownPasskey) => putPasskey(passkey, passkey.log_index, context),
  }
  return recordUse(found, await verifyAssertion(party, response, challenge, found.document), shelf, context)
}

async function isOf(
  { tenant_id, human_ref }: KnownPasskey,
  owner: PasskeyOwner,
  context: OperationContext,
): Promise<boolean> {
  return tenant_id === owner.tenant_id && (await everyRefOf(owner.human_ref, context)).includes(human_ref)
}

/** What changes about a passkey when it is used. */
interface UsedDocument extends Assertion {
  readonly suspected_clone?: true
  readonly last_used_at?: string
}

interface UsedEntry {
  readonly id: string
  readonly log_index: number
  readonly document: UsedDocument
}

/**
 * A store for one kind of passkey. `put` refuses with `registry_conflict` if the entry has changed since it was read.
 */
interface PasskeyShelf<P> {
  find(id: string): Promise<P | undefined>
  put(passkey: P): Promise<void>
}

/**
 * Records the use of a passkey. If two responses are concurrent, the second is checked against the counter that the
 * first one stored.
 */
export async function recordUse<P extends UsedEntry>(
  passkey: P | undefined,
  assertion: Assertion,
  shelf: PasskeyShelf<P>,
  context: OperationContext,
): Promise<P> {
  if (passkey === undefined) throw passkeyRefused('credential')
  if (passkey.document.suspected_clone === true) throw passkeyRefused('suspected_clone')
  const isClone = isCloneOf(passkey.document, assertion)
  const last_used_at = isoInstant(context.clock())
  const document = isClone
    ? { ...passkey.document, suspected_clone: true as const }
    : { ...passkey.document, ...assertion, last_used_at }
  const used: P = { ...passkey, document }
  if (!(await isStored(used, shelf)))
    return recordUse(await shelf.find(passkey.id), assertion, shelf, context)
  if (isClone) throw passkeyRefused('suspected_clone')
  return used
}

/** Stores the passkey. False if the entry has changed since it was read. */
async function isStored<P>(passkey: P, shelf: PasskeyShelf<P>): Promise<boolean> {
  try {
    await shelf.put(passkey)
    return true
  } catch (error) {
    if (error instanceof AuthorityError && error.code === 'registry_conflict') return false
    throw error
  }
}
