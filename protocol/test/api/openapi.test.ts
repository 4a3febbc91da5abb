import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { accessGaps } from '../../src/api/access-table.ts'
import { ERRORS } from '../../src/api/errors.ts'
import { EXAMPLES } from '../../src/api/generated/examples.ts'
import { openApiDocument } from '../../src/api/openapi.ts'
import type { Operation } from '../../src/api/operation.ts'
import { OPERATIONS } from '../../src/api/operations.ts'
import { NUMBER_FORMATS, TEXT_FORMATS } from '../../src/encoding/grammar.ts'

type Json = Record<string, unknown>

const document = openApiDocument('0.0.0')
const components = document.components as Record<string, Record<string, Json>>
const paths = document.paths as Record<string, Record<string, Json>>
const rows = Object.entries<Operation>(OPERATIONS)

/** The target of a reference in the document. */
function target(reference: string): Json {
  const [, , kind = '', name = ''] = reference.split('/')
  const found = components[kind]?.[name]
  assert.ok(found, reference)
  return found
}

/** Every schema of the document, with its place. Doesn't follow references. */
function* schemasIn(schema: Json, place: string): Generator<[string, Json]> {
  yield [place, schema]
  for (const [name, member] of Object.entries((schema.properties ?? {}) as Record<string, Json>))
    yield* schemasIn(member, `${place}.${name}`)
  for (const key of ['items', 'additionalProperties'] as const) {
    const inner = schema[key]
    if (typeof inner === 'object' && inner !== null) yield* schemasIn(inner as Json, `${place}.${key}`)
  }
  for (const option of [...((schema.anyOf ?? []) as Json[]), ...((schema.oneOf ?? []) as Json[])])
    yield* schemasIn(option, place)
}

function isDescribed(schema: Json): boolean {
  if (typeof schema.description === 'string') return true
  return typeof schema.$ref === 'string' && isDescribed(target(schema.$ref))
}

describe('the OpenAPI document', () => {
  test('maps every method and path to one operation', () => {
    const addresses = rows.map(([, row]) => `${row.method} ${row.path}`)
    assert.equal(new Set(addresses).size, addresses.length)
  })

  test('describes every field', () => {
    const bare = Object.entries(components.schemas ?? {}).flatMap(([name, component]) =>
      [...schemasIn(component, name)].flatMap(([place, { properties }]) =>
        Object.entries((properties ?? {}) as Record<string, Json>)
          .filter(([, member]) => !isDescribed(member))
          .map(([member]) => `${place}.${member}`),
      ),
    )
    assert.deepEqual(bare, [])
  })

  test('describes every parameter', () => {
    const operations = Object.values(paths).flatMap((methods) => Object.values(methods))
    const parameters = operations.flatMap(({ parameters }) => parameters as Json[])
    const bare = parameters
      .map((parameter) => (typeof parameter.$ref === 'string' ? target(parameter.$ref) : parameter))
      .filter((parameter) => !isDescribed(parameter))
    assert.deepEqual(bare, [])
  })

  test('gives the range of integers and describes custom formats', () => {
    const schemas = Object.entries(components.schemas ?? {}).flatMap(([name, component]) => [
      ...schemasIn(component, name),
    ])
    for (const [place, { type, format, pattern }] of schemas) {
      if (type === 'integer') assert.equal(format, 'int64', place)
      if (String(format) in TEXT_FORMATS) assert.equal(typeof pattern, 'string', place)
    }
  })

  test('refers only to components that exist', () => {
    for (const [, reference = ''] of JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g))
      target(reference)
  })

  test('names only errors that exist', () => {
    for (const [id, row] of rows) for (const code of row.errors) assert.ok(code in ERRORS, `${id}: ${code}`)
  })

  test('has an access rule for every operation, and none for anything else', () => {
    assert.deepEqual(accessGaps(), { missing: [], idle: [] })
  })
})

describe('the recorded examples', () => {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  for (const name of [...Object.keys(TEXT_FORMATS), ...Object.keys(NUMBER_FORMATS), 'int64', 'binary'])
    ajv.addFormat(name, true)
  ajv.addSchema({ ...document, $id: 'https://deputy.invalid/openapi.json' })

  function assertValid(schema: Json, value: unknown, place: string): void {
    const text = JSON.stringify(schema).replaceAll('"#/', '"https://deputy.invalid/openapi.json#/')
    const check = ajv.compile(JSON.parse(text))
    assert.ok(check(value), `${place}: ${JSON.stringify(check.errors)}`)
  }

  for (const [id, row] of rows) {
    test(`of ${id} fit its schemas`, () => {
      const example = EXAMPLES[id]
      assert.ok(example, 'run npm run generate')
      const entry = paths[row.path]?.[row.method.toLowerCase()]
      assert.ok(entry)
      if (row.body !== undefined) assertValid(contentOf(entry.requestBody), example.body, 'body')
      const responses = entry.responses as Record<string, Json>
      const content = contentOf(responses[row.status ?? 200])
      if (content.format !== 'binary') assertValid(content, example.response, 'response')
      for (const place of ['path', 'query'] as const) assertParameters(entry, place, example)
    })
  }

  function assertParameters(
    entry: Json,
    place: 'path' | 'query',
    { params, query }: (typeof EXAMPLES)[string],
  ) {
    const given = ((place === 'path' ? params : query) ?? {}) as Json
    const known = new Map(
      (entry.parameters as Json[])
        .map((parameter) => (typeof parameter.$ref === 'string' ? target(parameter.$ref) : parameter))
        .filter((parameter) => parameter.in === place)
        .map((parameter) => [parameter.name, parameter]),
    )
    for (const [name, value] of Object.entries(given)) {
      const schema = known.get(name)?.schema as Json
      const isText = (schema.$ref ? target(String(schema.$ref)) : schema).type === 'string'
      assertValid(schema, isText ? String(value) : value, `${place} ${name}`)
    }
    for (const [name, { required }] of known)
      if (required === true) assert.ok(String(name) in given, String(name))
  }

  function contentOf(part: unknown): Json {
    const [content] = Object.values((part as { content: Record<string, { schema: Json }> }).content)
    assert.ok(content)
    return content.schema
  }
})
