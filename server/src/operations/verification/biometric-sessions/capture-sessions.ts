/**
 * Verification sessions in the store. The head of a session says what was asked and how far it has come; the evidence of
 * its steps is an entry of its own that ends with the session. The call that adds the claim for a step, on any node, is
 * the only one to write the session until that step is answered, so no write undoes another.
 */
import { createHash, timingSafeEqual } from 'node:crypto'
import {
  type AnswerOf,
  AuthorityError,
  type OPERATIONS,
  type VerificationPurpose,
  type VerificationState,
} from '@deputize/protocol'
import type { Caller, HumanCaller } from '../../../access/caller.ts'
import { MINUTE_MS } from '../../../domain/times/time.ts'
import { type CaptureProgress, stateAt } from '../../../domain/verification/capture-session.ts'
import type { EphemeralEntry } from '../../../store/ephemeral.ts'
import { addClaim, freeClaim, type HeldClaim } from '../../../store/ephemeral-claim.ts'
import type { Accommodation, Step, StepEvidence } from '../../../verification/biometric-engine.ts'
import type { CaptureLocale } from '../../../verification/capture-prompts.ts'
import type { SessionCheck } from '../../external/open-check.ts'
import type { BiometricConsent } from '../../identity/biometric-entries.ts'
import type { OperationContext } from '../../operation-context.ts'
import type { VerificationDocument } from '../../views/verification-view.ts'

/** The caller who opened a session. It holds no secret. */
export type SessionOpener = Exclude<Caller, HumanCaller> | Omit<HumanCaller, 'csrf_token'>
type StepAnswer = AnswerOf<typeof OPERATIONS.answerStep>

export interface CaptureSession {
  readonly session_id: string
  readonly nonce_hash: string
  readonly purpose: VerificationPurpose
  readonly tenant_id: string
  readonly human_ref: string
  readonly opened_by: SessionOpener
  readonly accommodations: readonly Accommodation[]
  readonly locale: CaptureLocale
  /** What the person agreed to. Undefined at a verification of somebody who agreed before. */
  readonly consent?: BiometricConsent | undefined
  readonly expires_at_ms: number
  readonly state: VerificationState
  readonly progress: CaptureProgress<Step>
  /** The answer to the newest upload, for a caller who did not receive it. */
  readonly last?: { readonly step_id: string; readonly upload: string; readonly answer: StepAnswer }
  /** An upload that came in time while the engine was busy. It may come again later. */
  readonly held_upload?: string
  readonly result?: VerificationDocument
  /** Present when an external provider verifies. Such a capture has no steps. */
  readonly check?: SessionCheck
  /** Present in a capture of a session that was prepared before a device was there. */
  readonly hosted?: HostedCaptureMembers
}

/** What a capture takes over from the session that was prepared. */
export interface HostedCaptureMembers {
  /** Which capture of the session this is, from 1. */
  readonly opening: number
  /** Whether a code has brought it to another device. */
  readonly is_moved: boolean
  /** The digest of a secret that the device drew, for one that does not receive the nonce. */
  readonly device_key_hash?: string
  /** From it and its key, the device's nonce is derived. Without the key it is worth nothing. */
  readonly nonce_seed?: string
  /** What the verification is for. The device cannot ask for anything else. */
  readonly request: Readonly<Record<string, unknown>>
  /** The newest capture stays known as long as its session. */
  readonly kept_until_ms: number
}

/** How long a session that is over can still be asked for its state. */
const REMEMBERED_MS = 10 * MINUTE_MS
/**
 * Longer than most steps are judged. A node that stops in between blocks a step for no longer. What comes later than that
 * is dropped if another call has gone on meanwhile.
 */
const CLAIM_MS = MINUTE_MS

/** Refuses with `session_taken` when a device has begun the session already. */
export async function addSession(session: CaptureSession, { ephemeral }: OperationContext): Promise<void> {
  if (!(await ephemeral.add('capture_session', entryOf(session)))) throw new AuthorityError('session_taken')
}

/**
 * A new capture takes the place of one that is over or given up, which keeps nothing. Only for the holder of the claim for
 * the due step of the old one: no call that still works on it can write afterwards.
 */
export async function replaceSession(session: CaptureSession, context: OperationContext): Promise<void> {
  await dropEvidence(session, context)
  await context.ephemeral.replace('capture_session', entryOf(session))
}

