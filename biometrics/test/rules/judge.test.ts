import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { type Decision, MODALITIES, type Modality } from '../../src/contract.ts'
import type { CaptureFacts } from '../../src/judge/facts.ts'
import { judgeFacts } from '../../src/judge/judge.ts'
import { CAPTURE_REASONS, type CaptureReason } from '../../src/judge/reasons.ts'
import { anyFacts, anyRules, someFacts, someRules } from './some-facts.ts'

/** A retry grants no more than a failure. */
const RANK: Readonly<Record<Decision, number>> = { fail: 0, retry: 0, review: 1, pass: 2 }

describe('a judgement', () => {
  test('names the seven modalities in order, each with a method', () => {
    const { decision, modalities } = judgeFacts(someFacts(), someRules())
    assert.equal(decision, 'pass')
    assert.deepEqual(
      modalities.map(({ name }) => name),
      MODALITIES,
    )
    for (const { passed, method, reasons } of modalities)
      assert.ok(passed && method !== '' && reasons.length === 0)
  })

  const REFUSED: readonly [string, Partial<CaptureFacts>, Modality, CaptureReason][] = [
    ['a face that is often lost', { single_face_share: 0.89 }, 'face_liveness', 'face_not_alone'],
    ['a second face', { second_face_frames: 3 }, 'face_liveness', 'face_not_alone'],
    ['a small turn', { left: { yaw_deg: 14, parallax: 0.1 } }, 'face_liveness', 'head_not_turned'],
    ['a flat face', { right: { yaw_deg: 20, parallax: 0.05 } }, 'face_liveness', 'looks_flat'],
    ['another face', { face_match: 0.59 }, 'face_liveness', 'face_differs'],
    ['no reflection', { flash_r: 0.54 }, 'deepfake_detection', 'no_reflection'],
    ['the pattern of a screen', { moire: 2.6 }, 'deepfake_detection', 'screen_pattern'],
    ['looped frames', { duplicate_frames: 3 }, 'deepfake_detection', 'repeated_frames'],
    ['a face that changes', { identity_stability: 0.59 }, 'deepfake_detection', 'face_changed'],
    ['another face in between', { spot_identity: 0.39 }, 'deepfake_detection', 'face_changed'],
    ['other digits', { has_right_digits: false }, 'speech_match', 'wrong_digits'],
    ['a short gesture', { gesture_frames: 2 }, 'finger_gesture', 'gesture_missed'],
    ['a dubbed voice', { lip_sync: { r: 0.05, margin: 0, speech_ms: 3000 } }, 'lip_sync', 'not_in_sync'],
    [
      'a step less',
      { steps: ['neutral', 'move', 'move', 'move', 'flash', 'speak'] },
      'challenge_response',
      'step_missing',
    ],
    ['a turn less', { movements: someFacts().movements.slice(1) }, 'challenge_response', 'step_missing'],
    [
      'a movement that was not made',
      { movements: [...someFacts().movements, { movement: 'blink', done: false }] },
      'challenge_response',
      'movement_missed',
    ],
    [
      'a net of the operator that gates',
      { operator_nets: [{ name: 'pad', role: 'gate', threshold: 0.5, score: 0.4 }] },
      'deepfake_detection',
      'net_refused',
    ],
    [
      'a net of the operator that gates and gave no answer',
      { operator_nets: [{ name: 'pad', role: 'gate', threshold: 0.5, score: undefined }] },
      'deepfake_detection',
      'net_refused',
    ],
  ]
  for (const [what, changes, modality, reason] of REFUSED)
    test(`refuses ${what}, and says so only in its modality`, () => {
      const { decision, modalities } = judgeFacts(someFacts(changes), someRules())
      assert.equal(decision, 'fail')
      const closed = modalities.filter(({ passed }) => !passed)
      assert.deepEqual(
        closed.map(({ name, reasons }) => [name, ...reasons]),
        [[modality, CAPTURE_REASONS[reason]]],
      )
    })

  test("only observes an operator's net that does not gate", () => {
    const net = { name: 'pad', role: 'observe', threshold: 0.5, score: 0.1 } as const
    const { decision, modalities } = judgeFacts(someFacts({ operator_nets: [net] }), someRules())
    assert.equal(decision, 'pass')
    assert.equal(modalities.find(({ name }) => name === 'deepfake_detection')?.measures.net_pad, 0.1)
  })

  test('asks for a retry if a picture was bad, and fails if nothing explains the gap', () => {
    const gap = { flash_r: undefined }
    assert.equal(judgeFacts(someFacts({ ...gap, quality: ['too_bright'] }), someRules()).decision, 'retry')
    assert.equal(judgeFacts(someFacts(gap), someRules()).decision, 'fail')
  })

  test('lets a person decide about a different voice', () => {
    const { decision, modalities } = judgeFacts(someFacts({ voice_match: 0.39 }), someRules())
    assert.equal(decision, 'review')
    assert.deepEqual(modalities.find(({ name }) => name === 'speech_match')?.reasons, [
      CAPTURE_REASONS.voice_differs,
    ])
  })

  test('sends sound that fits another moment of the mouth to a person', () => {
    const { decision } = judgeFacts(
      someFacts({ lip_sync: { r: 0.5, margin: 0.04, speech_ms: 3200 } }),
      someRules(),
    )
    assert.equal(decision, 'review')
  })

  test('passes without voice nets, and its method shows that no voice was compared', () => {
    const { decision, modalities } = judgeFacts(someFacts({ voice_match: undefined }), someRules())
    assert.equal(decision, 'pass')
    assert.equal(modalities.find(({ name }) => name === 'speech_match')?.method, 'digits')
  })

  test('leaves an enrolled voice to the passkey when the person does not speak', () => {
    const rules = someRules({ accommodations: ['no_voice'] })
    const silent = { has_right_digits: undefined, lip_sync: undefined, voice_match: undefined }
    const steps = someFacts().steps.filter((kind) => kind !== 'speak')
    const { decision, score, modalities } = judgeFacts(someFacts({ ...silent, steps }), rules)
    assert.equal(decision, 'pass')
    for (const name of ['speech_match', 'lip_sync'])
      assert.equal(modalities.find((one) => one.name === name)?.method, 'passkey')
    // A voice heard by chance is not compared, so it can neither help nor harm.
    for (const voice_match of [0, 1]) {
      const heard = judgeFacts(someFacts({ ...silent, steps, voice_match }), rules)
      assert.deepEqual([heard.decision, heard.score], [decision, score])
    }
    const alone = judgeFacts(someFacts({ ...silent, steps }), { ...rules, has_passkey: false })
    assert.equal(alone.decision, 'fail')
  })

  test('needs a stable face at enrolment, but none to compare with', () => {
    const rules = someRules({ is_verify: false, has_passkey: false })
    assert.equal(judgeFacts(someFacts({ face_match: undefined }), rules).decision, 'pass')
    assert.equal(judgeFacts(someFacts({ identity_stability: 0.5 }), rules).decision, 'fail')
  })

  test('never passes with measurements that are not numbers', () => {
    for (const name of [
      'single_face_share',
      'flash_r',
      'moire',
      'identity_stability',
      'spot_identity',
      'face_match',
    ] as const)
      assert.equal(judgeFacts(someFacts({ [name]: Number.NaN }), someRules()).decision, 'fail', name)
    assert.notEqual(judgeFacts(someFacts({ voice_match: Number.NaN }), someRules()).decision, 'pass')
  })

  test('has no numbers in its reasons', () => {
    for (const text of Object.values(CAPTURE_REASONS)) assert.doesNotMatch(text, /\d/)
  })
})

