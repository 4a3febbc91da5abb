import { randomBytes } from 'node:crypto'
import { AuthorityError, type Passkey } from '@deputize/protocol'
import type { HumanCaller } from '../access/caller.ts'
import {
  findPasskey,
  type KnownPasskey,
  MOST_PASSKEYS,
  type PasskeyDocument,
  passkeysOf,
} from '../access/passkey-document.ts'
import { isoInstant } from '../domain/time.ts'
import {
  type Assertion,
  creationOptions,
  isCloneOf,
  passkeyRefused,
  relyingParty,
  verifyAssertion,
  verifyRegistration,
} from '../verification/passkeys.ts'
import { CHALLENGE_MS, keepChallenge, type TakenChallenge, takeChallenge } from './challenges.ts'
import type { Call, Handler, OperationContext } from './operation-context.ts'
import { pageAnswer, pageRequest } from './pages.ts'
import { personIn } from './people.ts'

const CHALLENGE_BYTES = 32

export const beginPasskey: Handler<'beginPasskey'> = async ({ caller }, context) => {
  const person = personIn(caller)
  const party = relyingParty(context.public_url())
  const known = await roomFor(person, context)
  const challenge = randomBytes(CHALLENGE_BYTES)
  const { session_key } = person
  const expires_at_ms = await keepChallenge(challenge, { kind: 'register', session_key }, person, context)
  const options = await creationOptions(
    party,
    { challenge, timeout_ms: CHALLENGE_MS },
    { handle: handleOf(person), name: accountName(person) },
    known.map(hintOf),
  )
  return { options, expires_at: isoInstant(expires_at_ms) }
}

/** The passkeys of a person who may have one more. */
async function roomFor(person: HumanCaller, { reader }: OperationContext): Promise<KnownPasskey[]> {
  const known = await passkeysOf(reader.registry, person)
  if (known.length >= MOST_PASSKEYS) throw passkeyRefused('too_many')
  return known
}

/** What a device keeps with the key. A ref is a keyed hash, and tells nobody who the person is. */
function handleOf({ human_ref }: HumanCaller): Uint8Array {
  return Buffer.from(human_ref.replace('sha256:', ''), 'hex')
}

/** No address or name of the person is known here, so the device shows where it is for and the beginning of the ref. */
function accountName({ tenant_id, human_ref }: HumanCaller): string {
  return `${tenant_id} ${human_ref.replace('sha256:', '').slice(0, 8)}`
}

/** Takes no note of an Idempotency-Key: a challenge is answered once, and a repeat begins with a new one. */
export const finishPasskey: Handler<'finishPasskey'> = async ({ caller, body }, context) => {
  const person = personIn(caller)
  const { challenge, party } = await takeChallenge(body.response, 'register', person, context)
  const made = await verifyRegistration(party, body.response, challenge)
  const { id, ...kept } = made
  const document: PasskeyDocument = {
    ...kept,
    name: body.name ?? 'Passkey',
    created_at: isoInstant(context.clock()),
    assurance_level: person.assurance_level,
  }
  await roomFor(person, context)
  const { tenant_id, human_ref } = person
  const known = { id, tenant_id, human_ref, document }
  await enter(known, 'absent', context)
  return passkeyView(known)
}

export const listPasskeys: Handler<'listPasskeys'> = async ({ caller, query }, { reader }) => {
  const { tenant_id } = caller
  const owner = caller.role === 'human' ? caller.human_ref : query.human_ref
  const filter = owner === undefined ? { tenant_id } : { tenant_id, owner }
  const page = await reader.registry.list('passkey', filter, pageRequest(query))
  return pageAnswer(page, ({ id, owner = '', document }) =>
    passkeyView({ id, human_ref: owner, document: JSON.parse(document) }),
  )
}

