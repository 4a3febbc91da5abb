import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { tfjsToOnnx } from '../../src/pack/tfjs/tfjs-to-onnx.ts'

/** Returns a graph model of one operator on a 2x2 picture. */
function aGraph(op: string, weights: readonly object[] = []): Uint8Array {
  const dim = [1, 2, 2, 3].map((size) => ({ size: String(size) }))
  const graph = {
    signature: { outputs: { out: { name: 'out:0' } } },
    modelTopology: {
      node: [
        { name: 'in', op: 'Placeholder', attr: { shape: { shape: { dim } } } },
        { name: 'out', op, input: ['in', ...weights.map(() => 'w')] },
      ],
    },
    weightsManifest: [{ weights }],
  }
  return new TextEncoder().encode(JSON.stringify(graph))
}

const HALVES = { name: 'w', shape: [3], dtype: 'float32', quantization: { dtype: 'float16' } }

describe('the net converter', () => {
  test('produces the same bytes each time', () => {
    const weights = Uint8Array.of(0, 0x3c, 0, 0xc0, 1, 0)
    const once = tfjsToOnnx('net', aGraph('AddV2', [HALVES]), weights)
    assert.deepEqual(tfjsToOnnx('net', aGraph('AddV2', [HALVES]), weights), once)
  })

  test('reads half-precision weights: 1, -2 and the smallest number', () => {
    const bytes = tfjsToOnnx('net', aGraph('AddV2', [HALVES]), Uint8Array.of(0, 0x3c, 0, 0xc0, 1, 0))
    const floats = Buffer.from(Float32Array.of(1, -2, 2 ** -24).buffer)
    assert.ok(Buffer.from(bytes).includes(floats))
  })

  test('refuses an unknown operator by name', () => {
    assert.throws(
      () => tfjsToOnnx('net', aGraph('Softplus'), new Uint8Array()),
      /Operator Softplus is not supported/,
    )
  })

  test('refuses weights that do not fill their file', () => {
    const more = new Uint8Array(8)
    assert.throws(() => tfjsToOnnx('net', aGraph('AddV2', [HALVES]), more), /do not fill their file/)
  })
})
