import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { anIssueRequest } from '@deputize/testing/an-issue-request.ts'
import { httpClient } from '@deputize/testing/http-client.ts'
import { startPostgres } from '@deputize/testing/postgres.ts'
import { aProgram } from '@deputize/testing/program.ts'
import { temporaryDirectory } from '@deputize/testing/scope.ts'

describe('a node whose database goes away', () => {
  test('returns 503 with Retry-After, and recovers by itself', async (context) => {
    const directory = mkdtempSync(join(tmpdir(), 'deputy-away-'))
    const first = await startPostgres({ directory })
    let postgres = first
    context.after(async () => {
      await postgres.kill()
      rmSync(directory, { recursive: true, force: true })
    })
    const env = { DEPUTY_DATABASE_URL: first.url(), DEPUTY_LOG_LEVEL: 'silent' }
    const program = await aProgram(context, temporaryDirectory(context), env)
    const client = httpClient(context, program.url)
    const { body } = await client.post('/v1/vat/issue/l1', anIssueRequest())
    const { jti, compact_jwt } = body

    await postgres.kill()
    const readiness = async () => (await client.get('/readyz')).status
    while ((await readiness()) !== 503) await delay(50) // it notices without a call
    for (const answer of await Promise.all([
      client.post('/v1/vat/issue/l1', anIssueRequest()),
      client.post('/v1/vat/revoke', { vat_jti: jti }),
      client.post('/v1/vat/verify', { compact_jwt }),
      client.get(`/v1/vat/tokens/${jti}`),
      client.get('/v1/vat/aar'),
      client.get('/tile/0/000.p/1'),
      client.get('/v1/vat/status-list'),
      client.post('/v1/vat/signing-keys/rotate', {}),
    ])) {
      assert.deepEqual(
        [answer.status, answer.headers['retry-after']],
        [503, '1'],
        JSON.stringify(answer.body),
      )
      assert.equal(answer.body.code, 'storage_unavailable')
    }
    assert.equal((await client.get('/healthz')).status, 200)
    assert.equal((await client.get('/checkpoint')).status, 200)

    postgres = await startPostgres({ directory, port: first.port })
    const began = Date.now()
    while ((await readiness()) !== 200) {
      assert.ok(Date.now() - began < 15_000, 'it never recovered')
      await delay(50)
    }
    assert.equal((await client.get(`/v1/vat/tokens/${jti}`)).body.status, 'live')
    assert.equal((await client.post('/v1/vat/revoke', { vat_jti: jti })).status, 200)
    assert.equal((await client.post('/v1/vat/issue/l1', anIssueRequest())).status, 200)
  })
})
