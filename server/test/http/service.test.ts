import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { OPERATIONS } from '@deputize/protocol'
import { aTestApp, TEST_URL } from '@deputize/testing/a-test-app.ts'
import { anIssueRequest } from '@deputize/testing/an-issue-request.ts'
import { isOnPostgres } from '@deputize/testing/test-stores.ts'
import { VERSION } from '../../src/version.ts'

describe('the service', () => {
  test('reports that it is alive and ready', async (context) => {
    const service = await aTestApp(context)
    assert.deepEqual((await service.get('/healthz')).body, { status: 'ok' })
    assert.deepEqual((await service.get('/readyz')).body, { status: 'ready', ready: true, reasons: [] })
  })

  test('is ready with a warning if an old copy of its directory could be restored unnoticed', async (context) => {
    const service = await aTestApp(context, { access: 'keyed' })
    const { status, body } = await service.get('/readyz')
    assert.deepEqual([status, body.ready, body.warnings], [200, true, ['restore_unnoticed']])
  })

  test('reports its status to operators: commits, log, witnesses, memory and disk', async (context) => {
    const service = await aTestApp(context)
    await service.post('/v1/vat/issue/l1', anIssueRequest())
    const { status, body } = await service.get('/v1/vat/status')
    assert.equal(status, 200)
    assert.deepEqual([body.ready, body.reasons, body.waiting], [true, [], 0])
    assert.equal(body.log.size, await service.logSize())
    assert.deepEqual(body.witnesses, { configured: 0, failing: 0, quorum: 0 })
    assert.ok(body.memory_bytes > 1_000_000)
    assert.equal(body.disk === undefined, isOnPostgres)
    const [minute] = body.minutes
    assert.ok(minute.commits >= 1 && minute.commands >= minute.commits && minute.failures === 0)
    assert.ok(minute.p50_ms > 0 && minute.p50_ms <= minute.p99_ms)
  })

  test('has metrics for alerts: readiness, log, checkpoint, disk, witnesses, approvals and backup', async (context) => {
    const service = await aTestApp(context)
    await service.post('/v1/vat/issue/l1', anIssueRequest())
    const value = async (name: string) => {
      const { body } = await service.get('/metrics')
      return Number(new RegExp(`^${name} (.*)$`, 'm').exec(String(body))?.[1])
    }
    assert.equal(await value('deputy_ready'), 1)
    assert.equal(await value('deputy_log_entries'), await service.logSize())
    assert.ok(Number.isFinite(await value('deputy_checkpoint_entries')), 'an alert compares it')
    assert.ok(Number.isFinite(await value('deputy_checkpoint_signed_timestamp_seconds')))
    assert.equal(await value(`deputy_build_info\\{version="${VERSION}"\\}`), 1)
    assert.equal(await value('deputy_witnesses'), 0)
    assert.equal(await value('deputy_witnesses_failing'), 0)
    assert.equal((await value('deputy_disk_free_bytes')) > 0, !isOnPostgres)
    assert.equal((await value('deputy_wal_bytes')) > 0, !isOnPostgres)
    assert.equal(await value('deputy_open_approvals'), 0)
    const asks = anIssueRequest({ constraints: { require_approval: { actions: ['read'] } } })
    const vat_jti = (await service.post('/v1/vat/issue/l1', asks)).body.jti
    await service.post('/v1/vat/authorize', { vat_jti, action: 'read', resource: 'calendar:events' })
    assert.equal(await value('deputy_open_approvals'), 1)
    const { jti } = (await service.post('/v1/vat/issue/l1', anIssueRequest())).body
    await service.post('/v1/vat/authorize', { vat_jti: jti, action: 'read', resource: 'calendar:events' })
    assert.equal(await value('deputy_overdue_records'), 0)
    service.clock.advance(3_600_000)
    assert.equal(await value('deputy_overdue_records'), 1)
    assert.ok(Number.isNaN(await value('deputy_last_backup_timestamp_seconds')))
    writeFileSync(join(service.directory, 'last-backup'), '2027-01-31T12:00:00.000Z\n')
    assert.equal(await value('deputy_last_backup_timestamp_seconds'), 1_801_396_800)
  })

  test('describes itself', async (context) => {
    const service = await aTestApp(context)
    const deployment = (await service.get('/.well-known/deputy.json')).body
    assert.equal(deployment.access, 'open')
    assert.equal(deployment.issuer, `${TEST_URL}/open/${service.context.keys.instance}`)
    const openapi = (await service.get('/openapi.json')).body
    const ids = Object.values(openapi.paths).flatMap((path) =>
      Object.values(path as object).map((row) => row.operationId),
    )
    assert.deepEqual(ids.sort(), Object.keys(OPERATIONS).sort())
  })

  test('serves an API reference and a log verification page that load nothing from other hosts', async (context) => {
    const service = await aTestApp(context)
    const pages = [await service.get('/docs'), await service.get('/verify')]
    for (const { status, headers } of pages) {
      assert.equal(status, 200)
      const csp = String(headers['content-security-policy'])
      assert.match(csp, /default-src 'none'; script-src 'self';.*connect-src 'self'/)
    }
    const texts = pages.map(({ body }) => String(body)).join('')
    for (const [, source] of texts.matchAll(/src="([^"]+)"/g)) {
      const { status, body } = await service.get(source ?? '')
      assert.equal(status, 200)
      assert.ok(String(body).length > 100)
    }
  })

  test('counts responses without identifying callers', async (context) => {
    const service = await aTestApp(context)
    await service.post(
      '/v1/vat/issue/l1',
      anIssueRequest({ developer_email: 'canary@example.com', agent_id: 'canary-bot' }),
    )
    const { body } = await service.get('/metrics')
    assert.match(body, /deputy_http_request_duration_seconds_count\{operation="issueL1",status="200"\} 1/)
    assert.doesNotMatch(body, /canary/)
  })

  test('reports the remaining limit to each caller, and refuses calls beyond it', async (context) => {
    const service = await aTestApp(context, { rate_limit: 3 })
    const answers = []
    for (let i = 0; i < 5; i++) answers.push(await service.get('/healthz'))
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 200, 429, 429],
    )
    assert.equal(answers[0]?.headers['ratelimit-policy'], '"caller";q=3;w=60')
    assert.match(String(answers[1]?.headers.ratelimit), /^"caller";r=1;t=\d+$/)
    assert.deepEqual(
      [answers[3]?.body.code, answers[3]?.headers['retry-after'] !== undefined],
      ['rate_limited', true],
    )
    service.clock.advance(60_000)
    assert.equal((await service.get('/healthz')).status, 200)
  })

  test('echoes a valid request id, and creates one otherwise', async (context) => {
    const service = await aTestApp(context)
    const given = await service.post('/v1/vat/revoke', { vat_jti: 'nobody' }, { 'x-request-id': 'abc-1' })
    assert.deepEqual([given.headers['x-request-id'], given.body.request_id], ['abc-1', 'abc-1'])
    const made = await service.post(
      '/v1/vat/revoke',
      { vat_jti: 'nobody' },
      { 'x-request-id': 'bad id\u00e9' },
    )
    assert.match(made.body.request_id, /^req_[0-9a-f]{12}_[0-9a-z]+$/)
  })
})
