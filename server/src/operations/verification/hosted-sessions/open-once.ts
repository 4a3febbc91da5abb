/**
 * A device that repeats its call while the service is still working on the first one gets the same capture. Its nonce
 * is derived from the device's key and a seed in the session, so each of the calls can return it, but it can't be read
 * from the store.
 */
import { createHmac, randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { AnswerOf, OPERATIONS } from '@deputize/protocol'
import type { HeldClaim } from '../../../store/ephemeral-claim.ts'
import type { OperationContext } from '../../operation-context.ts'
import {
  type CaptureOpening,
  type CaptureSession,
  claimOpening,
  findSession,
  isOpening,
  releaseCapture,
} from '../biometric-sessions/capture-sessions.ts'
import { assertOpenerInForce } from '../biometric-sessions/session-opener.ts'
import { openAnswer } from '../biometric-sessions/start-capture.ts'
import { shownStep } from '../biometric-sessions/take-answer.ts'
import { assertNotLocked } from '../biometric-sessions/verification-entries.ts'
import { findHosted, hashOfSecret, isDeviceKeyOf } from './hosted-sessions.ts'

type OpenAnswer = AnswerOf<typeof OPERATIONS.openHostedSession>

const SEED_BYTES = 32
const POLL_MS = 50
/** Longer than a provider takes to begin a check. If a node stops in between, its device waits no longer than this. */
const LONGEST_WAIT_MS = 15_000

/** Returns the secrets of a device that opens a session. */
export function newDevice(device_key: string) {
  const nonce_seed = randomBytes(SEED_BYTES).toString('base64url')
  return { key_hash: hashOfSecret(device_key), nonce_seed, nonce: nonceOf(device_key, nonce_seed) }
}

function nonceOf(device_key: string, nonce_seed: string): string {
  return createHmac('sha256', device_key).update(nonce_seed).digest('base64url')
}

/**
 * Opens a session, unless another call of the same device does so meanwhile, on any node. The answer is then that
 * call's capture.
 */
export async function openOnce(
  session_id: string,
  device_key: string,
  context: OperationContext,
  open: () => Promise<OpenAnswer>,
): Promise<OpenAnswer> {
  const before = await findHosted(session_id, context)
  if (before === undefined) return open()
  const opening = before.capture?.hosted?.opening ?? 0
  const call = { session: before.hosted, device_key_hash: hashOfSecret(device_key), opening }
  if (await isOpening(call, context)) {
    const repeated = await repeatedAnswer(before.capture, device_key, context)
    if (repeated !== undefined) return repeated
  }
  const claim = await claimInTurn({ ...call, opening: opening + 1 }, context)
  try {
    const newest = await findSession(session_id, context)
    const isNew = newest?.hosted?.opening !== before.capture?.hosted?.opening
    const repeated = isNew ? await repeatedAnswer(newest, device_key, context) : undefined
    return repeated ?? (await open())
  } finally {
    if (claim !== undefined) await releaseCapture(claim, context)
  }
}

/** Claims the opening. Undefined if another call holds it for too long. If both then open, only one succeeds. */
async function claimInTurn(call: CaptureOpening, context: OperationContext): Promise<HeldClaim | undefined> {
  const end = performance.now() + LONGEST_WAIT_MS
  for (;;) {
    const claim = await claimOpening(call, context)
    if (claim !== undefined || performance.now() >= end || context.node.isShuttingDown()) return claim
    await sleep(POLL_MS)
  }
}

/** Returns the answer for the device's capture. Undefined if the newest capture isn't the device's, or is over. */
async function repeatedAnswer(
  newest: CaptureSession | undefined,
  device_key: string,
  context: OperationContext,
): Promise<OpenAnswer | undefined> {
  if (newest?.hosted?.nonce_seed === undefined || !isDeviceKeyOf(newest, device_key)) return undefined
  const hasBegun = newest.check !== undefined || shownStep(newest) !== undefined
  if (newest.state !== 'open' || !hasBegun) return undefined
  await assertOpenerInForce(newest, context)
  const { attempts_left } = await assertNotLocked(newest, context)
  const nonce = nonceOf(device_key, newest.hosted.nonce_seed)
  return openAnswer({ session: newest, nonce }, attempts_left, context)
}