/** Whoever has the device may have a session as well, so those end too. */
export const deletePasskey: Handler<'deletePasskey'> = async ({ caller, params }, context) => {
  const { clerk, reader, accessControl } = context
  const known = await findPasskey(reader.registry, params.id)
  if (known === undefined) throw new AuthorityError('passkey_unknown')
  await clerk.submit({ ...entryOf(known), document: undefined, expects: known.log_index })
  const isOwn = caller.role === 'human' && isOf(known, caller)
  await accessControl.sessions.endOthers(known.human_ref, ...(isOwn ? [caller.session_key] : []))
  return { deleted: true, passkey_id: known.id }
}

type Answered = Call<'finishPasskeyLogin'>['body']['response']

/** The passkey that gave an answer, with the note that it was used. */
export async function usedPasskey(
  response: Answered,
  { challenge, party }: Pick<TakenChallenge, 'challenge' | 'party'>,
  owner: HumanCaller | undefined,
  context: OperationContext,
): Promise<KnownPasskey> {
  const found = await findPasskey(context.reader.registry, response.id)
  if (found === undefined) throw passkeyRefused('credential')
  if (owner !== undefined && !isOf(found, owner)) throw passkeyRefused('other_person')
  const { userHandle } = response.response
  if (userHandle !== undefined && !holds(userHandle, found)) throw passkeyRefused('credential')
  return noteUse(found, await verifyAssertion(party, response, challenge, found.document), context)
}

/** Of two answers at the same time the second is judged by what the first has left. */
async function noteUse(
  known: KnownPasskey | undefined,
  assertion: Assertion,
  context: OperationContext,
): Promise<KnownPasskey> {
  if (known === undefined) throw passkeyRefused('credential')
  if (known.document.suspected_clone === true) throw passkeyRefused('suspected_clone')
  const isClone = isCloneOf(known.document, assertion)
  const last_used_at = isoInstant(context.clock())
  const document: PasskeyDocument = isClone
    ? { ...known.document, suspected_clone: true }
    : { ...known.document, ...assertion, last_used_at }
  const used: KnownPasskey = { ...known, document }
  if (!(await isEntered(used, context)))
    return noteUse(await findPasskey(context.reader.registry, known.id), assertion, context)
  if (isClone) throw passkeyRefused('suspected_clone')
  return used
}

function isOf({ tenant_id, human_ref }: KnownPasskey, person: HumanCaller): boolean {
  return tenant_id === person.tenant_id && human_ref === person.human_ref
}

function holds(handle: string, { human_ref }: KnownPasskey): boolean {
  return Buffer.from(handle, 'base64url').toString('hex') === human_ref.replace('sha256:', '')
}

/** False when somebody else has changed it meanwhile. */
async function isEntered(known: KnownPasskey, context: OperationContext): Promise<boolean> {
  try {
    await enter(known, known.log_index, context)
    return true
  } catch (error) {
    if (error instanceof AuthorityError && error.code === 'registry_conflict') return false
    throw error
  }
}

type Entered = Omit<KnownPasskey, 'log_index'>

async function enter(known: Entered, expects: number | 'absent', { clerk }: OperationContext): Promise<void> {
  await clerk.submit({ ...entryOf(known), document: JSON.stringify(known.document), expects })
}

function entryOf({ id, tenant_id, human_ref }: Entered) {
  return { kind: 'register', entry_kind: 'passkey', id, tenant_id, owner: human_ref } as const
}

export function hintOf({ id, document }: KnownPasskey) {
  return { id, transports: document.transports }
}

export function passkeyView({
  id,
  human_ref,
  document,
}: Pick<KnownPasskey, 'id' | 'human_ref' | 'document'>): Passkey {
  const { name, assurance_level, transports, backed_up, suspected_clone, created_at, last_used_at } = document
  return {
    passkey_id: id,
    human_ref,
    name,
    assurance_level,
    transports: [...transports],
    backed_up,
    suspected_clone: suspected_clone === true,
    created_at,
    ...(last_used_at !== undefined && { last_used_at }),
  }
}
