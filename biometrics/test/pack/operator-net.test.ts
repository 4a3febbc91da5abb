import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { theOpenPack } from '@deputize/testing/an-engine.ts'
import type { OperatorNet, OperatorNetInput } from '../../src/contract.ts'
import { openOperatorNets, operatorScoring } from '../../src/operator/operator-scoring.ts'
import { encodeModel } from '../../src/pack/onnx/onnx-model.ts'
import type { Pack } from '../../src/pack/open-pack.ts'

let pack: Pack
before(
  async () => {
    pack = await theOpenPack()
  },
  { timeout: 300_000 },
)

/** Returns a net that answers with the mean of its input over `axes`. */
function meanNet(shape: readonly number[], axes: readonly number[]): Uint8Array {
  return encodeModel({
    name: 'mean',
    inputs: [{ name: 'in', shape }],
    outputs: [{ name: 'out', shape: undefined }],
    nodes: [
      {
        operator: 'ReduceMean',
        inputs: ['in'],
        outputs: ['out'],
        attributes: { axes: { ints: axes }, keepdims: { int: 0 } },
      },
    ],
    constants: [],
  })
}

function aNet(over: Partial<OperatorNet> & Pick<OperatorNet, 'input' | 'model'>): OperatorNet {
  return {
    name: 'mine',
    purpose: 'deepfake',
    role: 'gate',
    threshold: 0.5,
    output: { name: 'out', index: 0, activation: 'none', means: 'genuine' },
    ...over,
  }
}

function aFaceInput(over: Partial<Extract<OperatorNetInput, { size: number }>> = {}): OperatorNetInput {
  const normal = { mean: [0, 0, 0], std: [1, 1, 1], face_scale: 1 }
  return { name: 'in', size: 16, layout: 'nchw', channels: 'rgb', ...normal, ...over }
}

/** A picture of one colour, with a face in the middle. */
const RGB = [204, 102, 51] as const
const PICTURE = {
  width: 64,
  height: 64,
  rgb: Uint8Array.from({ length: 64 * 64 * 3 }, (_, index) => RGB[index % 3] ?? 0),
}
const MESH = { xyz: Float32Array.of(16, 16, 0, 48, 48, 0), score: 1 }

async function faceScore(net: OperatorNet): Promise<number | undefined> {
  const scoring = operatorScoring(await openOperatorNets(pack, [net]))
  await scoring.face(PICTURE, MESH)
  return scoring.evidence({ kind: 'neutral' }).operator_nets?.[0]?.scores[0]
}

function isNear(value: number | undefined, expected: number): void {
  assert.ok(Math.abs((value ?? Number.NaN) - expected) < 1e-5, `${value} is not ${expected}`)
}

describe("an operator's net", () => {
  test('sees faces in the layout, order and scale that it declares', async () => {
    const planes = meanNet([1, 3, 16, 16], [2, 3])
    isNear(await faceScore(aNet({ input: aFaceInput(), model: planes })), 204 / 255)
    isNear(await faceScore(aNet({ input: aFaceInput({ channels: 'bgr' }), model: planes })), 51 / 255)
    const pixels = meanNet([1, 16, 16, 3], [1, 2])
    isNear(await faceScore(aNet({ input: aFaceInput({ layout: 'nhwc' }), model: pixels })), 204 / 255)
    const input = aFaceInput({ mean: [0.6, 0, 0], std: [0.5, 1, 1] })
    isNear(await faceScore(aNet({ input, model: planes })), 0.4)
  })

  test('judges the sound of the speak step, and of no other step', async () => {
    const net = aNet({
      purpose: 'voice',
      input: { name: 'in', samples: 1600 },
      model: meanNet([1, 1600], [1]),
    })
    const scoring = operatorScoring(await openOperatorNets(pack, [net]))
    const half = Int16Array.from({ length: 16_000 }, () => 16_384)
    await scoring.sound({ t0_ms: 0, pcm16: new Uint8Array(half.buffer) })
    isNear(scoring.evidence({ kind: 'speak', digits: '123456' }).operator_nets?.[0]?.scores[0], 0.5)
    assert.deepEqual(scoring.evidence({ kind: 'neutral' }).operator_nets, [])
  })

  test('has no score if it was never run, which closes its gate', async () => {
    const net = aNet({ input: aFaceInput(), model: meanNet([1, 3, 16, 16], [2, 3]) })
    const { operator_nets } = operatorScoring(await openOperatorNets(pack, [net])).evidence({
      kind: 'neutral',
    })
    assert.deepEqual(operator_nets, [{ name: 'mine', role: 'gate', threshold: 0.5, scores: [] }])
  })
})
