import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { duplicateFrames } from '../../src/checks/duplicate-frames.ts'
import { faceMatch, identityStability, spotIdentity } from '../../src/checks/face-identity.ts'
import { flashReflection } from '../../src/checks/flash-reflection.ts'
import { gestureFrames } from '../../src/checks/gesture-frames.ts'
import { isMovementDone } from '../../src/checks/movement.ts'
import { neutralFace } from '../../src/checks/neutral-face.ts'
import { pictureQuality } from '../../src/checks/picture-quality.ts'
import { screenPattern } from '../../src/checks/screen-pattern.ts'
import { singleFaceShare } from '../../src/checks/single-face.ts'
import { turnOf } from '../../src/checks/turn.ts'
import { visionFacts } from '../../src/checks/vision-facts.ts'
import { type FaceSample, FLASH_COLORS, MOVEMENTS, type Movement, type Step } from '../../src/contract.ts'
import { deviceHints } from '../../src/vision/device-hints.ts'
import { spotFaces } from '../../src/vision/spot-faces.ts'
import { aFace, aMovement, anEmbedding, aStep, aVision, NEUTRAL } from './a-vision.ts'

const STRAIGHT = neutralFace([NEUTRAL])

/** The effect of each movement on a face if it is done well. */
const DONE: Readonly<Record<Movement, Partial<FaceSample>>> = {
  turn_left: { yaw: 24, parallax_x: 0.14 },
  turn_right: { yaw: -20, parallax_x: -0.14 },
  look_up: { pitch: 12 },
  look_down: { pitch: -18 },
  open_mouth: { mouth: 0.5 },
  blink: { eyes: 0.1 },
  move_closer: { eye_distance: 0.17 },
}

describe('a movement', () => {
  for (const asked of MOVEMENTS) {
    test(`${asked} is detected if it is done, and no other movement passes for it`, () => {
      assert.ok(STRAIGHT)
      const passing = MOVEMENTS.filter((done) =>
        isMovementDone(asked, STRAIGHT, aMovement(asked, DONE[done]).vision),
      )
      assert.deepEqual(passing, [asked])
    })

    test(`${asked} is not detected from one mismeasured frame`, () => {
      assert.ok(STRAIGHT)
      const wrong = aVision(24, (frame) => (frame === 12 && asked !== 'blink' ? DONE[asked] : {}))
      assert.equal(isMovementDone(asked, STRAIGHT, wrong), false)
    })
  }

  test('eyes that stay closed are not a blink', () => {
    assert.ok(STRAIGHT)
    const closing = aVision(24, (frame) => (frame < 14 ? {} : { eyes: 0.1 }))
    assert.equal(isMovementDone('blink', STRAIGHT, closing), false)
  })

  test('a step without a face shows nothing', () => {
    assert.ok(STRAIGHT)
    for (const movement of MOVEMENTS) assert.equal(isMovementDone(movement, STRAIGHT, aVision(0)), false)
  })

  test('small movements of any kind never count', () => {
    assert.ok(STRAIGHT)
    const small = fc.record({
      yaw: fc.double({ min: -10, max: 14, noNaN: true }),
      pitch: fc.double({ min: -11, max: 5, noNaN: true }),
      mouth: fc.double({ min: 0, max: 0.2, noNaN: true }),
      eyes: fc.double({ min: 0.27, max: 0.33, noNaN: true }),
      eye_distance: fc.double({ min: 0.1, max: 0.13, noNaN: true }),
    })
    fc.assert(
      fc.property(fc.array(small, { minLength: 24, maxLength: 24 }), (faces) => {
        const vision = aVision(24, (frame) => faces[frame] ?? {})
        for (const movement of MOVEMENTS) assert.equal(isMovementDone(movement, STRAIGHT, vision), false)
      }),
    )
  })
})

describe('a turn', () => {
  test('is measured from the neutral step, in the requested direction', () => {
    const steps = [NEUTRAL, aMovement('turn_left', DONE.turn_left), aMovement('turn_right', DONE.turn_right)]
    assert.deepEqual(turnOf('turn_left', steps, STRAIGHT), { yaw_deg: 22, parallax: 0.14 })
    assert.deepEqual(turnOf('turn_right', steps, STRAIGHT), { yaw_deg: 22, parallax: 0.14 })
  })

  test('to the wrong side counts against it', () => {
    const wrong = aMovement('turn_left', DONE.turn_right)
    const turn = turnOf('turn_left', [NEUTRAL, wrong], STRAIGHT)
    assert.ok(turn !== undefined && turn.yaw_deg <= 0 && turn.parallax <= 0)
  })

  test('of a flat photo has no parallax', () => {
    const photo = aMovement('turn_left', { yaw: 20, parallax_x: 0.01 })
    assert.equal(turnOf('turn_left', [NEUTRAL, photo], STRAIGHT)?.parallax, 0.01)
  })

  test('is undefined if it was not requested, or without a neutral step', () => {
    assert.equal(turnOf('turn_left', [NEUTRAL], STRAIGHT), undefined)
    assert.equal(turnOf('turn_left', [aMovement('turn_left', DONE.turn_left)], undefined), undefined)
  })
})

