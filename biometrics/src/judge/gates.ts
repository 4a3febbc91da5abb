import type { Accommodation, Modality } from '../contract.ts'
import type { CaptureFacts, TurnFacts } from './facts.ts'
import type { CaptureReason } from './reasons.ts'
import { GATES } from './thresholds.ts'

/** One hard condition. `missing` means that nothing was measured, so a better picture or sound may pass. */
export interface Gate {
  readonly modality: Modality
  /** Why it is closed, if it did not pass. */
  readonly reason: CaptureReason
  readonly outcome: 'passed' | 'failed' | 'missing'
  /** 0 to 1: how clearly it passed or failed, one half at the threshold. */
  readonly clearness: number
}

export interface JudgeRules {
  /** Whether there is a template to compare with. */
  readonly is_verify: boolean
  readonly accommodations: readonly Accommodation[]
  readonly has_passkey: boolean
}

/** Which modalities an accommodation leaves to the passkey. */
export const REPLACED_BY_PASSKEY: Readonly<Record<Accommodation, readonly Modality[]>> = {
  no_voice: ['speech_match', 'lip_sync'],
  no_hand: ['finger_gesture'],
  no_flash: ['deepfake_detection'],
}

/** Returns every gate of a capture. All must pass before the soft score decides. */
export function gatesOf(facts: CaptureFacts, rules: JudgeRules): Gate[] {
  return [
    condition(isComplete(facts, rules), 'challenge_response', 'step_missing'),
    ...faceGates(facts, rules),
    ...attackGates(facts, rules),
    ...taskGates(facts, rules),
    ...passkeyGates(rules),
  ]
}

function isComplete({ steps, movements }: CaptureFacts, { accommodations }: JudgeRules): boolean {
  const needed = [
    'neutral',
    ...(accommodations.includes('no_flash') ? [] : ['flash']),
    ...(accommodations.includes('no_voice') ? [] : ['speak']),
    ...(accommodations.includes('no_hand') ? [] : ['gesture']),
  ]
  const asked = new Set(movements.map(({ movement }) => movement))
  const hasSteps = needed.every((kind) => steps.some((taken) => taken === kind))
  return hasSteps && asked.has('turn_left') && asked.has('turn_right') && asked.size >= GATES.movements
}

function faceGates(facts: CaptureFacts, { is_verify }: JudgeRules): Gate[] {
  return [
    atLeast(facts.single_face_share, GATES.single_face_share, 'face_liveness', 'face_not_alone'),
    atMost(facts.second_face_frames, GATES.second_face_frames, 'face_liveness', 'face_not_alone'),
    ...turnGates(facts.left),
    ...turnGates(facts.right),
    ...(is_verify ? [atLeast(facts.face_match, GATES.face_match, 'face_liveness', 'face_differs')] : []),
  ]
}

function turnGates(turn: TurnFacts | undefined): Gate[] {
  return [
    atLeast(turn?.yaw_deg, GATES.turn_yaw_deg, 'face_liveness', 'head_not_turned'),
    atLeast(turn?.parallax, GATES.turn_parallax, 'face_liveness', 'looks_flat'),
  ]
}

function attackGates(facts: CaptureFacts, { accommodations }: JudgeRules): Gate[] {
  const flash = atLeast(facts.flash_r, GATES.flash_r, 'deepfake_detection', 'no_reflection')
  return [
    ...(accommodations.includes('no_flash') ? [] : [flash]),
    atMost(facts.moire, GATES.moire, 'deepfake_detection', 'screen_pattern'),
    atMost(facts.duplicate_frames, GATES.duplicate_frames, 'deepfake_detection', 'repeated_frames'),
    atLeast(facts.identity_stability, GATES.identity_stability, 'deepfake_detection', 'face_changed'),
    atLeast(facts.spot_identity, GATES.spot_identity, 'deepfake_detection', 'face_changed'),
    ...facts.operator_nets
      .filter(({ role }) => role === 'gate')
      .map(({ score, threshold }) => atLeast(score, threshold, 'deepfake_detection', 'net_refused')),
  ]
}

function taskGates(facts: CaptureFacts, { accommodations }: JudgeRules): Gate[] {
  const gesture = atLeast(facts.gesture_frames, GATES.gesture_frames, 'finger_gesture', 'gesture_missed')
  return [
    ...facts.movements.map(({ done }) => condition(done, 'challenge_response', 'movement_missed')),
    ...(accommodations.includes('no_voice') ? [] : speechGates(facts)),
    ...(accommodations.includes('no_hand') ? [] : [gesture]),
  ]
}

function speechGates({ has_right_digits, lip_sync }: CaptureFacts): Gate[] {
  const isLong = lip_sync !== undefined && lip_sync.speech_ms >= GATES.lip_sync_speech_ms
  return [
    condition(has_right_digits, 'speech_match', 'wrong_digits'),
    // In a short phrase, chance correlates too, so the soft score weighs it.
    isLong || lip_sync === undefined
      ? atLeast(lip_sync?.r, GATES.lip_sync_r, 'lip_sync', 'not_in_sync')
      : condition(!Number.isNaN(lip_sync.r), 'lip_sync', 'not_in_sync'),
  ]
}

/** Returns gates that require a passkey for everything that an accommodation leaves out. */
function passkeyGates({ accommodations, has_passkey }: JudgeRules): Gate[] {
  return accommodations
    .flatMap((accommodation) => REPLACED_BY_PASSKEY[accommodation])
    .map((modality) => condition(has_passkey, modality, 'passkey_missing'))
}

function condition(isMet: boolean | undefined, modality: Modality, reason: CaptureReason): Gate {
  if (isMet === undefined) return { modality, reason, outcome: 'missing', clearness: 0 }
  return { modality, reason, outcome: isMet ? 'passed' : 'failed', clearness: Number(isMet) }
}

function atLeast(
  value: number | undefined,
  threshold: number,
  modality: Modality,
  reason: CaptureReason,
): Gate {
  if (value === undefined) return condition(undefined, modality, reason)
  // Not `value < threshold`: a measurement that is not a number must not pass.
  return { ...condition(value >= threshold, modality, reason), clearness: share(value, 2 * threshold) }
}

function atMost(value: number | undefined, limit: number, modality: Modality, reason: CaptureReason): Gate {
  if (value === undefined) return condition(undefined, modality, reason)
  return { ...condition(value <= limit, modality, reason), clearness: 1 - share(value, 2 * limit) }
}

function share(part: number, whole: number): number {
  return Number.isNaN(part) ? 0 : Math.min(1, Math.max(0, part / whole))
}
