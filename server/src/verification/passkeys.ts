/**
 * WebAuthn: the options that browsers are given, and the verification of their responses. Nothing is stored here; callers
 * keep the challenge and the registered key. The library is large, so it is loaded with the first passkey.
 */
import { createHash } from 'node:crypto'
import { isIP } from 'node:net'
import {
  type AssertionResponse,
  AuthorityError,
  PASSKEY_REASONS,
  type PasskeyReason,
  type RegistrationResponse,
} from '@deputize/protocol'
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'

const library = () => import('@simplewebauthn/server')
const libraryHelpers = () => import('@simplewebauthn/server/helpers')

/** EdDSA, ES256 and RS256. */
const COSE_ALGORITHMS = [-8, -7, -257]
const MOST_ID_CHARACTERS = 340

/** This service. Passkeys are bound to its host name, and responses to the origin of its pages. */
export interface RelyingParty {
  readonly origin: string
  readonly rp_id: string
  /** Whether pages of another origin may also act for this service. */
  readonly accepts?: (origin: string) => boolean
}

export function relyingParty(public_url: string): RelyingParty {
  const { origin, hostname } = new URL(public_url)
  if (isIP(hostname.replace(/^\[|\]$/g, '')) !== 0) throw passkeyRefused('no_domain')
  return { origin, rp_id: hostname }
}

/**
 * Returns the relying party of a passkey that accompanies a capture. Browsers accept no IP address as a relying party,
 * so a service at 127.0.0.1 or [::1] uses the name localhost, and the page that captures must be opened there. Pages
 * that may embed the widget may also respond.
 */
export function captureParty(public_url: string, accepts: (origin: string) => boolean): RelyingParty {
  const url = new URL(public_url)
  if (url.hostname === '[::1]' || /^127(\.\d+){3}$/.test(url.hostname)) url.hostname = 'localhost'
  return { ...relyingParty(url.origin), accepts }
}

export function passkeyRefused(reason: PasskeyReason): AuthorityError {
  return new AuthorityError('passkey_refused', PASSKEY_REASONS[reason], { reason })
}

export interface PasskeyChallenge {
  readonly challenge: Uint8Array
  readonly timeout_ms: number
}

export interface KeyHint {
  readonly id: string
  readonly transports: readonly string[]
}

/** Options to create a discoverable passkey. */
export async function creationOptions(
  { rp_id }: RelyingParty,
  { challenge, timeout_ms }: PasskeyChallenge,
  person: { readonly handle: Uint8Array; readonly name: string },
  known: readonly KeyHint[],
): Promise<Record<string, unknown>> {
  const { generateRegistrationOptions } = await library()
  const options = await generateRegistrationOptions({
    rpName: 'Deputy',
    rpID: rp_id,
    userName: person.name,
    userDisplayName: person.name,
    userID: Uint8Array.from(person.handle),
    challenge: Uint8Array.from(challenge),
    timeout: timeout_ms,
    attestationType: 'none',
    excludeCredentials: known.map(credentialHint),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    supportedAlgorithmIDs: COSE_ALGORITHMS,
  })
  return { ...options }
}

/** Options to sign in with one of these passkeys, or with any that the device has. */
export async function requestOptions(
  { rp_id }: RelyingParty,
  { challenge, timeout_ms }: PasskeyChallenge,
  known: readonly KeyHint[] | undefined,
): Promise<Record<string, unknown>> {
  const { generateAuthenticationOptions } = await library()
  const options = await generateAuthenticationOptions({
    rpID: rp_id,
    challenge: Uint8Array.from(challenge),
    timeout: timeout_ms,
    userVerification: 'required',
    ...(known !== undefined && { allowCredentials: known.map(credentialHint) }),
  })
  return { ...options }
}

function credentialHint({ id, transports }: KeyHint) {
  return { id, transports: [...transports] }
}

/** Returns the challenge that a response names, not yet verified. */
export function challengeIn({ response }: AssertionResponse | RegistrationResponse): string {
  const { challenge } = clientDataOf(response.clientDataJSON)
  if (typeof challenge !== 'string') throw passkeyRefused('malformed')
  return challenge
}

function clientDataOf(text: string): Readonly<Record<string, unknown>> {
  const data: unknown = readOr('malformed', () => JSON.parse(Buffer.from(text, 'base64url').toString('utf8')))
  if (typeof data !== 'object' || data === null) throw passkeyRefused('malformed')
  return { ...data }
}

