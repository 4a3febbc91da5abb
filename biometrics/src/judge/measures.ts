import type { Modality } from '../contract.ts'
import type { CaptureFacts } from './facts.ts'

/** Returns the numbers behind a modality, for operators and auditors. */
export function measuresOf(name: Modality, facts: CaptureFacts): Record<string, number> {
  return measured(MEASURES[name](facts))
}

type Maybe = Readonly<Record<string, number | undefined>>

const MEASURES: Readonly<Record<Modality, (facts: CaptureFacts) => Maybe>> = {
  face_liveness: ({ single_face_share, second_face_frames, left, right, face_match }) => ({
    single_face_share,
    second_face_frames,
    left_yaw_deg: left?.yaw_deg,
    left_parallax: left?.parallax,
    right_yaw_deg: right?.yaw_deg,
    right_parallax: right?.parallax,
    face_match,
  }),
  deepfake_detection: (facts) => ({
    flash_r: facts.flash_r,
    moire: facts.moire,
    duplicate_frames: facts.duplicate_frames,
    identity_stability: facts.identity_stability,
    spot_identity: facts.spot_identity,
    liveness_net: facts.liveness_net,
    virtual_camera: Number(facts.is_virtual_camera),
    ...Object.fromEntries(facts.operator_nets.map(({ name, score }) => [`net_${name}`, score])),
  }),
  speech_match: ({ has_right_digits, voice_match }) => ({
    right_digits: has_right_digits === undefined ? undefined : Number(has_right_digits),
    voice_match,
  }),
  // Omits how long the person spoke, which would reveal a word after the digits.
  lip_sync: ({ lip_sync }) => ({ r: lip_sync?.r, margin: lip_sync?.margin }),
  challenge_response: ({ movements }) => ({
    asked: movements.length,
    done: movements.filter(({ done }) => done).length,
  }),
  finger_gesture: ({ gesture_frames }) => ({ gesture_frames }),
  // Whether the sign was given is a member of the judgement alone, which the service seals.
  duress_detection: () => ({}),
}

function measured(values: Maybe): Record<string, number> {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
}
