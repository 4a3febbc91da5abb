/**
 * Sessions that wait for a device, in the store. Their entries never change, so no write can undo another: the newest
 * capture is recorded in that capture's own session, which has the same ID. Secrets are kept as digests.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { AuthorityError, type VerificationPurpose, type VerificationState } from '@deputize/protocol'
import { CAPTURE_SESSION_MS, EXTERNAL_SESSION_MS } from '../../../domain/verification/capture-session.ts'
import {
  type HostedFacts,
  hostedState,
  TRANSFER_CODE_MS,
} from '../../../domain/verification/hosted-session.ts'
import { BUILTIN_PROVIDER } from '../../../domain/verification/provider-choice.ts'
import type { Accommodation } from '../../../verification/biometric-engine.ts'
import type { CaptureLocale } from '../../../verification/capture-prompts.ts'
import type { OpenedExternal } from '../../../verification/external/external-providers.ts'
import type { OperationCall, OperationContext } from '../../operation-context.ts'
import {
  type CaptureSession,
  findSession,
  isNonceOf,
  isSessionCancelled,
  keptUntil,
  type SessionOpener,
} from '../biometric-sessions/capture-sessions.ts'
import { assertIssuable } from '../biometric-sessions/l3-token.ts'
import { assertOpenerInForce } from '../biometric-sessions/session-opener.ts'

export type HostedTokenRequest = NonNullable<OperationCall<'createHostedSession'>['body']['request']>

export interface HostedSession {
  readonly session_id: string
  readonly client_token_hash: string
  /** The digest of the secret in the link, which can open, move and watch the session, but not collect the token. */
  readonly link_token_hash: string
  readonly purpose: VerificationPurpose
  readonly tenant_id: string
  readonly human_ref: string
  readonly opened_by: SessionOpener
  /** `builtin`, or the name of an external provider. */
  readonly provider: string
  readonly accommodations: readonly Accommodation[]
  readonly locale: CaptureLocale
  readonly request?: HostedTokenRequest
  readonly approval_id?: string
  readonly return_url?: string
  readonly created_at_ms: number
  readonly expires_at_ms: number
}

/** A hosted session in its current state. */
export interface HostedStatus {
  readonly hosted: HostedSession
  /** The newest capture. */
  readonly capture: CaptureSession | undefined
  readonly facts: HostedFacts
  readonly state: VerificationState
}

const TOKEN_BYTES = 32
/** Short, so that a QR code is easy to scan. Valid for two minutes. */
const TRANSFER_CODE_BYTES = 16

/** Returns a new client token or link secret. */
export function newHostedSecret(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url')
}

export async function addHostedSession(
  hosted: HostedSession,
  { ephemeral }: OperationContext,
): Promise<void> {
  const entry = {
    key: hosted.session_id,
    value: JSON.stringify(hosted),
    owner: hosted.human_ref,
    expires_at_ms: hostedKeptUntil(hosted),
  }
  if (!(await ephemeral.add('hosted_session', entry)))
    throw new Error('a hosted session with this id exists already')
}

/**
 * Returns until when a session is kept. A capture may begin in the last second, and its result must be kept as long as
 * the session can be requested.
 */
export function hostedKeptUntil({
  expires_at_ms,
  provider,
}: Pick<HostedSession, 'expires_at_ms' | 'provider'>): number {
  const longest_ms = provider === BUILTIN_PROVIDER ? CAPTURE_SESSION_MS : EXTERNAL_SESSION_MS
  return keptUntil(expires_at_ms + longest_ms)
}

/** Refuses a session whose token couldn't be issued now, if it requests one. */
export async function assertTokenIssuable(
  hosted: HostedSession,
  external: OpenedExternal | undefined,
  context: OperationContext,
): Promise<void> {
  const verifier = external && { provider: external.name, level: external.level }
  if (hosted.request !== undefined)
    await assertIssuable(hosted.request, hosted, verifier, hosted.opened_by, context)
}

/** Finds a hosted session. Undefined if it doesn't exist, or wasn't prepared for a device. */
export async function findHosted(
  session_id: string,
  context: OperationContext,
): Promise<HostedStatus | undefined> {
  const entry = await context.ephemeral.get('hosted_session', session_id)
  if (entry === undefined) return undefined
  const hosted = JSON.parse(entry.value) as HostedSession // only `addHostedSession` writes entries of this kind
  const capture = await findSession(session_id, context)
  const facts: HostedFacts = {
    expires_at_ms: hosted.expires_at_ms,
    is_cancelled: await isSessionCancelled(session_id, context),
    capture: capture?.hosted && {
      state: capture.state,
      decision: capture.result?.decision,
      opening: capture.hosted.opening,
      is_moved: capture.hosted.is_moved,
    },
  }
  return { hosted, capture, facts, state: hostedState(facts, context.clock()) }
}

