import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { aTestApp, type TestApp } from '@deputize/testing/a-test-app.ts'
import { anIssueRequest } from '@deputize/testing/an-issue-request.ts'
import { manualClock } from '@deputize/testing/manual-clock.ts'
import type { TestScope } from '@deputize/testing/scope.ts'
import { ServiceClock } from '../../src/clock.ts'
import { acceptLogTime, LogAheadError } from '../../src/log/log-time.ts'

const HOUR_MS = 3_600_000

/** The service on a machine whose wall clock the test sets independently of its steady clock. */
async function aMachine(scope: TestScope) {
  const [wall, steady] = [manualClock(), manualClock(0)]
  const service_clock = new ServiceClock({ wall, steady, uptime: steady })
  const service = await aTestApp(scope, { clock: wall, service_clock })
  const pass = (ms: number) => {
    wall.advance(ms)
    steady.advance(ms)
  }
  return { service, wall, steady, pass, service_clock }
}

const anAction = (vat_jti: string) => ({ vat_jti, action: 'read', resource: 'calendar:events' })

async function aToken(service: TestApp, changes: Record<string, unknown> = {}) {
  const { status, body } = await service.post('/v1/vat/issue/l1', anIssueRequest(changes))
  assert.equal(status, 200, JSON.stringify(body))
  return body
}

const leafTimes = async (service: TestApp): Promise<string[]> =>
  (await service.leafTexts()).map((leaf) => JSON.parse(leaf).at)

describe('a wrong clock', () => {
  test('a step of the wall clock blocks changes and fails readiness, but agents can be stopped', async (context) => {
    const { service, wall, steady, pass } = await aMachine(context)
    const token = await aToken(service, { expires_in: 3600 })
    const pending = await service.post('/v1/vat/authorize', anAction(token.jti))
    pass(1_000)
    wall.advance(2 * HOUR_MS)

    for (const [path, body] of [
      ['/v1/vat/issue/l1', anIssueRequest()],
      ['/v1/vat/record/action', { ...anAction(token.jti), result: 'success' }],
      ['/v1/vat/authorize', anAction(token.jti)],
      [`/v1/vat/aar/${pending.body.aar_id}/complete`, { result: 'success' }],
    ] as const) {
      const refused = await service.post(path, body)
      assert.deepEqual([refused.status, refused.body.code], [503, 'clock_jumped'], path)
    }
    const ready = await service.get('/readyz')
    assert.equal(ready.status, 503)
    assert.deepEqual(
      [ready.body.code, ready.body.ready, ready.body.reasons[0].code],
      ['clock_jumped', false, 'clock_jumped'],
    )
    assert.match(String((await service.get('/metrics')).body), /^deputy_clock_ahead_seconds 7200$/m)
    const verified = await service.post('/v1/vat/verify', { compact_jwt: token.compact_jwt })
    assert.equal(verified.body.valid, true, 'reads go on with the time that was right')

    const before = await leafTimes(service)
    const revoked = await service.post('/v1/vat/revoke', { vat_jti: token.jti })
    assert.equal(revoked.status, 200, JSON.stringify(revoked.body))
    assert.equal((await leafTimes(service)).at(-1), before.at(-1), 'the leaf has the time of the last one')
    steady.advance(0.25) // steady clocks have fractions of a millisecond
    const exported = await service.app.inject(
      `/v1/vat/aar/provenance/${token.provenance_ref}/export?format=proof-pack`,
    )
    assert.equal(exported.statusCode, 200, 'a checkpoint over the revocation is signed and stored')

    wall.advance(-2 * HOUR_MS)
    assert.equal((await service.get('/readyz')).status, 200)
    const again = await aToken(service, { expires_in: 60 })
    const allowed = await service.post('/v1/vat/authorize', anAction(again.jti))
    assert.equal(allowed.body.authorized, true)
    for (const at of await leafTimes(service)) assert.ok(Date.parse(at) <= wall(), at)
  })

  test('a batch with a denial and an approval is refused as a whole', async (context) => {
    const { service, wall } = await aMachine(context)
    const { jti } = await aToken(service, { constraints: { require_approval: { actions: ['read'] } } })
    const ids: string[] = []
    for (const note of ['one', 'two']) {
      const asked = await service.post('/v1/vat/authorize', { ...anAction(jti), metadata: { note } })
      ids.push(asked.body.approval_id)
    }
    wall.advance(2 * HOUR_MS)
    const decide = (...decisions: string[]) =>
      service.post('/v1/vat/approvals/batch', {
        items: decisions.map((decision, index) => ({ approval_id: ids[index], decision })),
      })
    const mixed = await decide('approved', 'denied')
    assert.deepEqual([mixed.status, mixed.body.code], [503, 'clock_jumped'])
    const denied = await decide('denied', 'denied')
    assert.equal(denied.status, 200, JSON.stringify(denied.body))
  })

  test('no pending record expires and no idempotency key is forgotten because of it', async (context) => {
    const { service, wall } = await aMachine(context)
    const token = await aToken(service)
    const once = { 'idempotency-key': 'once' }
    const first = await service.post(
      '/v1/vat/record/action',
      { ...anAction(token.jti), result: 'success' },
      once,
    )
    const pending = await service.post('/v1/vat/authorize', anAction(token.jti))
    wall.advance(30 * HOUR_MS)
    await assert.rejects(service.sweep(), { code: 'clock_jumped' })
    wall.advance(-30 * HOUR_MS)
    await service.sweep()
    const repeated = await service.post(
      '/v1/vat/record/action',
      { ...anAction(token.jti), result: 'success' },
      once,
    )
    assert.deepEqual(
      [repeated.body.aar_id, repeated.headers['idempotency-replayed']],
      [first.body.aar_id, 'true'],
    )
    const { body } = await service.get(`/v1/vat/aar/${pending.body.aar_id}`)
    assert.equal(body.state, 'pending')
  })

  test('a log that is ahead of the clock is refused at startup unless its exact time is accepted', async (context) => {
    const { service, wall, pass } = await aMachine(context)
    pass(2 * HOUR_MS)
    await aToken(service)
    const newest = new Date(wall()).toISOString()
    const { log } = service.reader
    const now_ms = wall() - HOUR_MS
    await assert.rejects(acceptLogTime(log, { now_ms, accepted: undefined }), (error: Error) => {
      assert.ok(error instanceof LogAheadError)
      assert.match(error.message, new RegExp(`3600 s ahead.*DEPUTY_ACCEPT_CLOCK=${newest}`))
      return true
    })
    const other = new Date(wall() - 1).toISOString()
    await assert.rejects(acceptLogTime(log, { now_ms, accepted: other }), LogAheadError)
    assert.equal(await acceptLogTime(log, { now_ms, accepted: newest }), wall())
    assert.equal(await acceptLogTime(log, { now_ms: wall() - 59_000, accepted: undefined }), undefined)
  })
})
