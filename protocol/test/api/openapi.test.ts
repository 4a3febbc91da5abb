import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { accessGaps } from '../../src/api/access-table.ts'
import { ERRORS } from '../../src/api/errors.ts'
import { openApiDocument } from '../../src/api/openapi.ts'
import type { Operation } from '../../src/api/operation.ts'
import { OPERATIONS } from '../../src/api/operations.ts'
import { rolesPage } from '../../src/api/roles-page.ts'

const root = new URL('../../../', import.meta.url)
const read = (name: string) => JSON.parse(readFileSync(new URL(name, root), 'utf8'))

describe('the OpenAPI document', () => {
  test('that is checked in equals the one made from the operations (else run: npm run generate)', () => {
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

  test('has a page beside it that says who may call what (else run: npm run generate)', () => {
    assert.equal(readFileSync(new URL('docs/roles.md', root), 'utf8'), rolesPage())
  })

  test('has a row in the table of access for every operation, and none for anything else', () => {
    assert.deepEqual(accessGaps(), { missing: [], idle: [] })
  })

  test('names only errors that exist', () => {
    for (const [id, row] of Object.entries<Operation>(OPERATIONS)) {
      for (const code of row.errors) assert.ok(code in ERRORS, `${id}: ${code}`)
    }
  })
})
