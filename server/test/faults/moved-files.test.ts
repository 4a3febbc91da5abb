import assert from 'node:assert/strict'
import { existsSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { anIssueRequest } from '@deputize/testing/an-issue-request.ts'
import { eventually } from '@deputize/testing/eventually.ts'
import { httpClient } from '@deputize/testing/http-client.ts'
import { aProgram } from '@deputize/testing/program.ts'
import { temporaryDirectory } from '@deputize/testing/scope.ts'

test('nothing is acknowledged into files that were moved away or deleted, agents can be stopped, and files that return are used again', {
  skip: process.platform === 'win32' && 'open files stay where they are on Windows',
}, async (t) => {
  const base = temporaryDirectory(t)
  const directory = join(base, 'data')
  const program = await aProgram(t, directory, { DEPUTY_LOG_LEVEL: 'silent' })
  const client = httpClient(t, program.url)
  const issue = () => client.post('/v1/vat/issue/l1', anIssueRequest())
  const { body: token } = await issue()

  /** True once changes are refused with a reason that names the file. The service may detect it a moment later. */
  const isNoticed = (file: string) => async () => {
    const { status, body } = await issue()
    if (status === 200) return false
    assert.deepEqual([status, body.code], [503, 'storage_unavailable'])
    const [reason] = (await client.get('/readyz')).body.reasons
    return reason.detail.startsWith(`${file} in the data directory was removed or replaced`)
  }
  const isReady = async () => (await client.get('/readyz')).status === 200

  renameSync(directory, join(base, 'elsewhere'))
  await eventually('changes are refused', isNoticed('deputy.db'))
  assert.equal((await client.post('/v1/vat/revoke', { vat_jti: token.jti })).status, 200)
  assert.equal((await client.get('/v1/vat/tokens')).status, 200)
  assert.ok(!existsSync(join(directory, 'reserve')), 'nothing is in the way of the files that return')
  rmSync(directory, { recursive: true, force: true })
  renameSync(join(base, 'elsewhere'), directory)
  await eventually('the node is ready again', isReady)
  assert.equal((await issue()).status, 200)

  rmSync(join(directory, 'deputy.lock')) // as if it were left over: a second process could start now
  await eventually('changes are refused', isNoticed('deputy.lock'))
})
