import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ACCESS } from '@deputize/protocol'
import { type AppOptions, buildApp } from '../../src/http/app.ts'

test('an operation without a row in the table of access does not start the server', async (context) => {
  const rows = ACCESS as Record<string, unknown> // to break what cannot be broken by mistake
  const row = rows.getHealth
  context.after(() => {
    rows.getHealth = row
  })
  delete rows.getHealth
  await assert.rejects(buildApp({} as AppOptions), /no row for getHealth/) // refused before anything is looked at
})
