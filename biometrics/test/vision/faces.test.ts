import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { theOpenPack } from '../../../testing/an-engine.ts'
import { AT_REST, type HeadPose } from '../../../testing/puppet/head-pose.ts'
import { writeJpeg } from '../../../testing/puppet/jpeg.ts'
import { render } from '../../../testing/puppet/render.ts'
import { figureOfAvatar } from '../../../testing/puppet/supplies.ts'
import { identityStability, spotIdentity } from '../../src/checks/face-identity.ts'
import type { Step, StepEvidence, VisionEvidence } from '../../src/contract.ts'
import { cosine } from '../../src/judge/embeddings.ts'
import { GATES } from '../../src/judge/thresholds.ts'
import { analyseVision, type VisionParts } from '../../src/vision/analyse-vision.ts'
import { textToFloats } from '../../src/vision/float-text.ts'
import { formDistance, lookupForm } from '../../src/vision/lookup-form.ts'
import { openVision } from '../../src/vision/open-vision.ts'
import { aStep } from '../rules/a-vision.ts'

/**
 * The first avatar at rest, as measured when this test was written. `form` is its embedding's signs under a zero key.
 */
const FIRST = {
  eye_distance: 0.1738,
  yaw: 6.5369,
  form: '7bc76eadb640340e69f520a6205b74e97ce67230f32980bb7b26788563f2263b66b0fb366c0ea006df1155d666526e8d285e9380630d3b0895f362bbc5cf3e25',
}

describe('a face from its frame to its embedding', () => {
  let parts: VisionParts
  before(async () => {
    parts = await openVision(await theOpenPack())
  })

  test('has the measured place, pose and identity', async () => {
    const seen = await look(1, AT_REST)
    const [face] = seen.faces
    assert.ok(face !== undefined && seen.embeddings[0] !== undefined)
    assert.ok(Math.abs(face.eye_distance - FIRST.eye_distance) < 0.005, String(face.eye_distance))
    assert.ok(Math.abs(face.yaw - FIRST.yaw) < 1.5, String(face.yaw))
    const form = lookupForm(textToFloats(seen.embeddings[0]), Buffer.alloc(32))
    const off = formDistance(form, Buffer.from(FIRST.form, 'hex'))
    assert.ok(off < 0.06, `${off} ${Buffer.from(form).toString('hex')}`)
  })

  test('keeps its identity if the person moves a little, and differs for another person', async () => {
    const [still, moved, other] = [
      await look(1, AT_REST),
      await look(1, { ...AT_REST, yaw: 8, roll: 6, size: 1.15 }),
      await look(2, AT_REST),
    ].map(({ embeddings }) => embeddings[0] ?? '')
    assert.ok(still !== undefined && moved !== undefined && other !== undefined)
    assert.ok((cosine(still, moved) ?? 0) > 0.6)
    assert.ok((cosine(still, other) ?? 1) < 0.6)
  })

  test('is not hidden by pictures of another person between the frames that prove a turn', async () => {
    const neutral = await evidenceOf(
      { kind: 'neutral' },
      [],
      [await frame(1, AT_REST), await frame(1, AT_REST)],
    )
    const turned = await frame(2, { ...AT_REST, yaw: 35 })
    const spliced = [turned, await frame(1, AT_REST), turned]
    const turn = await evidenceOf(
      { kind: 'move', movement: 'turn_left' },
      [neutral],
      [...spliced, ...spliced, ...spliced],
    )
    assert.ok((identityStability([neutral, turn]) ?? 0) > GATES.identity_stability)
    const spot = spotIdentity([neutral, turn])
    assert.ok(spot !== undefined && spot < GATES.spot_identity, String(spot))
  })

  test('is the same in every frame of a turn', async () => {
    const neutral = await evidenceOf({ kind: 'neutral' }, [], [await frame(1, AT_REST)])
    for (const [movement, yaw] of [
      ['turn_left', 25],
      ['turn_right', -25],
    ] as const) {
      const turn = await evidenceOf(
        { kind: 'move', movement },
        [neutral],
        [await frame(1, { ...AT_REST, yaw })],
      )
      const spot = spotIdentity([neutral, turn])
      assert.ok(spot !== undefined && spot > GATES.spot_identity + 0.1, String(spot))
    }
  })

  async function look(avatar: number, pose: HeadPose): Promise<VisionEvidence> {
    return (await evidenceOf({ kind: 'neutral' }, [], [await frame(avatar, pose)])).vision
  }

  async function frame(avatar: number, pose: HeadPose): Promise<Uint8Array> {
    return writeJpeg(render(await figureOfAvatar(avatar), pose), 85)
  }

  async function evidenceOf(
    step: Step,
    prior: readonly StepEvidence[],
    jpegs: readonly Uint8Array[],
  ): Promise<StepEvidence> {
    const frames = jpegs.map((jpeg, at) => ({ t_ms: at * 80, jpeg }))
    return aStep(step, await analyseVision({ step, frames, video_label: undefined, prior }, parts))
  }
})
