import type { FaceSample, Movement, Step, StepEvidence, VisionEvidence } from '../../src/contract.ts'
import { floatsToText } from '../../src/vision/float-text.ts'

/** Returns a frame of a person who looks straight into the camera. */
export function aFace(over: Partial<FaceSample> = {}): FaceSample {
  return {
    frame: 0,
    yaw: 2,
    pitch: -3,
    roll: 0,
    eye_distance: 0.12,
    mouth: 0.02,
    eyes: 0.3,
    parallax_x: 0,
    parallax_y: 0,
    luma: 150,
    red: 0.2,
    blue: -0.2,
    sharpness: 5,
    ...over,
  }
}

let fingerprint = 0

/** Returns frames at twelve a second. `at` says how each differs from a straight face. */
export function aVision(
  frames: number,
  at: (frame: number) => Partial<FaceSample> = () => ({}),
): VisionEvidence {
  const indexes = Array.from({ length: frames }, (_, i) => i)
  return {
    frames,
    t_ms: indexes.map((i) => Math.round((i * 1000) / 12)),
    faces: indexes.map((frame) => aFace({ frame, ...at(frame) })),
    searched: Math.ceil(frames / 4),
    several_faces: 0,
    reference: undefined,
    embeddings: [],
    moire: [0.8, 0.9, 0.7],
    fingerprints: indexes.map(() => `${fingerprint++}`),
    gestures: [],
    mouth: [],
    device_hints: [],
  }
}

export function aStep(step: Step, vision: VisionEvidence): StepEvidence {
  return { step, vision, media_digest: '00', quality: [], audio: undefined, duress: false }
}

export const NEUTRAL: StepEvidence = aStep({ kind: 'neutral' }, aVision(18))

/** Returns a step that is still, except for the movement in the middle third. */
export function aMovement(movement: Movement, done: Partial<FaceSample>): StepEvidence {
  return aStep(
    { kind: 'move', movement },
    aVision(24, (frame) => (frame >= 8 && frame < 16 ? done : {})),
  )
}

/** Returns a face embedding at an angle from the first axis. */
export function anEmbedding(degrees: number, axis = 1): string {
  const values = new Float32Array(128)
  values[0] = Math.cos((degrees * Math.PI) / 180)
  values[axis] = Math.sin((degrees * Math.PI) / 180)
  return floatsToText(values)
}
