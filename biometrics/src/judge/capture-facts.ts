import type { JudgeRequest } from '../contract.ts'
import type { CaptureFacts } from './facts.ts'

/** The facts in the evidence of a capture. Evidence that is absent leaves its facts undefined. */
export function captureFacts({ steps }: JudgeRequest): CaptureFacts {
  const spoken = steps.find(({ step }) => step.kind === 'speak')
  return {
    steps: steps.map(({ step }) => step.kind),
    quality: [...new Set(steps.flatMap(({ quality }) => quality))],
    single_face_share: undefined,
    second_face_frames: 0,
    movements: steps.flatMap(({ step }) =>
      step.kind === 'move' ? [{ movement: step.movement, done: false }] : [],
    ),
    left: undefined,
    right: undefined,
    flash_r: undefined,
    moire: undefined,
    duplicate_frames: 0,
    identity_stability: undefined,
    is_virtual_camera: false,
    has_right_digits: spoken?.audio?.heard?.matches,
    gesture_frames: undefined,
    face_match: undefined,
    voice_match: undefined,
    lip_sync: undefined,
    liveness_net: undefined,
    operator_nets: [],
  }
}