describe('for every capture', () => {
  test('an accommodation without a passkey never passes', () => {
    fc.assert(
      fc.property(anyFacts, anyRules, (facts, rules) => {
        fc.pre(rules.accommodations.length > 0)
        assert.equal(judgeFacts(facts, { ...rules, has_passkey: false }).decision, 'fail')
      }),
    )
  })

  const MEASURED = [
    'single_face_share',
    'left',
    'right',
    'flash_r',
    'moire',
    'identity_stability',
    'spot_identity',
    'has_right_digits',
    'gesture_frames',
    'lip_sync',
    'face_match',
  ] as const
  test('removing evidence never brings it closer to a pass', () => {
    fc.assert(
      fc.property(anyFacts, anyRules, fc.constantFrom(...MEASURED), (facts, rules, name) => {
        const less = judgeFacts({ ...facts, [name]: undefined }, rules)
        assert.ok(RANK[less.decision] <= RANK[judgeFacts(facts, rules).decision])
      }),
    )
  })

  test('removing a step never brings it closer to a pass', () => {
    fc.assert(
      fc.property(anyFacts, anyRules, fc.nat(6), (facts, rules, index) => {
        const less = { ...facts, steps: facts.steps.toSpliced(index, 1) }
        const fewer = { ...facts, movements: facts.movements.toSpliced(index % 3, 1) }
        const whole = RANK[judgeFacts(facts, rules).decision]
        assert.ok(RANK[judgeFacts(less, rules).decision] <= whole)
        assert.ok(RANK[judgeFacts(fewer, rules).decision] <= whole)
      }),
    )
  })

  test('a passkey never makes it worse', () => {
    fc.assert(
      fc.property(anyFacts, anyRules, (facts, rules) => {
        const [without, having] = [false, true].map((has_passkey) =>
          judgeFacts(facts, { ...rules, has_passkey }),
        )
        assert.ok(without && having && RANK[without.decision] <= RANK[having.decision])
      }),
    )
  })

  test('it passes if and only if every modality passes', () => {
    fc.assert(
      fc.property(anyFacts, anyRules, (facts, rules) => {
        const { decision, modalities } = judgeFacts(facts, rules)
        const allPassed = modalities.every(({ passed }) => passed) && facts.quality.length === 0
        assert.equal(decision === 'pass', allPassed)
        for (const { passed, reasons } of modalities) assert.equal(passed, reasons.length === 0)
      }),
    )
  })
})
