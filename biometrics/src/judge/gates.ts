import type { Accommodation, Modality } from '../contract.ts'
import type { CaptureFacts, TurnFacts } from './facts.ts'
import type { Reason } from './reasons.ts'
import { GATES } from './thresholds.ts'

/** `failed`: measured, and not enough. `missing`: not measured, so a better picture or sound may pass. */
export interface GateFinding {
  readonly modality: Modality
  readonly reason: Reason
  readonly outcome: 'failed' | 'missing'
}

export interface GateRules {
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

/** Every gate that did not open. An empty list means that the soft score decides. */
export function closedGates(facts: CaptureFacts, rules: GateRules): GateFinding[] {
  return [
    ...stepGates(facts, rules),
    ...faceGates(facts, rules),
    ...attackGates(facts, rules),
    ...taskGates(facts, rules),
    ...passkeyGates(rules),
  ]
}

function stepGates({ steps, movements }: CaptureFacts, { accommodations }: GateRules): GateFinding[] {
  const needed = [
    'neutral',
    ...(accommodations.includes('no_flash') ? [] : ['flash']),
    ...(accommodations.includes('no_voice') ? [] : ['speak']),
    ...(accommodations.includes('no_hand') ? [] : ['gesture']),
  ]
  const asked = movements.map(({ movement }) => movement)
  const isComplete =
    needed.every((kind) => steps.some((taken) => taken === kind)) &&
    asked.includes('turn_left') &&
    asked.includes('turn_right') &&
    asked.length >= GATES.movements
  return isComplete ? [] : [finding('challenge_response', 'step_missing', 'failed')]
}

function faceGates(facts: CaptureFacts, { is_verify }: GateRules): GateFinding[] {
  const { single_face_share, second_face_frames, left, right } = facts
  return [
    ...atLeast(single_face_share, GATES.single_face_share, 'face_liveness', 'face_not_alone'),
    ...(second_face_frames > GATES.second_face_frames
      ? [finding('face_liveness', 'face_not_alone', 'failed')]
      : []),
    ...turnGates(left),
    ...turnGates(right),
    ...(is_verify ? atLeast(facts.face_match, GATES.face_match, 'face_liveness', 'face_differs') : []),
  ]
}

function turnGates(turn: TurnFacts | undefined): GateFinding[] {
  return [
    ...atLeast(turn?.yaw_deg, GATES.turn_yaw_deg, 'face_liveness', 'head_not_turned'),
    ...atLeast(turn?.parallax, GATES.turn_parallax, 'face_liveness', 'looks_flat'),
  ]
}

function attackGates(facts: CaptureFacts, { accommodations }: GateRules): GateFinding[] {
  const { flash_r, moire, duplicate_frames, identity_stability } = facts
  return [
    ...(accommodations.includes('no_flash')
      ? []
      : atLeast(flash_r, GATES.flash_r, 'deepfake_detection', 'no_reflection')),
    ...atLeast(negated(moire), -GATES.moire, 'deepfake_detection', 'screen_pattern'),
    ...(duplicate_frames > GATES.duplicate_frames
      ? [finding('deepfake_detection', 'repeated_frames', 'failed')]
      : []),
    ...atLeast(identity_stability, GATES.identity_stability, 'deepfake_detection', 'face_changed'),
  ]
}

function taskGates(facts: CaptureFacts, { accommodations }: GateRules): GateFinding[] {
  const isMoved = facts.movements.every(({ done }) => done)
  return [
    ...(isMoved ? [] : [finding('challenge_response', 'movement_missed', 'failed')]),
    ...(accommodations.includes('no_voice') ? [] : speechGates(facts)),
    ...(accommodations.includes('no_hand')
      ? []
      : atLeast(facts.gesture_frames, GATES.gesture_frames, 'finger_gesture', 'gesture_missed')),
  ]
}

function speechGates({ has_right_digits, lip_sync }: CaptureFacts): GateFinding[] {
  const isDubbed =
    lip_sync !== undefined && lip_sync.speech_ms >= GATES.lip_sync_speech_ms && lip_sync.r < GATES.lip_sync_r
  return [
    ...(has_right_digits === true
      ? []
      : [finding('speech_match', 'wrong_digits', has_right_digits === undefined ? 'missing' : 'failed')]),
    ...(lip_sync === undefined ? [finding('lip_sync', 'not_in_sync', 'missing')] : []),
    ...(isDubbed ? [finding('lip_sync', 'not_in_sync', 'failed')] : []),
  ]
}

/** What an accommodation leaves out, a passkey must prove. */
function passkeyGates({ accommodations, has_passkey }: GateRules): GateFinding[] {
  if (has_passkey) return []
  return accommodations
    .flatMap((accommodation) => REPLACED_BY_PASSKEY[accommodation])
    .map((modality) => finding(modality, 'passkey_missing', 'failed'))
}

function atLeast(
  value: number | undefined,
  threshold: number,
  modality: Modality,
  reason: Reason,
): GateFinding[] {
  if (value === undefined) return [finding(modality, reason, 'missing')]
  // Not `value < threshold`: a measurement that is not a number must not pass.
  return value >= threshold ? [] : [finding(modality, reason, 'failed')]
}

function negated(value: number | undefined): number | undefined {
  return value === undefined ? undefined : -value
}

function finding(modality: Modality, reason: Reason, outcome: GateFinding['outcome']): GateFinding {
  return { modality, reason, outcome }
}
