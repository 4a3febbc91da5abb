import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { cosine, meanEmbedding } from '../../src/judge/embeddings.ts'
import { floatsToText } from '../../src/vision/float-text.ts'

const text = (...values: number[]) => floatsToText(Float32Array.from(values))
const vector = fc
  .array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: 8, maxLength: 8 })
  .filter((values) => Math.hypot(...values) > 0.01)

describe('embeddings', () => {
  test('the mean is between the vectors and has unit length', () => {
    const mean = meanEmbedding([text(1, 0), text(0, 1)]) ?? ''
    assert.ok(Math.abs((cosine(mean, text(1, 0)) ?? 0) - Math.SQRT1_2) < 1e-6)
    assert.ok(Math.abs((cosine(mean, mean) ?? 0) - 1) < 1e-6)
  })

  test('vectors of different nets are never compared', () => {
    assert.equal(cosine(text(1, 0), text(1, 0, 0)), undefined)
    assert.equal(meanEmbedding([text(1, 0), text(1, 0, 0)]), undefined)
  })

  test('embeddings that are empty or cancel out have no mean and no cosine', () => {
    assert.equal(meanEmbedding([]), undefined)
    assert.equal(meanEmbedding([text(1, 0), text(-1, 0)]), undefined)
    assert.equal(cosine('', ''), undefined)
    assert.equal(cosine(text(0, 0), text(1, 0)), undefined)
  })

  test('the cosine is symmetric and between -1 and 1, whatever the lengths', () => {
    fc.assert(
      fc.property(vector, vector, (a, b) => {
        const there = cosine(text(...a), text(...b)) ?? Number.NaN
        const back = cosine(text(...b), text(...a)) ?? Number.NaN
        assert.ok(Math.abs(there) <= 1 + 1e-6 && Math.abs(there - back) < 1e-12)
      }),
    )
  })
})
