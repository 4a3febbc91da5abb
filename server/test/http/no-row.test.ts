import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ACCESS } from '@deputize/protocol'
import { type AppOptions, buildApp } from '../../src/http/app.ts'

test('the server does not start if an operation has no row in the access table', async (context) => {
  const rows = ACCESS as Record<string, unknown> // the types forbid removing a row
  const row = rows.getHealth
  context.after(() => {
    rows.getHealth = row
  })
  delete rows.getHealth
  await assert.rejects(buildApp({} as AppOptions), /getHealth/) // refused before any option is read
})
