import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Type as TypeBox } from 'typebox'
import { Type } from '../../src/api/schema-type.ts'

type Builders = typeof Type

/** One schema from each builder, with and without options. */
function schemas(type: Builders): Record<string, object> {
  const name = type.String({ title: 'Name', minLength: 1 })
  Object.defineProperty(name, 'hidden', { value: 'kept' })
  const closed = type.Object(
    { name, count: type.Optional(type.Integer({ minimum: 0 })) },
    { additionalProperties: false, description: 'A closed object.' },
  )
  return {
    name,
    closed,
    empty: type.Object({}),
    optional: type.Optional(name),
    partial: type.Partial(closed),
    list: type.Array(closed, { maxItems: 3 }),
    numbers: type.Array(type.Number()),
    word: type.Literal('word'),
    seven: type.Literal(7, { description: 'Seven.' }),
    union: type.Union([closed, type.Null()], { description: 'Either.' }),
    record: type.Record(type.String(), type.Boolean(), { description: 'By name.' }),
    unknown: type.Unknown({ description: 'Anything.' }),
    unsafe: type.Unsafe<string>({ type: 'string', enum: ['a', 'b'] }),
    unsafe_optional: type.Optional(type.Unsafe<string>(name)),
  }
}

function hiddenIn(schema: object): unknown[] {
  return [Reflect.get(schema, 'hidden'), '~optional' in schema]
}

describe('Type', () => {
  const own = schemas(Type)
  const wanted = schemas(TypeBox)

  for (const name of Object.keys(wanted))
    test(`${name} is what typebox builds`, () => {
      const [one = {}, other = {}] = [own[name], wanted[name]]
      assert.equal(JSON.stringify(one), JSON.stringify(other))
      assert.deepEqual(hiddenIn(one), hiddenIn(other))
    })

  test('every builder is compared', () => {
    const used = new Set<string>()
    const watched = new Proxy(Type, {
      get(type, key) {
        used.add(String(key))
        return Reflect.get(type, key)
      },
    })
    schemas(watched)
    assert.deepEqual([...used].sort(), Object.keys(Type).sort())
  })
})