/**
 * Only for the holder of the claim, who found the session at these `reveals`. Returns false and writes nothing if the session
 * is not there any more: it was removed with its person, or the claim ran out and another call has gone on meanwhile.
 */
export async function saveSession(
  session: CaptureSession,
  reveals: number,
  { ephemeral }: OperationContext,
): Promise<boolean> {
  const entry = await ephemeral.get('capture_session', session.session_id)
  if (entry === undefined) return false
  const stored: CaptureSession = JSON.parse(entry.value) // only `entryOf` writes entries of this kind
  if (stored.state !== 'open' || stored.progress.reveals !== reveals) return false
  return ephemeral.replace('capture_session', entryOf(session), entry)
}

/** The session as it stands now. Undefined some minutes after its end. */
export async function findSession(
  session_id: string,
  { ephemeral, clock }: OperationContext,
): Promise<CaptureSession | undefined> {
  const session = await storedSession(session_id, { ephemeral })
  if (session === undefined) return undefined
  const isCancelled = isCancellable(session) && (await isSessionCancelled(session_id, { ephemeral }))
  return { ...session, state: isCancelled ? 'cancelled' : stateAt(session, clock()) }
}

/** A pass that was judged while the session was cancelled counts as cancelled. A pass cannot be cancelled afterwards. */
function isCancellable({ state, result }: CaptureSession): boolean {
  return state === 'open' || result?.decision === 'pass'
}

async function storedSession(
  session_id: string,
  { ephemeral }: Pick<OperationContext, 'ephemeral'>,
): Promise<CaptureSession | undefined> {
  const entry = await ephemeral.get('capture_session', session_id)
  return entry === undefined ? undefined : JSON.parse(entry.value) // only `entryOf` writes entries of this kind
}

/** Refuses to go on with a session that was cancelled meanwhile. */
export async function assertNotCancelled(
  { session_id }: Pick<CaptureSession, 'session_id'>,
  context: Pick<OperationContext, 'ephemeral'>,
): Promise<void> {
  if (await isSessionCancelled(session_id, context)) throw sessionClosed('cancelled')
}

export async function isSessionCancelled(
  session_id: string,
  { ephemeral }: Pick<OperationContext, 'ephemeral'>,
): Promise<boolean> {
  return (await ephemeral.get('capture_claim', cancelKey(session_id))) !== undefined
}

/** The session that a nonce opens, in whatever state. */
export async function sessionWithNonce(
  session_id: string,
  nonce: string,
  context: OperationContext,
): Promise<CaptureSession> {
  const session = await findSession(session_id, context)
  if (session === undefined) throw new AuthorityError('session_unknown')
  if (!isNonceOf(session, nonce)) throw new AuthorityError('nonce_mismatch')
  return session
}

export function assertOpen({ state }: CaptureSession): void {
  if (state !== 'open') throw sessionClosed(state)
}

export function sessionClosed(state: VerificationState): AuthorityError {
  return new AuthorityError('session_closed', undefined, { state })
}

export function isNonceOf({ nonce_hash }: Pick<CaptureSession, 'nonce_hash'>, nonce: string): boolean {
  return timingSafeEqual(Buffer.from(nonce_hash), Buffer.from(hashOfNonce(nonce)))
}

export function hashOfNonce(nonce: string): string {
  return createHash('sha256').update(nonce).digest('base64url')
}

/** A claim for one caller on one node, until it releases the claim or answers the step. */
export function claimStep(
  { session_id, progress, human_ref }: CaptureSession,
  context: OperationContext,
): Promise<HeldClaim | undefined> {
  return claimFor(`${session_id} ${progress.reveals}`, human_ref, context)
}

/**
 * A claim for one caller on one node, until it releases the person. Attempts are counted one after another: of captures
 * that are judged at once, each would be allowed by what the others are about to use up.
 */
export function claimPerson(
  { tenant_id, human_ref }: CaptureSession,
  context: OperationContext,
): Promise<HeldClaim | undefined> {
  return claimFor(`${tenant_id} ${human_ref}`, human_ref, context)
}

/** A call in which a device makes a capture of a session, the one with this number. */
export interface CaptureOpening {
  readonly session: Pick<CaptureSession, 'session_id' | 'human_ref'>
  readonly device_key_hash: string
  readonly opening: number
}

/** A claim for one of the calls that make the same capture. */
export function claimOpening(
  call: CaptureOpening,
  context: OperationContext,
): Promise<HeldClaim | undefined> {
  return claimFor(openingKey(call), call.session.human_ref, context)
}

