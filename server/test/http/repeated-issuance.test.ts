import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { aTestApp } from '@deputize/testing/a-test-app.ts'
import { anIssueRequest } from '@deputize/testing/an-issue-request.ts'

const KEY = { 'idempotency-key': 'once' }

describe('a repeated request for a token gets the token of the first one', () => {
  test('even if the parent has less time left than the child was given', async (context) => {
    const service = await aTestApp(context)
    const root = anIssueRequest({ actions: ['read', 'delegate'], expires_in: 3600 })
    const { jti } = (await service.post('/v1/vat/issue/l1', root)).body
    const child = { vat_jti: jti, agent_id: 'helper-bot', actions: ['read'], expires_in: 3600 }
    const first = await service.post('/v1/vat/delegate', child, KEY)
    service.clock.advance(2000)
    const again = await service.post('/v1/vat/delegate', child, KEY)
    assert.deepEqual([again.status, again.body], [201, first.body])
    assert.equal(again.headers['idempotency-replayed'], 'true')
    const other = await service.post('/v1/vat/delegate', child, { 'idempotency-key': 'twice' })
    assert.deepEqual([other.status, other.body.code], [403, 'scope_widening'])
  })

  test('even if the renewed token has expired since', async (context) => {
    const service = await aTestApp(context)
    const { jti } = (await service.post('/v1/vat/issue/l1', anIssueRequest({ expires_in: 3600 }))).body
    const renewal = { vat_jti: jti, expires_in: 7200 }
    const first = await service.post('/v1/vat/renew', renewal, KEY)
    service.clock.advance(3_601_000)
    const again = await service.post('/v1/vat/renew', renewal, KEY)
    assert.deepEqual([again.status, again.body], [201, first.body])
    const other = await service.post('/v1/vat/renew', renewal, { 'idempotency-key': 'twice' })
    assert.deepEqual([other.status, other.body.code], [403, 'token_not_live'])
  })

  test('even if it would be refused as expired now', async (context) => {
    const service = await aTestApp(context)
    const expires_at = new Date(service.clock() + 60_000).toISOString()
    const request = anIssueRequest({ constraints: { expires_at } })
    const first = await service.post('/v1/vat/issue/l1', request, KEY)
    service.clock.advance(61_000)
    const again = await service.post('/v1/vat/issue/l1', request, KEY)
    assert.deepEqual([again.status, again.body], [200, first.body])
    const changed = { ...request, actions: ['read'] }
    assert.equal((await service.post('/v1/vat/issue/l1', changed, KEY)).body.code, 'idempotency_mismatch')
    assert.equal((await service.post('/v1/vat/issue/l1', request)).status, 400)
  })
})
