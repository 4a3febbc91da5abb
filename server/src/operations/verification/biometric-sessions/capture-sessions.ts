/**
 * Verification sessions in the store. A session's head holds what was requested and its progress; the evidence of its
 * steps is a separate entry that ends with the session. The call that adds the claim for a step, on any node, is the
 * only one that writes the session until that step is answered, so no write undoes another.
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
import { type EphemeralEntry, swapEphemeral } from '../../../store/ephemeral.ts'
import { addClaim, freeClaim, type HeldClaim } from '../../../store/ephemeral-claim.ts'
import type { Accommodation, Step, StepEvidence } from '../../../verification/biometric-engine.ts'
import type { CaptureLocale } from '../../../verification/capture-prompts.ts'
import type { SessionCheck } from '../../external/open-check.ts'
import type { BiometricConsent } from '../../identity/biometric-entries.ts'
import type { OperationContext } from '../../operation-context.ts'
import type { VerificationDocument } from '../../views/verification-view.ts'

/** The caller that opened a session. It contains no secret. */
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
  /** What the person agreed to. Undefined at a verification if they agreed before. */
  readonly consent?: BiometricConsent | undefined
  readonly expires_at_ms: number
  readonly state: VerificationState
  readonly progress: CaptureProgress<Step>
  /** The answer to the newest upload, for a caller that didn't receive it. */
  readonly last?: { readonly step_id: string; readonly upload: string; readonly answer: StepAnswer }
  /** An upload that arrived in time while the engine was busy. It may be sent again later. */
  readonly held_upload?: string
  /**
   * 1 if a sign of coercion was given in a recording so far, also in one that had to be repeated, or in an earlier
   * capture of the session. A number, so that both values have the same length.
   */
  readonly duress: 0 | 1
  readonly result?: VerificationDocument
  /** Present if an external provider verifies. The capture then has no steps. */
  readonly check?: SessionCheck
  /** Present in a capture of a session that was prepared before a device opened it. */
  readonly hosted?: HostedCaptureMembers
}

/** What a capture inherits from the prepared session. */
export interface HostedCaptureMembers {
  /** Number of this capture of the session, from 1. */
  readonly opening: number
  /** Whether a code has moved it to another device. */
  readonly is_moved: boolean
  /** The digest of a secret that the device drew, in case it doesn't receive the nonce. */
  readonly device_key_hash?: string
  /** The device's nonce is derived from this and the device's key. Useless without the key. */
  readonly nonce_seed?: string
  /** What the verification is for. The device can't request anything else. */
  readonly request: Readonly<Record<string, unknown>>
  /** Until when the newest capture is kept: as long as its session. */
  readonly kept_until_ms: number
}

/** How long the state of an ended session can still be requested. */
const REMEMBERED_MS = 10 * MINUTE_MS
/**
 * Longer than judging takes for most steps. A node that stops in between blocks a step for no longer than this. Results
 * that arrive later are dropped if another call has continued meanwhile.
 */
const CLAIM_MS = MINUTE_MS

/** Adds a session. Refuses with `session_taken` if a device has already begun it. */
export async function addSession(session: CaptureSession, { ephemeral }: OperationContext): Promise<void> {
  if (!(await ephemeral.add('capture_session', entryOf(session)))) throw new AuthorityError('session_taken')
}

/**
 * Replaces a capture that is over or given up with a new one, and drops its evidence. Only for the holder of the claim
 * for the due step of the old one, so that no call still working on it can write afterwards.
 */
export async function replaceSession(session: CaptureSession, context: OperationContext): Promise<void> {
  await dropEvidence(session, context)
  await context.ephemeral.replace('capture_session', entryOf(session))
}