/** Returns the page's origin. Refuses pages of other sites, and every page inside a frame of another site. */
function assertOrigin(text: string, { origin, accepts }: RelyingParty): string {
  const data = clientDataOf(text)
  if (typeof data.origin !== 'string' || data.crossOrigin === true || data.topOrigin !== undefined)
    throw passkeyRefused('origin')
  if (data.origin !== origin && accepts?.(data.origin) !== true) throw passkeyRefused('origin')
  return data.origin
}

function readOr<T>(reason: PasskeyReason, read: () => T): T {
  try {
    return read()
  } catch {
    throw passkeyRefused(reason)
  }
}

/**
 * Returns the authenticator data of a new key. Certificates are refused: none was requested, and checking one would
 * make the service call the address that it names.
 */
async function authenticatorDataOf({ response }: RegistrationResponse): Promise<Uint8Array> {
  const { decodeAttestationObject } = await libraryHelpers()
  return readOr('malformed', () => {
    const attestation = decodeAttestationObject(fromBase64url(response.attestationObject))
    const isPlain = attestation.get('fmt') === 'none' || attestation.get('fmt') === 'packed'
    if (!isPlain || attestation.get('attStmt').get('x5c') !== undefined)
      throw new Error('the attestation carries a certificate')
    return attestation.get('authData')
  })
}

function fromBase64url(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(Buffer.from(text, 'base64url'))
}

/** A key that an authenticator has created. */
export interface MadePasskey {
  readonly id: string
  readonly public_key: string
  readonly counter: number
  readonly transports: readonly string[]
  readonly backed_up: boolean
  /** The kind of authenticator, as it reports itself. */
  readonly aaguid: string
}

export async function verifyRegistration(
  party: RelyingParty,
  response: RegistrationResponse,
  challenge: string,
): Promise<MadePasskey> {
  const origin = assertOrigin(response.response.clientDataJSON, party)
  if (response.id.length > MOST_ID_CHARACTERS) throw passkeyRefused('malformed')
  await assertForParty(await authenticatorDataOf(response), party)
  const { verifyRegistrationResponse } = await library()
  const { verified, registrationInfo } = await verifyRegistrationResponse({
    response: response as RegistrationResponseJSON, // the schema of the operation has checked its members
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: party.rp_id,
    requireUserVerification: true,
    supportedAlgorithmIDs: COSE_ALGORITHMS,
  }).catch(() => {
    throw passkeyRefused('malformed')
  })
  if (!verified) throw passkeyRefused('signature')
  const { aaguid, credential, credentialBackedUp } = registrationInfo
  if (credential.id !== response.id) throw passkeyRefused('malformed')
  return {
    id: credential.id,
    public_key: Buffer.from(credential.publicKey).toString('base64url'),
    counter: credential.counter,
    transports: response.response.transports ?? [],
    backed_up: credentialBackedUp,
    aaguid,
  }
}

/** A verified assertion: the authenticator holds the key and has verified its owner. `counter` is its own count of uses. */
export interface Assertion {
  readonly counter: number
  readonly backed_up: boolean
}

/**
 * Verifies an assertion. The library gets 0 as the known counter, because the counter must not be judged before the
 * signature is verified: otherwise a forged response could make a passkey look like a copy. See `isCloneOf`.
 */
export async function verifyAssertion(
  party: RelyingParty,
  response: AssertionResponse,
  challenge: string,
  { public_key }: { readonly public_key: string },
): Promise<Assertion> {
  const origin = assertOrigin(response.response.clientDataJSON, party)
  await assertForParty(fromBase64url(response.response.authenticatorData), party)
  const { verifyAuthenticationResponse } = await library()
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response: response as AuthenticationResponseJSON, // the schema of the operation has checked its members
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: party.rp_id,
    requireUserVerification: true,
    credential: {
      id: response.id,
      publicKey: fromBase64url(public_key),
      counter: 0,
    },
  }).catch(() => {
    throw passkeyRefused('malformed')
  })
  if (!verified) throw passkeyRefused('signature')
  return { counter: authenticationInfo.newCounter, backed_up: authenticationInfo.credentialBackedUp }
}

async function assertForParty(data: Uint8Array, { rp_id }: RelyingParty): Promise<void> {
  const { parseAuthenticatorData } = await libraryHelpers()
  const { rpIdHash, flags } = readOr('malformed', () => parseAuthenticatorData(Uint8Array.from(data)))
  const wanted = createHash('sha256').update(rp_id).digest()
  if (Buffer.compare(rpIdHash, wanted) !== 0) throw passkeyRefused('origin')
  if (!flags.up || !flags.uv) throw passkeyRefused('not_verified')
}

/** An authenticator that counts never repeats a number. One that doesn't count always reports 0. */
export function isCloneOf(known: { readonly counter: number }, { counter }: Assertion): boolean {
  return (known.counter > 0 || counter > 0) && counter <= known.counter
}
