import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { aTestApp, type TestApp } from '@deputize/testing/a-test-app.ts'
import { anIssueRequest } from '@deputize/testing/an-issue-request.ts'
import { LogScrub } from '../../src/log/log-scrub.ts'
import { aLongLog } from './long-log.ts'

/** More than two tiles of 256 entries. */
const ENTRIES = 600

async function scrubbed(scrub: LogScrub, rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round++) await scrub.runOnce()
}

test('the scrub reads the whole log in portions, reports when it finished, and starts over', async (t) => {
  const { reader } = await aLongLog(t, ENTRIES)
  let now_ms = 1_000
  const scrub = new LogScrub({ reader: reader.log, clock: () => now_ms, onDamage: assert.fail })
  await scrubbed(scrub, 2)
  assert.equal(scrub.finishedAtMs(), undefined)
  await scrub.runOnce()
  assert.equal(scrub.finishedAtMs(), 1_000)
  now_ms = 2_000
  await scrubbed(scrub, 3)
  assert.equal(scrub.finishedAtMs(), 2_000)
})

describe('a damaged log', () => {
  async function damaged(service: TestApp, sql: string): Promise<string> {
    const { body } = await service.post('/v1/vat/issue/l1', anIssueRequest())
    const action = { vat_jti: body.jti, action: 'read', resource: 'calendar:events', result: 'success' }
    await service.post('/v1/vat/record/batch', { items: Array.from({ length: 300 }, () => action) })
    await scrubbed(service.context.log.scrub, 2)
    assert.ok((await service.get('/readyz')).body.log_verified_at)
    await service.damage(sql)
    await scrubbed(service.context.log.scrub, 2)
    return body.jti
  }

  test('turns readiness red, says where, and leaves the way to stop agents open', async (t) => {
    const service = await aTestApp(t)
    const vat_jti = await damaged(service, `UPDATE leaves SET leaf = leaf || ' ' WHERE log_index = 270`)
    const { status, body } = await service.get('/readyz')
    assert.equal(status, 503)
    assert.deepEqual(body.reasons, [
      { code: 'storage_damaged', detail: "Entry 270 of the log doesn't match its hash." },
    ])
    assert.equal((await service.post('/v1/vat/revoke', { vat_jti })).status, 200)
  })

  test('is also detected in its tree', async (t) => {
    const service = await aTestApp(t)
    await damaged(service, 'UPDATE log_nodes SET hash = (SELECT leaf_hash FROM leaves LIMIT 1)')
    assert.deepEqual((await service.get('/readyz')).body.reasons, [
      { code: 'storage_damaged', detail: 'The tree of the log is damaged between entries 0 and 256.' },
    ])
  })
})