/**
 * Saves a session. Only for the holder of the claim, which found the session at these `reveals`. Returns false and
 * writes nothing if the session is no longer there: it was removed with its person, or the claim expired and another
 * call has continued.
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

/** Returns the session in its current state. Undefined some minutes after its end. */
export async function findSession(
  session_id: string,
  { ephemeral, clock }: OperationContext,
): Promise<CaptureSession | undefined> {
  const session = await storedSession(session_id, { ephemeral })
  if (session === undefined) return undefined
  const isCancelled = isCancellable(session) && (await isSessionCancelled(session_id, { ephemeral }))
  return { ...session, state: isCancelled ? 'cancelled' : stateAt(session, clock()) }
}

/**
 * Whether a cancellation takes effect. A pass that was judged while the session was being cancelled counts as
 * cancelled. A pass can't be cancelled afterwards.
 */
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

/** Refuses to continue a session that was cancelled meanwhile. */
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

/** Returns the session that a nonce opens, in any state. */
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

/** Claims a step for one caller on one node, until it releases the claim or answers the step. */
export function claimStep(
  { session_id, progress, human_ref }: CaptureSession,
  context: OperationContext,
): Promise<HeldClaim | undefined> {
  return claimFor(`${session_id} ${progress.reveals}`, human_ref, context)
}

/**
 * Claims a person for one caller on one node, until it releases the person. Attempts must be counted in turn: if
 * captures were judged at the same time, each would be allowed by the attempts that the others are about to use up.
 */
export function claimPerson(
  { tenant_id, human_ref }: CaptureSession,
  context: OperationContext,
): Promise<HeldClaim | undefined> {
  return claimFor(`${tenant_id} ${human_ref}`, human_ref, context)
}

/** A call in which a device makes the capture with this number. */
export interface CaptureOpening {
  readonly session: Pick<CaptureSession, 'session_id' | 'human_ref'>
  readonly device_key_hash: string
  readonly opening: number
}

/** Claims a capture for one of the calls that make it. */
export function claimOpening(
  call: CaptureOpening,
  context: OperationContext,
): Promise<HeldClaim | undefined> {
  return claimFor(openingKey(call), call.session.human_ref, context)
}

/** Whether the call that makes or has made the capture is still in progress. */
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
 * Cancels a session. From now on it accepts no answers, not even one that is being judged, and issues no token. Returns
 * the state: a capture that passed at the same moment stays judged.
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
  // The judging call stores the pass and then checks for this mark, so at least one of the two calls sees the other.
  const stored = await storedSession(session_id, { ephemeral })
  if (stored?.result?.decision === 'pass') {
    await ephemeral.take('capture_claim', cancelKey(session_id))
    return 'judged'
  }
  await ephemeral.take('capture_evidence', session_id)
  return 'cancelled'
}

/** Returns the evidence of the answered steps. */
export async function capturedEvidence(
  session: CaptureSession,
  context: OperationContext,
): Promise<StepEvidence[]> {
  return answeredSteps(session, await findEvidence(session, context))
}

/** Evidence as stored. */
export type StoredEvidence = EphemeralEntry | undefined

export async function findEvidence(
  { session_id }: CaptureSession,
  { ephemeral }: OperationContext,
): Promise<StoredEvidence> {
  return ephemeral.get('capture_evidence', session_id)
}

function answeredSteps({ progress }: CaptureSession, stored: StoredEvidence): StepEvidence[] {
  const steps = stored === undefined ? [] : (JSON.parse(stored.value) as StepEvidence[]) // only `addEvidence` writes it
  // If a node stops before it saves the head, it leaves evidence of a step that is still due.
  return steps.slice(0, progress.steps_done)
}

/**
 * Adds evidence. Only for the holder of the claim, before it saves the session. It must have read the evidence
 * `stored`, and after that found the session unchanged. Returns false and writes nothing if the evidence has changed
 * since: the claim expired, and another call has continued.
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
  return swapEphemeral(ephemeral, 'capture_evidence', entry, stored)
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

/** Returns when a session that ends at an instant is forgotten. */
export function keptUntil(expires_at_ms: number): number {
  return expires_at_ms + REMEMBERED_MS
}
