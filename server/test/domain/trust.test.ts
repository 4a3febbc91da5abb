import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { trustScore } from '../../src/domain/tokens/trust.ts'

describe('trust', () => {
  test('of a root token is the base of its level', () => {
    assert.deepEqual([trustScore('L1', 0), trustScore('L2', 0), trustScore('L3', 0)], [0.4, 0.7, 0.95])
  })

  test('falls by a tenth with each hop, to four decimals, and never rises', () => {
    assert.deepEqual(
      [1, 2, 3].map((depth) => trustScore('L1', depth)),
      [0.36, 0.324, 0.2916],
    )
    for (let depth = 0; depth < 20; depth++) assert.ok(trustScore('L3', depth + 1) < trustScore('L3', depth))
  })
})
