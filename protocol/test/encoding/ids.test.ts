import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { newId, newSuffix } from '../../src/encoding/ids.ts'

describe('ids', () => {
  test('sort by time', () => {
    const times = [1, 999, 1_000, 1_700_000_000_000, 1_700_000_000_001, 2 ** 47]
    const suffixes = times.map(newSuffix)
    assert.deepEqual([...suffixes].sort(), suffixes)
  })

  test('never repeat, and every random character position uses the whole alphabet evenly', () => {
    const count = 100_000
    const seen = new Set<string>()
    const tallies = Array.from({ length: 25 }, () => new Map<string, number>())
    for (let i = 0; i < count; i++) {
      const suffix = newSuffix(0)
      seen.add(suffix)
      for (let place = 0; place < 25; place++) {
        const character = suffix[10 + place] ?? ''
        tallies[place]?.set(character, (tallies[place]?.get(character) ?? 0) + 1)
      }
    }
    assert.equal(seen.size, count)
    for (const tally of tallies) {
      assert.equal(tally.size, 32)
      const expected = count / 32
      const chiSquare = [...tally.values()].reduce((sum, n) => sum + (n - expected) ** 2 / expected, 0)
      assert.ok(chiSquare < 90, `chi-square ${chiSquare} with 31 degrees of freedom`)
    }
  })

  test('start with a prefix for their type', () => {
    assert.match(newId('root_token', 0), /^vat_root_[0-9a-v]{36}$/)
    assert.match(newId('workflow', 0), /^prov_[0-9a-v]{36}$/)
  })
})
