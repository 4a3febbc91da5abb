import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { ERRORS } from '../src/errors.ts'
import { openApiDocument } from '../src/openapi.ts'
import type { Operation } from '../src/operation.ts'
import { OPERATIONS } from '../src/operations.ts'

const root = new URL('../../', import.meta.url)
const read = (name: string) => JSON.parse(readFileSync(new URL(name, root), 'utf8'))

describe('the OpenAPI document', () => {
  test('that is checked in equals the one made from the operations (else run: npm run openapi)', () => {
    assert.deepEqual(
      read('openapi.json'),
      JSON.parse(JSON.stringify(openApiDocument(read('package.json').version))),
    )
  })

  test('describes every operation once, with an example for every body', () => {
    const rows = Object.entries<Operation>(OPERATIONS)
    const addresses = rows.map(([, row]) => `${row.method} ${row.path}`)
    assert.equal(new Set(addresses).size, addresses.length)
    for (const [id, row] of rows) if (row.body !== undefined) assert.notEqual(row.example, undefined, id)
  })

  test('names only errors that exist', () => {
    for (const [id, row] of Object.entries<Operation>(OPERATIONS)) {
      for (const code of row.errors) assert.ok(code in ERRORS, `${id}: ${code}`)
    }
  })
})
