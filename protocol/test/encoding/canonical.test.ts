import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  fromHex,
  listVectors,
  readBytes,
  readText,
  readVector,
  toHex,
} from '@deputize/testing/read-vector.ts'
import canonicalize from 'canonicalize'
import fc from 'fast-check'
import { CanonicalError, canonicalJson } from '../../src/encoding/canonical.ts'
import { readJson } from '../../src/encoding/json.ts'

type Numbers = { valid: { ieee754_hex: string; json: string }[]; must_error: string[] }

function double(ieee754_hex: string): number {
  return new DataView(fromHex(ieee754_hex).buffer).getFloat64(0)
}

describe('canonicalJson on the vectors of RFC 8785', () => {
  const names = listVectors('jcs-rfc8785/input').map((path) => path.replace('jcs-rfc8785/input/', ''))

  test('there are six documents', () => {
    assert.equal(names.length, 6)
  })

  for (const name of names)
    test(`${name} has the published bytes`, () => {
      const text = canonicalJson(readJson(readBytes(`jcs-rfc8785/input/${name}`)))
      assert.equal(text, readText(`jcs-rfc8785/output/${name}`))
      const published = readText(`jcs-rfc8785/outhex/${name.replace('.json', '.txt')}`).replaceAll(/\s/g, '')
      assert.equal(toHex(new TextEncoder().encode(text)), published)
    })

  test('24 numbers are written as published, and 3 cannot be written', () => {
    const { valid, must_error } = readVector<Numbers>('jcs-rfc8785/numbers.json')
    assert.deepEqual([valid.length, must_error.length], [24, 3])
    for (const { ieee754_hex, json } of valid) assert.equal(canonicalJson(double(ieee754_hex)), json)
    for (const ieee754_hex of must_error)
      assert.throws(() => canonicalJson(double(ieee754_hex)), CanonicalError)
  })
})

describe('canonicalJson', () => {
  const circle: Record<string, unknown> = {}
  circle.self = circle

  for (const [what, value] of Object.entries({
    undefined: undefined,
    'a function': () => 1,
    'a symbol': Symbol('x'),
    NaN: NaN,
    'a nested infinity': { a: [Infinity] },
    'a BigInt': { a: 1n },
    'half a surrogate pair in a value': ['\ud800'],
    'half a surrogate pair in a name': { '\udc00': 1 },
    'a circle': circle,
  }))
    test(`${what} has no canonical form`, () => {
      assert.throws(() => canonicalJson(value), CanonicalError)
    })

  test('omits undefined members, like JSON.stringify', () => {
    assert.equal(canonicalJson({ b: 1, a: undefined }), '{"b":1}')
  })

  test('writes what the library writes and refuses what it refuses, for plain and other values', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('\udc00', '\u007f', '10', '9', 'toJSON'),
    )
    const leaf = fc.oneof(
      text,
      fc.double(),
      fc.bigInt(),
      fc.constantFrom(undefined, null, true, -0, Symbol('x')),
    )
    const toJSON = () => ({ b: 1, a: [] })
    const odd = fc.constantFrom(
      new Date(0),
      new Date(NaN),
      Object(1),
      Array(2),
      { toJSON },
      Object.assign([1], { toJSON }),
      Object.defineProperty({ b: 2 }, 'toJSON', { value: toJSON }),
    )
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: 'medium' },
        leaf,
        odd,
        fc.array(tie('value')),
        fc.dictionary(text, tie('value')),
      ),
    }))
    const verdictOf = (write: () => string | undefined) => {
      try {
        return write() ?? 'refused'
      } catch {
        return 'refused'
      }
    }
    fc.assert(
      fc.property(value, (any) => {
        assert.equal(
          verdictOf(() => canonicalJson(any)),
          verdictOf(() => canonicalize(any)),
        )
      }),
      { numRuns: 1000 },
    )
  })

  test('does not depend on the order of members, and parses back to the value', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 8, noNullPrototype: true }),
        (value) => {
          const reversed = Object.fromEntries(Object.entries(value).reverse())
          assert.equal(canonicalJson(reversed), canonicalJson(value))
          assert.deepEqual(JSON.parse(canonicalJson(value)), JSON.parse(JSON.stringify(value)))
        },
      ),
    )
  })
})
