/**
 * What browsers and devices are asked, and what their answers prove (WebAuthn). Nothing is kept here: whoever asks keeps
 * the challenge, and whoever registers keeps the key.
 */
import { isIP } from 'node:net'
import {
  type AssertionResponse,
  AuthorityError,
  PASSKEY_REASONS,
  type PasskeyReason,
  type RegistrationResponse,
} from '@deputize/protocol'
import {
  generateAuthenticationOptions,
  generateRegistrationOptions,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server'
import {
  decodeAttestationObject,
  decodeClientDataJSON,
  parseAuthenticatorData,
  toHash,
} from '@simplewebauthn/server/helpers'

/** EdDSA, ES256 and RS256. */
const ALGORITHMS = [-8, -7, -257]
const MOST_ID_CHARACTERS = 340

/** Who asks: passkeys are bound to the name of the host, and answers to the origin of the page. */
export interface RelyingParty {
  readonly origin: string
  readonly rp_id: string
}

export function relyingParty(public_url: string): RelyingParty {
  const { origin, hostname } = new URL(public_url)
  if (isIP(hostname.replace(/^\[|\]$/g, '')) !== 0) throw passkeyRefused('no_domain')
  return { origin, rp_id: hostname }
}

export function passkeyRefused(reason: PasskeyReason): AuthorityError {
  return new AuthorityError('passkey_refused', PASSKEY_REASONS[reason], { reason })
}

export interface Asked {
  readonly challenge: Uint8Array
  readonly timeout_ms: number
}

export interface KeyHint {
  readonly id: string
  readonly transports: readonly string[]
}

/** Asks a device for a new passkey that it can find by itself. */
export async function creationOptions(
  { rp_id }: RelyingParty,
  { challenge, timeout_ms }: Asked,
  person: { readonly handle: Uint8Array; readonly name: string },
  known: readonly KeyHint[],
): Promise<Record<string, unknown>> {
  const options = await generateRegistrationOptions({
    rpName: 'Deputy',
    rpID: rp_id,
    userName: person.name,
    userDisplayName: person.name,
    userID: Uint8Array.from(person.handle),
    challenge: Uint8Array.from(challenge),
    timeout: timeout_ms,
    attestationType: 'none',
    excludeCredentials: known.map(hintOf),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    supportedAlgorithmIDs: ALGORITHMS,
  })
  return { ...options }
}

/** Asks for an answer by one of these passkeys, or by any that the device knows. */
export async function requestOptions(
  { rp_id }: RelyingParty,
  { challenge, timeout_ms }: Asked,
  known: readonly KeyHint[] | undefined,
): Promise<Record<string, unknown>> {
  const options = await generateAuthenticationOptions({
    rpID: rp_id,
    challenge: Uint8Array.from(challenge),
    timeout: timeout_ms,
    userVerification: 'required',
    ...(known !== undefined && { allowCredentials: known.map(hintOf) }),
  })
  return { ...options }
}

function hintOf({ id, transports }: KeyHint) {
  return { id, transports: [...transports] }
}

/** The challenge that an answer says it is for. Nothing is proven by that yet. */
export function challengeIn({ response }: AssertionResponse | RegistrationResponse): string {
  const { challenge } = clientDataOf(response.clientDataJSON)
  if (typeof challenge !== 'string') throw passkeyRefused('malformed')
  return challenge
}

type ClientData = ReturnType<typeof decodeClientDataJSON>

function clientDataOf(text: string): ClientData {
  const data = readOr('malformed', () => decodeClientDataJSON(text))
  if (typeof data !== 'object' || data === null) throw passkeyRefused('malformed')
  return data
}

/** A page in a frame of another site is not the page that the person sees. */
function assertOrigin(text: string, { origin }: RelyingParty): void {
  const data = clientDataOf(text)
  if (data.origin !== origin || data.crossOrigin === true || data.topOrigin !== undefined)
    throw passkeyRefused('origin')
}

function readOr<T>(reason: PasskeyReason, read: () => T): T {
  try {
    return read()
  } catch {
    throw passkeyRefused(reason)
  }
}

/**
 * The data of a device that made a key. No certificate is taken: none was asked for, and to judge one the service would
 * have to call whatever address it names.
 */
function madeData({ response }: RegistrationResponse): Uint8Array {
  return readOr('malformed', () => {
    const made = decodeAttestationObject(bytesOf(response.attestationObject))
    const isPlain = made.get('fmt') === 'none' || made.get('fmt') === 'packed'
    if (!isPlain || made.get('attStmt').get('x5c') !== undefined) throw new Error('a certificate')
    return made.get('authData')
  })
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(Buffer.from(text, 'base64url'))
}

/** A key that a device has made. */
export interface MadePasskey {
  readonly id: string
  readonly public_key: string
  readonly counter: number
  readonly transports: readonly string[]
  readonly backed_up: boolean
}

export async function verifyRegistration(
  party: RelyingParty,
  response: RegistrationResponse,
  challenge: string,
): Promise<MadePasskey> {
  assertOrigin(response.response.clientDataJSON, party)
  if (response.id.length > MOST_ID_CHARACTERS) throw passkeyRefused('malformed')
  await assertForUs(madeData(response), party)
  const { verified, registrationInfo } = await verifyRegistrationResponse({
    response: response as Parameters<typeof verifyRegistrationResponse>[0]['response'], // the row has checked its members
    expectedChallenge: challenge,
    expectedOrigin: party.origin,
    expectedRPID: party.rp_id,
    requireUserVerification: true,
    supportedAlgorithmIDs: ALGORITHMS,
  }).catch(() => {
    throw passkeyRefused('malformed')
  })
  if (!verified) throw passkeyRefused('signature')
  const { credential, credentialBackedUp } = registrationInfo
  if (credential.id !== response.id) throw passkeyRefused('malformed')
  return {
    id: credential.id,
    public_key: Buffer.from(credential.publicKey).toString('base64url'),
    counter: credential.counter,
    transports: response.response.transports ?? [],
    backed_up: credentialBackedUp,
  }
}

/** What a device proves: that it holds the key, that its owner is there, and how often it says it was used. */
export interface Assertion {
  readonly counter: number
  readonly backed_up: boolean
}

/**
 * Nothing is concluded from the counter before the signature has proven who says it: otherwise anybody could have a
 * passkey taken for a copy.
 */
export async function verifyAssertion(
  party: RelyingParty,
  response: AssertionResponse,
  challenge: string,
  { public_key }: { readonly public_key: string },
): Promise<Assertion> {
  assertOrigin(response.response.clientDataJSON, party)
  await assertForUs(bytesOf(response.response.authenticatorData), party)
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response: response as Parameters<typeof verifyAuthenticationResponse>[0]['response'], // the row has checked its members
    expectedChallenge: challenge,
    expectedOrigin: party.origin,
    expectedRPID: party.rp_id,
    requireUserVerification: true,
    credential: {
      id: response.id,
      publicKey: bytesOf(public_key),
      counter: 0,
    },
  }).catch(() => {
    throw passkeyRefused('malformed')
  })
  if (!verified) throw passkeyRefused('signature')
  return { counter: authenticationInfo.newCounter, backed_up: authenticationInfo.credentialBackedUp }
}

async function assertForUs(data: Uint8Array, { rp_id }: RelyingParty): Promise<void> {
  const { rpIdHash, flags } = readOr('malformed', () => parseAuthenticatorData(Uint8Array.from(data)))
  const wanted = await toHash(rp_id)
  if (Buffer.compare(rpIdHash, wanted) !== 0) throw passkeyRefused('origin')
  if (!flags.up || !flags.uv) throw passkeyRefused('not_verified')
}

/** A device that counts never gives the same number twice. One that does not count says 0 for ever. */
export function isCloneOf(known: { readonly counter: number }, { counter }: Assertion): boolean {
  return (known.counter > 0 || counter > 0) && counter <= known.counter
}
