import fc from 'fast-check'
import type { CaptureFacts } from '../../src/judge/facts.ts'
import type { JudgeRules } from '../../src/judge/gates.ts'

/** Returns the facts of a capture that passes, unless changed. */
export function someFacts(changes: Partial<CaptureFacts> = {}): CaptureFacts {
  return {
    steps: ['neutral', 'move', 'move', 'move', 'flash', 'speak', 'gesture'],
    quality: [],
    single_face_share: 1,
    second_face_frames: 0,
    movements: [
      { movement: 'turn_left', done: true },
      { movement: 'turn_right', done: true },
      { movement: 'open_mouth', done: true },
    ],
    left: { yaw_deg: 24, parallax: 0.15 },
    right: { yaw_deg: 22, parallax: 0.14 },
    flash_r: 0.9,
    moire: 1.1,
    duplicate_frames: 0,
    identity_stability: 0.85,
    spot_identity: 0.75,
    is_virtual_camera: false,
    has_right_digits: true,
    gesture_frames: 12,
    face_match: 0.8,
    voice_match: 0.65,
    lip_sync: { r: 0.55, margin: 0.2, speech_ms: 3200 },
    liveness_net: undefined,
    operator_nets: [],
    ...changes,
  }
}

export function someRules(changes: Partial<JudgeRules> = {}): JudgeRules {
  return { is_verify: true, accommodations: [], has_passkey: true, ...changes }
}

const ratio = fc.double({ min: -1, max: 1, noNaN: true })
const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined, freq: 12 })

/** Facts around the thresholds, so that about half of all gates pass. */
export const anyFacts: fc.Arbitrary<CaptureFacts> = fc
  .record(
    {
      single_face_share: maybe(fc.double({ min: 0.85, max: 1, noNaN: true })),
      second_face_frames: fc.nat(4),
      left: maybe(turn()),
      right: maybe(turn()),
      flash_r: maybe(fc.double({ min: 0.5, max: 1, noNaN: true })),
      moire: maybe(fc.double({ min: 0.5, max: 2.6, noNaN: true })),
      duplicate_frames: fc.nat(3),
      identity_stability: maybe(fc.double({ min: 0.58, max: 1, noNaN: true })),
      spot_identity: maybe(fc.double({ min: 0.38, max: 1, noNaN: true })),
      is_virtual_camera: fc.boolean(),
      has_right_digits: fc.constantFrom(true, true, true, false, undefined),
      gesture_frames: maybe(fc.integer({ min: 2, max: 20 })),
      face_match: maybe(fc.double({ min: 0.55, max: 1, noNaN: true })),
      voice_match: maybe(ratio),
      lip_sync: maybe(fc.record({ r: ratio, margin: ratio, speech_ms: fc.nat(6000) })),
      quality: fc.constantFrom([], [], [], ['too_dark' as const]),
    },
    { requiredKeys: [] },
  )
  .map((changes) => someFacts(changes))

export const anyRules: fc.Arbitrary<JudgeRules> = fc.record({
  is_verify: fc.boolean(),
  accommodations: fc.subarray(['no_voice', 'no_hand', 'no_flash'] as const),
  has_passkey: fc.boolean(),
})

function turn(): fc.Arbitrary<NonNullable<CaptureFacts['left']>> {
  return fc.record({
    yaw_deg: fc.double({ min: 13, max: 40, noNaN: true }),
    parallax: fc.double({ min: 0.05, max: 0.3, noNaN: true }),
  })
}
