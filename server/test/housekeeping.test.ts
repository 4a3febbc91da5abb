import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { aTestApp } from '@deputize/testing/a-test-app.ts'
import { anIssueRequest } from '@deputize/testing/an-issue-request.ts'
import { eventually } from '@deputize/testing/eventually.ts'
import { LOCAL_CALLER } from '../src/access/caller.ts'
import { sweepAll } from '../src/housekeeping.ts'
import { SharedPlaces } from '../src/operations/shared-places.ts'
import { aDeveloper, callerOf } from './some-callers.ts'

/** The longest that a call may wait for a decision. */
const WAIT_MS = 30_000

describe('housekeeping', () => {
  test('returns every overdue reservation in one round, however many there are', async (t) => {
    const service = await aTestApp(t)
    const { body } = await service.post(
      '/v1/vat/issue/l1',
      anIssueRequest({ constraints: { max_spend_usd: 1200 } }),
    )
    const action = { vat_jti: body.jti, action: 'read', resource: 'calendar:events', spend_usd: 1 }
    for (let n = 0; n < 12; n++)
      await service.post('/v1/vat/authorize/batch', { items: Array.from({ length: 100 }, () => action) })
    const budget = async () => (await service.get(`/v1/vat/tokens/${body.jti}/budget`)).body
    assert.equal((await budget()).reserved_usd, 1200)
    service.clock.advance(3_600_000)
    await sweepAll({ submit: service.submit })
    assert.equal((await budget()).reserved_usd, 0)
  })
})

describe('calls that wait', () => {
  test('are limited in number: further ones answer at once', () => {
    const waits = new SharedPlaces(2)
    const leave = waits.take(LOCAL_CALLER) ?? assert.fail('there is room')
    assert.ok(waits.take(LOCAL_CALLER))
    assert.equal(waits.take(LOCAL_CALLER), undefined)
    leave()
    assert.ok(waits.take(LOCAL_CALLER))
  })

  test('leave room for others: a caller has a tenth of all places, and a tenant half', async (t) => {
    const { context } = await aTestApp(t)
    const { waits } = context
    const key = (tenant_id: string, number: number) => ({
      ...aDeveloper(tenant_id),
      name: `key:${tenant_id}${number}`,
    })
    for (let number = 0; number < 5; number += 1) {
      for (let count = 0; count < 100; count += 1) assert.ok(waits.take(key('acme', number)))
      assert.equal(waits.take(key('acme', number)), undefined)
    }
    assert.equal(waits.take(key('acme', 5)), undefined)
    const began_ms = performance.now()
    const page = await callerOf({ context }, key('acme', 0))('listEvents', { query: { wait: 30 } })
    assert.deepEqual(page.data, [])
    assert.ok(performance.now() - began_ms < 30_000, 'it answers at once')
    assert.ok(waits.take(key('other', 0)))
    assert.equal(waits.count, 501)
  })

  test('end when their caller leaves', async (t) => {
    const service = await aTestApp(t)
    const constraints = { require_approval: { actions: ['read'] } }
    const { body } = await service.post('/v1/vat/issue/l1', anIssueRequest({ constraints }))
    const action = { vat_jti: body.jti, action: 'read', resource: 'calendar:events' }
    const asked = await service.post('/v1/vat/authorize', action)
    const url = await service.listen()
    const { waits } = service.context
    const caller = new AbortController()
    const answer = fetch(`${url}/v1/vat/approvals/${asked.body.approval_id}?wait=${WAIT_MS / 1000}`, {
      signal: caller.signal,
    })
    await eventually('the call waits', async () => waits.count === 1)
    caller.abort()
    await assert.rejects(answer)
    await eventually('it no longer waits', async () => waits.count === 0, WAIT_MS / 2)
  })
})
