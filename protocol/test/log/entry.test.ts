import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { aLeaf } from '@deputize/testing/log/a-log.ts'
import fc from 'fast-check'
import { canonicalJson } from '../../src/encoding/canonical.ts'
import { readEntry } from '../../src/log/entry.ts'
import { type FaultCode, LogFault } from '../../src/log/faults.ts'

function faultOf(text: string | Uint8Array): FaultCode | undefined {
  try {
    readEntry(text, 3)
    return undefined
  } catch (error) {
    if (error instanceof LogFault) return error.fault
    throw error
  }
}

const LEAF = { v: 1, type: 'action.recorded', at: '2027-01-01T00:00:00.000Z' }

describe('an entry', () => {
  test('is read in canonical form with any member names', () => {
    const name = fc.oneof(fc.string({ unit: 'grapheme' }), fc.nat().map(String))
    const members = fc.dictionary(
      name.filter((text) => text !== '__proto__' && text !== 'toJSON'),
      fc.jsonValue({ stringUnit: 'grapheme' }),
    )
    fc.assert(
      fc.property(members, (more) => {
        const text = canonicalJson({ ...more, ...LEAF })
        assert.equal(readEntry(Buffer.from(text), 0).type, LEAF.type)
        assert.equal(faultOf(` ${text}`), 'entry_not_canonical')
        assert.equal(faultOf(text.slice(0, -1)), 'entry_not_json')
      }),
    )
  })

  test('is refused in any other form', () => {
    const leaf = aLeaf(3)
    for (const text of [
      leaf.replace('0.4', '0.40'),
      leaf.replace('0.4', '4e-1'),
      leaf.replace('"read"', '"\\u0072ead"'),
      leaf.replace('"read"', '"\\ud800"'),
      leaf.replace('"read"', '"re\\/ad"'),
      leaf.replace('"read"', '{"b":1,"a":2}'),
      leaf.replace('"read"', '[{"b":1,"a":2}]'),
      leaf.replace('"read"', '{"9":1,"10":2}'),
      leaf.replace('"read"', '-0'),
      `${leaf}\n`,
    ])
      assert.equal(faultOf(text), 'entry_not_canonical', text)
  })

  test('orders names that look like numbers as in RFC 8785', () => {
    assert.equal(faultOf(aLeaf(3).replace('"read"', '{"10":2,"9":1}')), undefined)
  })

  test('is refused unless it is a leaf', () => {
    assert.equal(faultOf(Uint8Array.of(0xff)), 'entry_not_json')
    assert.equal(faultOf(''), 'entry_not_json')
    assert.equal(faultOf('\ufeff{}'), 'entry_not_json')
    assert.equal(faultOf('[]'), 'entry_shape')
    assert.equal(faultOf('null'), 'entry_shape')
    assert.equal(faultOf('{}'), 'entry_version')
    assert.equal(faultOf(canonicalJson({ ...LEAF, v: '1' })), 'entry_version')
    assert.equal(faultOf(canonicalJson({ ...LEAF, type: 'action' })), 'entry_shape')
    assert.equal(faultOf(canonicalJson({ ...LEAF, at: '2027-01-01T00:00:00Z' })), 'entry_shape')
    assert.equal(faultOf(`${'['.repeat(30_000)}${']'.repeat(30_000)}`), 'entry_not_canonical')
  })
})