/** Whether the call that makes the capture, or has made it, is still under way. */
export async function isOpening(call: CaptureOpening, { ephemeral }: OperationContext): Promise<boolean> {
  return (await ephemeral.get('capture_claim', openingKey(call))) !== undefined
}

function openingKey({ session: { session_id }, device_key_hash, opening }: CaptureOpening): string {
  return `${session_id} ${device_key_hash} opening ${opening}`
}

function claimFor(
  key: string,
  owner: string,
  { ephemeral, clock }: OperationContext,
): Promise<HeldClaim | undefined> {
  return addClaim(ephemeral, 'capture_claim', { key, owner, expires_at_ms: clock() + CLAIM_MS })
}

/** Releases the claim for a step, a person or an opening. */
export function releaseCapture(claim: HeldClaim, { ephemeral }: OperationContext): Promise<void> {
  return freeClaim(ephemeral, 'capture_claim', claim)
}

/**
 * From here on the session takes no answers, not even one that is being judged, and gives no token. Returns the state: a
 * capture that passed in the same moment stays judged.
 */
export async function cancelSession(
  session: Pick<CaptureSession, 'session_id' | 'human_ref'> & { readonly kept_until_ms: number },
  { ephemeral }: OperationContext,
): Promise<'cancelled' | 'judged'> {
  const { session_id, human_ref, kept_until_ms } = session
  await ephemeral.add('capture_claim', {
    key: cancelKey(session_id),
    value: '{}',
    owner: human_ref,
    expires_at_ms: kept_until_ms,
  })
  // The judging call stores the pass and then looks for this mark, so at least one of the two calls sees the other.
  const stored = await storedSession(session_id, { ephemeral })
  if (stored?.result?.decision === 'pass') {
    await ephemeral.take('capture_claim', cancelKey(session_id))
    return 'judged'
  }
  await ephemeral.take('capture_evidence', session_id)
  return 'cancelled'
}

/** The evidence of the steps that are answered. */
export async function capturedEvidence(
  session: CaptureSession,
  context: OperationContext,
): Promise<StepEvidence[]> {
  return answeredSteps(session, await findEvidence(session, context))
}

/** Evidence as it is stored. */
export type StoredEvidence = EphemeralEntry | undefined

export async function findEvidence(
  { session_id }: CaptureSession,
  { ephemeral }: OperationContext,
): Promise<StoredEvidence> {
  return ephemeral.get('capture_evidence', session_id)
}

function answeredSteps({ progress }: CaptureSession, stored: StoredEvidence): StepEvidence[] {
  const steps = stored === undefined ? [] : (JSON.parse(stored.value) as StepEvidence[]) // only `addEvidence` writes it
  // A node that stopped before it saved the head leaves evidence of a step that is still due.
  return steps.slice(0, progress.steps_done)
}

/**
 * Only for the holder of the claim, before it saves the session. It has found the evidence `stored`, and the session where it
 * was after that. Returns false and writes nothing if the evidence has changed since: the claim ran out, and another call
 * has gone on meanwhile.
 */
export async function addEvidence(
  session: CaptureSession,
  stored: StoredEvidence,
  evidence: StepEvidence,
  { ephemeral }: OperationContext,
): Promise<boolean> {
  const { session_id, human_ref, expires_at_ms } = session
  const value = JSON.stringify([...answeredSteps(session, stored), evidence])
  const entry = { key: session_id, value, owner: human_ref, expires_at_ms }
  return stored === undefined
    ? ephemeral.add('capture_evidence', entry)
    : ephemeral.replace('capture_evidence', entry, stored)
}

export async function dropEvidence(
  { session_id }: CaptureSession,
  { ephemeral }: OperationContext,
): Promise<void> {
  await ephemeral.take('capture_evidence', session_id)
}

function cancelKey(session_id: string): string {
  return `${session_id} cancelled`
}

function entryOf(session: CaptureSession): EphemeralEntry {
  return {
    key: session.session_id,
    value: JSON.stringify(session),
    owner: session.human_ref,
    expires_at_ms: sessionKeptUntil(session),
  }
}

export function sessionKeptUntil({ hosted, expires_at_ms }: CaptureSession): number {
  return hosted?.kept_until_ms ?? keptUntil(expires_at_ms)
}

/** When a session that ends at an instant is forgotten. */
export function keptUntil(expires_at_ms: number): number {
  return expires_at_ms + REMEMBERED_MS
}
