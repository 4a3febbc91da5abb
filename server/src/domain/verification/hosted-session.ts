/** The rules of a session that is prepared before a device opens it: who may open it, when, and how often. */
import type { VerificationState } from '@deputize/protocol'
import { MINUTE_MS } from '../times/time.ts'

/** How long a session waits for a device, unless the caller says otherwise. */
export const HOSTED_WAIT_S = 900
/** Enough for a person who fumbles, but too few for reopening a session until its tasks fit a recording. */
export const MAX_OPENINGS = 5
/** How long a code can move a session to another device. */
export const TRANSFER_CODE_MS = 2 * MINUTE_MS
/** How long a token can be collected again. */
const COLLECT_AGAIN_MS = MINUTE_MS

/** What a device presents to open a session. The nonce is that of the capture that the device has. */
export type OpeningSecret = 'client_token' | 'transfer_code' | 'nonce'

/** The newest capture of a session. */
export interface HostedCapture {
  readonly state: VerificationState
  readonly decision: 'pass' | 'retry' | 'fail' | 'review' | undefined
  /** Its number, counted from 1. */
  readonly opening: number
  /** Whether a code has moved it to a device other than the one that prepared it. */
  readonly is_moved: boolean
}

export interface HostedFacts {
  readonly expires_at_ms: number
  readonly is_cancelled: boolean
  readonly capture: HostedCapture | undefined
}

/**
 * Returns the state at `now_ms`. A session waits again after a capture that ran out of time. A person who was verified
 * stays verified.
 */
export function hostedState(facts: HostedFacts, now_ms: number): VerificationState {
  const { capture, is_cancelled } = facts
  if (hasPassed(facts)) return 'judged'
  if (is_cancelled || capture?.state === 'cancelled') return 'cancelled'
  if (capture?.state === 'open' || capture?.state === 'judged') return capture.state
  return hasOpeningsLeft(facts, now_ms) ? 'waiting' : 'expired'
}

/** Whether a device can open the session, for the first time or after a capture that did not pass. */
export function canOpen(facts: HostedFacts, now_ms: number): boolean {
  const state = hostedState(facts, now_ms)
  const isFree = state === 'waiting' || (state === 'judged' && !hasPassed(facts))
  return isFree && hasOpeningsLeft(facts, now_ms)
}

export function openingsLeft({ capture }: Pick<HostedFacts, 'capture'>): number {
  return Math.max(0, MAX_OPENINGS - (capture?.opening ?? 0))
}

/**
 * Returns why a device may not open the session, or undefined if it may. A running capture belongs to its device, which
 * can start again with the capture's nonce. A device that opened the session with the client token can still move it to
 * a phone.
 */
export function openingRefusal(
  facts: HostedFacts,
  secret: OpeningSecret,
  now_ms: number,
): 'session_taken' | 'session_closed' | undefined {
  if (canOpen(facts, now_ms)) return undefined
  if (hostedState(facts, now_ms) !== 'open') return 'session_closed'
  const isOwn = secret === 'nonce' || (secret === 'transfer_code' && facts.capture?.is_moved === false)
  if (!isOwn) return 'session_taken'
  return hasOpeningsLeft(facts, now_ms) ? undefined : 'session_closed'
}

/** Whether a token that was collected at `collected_at_ms` may still be collected again. */
export function mayCollectAgain(collected_at_ms: number, now_ms: number): boolean {
  return now_ms - collected_at_ms < COLLECT_AGAIN_MS
}

function hasPassed({ capture }: HostedFacts): boolean {
  return capture?.state === 'judged' && capture.decision === 'pass'
}

function hasOpeningsLeft({ expires_at_ms, capture }: HostedFacts, now_ms: number): boolean {
  return now_ms < expires_at_ms && openingsLeft({ capture }) > 0
}
