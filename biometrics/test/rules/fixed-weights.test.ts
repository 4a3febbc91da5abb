import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { fixedWeights } from '../../src/pack/onnx/fixed-weights.ts'
import {
  bytesField,
  type Field,
  floatField,
  intField,
  message,
  messageField,
  textField,
} from '../../src/pack/onnx/protobuf.ts'
import { readFields } from '../../src/pack/onnx/read-protobuf.ts'

const WEIGHTS = Uint8Array.of(1, 2, 3, 4)

/** Returns a net with one weight, which is an input as in the first versions of the format. */
function aNet(ir_version: number, inputs: readonly string[]): Uint8Array {
  return message([
    intField(1, ir_version),
    textField(2, 'somebody'),
    messageField(7, [
      textField(2, 'net'),
      messageField(5, [textField(8, 'weight'), bytesField(9, WEIGHTS)]),
      ...inputs.map((name) => messageField(11, [textField(1, name)])),
      messageField(12, [textField(1, 'out')]),
    ]),
  ])
}

describe('the weights of a net', () => {
  test('are no longer inputs, and nothing else changes', () => {
    const fixed = fixedWeights(aNet(8, ['data', 'weight']))
    assert.deepEqual(Buffer.from(fixed), Buffer.from(aNet(8, ['data'])))
  })

  test('require a version of the format in which they need not be inputs', () => {
    assert.deepEqual(Buffer.from(fixedWeights(aNet(3, ['weight', 'data']))), Buffer.from(aNet(4, ['data'])))
  })

  test('are refused if the bytes are not a net', () => {
    assert.throws(() => fixedWeights(message([intField(7, 1)])), /not an ONNX model/)
    assert.throws(() => fixedWeights(aNet(8, ['data']).subarray(0, -1)), /ends inside a field/)
    assert.throws(() => fixedWeights(Uint8Array.of(0x0b)), /unknown kind 3/)
    assert.throws(() => fixedWeights(new Uint8Array(11).fill(0xff)), /too long/)
  })
})

const field: fc.Arbitrary<Field> = fc.integer({ min: 1, max: 1000 }).chain((number) =>
  fc.oneof(
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map((value) => intField(number, value)),
    fc.float({ noNaN: true }).map((value) => floatField(number, value)),
    fc.uint8Array({ maxLength: 300 }).map((value) => bytesField(number, value)),
  ),
)

test('a message is unchanged after it is read and written again', () => {
  fc.assert(
    fc.property(fc.array(field), (fields) => {
      const bytes = message(fields)
      assert.deepEqual(Buffer.from(message(readFields(bytes).map(({ raw }) => [raw]))), Buffer.from(bytes))
    }),
  )
})