describe("the screen's reflection", () => {
  const colors = fc.array(fc.constantFrom(...FLASH_COLORS), { minLength: 12, maxLength: 12 })
  const varied = colors.filter((list) => new Set(list).size >= 3)
  const TINT = { red: [1, 0], green: [-1, -1], blue: [0, 1], black: [0, 0] } as const

  test('follows the colours with any camera lag', () => {
    fc.assert(
      fc.property(varied, fc.integer({ min: 0, max: 380 }), (list, lag) => {
        const step = flashOf(list)
        assert.ok((flashReflection(step, lit(list, lag, 0.02)) ?? 0) > 0.8)
      }),
    )
  })

  test('is found in at most 30 of 300 faces that reflect other colours', () => {
    const results = fc.sample(fc.tuple(varied, varied), { numRuns: 300, seed: 7 }).map(([asked, shown]) => {
      return flashReflection(flashOf(asked), lit(shown, 100, 0.02)) ?? 1
    })
    const passed = results.filter((r) => r >= 0.55).length
    assert.ok(passed <= 30, `${passed} of 300 other sequences pass`)
  })

  test('is zero without any change of light, and undefined with too few frames', () => {
    const step = flashOf(['red', 'green', 'blue'])
    assert.equal(flashReflection(step, aVision(48)), 0)
    assert.equal(flashReflection(step, aVision(20)), undefined)
    assert.equal(flashReflection({ kind: 'neutral' }, aVision(48)), undefined)
  })

  function flashOf(list: readonly (keyof typeof TINT)[]): Step {
    return { kind: 'flash', colors: list, slot_ms: 350 }
  }

  function lit(list: readonly (keyof typeof TINT)[], lag: number, tint: number) {
    return aVision(50, (frame) => {
      const [red, blue] = TINT[list[Math.floor(((frame * 1000) / 12 - lag) / 350)] ?? 'black']
      // Meanwhile, a cloud passes.
      return { red: 0.2 + tint * red + frame * 0.0004, blue: -0.2 + tint * blue - frame * 0.0003 }
    })
  }
})

describe('frames', () => {
  test('that repeat are counted within a step and across steps', () => {
    const first = aVision(10)
    const looped = {
      ...first,
      fingerprints: first.fingerprints.map((_, i) => first.fingerprints[i % 4] ?? ''),
    }
    assert.equal(duplicateFrames([first, aVision(10)]), 0)
    assert.equal(duplicateFrames([looped]), 6)
    assert.equal(duplicateFrames([first, aVision(3), first]), 10)
  })

  test('with a second face lower the share of the worst step', () => {
    const shared = { ...aVision(20), searched: 5, several_faces: 2 }
    assert.equal(singleFaceShare([aVision(20), shared]), 0.6)
    assert.equal(singleFaceShare([]), undefined)
  })

  test('of a screen decide by their median', () => {
    assert.equal(screenPattern([aVision(8), { ...aVision(8), moire: [0.7, 3.2, 0.8] }]), 0.8)
    assert.equal(screenPattern([aVision(8), { ...aVision(8), moire: [2.9, 3.2, 0.8] }]), 2.9)
    assert.equal(screenPattern([]), undefined)
  })

  test('show a sign for as long as it is held', () => {
    const held = (gestures: (null | 'point_up' | 'victory')[]) =>
      gestureFrames('victory', { ...aVision(0), gestures })
    assert.equal(held([null, 'victory', 'victory', null, 'victory', 'point_up']), 3)
    assert.equal(held(['victory', 'point_up', 'victory', 'point_up', 'victory']), 1)
    assert.equal(held(['victory', null, null, 'victory']), 1)
    assert.equal(held([]), 0)
  })
})