/** Returns the session of a client token or link secret, while the credential that prepared it is valid. */
export async function hostedWithToken(
  session_id: string,
  token: string,
  context: OperationContext,
): Promise<HostedStatus> {
  const found = await hostedOfToken(session_id, token, context)
  await assertOpenerInForce(found.hosted, context)
  return found
}

/** The same, but only for the client token: the holder of the link doesn't get the token. */
export async function hostedToCollect(
  session_id: string,
  client_token: string,
  context: OperationContext,
): Promise<HostedStatus> {
  const found = await hostedWithToken(session_id, client_token, context)
  if (!isSecretOf(found.hosted.client_token_hash, client_token)) throw new AuthorityError('session_unknown')
  return found
}

/** Returns the session of a client token or link secret, in any state. A wrong one is treated as an unknown session. */
export async function hostedOfToken(
  session_id: string,
  token: string,
  context: OperationContext,
): Promise<HostedStatus> {
  const found = await findHosted(session_id, context)
  if (found === undefined) throw new AuthorityError('session_unknown')
  const { client_token_hash, link_token_hash } = found.hosted
  // Both are compared, so that timing reveals nothing.
  const isKnown = [client_token_hash, link_token_hash].map((hash) => isSecretOf(hash, token))
  if (!isKnown.includes(true)) throw new AuthorityError('session_unknown')
  return found
}

/** Returns the session that a code moves. Doesn't use it up. Refuses with `session_taken` once a device has used it. */
export async function hostedWithCode(
  session_id: string,
  transfer_code: string,
  context: OperationContext,
): Promise<HostedStatus> {
  const { ephemeral } = context
  const entry = await ephemeral.get('hosted_transfer', hashOfSecret(transfer_code))
  const found = entry?.owner === session_id ? await findHosted(session_id, context) : undefined
  if (found === undefined) throw new AuthorityError('session_unknown')
  if ((await ephemeral.get('capture_claim', usedKey(transfer_code))) !== undefined) throw codeUsed()
  await assertOpenerInForce(found.hosted, context)
  return found
}

/** Returns the session whose newest capture has this nonce. A device may present its device key instead. */
export async function hostedWithNonce(
  session_id: string,
  nonce: string,
  context: OperationContext,
): Promise<HostedStatus> {
  const found = await findHosted(session_id, context)
  if (found?.capture === undefined) throw new AuthorityError('session_unknown')
  if (!isNonceOf(found.capture, nonce) && !isDeviceKeyOf(found.capture, nonce))
    throw new AuthorityError('nonce_mismatch')
  await assertOpenerInForce(found.hosted, context)
  return found
}

/** Whether the device that drew this key has the newest capture, even if it never received the answer. */
export async function hasNewestCapture(
  session_id: string,
  device_key: string,
  context: OperationContext,
): Promise<boolean> {
  const capture = await findSession(session_id, context)
  return capture !== undefined && isDeviceKeyOf(capture, device_key)
}

/** Whether the device that drew this key has opened the capture. */
export function isDeviceKeyOf({ hosted }: CaptureSession, device_key: string): boolean {
  return hosted?.device_key_hash !== undefined && isSecretOf(hosted.device_key_hash, device_key)
}

export interface NewTransferCode {
  readonly transfer_code: string
  readonly expires_at_ms: number
}

/** Adds a transfer code, which replaces the previous one. */
export async function addTransferCode(
  { session_id }: HostedSession,
  { ephemeral, clock }: OperationContext,
): Promise<NewTransferCode> {
  for (const { key } of await ephemeral.ofOwner('hosted_transfer', session_id))
    await ephemeral.take('hosted_transfer', key)
  const transfer_code = randomBytes(TRANSFER_CODE_BYTES).toString('base64url')
  const expires_at_ms = clock() + TRANSFER_CODE_MS
  const entry = { key: hashOfSecret(transfer_code), value: '{}', owner: session_id, expires_at_ms }
  await ephemeral.add('hosted_transfer', entry)
  return { transfer_code, expires_at_ms }
}

/** Uses up a code, for one device on one node. Any other is refused with `session_taken`. */
export async function takeTransferCode(
  { human_ref }: Pick<HostedSession, 'human_ref'>,
  transfer_code: string,
  { ephemeral, clock }: OperationContext,
): Promise<void> {
  const expires_at_ms = clock() + TRANSFER_CODE_MS
  const mark = { key: usedKey(transfer_code), value: '{}', owner: human_ref, expires_at_ms }
  if (!(await ephemeral.add('capture_claim', mark))) throw codeUsed()
}

function usedKey(transfer_code: string): string {
  return `${hashOfSecret(transfer_code)} used`
}

function codeUsed(): AuthorityError {
  return new AuthorityError('session_taken', 'Another device has used this code.')
}

export function hashOfSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url')
}

function isSecretOf(hash: string, secret: string): boolean {
  return timingSafeEqual(Buffer.from(hash), Buffer.from(hashOfSecret(secret)))
}
