import type { JudgeRequest } from '../contract.ts'
import type { CaptureFacts } from '../judge/facts.ts'
import { duplicateFrames } from './duplicate-frames.ts'
import { faceMatch, identityStability, spotIdentity } from './face-identity.ts'
import { flashReflection } from './flash-reflection.ts'
import { gestureFrames } from './gesture-frames.ts'
import { isMovementDone } from './movement.ts'
import { neutralFace } from './neutral-face.ts'
import { screenPattern } from './screen-pattern.ts'
import { secondFaceFrames, singleFaceShare } from './single-face.ts'
import { turnOf } from './turn.ts'

type VisionFacts = Pick<
  CaptureFacts,
  | 'single_face_share'
  | 'second_face_frames'
  | 'movements'
  | 'left'
  | 'right'
  | 'flash_r'
  | 'moire'
  | 'duplicate_frames'
  | 'identity_stability'
  | 'spot_identity'
  | 'is_virtual_camera'
  | 'gesture_frames'
  | 'face_match'
>

/** Returns what the pictures of a capture show. */
export function visionFacts({ steps, template }: JudgeRequest): VisionFacts {
  const visions = steps.map(({ vision }) => vision)
  const neutral = neutralFace(steps)
  const flash = steps.find(({ step }) => step.kind === 'flash')
  return {
    single_face_share: singleFaceShare(visions),
    second_face_frames: secondFaceFrames(visions),
    movements: steps.flatMap(({ step, vision }) =>
      step.kind === 'move'
        ? [
            {
              movement: step.movement,
              done: neutral !== undefined && isMovementDone(step.movement, neutral, vision),
            },
          ]
        : [],
    ),
    left: turnOf('turn_left', steps, neutral),
    right: turnOf('turn_right', steps, neutral),
    flash_r: flash && flashReflection(flash.step, flash.vision),
    moire: screenPattern(visions),
    duplicate_frames: duplicateFrames(visions),
    identity_stability: identityStability(steps),
    spot_identity: spotIdentity(steps),
    is_virtual_camera: visions.some(({ device_hints }) => device_hints.length > 0),
    gesture_frames: shownGesture({ steps }),
    face_match: template && faceMatch(steps, template),
  }
}

function shownGesture({ steps }: Pick<JudgeRequest, 'steps'>): number | undefined {
  const shown = steps.flatMap(({ step, vision }) =>
    step.kind === 'gesture' ? [gestureFrames(step.gesture, vision)] : [],
  )
  return shown[0]
}