describe('identity', () => {
  const neutral = aStep({ kind: 'neutral' }, { ...aVision(18), embeddings: [anEmbedding(0), anEmbedding(5)] })
  const same = aStep({ kind: 'speak', digits: '123456' }, { ...aVision(18), embeddings: [anEmbedding(20)] })
  const other = aStep(
    { kind: 'speak', digits: '123456' },
    { ...aVision(18), embeddings: [anEmbedding(85, 2)] },
  )

  test('is stable for one person, and unstable if another takes over', () => {
    assert.ok((identityStability([neutral, same]) ?? 0) > 0.9)
    assert.ok((identityStability([neutral, other]) ?? 1) < 0.2)
    assert.ok((identityStability([neutral, other, other, other]) ?? 1) < 0.2)
    assert.equal(identityStability([same]), undefined)
  })

  test('is also checked in frames drawn at random, and unknown if a step with faces has none', () => {
    const spotted = (step: typeof neutral, ...spots: string[]) => ({
      ...step,
      vision: { ...step.vision, spots },
    })
    const start = spotted(neutral, anEmbedding(0))
    assert.ok((spotIdentity([start, spotted(same, anEmbedding(30))]) ?? 0) > 0.8)
    assert.ok((spotIdentity([start, spotted(same, anEmbedding(0), anEmbedding(85, 2))]) ?? 1) < 0.2)
    assert.equal(spotIdentity([start, spotted(same)]), undefined)
    assert.equal(spotIdentity([start, same]), undefined)
    assert.equal(spotIdentity([spotted(same, anEmbedding(0))]), undefined)
  })

  test('is checked in any frame of a still step, and in the frames that prove a turn', () => {
    const seen = Array.from({ length: 10 }, (_, frame) => ({
      sample: aFace({ frame, yaw: frame, parallax_x: -frame / 100 }),
    }))
    const drawn = (step: Step) => {
      const frames = new Set<number>()
      for (let turn = 0; turn < 10; turn++)
        for (const { sample } of spotFaces(step, seen, (limit) => turn % limit)) frames.add(sample.frame)
      return [...frames].sort((a, b) => a - b)
    }
    assert.deepEqual(drawn({ kind: 'gesture', gesture: 'victory' }), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
    assert.deepEqual(drawn({ kind: 'move', movement: 'turn_left' }), [0, 1, 8, 9])
    assert.deepEqual(drawn({ kind: 'move', movement: 'turn_right' }), [0, 1, 8, 9])
    assert.deepEqual(
      spotFaces({ kind: 'neutral' }, [], () => 0),
      [],
    )
  })

  test('is compared with the enrolled face', () => {
    const template = { version: 1, engine_version: 'test', voice: {} } as const
    assert.ok((faceMatch([neutral, same], { ...template, face: anEmbedding(10) }) ?? 0) > 0.98)
    assert.ok((faceMatch([neutral, same], { ...template, face: anEmbedding(90, 2) }) ?? 1) < 0.3)
    assert.equal(faceMatch([neutral], { ...template, face: 'AAAA' }), undefined)
  })
})

describe('the quality of pictures', () => {
  for (const [what, vision, reason] of [
    ['too few frames', aVision(7), 'too_few_frames'],
    ['a clock that stands still', { ...aVision(18), t_ms: Array(18).fill(5) }, 'too_few_frames'],
    ['one frame a second', { ...aVision(18), t_ms: aVision(18).t_ms.map((t) => t * 12) }, 'too_few_frames'],
    ['no face', { ...aVision(18), faces: [] }, 'no_face'],
    ['two faces', { ...aVision(18), several_faces: 3 }, 'several_faces'],
    ['the dark', aVision(18, () => ({ luma: 20 })), 'too_dark'],
    ['bright light', aVision(18, () => ({ luma: 253 })), 'too_bright'],
    ['a face far away', aVision(18, () => ({ eye_distance: 0.03 })), 'too_far'],
  ] as const) {
    test(`requires a retry after ${what}`, () => assert.deepEqual(pictureQuality(vision), [reason]))
  }

  test('is good for a typical step', () => assert.deepEqual(pictureQuality(aVision(18)), []))
})

test('camera labels give hints', () => {
  assert.deepEqual(deviceHints('OBS Virtual Camera'), ['virtual_camera'])
  assert.deepEqual(deviceHints('v4l2loopback'), ['virtual_camera'])
  assert.deepEqual(deviceHints('/home/me/face.y4m'), ['file_as_camera'])
  assert.deepEqual(deviceHints('FaceTime HD Camera (05ac:8514)'), [])
  assert.deepEqual(deviceHints(undefined), [])
})

test('facts without pictures are undefined, and nothing counts as done', () => {
  const facts = visionFacts({
    steps: [aMovement('blink', DONE.blink)],
    template: undefined,
    accommodations: [],
    has_passkey: false,
  })
  assert.deepEqual(facts.movements, [{ movement: 'blink', done: false }])
  assert.deepEqual(
    [facts.left, facts.flash_r, facts.gesture_frames, facts.face_match],
    Array(4).fill(undefined),
  )
})
