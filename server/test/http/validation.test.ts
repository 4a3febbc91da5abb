import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OPERATIONS, type Operation } from '@deputize/protocol'
import { compileSchema } from '../../src/http/validation.ts'

test('every request schema compiles, although the service compiles each with its first request', () => {
  for (const [id, row] of Object.entries<Operation>(OPERATIONS))
    for (const [place, schema] of Object.entries({
      params: row.params,
      querystring: row.query,
      [row.form === true ? 'form' : 'body']: row.body,
    }))
      if (schema !== undefined) assert.doesNotThrow(() => compileSchema(schema, place), `${id} ${place}`)
})
