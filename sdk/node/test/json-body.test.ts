import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { readVector } from '@deputize/testing/read-vector.ts'
import { jsonBody } from '../src/json-body.ts'

interface Body {
  readonly name: string
  readonly metadata: unknown
  readonly pointer?: string
  readonly says?: string
}

const { cases } = readVector<{ cases: Body[] }>('json-body/bodies.json')

/** Returns the value with `$number` entries replaced by numbers that JSON cannot represent. */
function numbered(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(numbered)
  if ('$number' in value) return Number(value.$number)
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, numbered(member)]))
}

describe('the body of a call', () => {
  for (const { name, metadata, pointer = '', says } of cases)
    test(`${name}: ${says ?? 'is sent'}`, () => {
      const body = { metadata: numbered(metadata) }
      if (says === undefined) {
        assert.equal(jsonBody(body), JSON.stringify({ metadata }))
        return
      }
      assert.throws(
        () => jsonBody(body),
        (error) =>
          error instanceof TypeError && error.message.startsWith(pointer) && error.message.includes(says),
      )
    })

  test('there are 15 values', () => {
    assert.equal(cases.length, 15)
  })

  test('the error names a value that JSON.stringify would drop or empty', () => {
    class Order {
      readonly id = 1
    }
    const circle: Record<string, unknown> = {}
    circle.list = [circle]
    const wrong: readonly (readonly [unknown, string])[] = [
      [
        new Map([[1, 2]]),
        '/a must have a JSON form: an object, array, text, number, boolean or null, not a Map.',
      ],
      [new Set([1]), '/a must have a JSON form: an object, array, text, number, boolean or null, not a Set.'],
      [
        [new Order()],
        '/a/0 must have a JSON form: an object, array, text, number, boolean or null, not a Order.',
      ],
      [
        Promise.resolve(1),
        '/a must have a JSON form: an object, array, text, number, boolean or null, not a Promise.',
      ],
      [() => 1, '/a must have a JSON form: an object, array, text, number, boolean or null, not a function.'],
      [
        Symbol('a'),
        '/a must have a JSON form: an object, array, text, number, boolean or null, not a symbol.',
      ],
      [10n, '/a must be a number, or a text if it is beyond 2**53 - 1, not a BigInt.'],
      [new Date('yesterday'), '/a must be a valid date.'],
      [circle, '/a/list/0 must not contain itself.'],
      [[1, undefined], '/a/1 must not be undefined. Pass null, or leave it out.'],
      [new Array(1), '/a/0 must not be undefined. Pass null, or leave it out.'],
    ]
    for (const [a, message] of wrong) assert.throws(() => jsonBody({ a }), { name: 'TypeError', message })
  })

  test('a BigInt is sent in the JSON form that the program defines', (t) => {
    Object.defineProperty(BigInt.prototype, 'toJSON', {
      configurable: true,
      value(this: bigint) {
        return this.toString()
      },
    })
    t.after(() => Reflect.deleteProperty(BigInt.prototype, 'toJSON'))
    assert.equal(jsonBody({ a: 10n }), '{"a":"10"}')
  })

  test('a value is sent in its own JSON form, and undefined members are left out', () => {
    const shared = { n: 1 }
    const a = {
      at: new Date(0),
      url: new URL('https://a.example/'),
      none: undefined,
      twice: [shared, shared],
    }
    assert.equal(
      jsonBody({ a, bare: Object.create(null) }),
      '{"a":{"at":"1970-01-01T00:00:00.000Z","url":"https://a.example/","twice":[{"n":1},{"n":1}]},"bare":{}}',
    )
  })
})
