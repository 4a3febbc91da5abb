import assert from 'node:assert/strict'
import { closeSync, openSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { anIssueRequest } from '@deputize/testing/an-issue-request.ts'
import { eventually } from '@deputize/testing/eventually.ts'
import { httpClient } from '@deputize/testing/http-client.ts'
import { aProgram } from '@deputize/testing/program.ts'
import { temporaryDirectory } from '@deputize/testing/scope.ts'

/** Overwrites every page of a table, as a failing disk does. */
function wreck(file: string, table: string): void {
  const db = new DatabaseSync(file)
  const page_size = Number(db.prepare('PRAGMA page_size').get()?.page_size)
  const root = Number(db.prepare('SELECT rootpage FROM sqlite_master WHERE name = ?').get(table)?.rootpage)
  db.close()
  const descriptor = openSync(file, 'r+')
  writeSync(descriptor, Buffer.alloc(page_size, 0xa5), 0, page_size, (root - 1) * page_size)
  closeSync(descriptor)
  assert.ok(statSync(file).size > 0)
}

test('a read of a damaged page is logged and answered with 503, not as a bug', async (t) => {
  const directory = temporaryDirectory(t)
  const first = await aProgram(t, directory)
  const before = httpClient(t, first.url)
  const { body } = await before.post('/v1/vat/issue/l1', anIssueRequest())
  const action = { vat_jti: body.jti, action: 'read', resource: 'calendar:events', result: 'success' }
  const recorded = await before.post('/v1/vat/record/action', action)
  before.close()
  assert.equal(await first.stop(), 0)
  wreck(join(directory, 'deputy.db'), 'records')
  const second = await aProgram(t, directory)
  const { get } = httpClient(t, second.url)
  const { status, body: problem, headers } = await get(`/v1/vat/aar/${recorded.body.aar_id}`)
  assert.deepEqual([status, problem.code], [503, 'storage_unavailable'], JSON.stringify(problem))
  assert.equal(headers['retry-after'], '1')
  await eventually('the log says so', () => /malformed/.test(second.output()))
})
