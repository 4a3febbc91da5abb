/** The passkey of a capture: the device signs what was captured and what it is for. */
import { createHash } from 'node:crypto'
import {
  type AssertionResponse,
  AuthorityError,
  canonicalJson,
  PASSKEY_NEEDS,
  type PasskeyNeed,
  type RegistrationResponse,
} from '@deputize/protocol'
import type { Caller } from '../../../access/caller.ts'
import { isUsable, passkeysUnder } from '../../../access/passkey-document.ts'
import {
  captureParty,
  creationOptions,
  type MadePasskey,
  passkeyRefused,
  type RelyingParty,
  requestOptions,
  verifyRegistration,
} from '../../../verification/passkeys.ts'
import { personRefsOf } from '../../identity/proven-person.ts'
import type { OperationContext } from '../../operation-context.ts'
import { CHALLENGE_MS } from '../passkeys/challenges.ts'
import { type PasskeyOwner, passkeyHint } from '../passkeys/passkey-entries.ts'
import { assertAccepted, registerPasskey } from '../passkeys/register-passkey.ts'
import { usedPasskey } from '../passkeys/used-passkey.ts'
import { accountName, userHandle } from '../passkeys/user-handle.ts'
import { isWidgetOrigin } from '../passkeys/widget-origin.ts'
import { assertRecentSignIn } from '../sign-in/recent-sign-in.ts'

/** What the device signs. A client can compute the challenge itself. */
export interface CaptureBinding {
  readonly session_id: string
  readonly nonce: string
  /** The digest of each step's media, in order. */
  readonly media: readonly string[]
  /** The digest of the token request. */
  readonly request: string
}

/** Returns the SHA-256 of the canonical JSON. The nonce of a session is judged once, so no response counts twice. */
export function captureChallenge({ session_id, nonce, media, request }: CaptureBinding): Buffer {
  return createHash('sha256').update(canonicalJson({ session_id, nonce, media, request })).digest()
}

function partyOf(context: OperationContext): RelyingParty {
  return captureParty(context.public_url(), (origin) => isWidgetOrigin(origin, context))
}

export interface CapturePasskeyOptions {
  readonly ceremony: 'get' | 'create'
  readonly options: Record<string, unknown>
}

/** Returns options to answer with one of the person's passkeys or, at enrollment, to create the first one. */
export async function capturePasskeyOptions(
  binding: CaptureBinding,
  purpose: 'enroll' | 'verify',
  person: PasskeyOwner,
  caller: Caller,
  context: OperationContext,
): Promise<CapturePasskeyOptions> {
  const party = partyOf(context)
  const challenge = { challenge: captureChallenge(binding), timeout_ms: CHALLENGE_MS }
  const passkeys = await passkeysFor(person, context)
  if (passkeys.length > 0)
    return { ceremony: 'get', options: await requestOptions(party, challenge, passkeys.map(passkeyHint)) }
  if (purpose === 'verify') throw passkeyRequired('no_passkey')
  assertMayCreate(caller, context)
  const owner = await newPasskeyOwner(person, context)
  const account = { handle: userHandle(owner.human_ref), name: accountName(owner) }
  return { ceremony: 'create', options: await creationOptions(party, challenge, account, []) }
}

export type PasskeyAnswer = AssertionResponse | RegistrationResponse

/**
 * Whether a passkey of this person, with user verification, signed this very capture. Refuses any other response, and
 * refuses with `passkey_required` if a passkey is needed but missing. At enrollment, a person without a passkey
 * registers their first.
 */
export async function provesPasskey(
  answer: PasskeyAnswer | undefined,
  binding: CaptureBinding,
  { person, caller, is_needed }: CapturePasskey,
  context: OperationContext,
): Promise<boolean> {
  if (answer === undefined) {
    if (is_needed || context.verification.l3_passkey === 'required') throw passkeyRequired('no_answer')
    return false
  }
  if (isRegistration(answer)) {
    const made = await createdPasskey(answer, binding, { person, caller }, context)
    const owner = await newPasskeyOwner(person, context)
    await registerPasskey(made, { ...owner, assurance_level: levelOf(caller) }, undefined, context)
    return true
  }
  const party = partyOf(context)
  const challenge = captureChallenge(binding).toString('base64url')
  await usedPasskey(answer, { challenge, party }, person, context)
  return true
}

/**
 * Returns the passkey that a person creates with their enrollment, verified but not yet registered. Refuses callers
 * that may not create it, and kinds of devices that the tenant doesn't accept.
 */
export async function createdPasskey(
  answer: RegistrationResponse,
  binding: CaptureBinding,
  { person, caller }: Pick<CapturePasskey, 'person' | 'caller'>,
  context: OperationContext,
): Promise<MadePasskey> {
  if (await hasPasskey(person, context)) throw passkeyRefused('not_first')
  assertMayCreate(caller, context)
  const challenge = captureChallenge(binding).toString('base64url')
  const made = await verifyRegistration(partyOf(context), answer, challenge)
  await assertAccepted(made.aaguid, person.tenant_id, context)
  return made
}

export interface CapturePasskey {
  readonly person: PasskeyOwner
  /** The caller that may register a first passkey. Undefined at a verification, which registers none. */
  readonly caller: Caller | undefined
  /** Whether a passkey is needed even if the deployment doesn't require one. */
  readonly is_needed: boolean
}

export async function hasPasskey(person: PasskeyOwner, context: OperationContext): Promise<boolean> {
  return (await passkeysFor(person, context)).length > 0
}

/** Returns the person's usable passkeys under all their refs, whichever one a session names. */
async function passkeysFor({ tenant_id, human_ref }: PasskeyOwner, context: OperationContext) {
  const { reader, access } = context
  const held = await passkeysUnder(reader.registry, tenant_id, await personRefsOf(human_ref, context))
  return held.filter((passkey) => isUsable(passkey, access))
}

/** Returns the owner of a new passkey: the ref that the person signs in with, because the passkey will sign in. */
async function newPasskeyOwner({ tenant_id, human_ref }: PasskeyOwner, context: OperationContext) {
  const [own = human_ref] = await personRefsOf(human_ref, context)
  return { tenant_id, human_ref: own }
}

function isRegistration(answer: PasskeyAnswer): answer is RegistrationResponse {
  return 'attestationObject' in answer.response
}

/** Requires a fresh sign-in: a passkey outlives its session, so a session stolen hours later must not add one. */
function assertMayCreate(caller: Caller | undefined, context: OperationContext): void {
  if (caller?.role === 'local') return
  if (caller?.role !== 'human') throw passkeyRequired('no_passkey')
  assertRecentSignIn(caller, context)
}

function levelOf(caller: Caller | undefined) {
  return caller?.role === 'human' ? caller.assurance_level : 'L1'
}

function passkeyRequired(reason: PasskeyNeed): AuthorityError {
  return new AuthorityError('passkey_required', PASSKEY_NEEDS[reason], { reason })
}
