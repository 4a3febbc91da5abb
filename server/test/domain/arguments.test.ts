import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ArgumentLimit, ArgumentLimits } from '@deputize/protocol'
import fc from 'fast-check'
import { argumentFaults, argumentWidening, meetArguments } from '../../src/domain/tokens/arguments.ts'

function rules(limit: ArgumentLimit, value: unknown): string[] {
  const metadata = JSON.stringify(value === undefined ? {} : { value })
  return argumentFaults({ send: { '/value': limit } }, 'send', metadata).map(({ rule }) => rule)
}

describe('limits on arguments', () => {
  test('bound numbers exactly, and never accept a text as a number', () => {
    assert.deepEqual([rules({ max: 100 }, 100), rules({ max: 100 }, 100.000001)], [[], ['max']])
    assert.deepEqual([rules({ min: 0 }, 0), rules({ min: 0 }, -1)], [[], ['min']])
    for (const odd of ['100', true, null, [1], { value: 1 }, 2 ** 53, -(2 ** 53)])
      assert.deepEqual(rules({ max: 2 ** 60, min: -(2 ** 60) }, odd), ['type'], JSON.stringify(odd))
  })

  test('list values by type and content', () => {
    const one_of = ['eur', 1, true, null]
    for (const allowed of one_of) assert.deepEqual(rules({ one_of }, allowed), [])
    for (const odd of ['EUR', 'eur ', '1', 1.5, false, 0, ['eur'], {}])
      assert.deepEqual(rules({ one_of }, odd), ['one_of'], JSON.stringify(odd))
    for (const rounded of [2 ** 53, -(2 ** 53), 12345678901234568])
      assert.deepEqual(rules({ one_of: [rounded] }, rounded), ['one_of'], String(rounded))
    assert.deepEqual(rules({ one_of: [Number.MAX_SAFE_INTEGER] }, Number.MAX_SAFE_INTEGER), [])
  })

  test('match whole texts, and every pattern of a list', () => {
    assert.deepEqual(rules({ matches: '*@example.com' }, 'a@example.com'), [])
    assert.deepEqual(rules({ matches: '*@example.com' }, 'a@example.com\n'), ['matches'])
    assert.deepEqual(rules({ matches: ['a*', '*z'] }, 'abz'), [])
    assert.deepEqual(rules({ matches: ['a*', '*z'] }, 'abc'), ['matches'])
    assert.deepEqual(rules({ matches: '*' }, 5), ['type'])
  })

  test('count the characters of a text and the items of a list', () => {
    assert.deepEqual(
      [rules({ max_length: 2 }, '😀😀'), rules({ max_length: 2 }, 'abc')],
      [[], ['max_length']],
    )
    assert.deepEqual(
      [rules({ max_length: 1 }, ['a']), rules({ max_length: 1 }, [1, 2])],
      [[], ['max_length']],
    )
    assert.deepEqual(rules({ max_length: 9 }, 5), ['type'])
  })

  test('deny arguments that are missing, inherited from a prototype, or unreachable', () => {
    assert.deepEqual(rules({ max: 1 }, undefined), ['required'])
    const missing = (path: string, metadata: string | undefined) =>
      argumentFaults({ '*': { [path]: { max_length: 9 } } }, 'send', metadata).map(({ rule }) => rule)
    assert.deepEqual(missing('/a', undefined), ['required'])
    for (const path of ['/constructor/name', '/toString', '/list/length', '/list/01', '/list/-', '/text/0'])
      assert.deepEqual(missing(path, '{"list":["x"],"text":"x"}'), ['required'], path)
    assert.deepEqual(missing('/list/0', '{"list":["x"]}'), [])
    assert.deepEqual(missing('/a~1b~0c', '{"a/b~c":"x"}'), [])
  })

  test('apply to the named action and to every action', () => {
    const limits = { '*': { '/a': { max: 1 } }, send: { '/b': { max: 1 } } }
    assert.deepEqual(
      argumentFaults(limits, 'send', '{}').map(({ path }) => path),
      ['/a', '/b'],
    )
    assert.deepEqual(
      argumentFaults(limits, 'constructor', '{}').map(({ path }) => path),
      ['/a'],
    )
    assert.deepEqual(argumentFaults({ send: { '/b': { max: 1 } } }, 'read', undefined), [])
  })

  test('name each rule that a child widens', () => {
    const parent = { send: { '/a': { max: 10, min: 1, max_length: 5, one_of: ['x', 'y'], matches: 'x*' } } }
    const child = { send: { '/a': { max: 11, min: 0, max_length: 6, one_of: ['x', 'z'], matches: 'y*' } } }
    assert.deepEqual(argumentWidening(parent, child), [
      'arguments: send /a max',
      'arguments: send /a min',
      'arguments: send /a max_length',
      'arguments: send /a one_of',
    ])
    assert.deepEqual(
      argumentWidening(parent, { send: { '/b': { max: 99 } }, read: { '/a': { max: 99 } } }),
      [],
    )
  })

  test("of a child allow only what its parent's limits allow", () => {
    const limit: fc.Arbitrary<ArgumentLimit> = fc.record(
      {
        max: fc.integer({ min: -2, max: 4 }),
        min: fc.integer({ min: -4, max: 2 }),
        max_length: fc.nat(3),
        one_of: fc.subarray(['a', 'ab', 1, 2, null], { minLength: 1 }),
        matches: fc.constantFrom('a*', '*b', '?', ['a*', '*b']),
      },
      { requiredKeys: [] },
    )
    const paths = fc.dictionary(fc.constantFrom('/a', '/b'), limit, { maxKeys: 2 })
    const limits: fc.Arbitrary<ArgumentLimits> = fc.dictionary(fc.constantFrom('*', 'send', 'read'), paths)
    const value = fc.constantFrom('a', 'ab', 'b', 'abc', 1, 2, 5, null, true, ['x'])
    const document = fc
      .dictionary(fc.constantFrom('a', 'b'), value)
      .map((metadata) => JSON.stringify(metadata))
    fc.assert(
      fc.property(
        limits,
        limits,
        document,
        fc.constantFrom('send', 'read'),
        (parent, asked, metadata, action) => {
          if (argumentWidening(parent, asked).length > 0) return
          const child = meetArguments(parent, asked)
          assert.deepEqual(argumentWidening(parent, child), [])
          const isAllowed = (by: ArgumentLimits | undefined) =>
            argumentFaults(by, action, metadata).length === 0
          assert.equal(isAllowed(child), isAllowed(parent) && isAllowed(asked))
        },
      ),
      { numRuns: 2000 },
    )
  })
})
