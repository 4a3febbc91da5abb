import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { aTestApp, type TestApp } from '@deputize/testing/a-test-app.ts'
import { anIssueRequest } from '@deputize/testing/an-issue-request.ts'
import { isOnPostgres } from '@deputize/testing/test-stores.ts'

async function aToken(service: TestApp, changes: Record<string, unknown> = {}) {
  const { status, body } = await service.post('/v1/vat/issue/l1', anIssueRequest(changes))
  assert.equal(status, 200, JSON.stringify(body))
  return body
}

const READ = { action: 'read', resource: 'calendar:events' }

describe('records', () => {
  test('contain everything reported about the action', async (context) => {
    const service = await aTestApp(context)
    const { jti, provenance_ref } = await aToken(service)
    const parent = await service.post('/v1/vat/record/action', { vat_jti: jti, ...READ, result: 'success' })
    const { body } = await service.post(
      '/v1/vat/record/action',
      {
        vat_jti: jti,
        ...READ,
        result: 'partial',
        result_hash: `sha256:${'0'.repeat(64)}`,
        spend_usd: 0.25,
        parent_aar_id: parent.body.aar_id,
        metadata: { ticket: 'T-1', nested: { ok: true } },
      },
      { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' },
    )
    const record = (await service.get(`/v1/vat/aar/${body.aar_id}`)).body
    assert.equal(record.provenance_ref, provenance_ref)
    assert.equal(record.parent_aar_id, parent.body.aar_id)
    assert.equal(record.spend_usd, 0.25)
    assert.deepEqual(record.metadata, { ticket: 'T-1', nested: { ok: true } })
    assert.equal(record.trace_id, '0af7651916cd43dd8448eb211c80319c')
    assert.equal(record.state, 'completed')
    assert.equal(record.agent_id, 'agent:calendar-bot')
    assert.equal(record.completed_log_index, record.log_index)
  })

  test('cannot name a parent in another workflow', async (context) => {
    const service = await aTestApp(context)
    const mine = await aToken(service)
    const other = await aToken(service)
    const { body } = await service.post('/v1/vat/record/action', {
      vat_jti: other.jti,
      ...READ,
      result: 'success',
    })
    const refused = await service.post('/v1/vat/authorize', {
      vat_jti: mine.jti,
      ...READ,
      parent_aar_id: body.aar_id,
    })
    assert.deepEqual([refused.status, refused.body.code], [404, 'parent_record_unknown'])
  })

  test('refuse metadata of more than 4 KiB and name the field', async (context) => {
    const service = await aTestApp(context)
    const { jti } = await aToken(service)
    const metadata = { text: 'x'.repeat(5000) }
    const { status, body } = await service.post('/v1/vat/authorize', { vat_jti: jti, ...READ, metadata })
    assert.deepEqual([status, body.code, body.errors[0].pointer], [400, 'invalid_request', '/metadata'])
  })

  test('that are denied are not counted, but stored as denials', async (context) => {
    const service = await aTestApp(context)
    const { jti, provenance_ref } = await aToken(service)
    const denied = await service.post('/v1/vat/record/action', {
      vat_jti: jti,
      action: 'delete',
      resource: 'calendar:events',
      result: 'success',
    })
    assert.deepEqual([denied.status, denied.body.code, denied.body.recorded], [403, 'not_allowed', false])
    assert.deepEqual(denied.body.reasons, ['action_not_in_scope'])
    const kept = (await service.get(`/v1/vat/denials/${denied.body.denial_id}`)).body
    assert.deepEqual([kept.action, kept.reason, kept.vat_jti], ['delete', 'action_not_in_scope', jti])
    const listed = (await service.get(`/v1/vat/denials?provenance_ref=${provenance_ref}`)).body
    assert.deepEqual(listed.data, [kept])
    assert.equal((await service.get(`/v1/vat/aar/provenance/${provenance_ref}`)).body.total_records, 0)
    assert.equal((await service.get('/v1/vat/reputation/calendar-bot')).body.total_actions, 0)
  })

  test('of a dry run are never stored', async (context) => {
    const service = await aTestApp(context)
    const { jti, provenance_ref } = await aToken(service)
    const yes = await service.post('/v1/vat/authorize', { vat_jti: jti, ...READ, dry_run: true })
    const no = await service.post('/v1/vat/authorize', {
      vat_jti: jti,
      action: 'delete',
      resource: 'x:y',
      dry_run: true,
    })
    assert.deepEqual([yes.body.authorized, yes.body.aar_id], [true, undefined])
    assert.deepEqual([no.body.authorized, no.body.denial_id], [false, undefined])
    assert.deepEqual(no.body.reasons, ['action_not_in_scope', 'resource_not_in_scope'])
    assert.equal((await service.get(`/v1/vat/aar/provenance/${provenance_ref}`)).body.total_records, 0)
    assert.deepEqual((await service.get('/v1/vat/denials')).body.data, [])
  })

  test('reserve their estimate, settle the actual spend, and report an overspend', async (context) => {
    const service = await aTestApp(context)
    const { jti } = await aToken(service, { constraints: { max_spend_usd: 1 } })
    const budget = async () => (await service.get(`/v1/vat/tokens/${jti}`)).body.budget
    const { body } = await service.post('/v1/vat/authorize', { vat_jti: jti, ...READ, spend_usd: 0.6 })
    assert.deepEqual(await budget(), {
      allocated_usd: 1,
      spent_usd: 0,
      reserved_usd: 0.6,
      remaining_usd: 0.4,
    })
    const over = await service.post('/v1/vat/authorize', { vat_jti: jti, ...READ, spend_usd: 0.400001 })
    assert.deepEqual(over.body.reasons, ['budget_exceeded'])
    const done = await service.post(`/v1/vat/aar/${body.aar_id}/complete`, {
      result: 'success',
      spend_usd: 1.2,
    })
    assert.deepEqual([done.body.spend_usd, done.body.over_budget], [1.2, true])
    assert.deepEqual(await budget(), {
      allocated_usd: 1,
      spent_usd: 1.2,
      reserved_usd: 0,
      remaining_usd: -0.2,
    })
  })

  test('release their reservation when they are cancelled or expire', async (context) => {
    const service = await aTestApp(context)
    const { jti } = await aToken(service, { constraints: { max_spend_usd: 1 } })
    const ask = () => service.post('/v1/vat/authorize', { vat_jti: jti, ...READ, spend_usd: 1 })
    const first = await ask()
    assert.equal((await ask()).body.authorized, false)
    const cancelled = await service.post(`/v1/vat/aar/${first.body.aar_id}/cancel`)
    assert.deepEqual([cancelled.status, cancelled.body.state], [200, 'cancelled'])
    const second = await ask()
    assert.equal(second.body.authorized, true)
    service.clock.advance(900_000)
    await service.sweep()
    assert.equal((await service.get(`/v1/vat/aar/${second.body.aar_id}`)).body.state, 'expired')
    assert.equal((await ask()).body.authorized, true)
    const late = await service.post(`/v1/vat/aar/${second.body.aar_id}/complete`, { result: 'success' })
    assert.deepEqual([late.status, late.body.code, late.body.state], [409, 'record_closed', 'expired'])
  })

  test('are completed once: an equal completion returns the record, a different one is refused', async (context) => {
    const service = await aTestApp(context)
    const { jti } = await aToken(service)
    const { aar_id } = (await service.post('/v1/vat/authorize', { vat_jti: jti, ...READ })).body
    const first = await service.post(`/v1/vat/aar/${aar_id}/complete`, { result: 'success' })
    service.clock.advance(1000)
    const again = await service.post(`/v1/vat/aar/${aar_id}/complete`, { result: 'success' })
    assert.deepEqual(again.body, first.body)
    const other = await service.post(`/v1/vat/aar/${aar_id}/complete`, { result: 'error' })
    assert.deepEqual([other.status, other.body.code, other.body.result], [409, 'record_closed', 'success'])
    const cancel = await service.post(`/v1/vat/aar/${aar_id}/cancel`)
    assert.equal(cancel.body.code, 'record_closed')
  })

  test('can be completed after revocation, and are then marked', async (context) => {
    const service = await aTestApp(context)
    const { jti } = await aToken(service)
    const { aar_id } = (await service.post('/v1/vat/authorize', { vat_jti: jti, ...READ })).body
    await service.post('/v1/vat/revoke', { vat_jti: jti, reason: 'stop' })
    const { status, body } = await service.post(`/v1/vat/aar/${aar_id}/complete`, { result: 'success' })
    assert.deepEqual([status, body.completed_after_revocation], [200, true])
    const token = (await service.get(`/v1/vat/tokens/${jti}`)).body
    assert.deepEqual([token.status, token.revoke_reason], ['revoked', 'stop'])
  })

  test('can be rated while pending', async (context) => {
    const service = await aTestApp(context)
    const { jti } = await aToken(service)
    const { aar_id } = (await service.post('/v1/vat/authorize', { vat_jti: jti, ...READ })).body
    const { body } = await service.post(`/v1/vat/aar/${aar_id}/feedback`, { rating: 'flagged', note: 'hm' })
    assert.deepEqual(body, {
      aar_id,
      rating: 'flagged',
      feedback_at: new Date(service.clock()).toISOString(),
    })
    const done = await service.post(`/v1/vat/aar/${aar_id}/complete`, { result: 'success' })
    assert.deepEqual([done.body.rating, done.body.note, done.body.rater_assurance], ['flagged', 'hm', 'none'])
  })

  test('are listed in pages, newest first, and a refusal names an invalid cursor', async (context) => {
    const service = await aTestApp(context)
    const { jti } = await aToken(service)
    const ids: string[] = []
    for (let i = 0; i < 5; i++) {
      ids.unshift(
        (await service.post('/v1/vat/record/action', { vat_jti: jti, ...READ, result: 'success' })).body
          .aar_id,
      )
    }
    const first = (await service.get('/v1/vat/aar?limit=2&agent_id=calendar-bot')).body
    const second = (
      await service.get(`/v1/vat/aar?limit=3&agent_id=calendar-bot&cursor=${first.next_cursor}`)
    ).body
    assert.deepEqual(
      [...first.data, ...second.data].map((one) => one.aar_id),
      ids,
    )
    assert.deepEqual([first.has_more, second.has_more, second.next_cursor], [true, false, null])
    const bad = await service.get('/v1/vat/aar?cursor=nonsense')
    assert.deepEqual([bad.status, bad.body.errors[0].pointer], [400, '?cursor'])
  })
})

describe('batches', () => {
  test('answer each item as a single call would', async (context) => {
    const service = await aTestApp(context)
    const { jti, provenance_ref } = await aToken(service)
    const { status, body } = await service.post('/v1/vat/record/batch', {
      items: [
        { vat_jti: jti, ...READ, result: 'success' },
        { vat_jti: jti, action: 'delete', resource: 'calendar:events', result: 'success' },
        { vat_jti: 'vat_root_nobody', ...READ, result: 'success' },
        { vat_jti: jti, ...READ, result: 'error' },
      ],
    })
    assert.equal(status, 200)
    assert.deepEqual(
      body.items.map((item: { status: number }) => item.status),
      [200, 403, 404, 200],
    )
    assert.equal(body.items[0].answer.recorded, true)
    assert.deepEqual(
      [body.items[1].problem.code, body.items[1].problem.reason],
      ['not_allowed', 'action_not_in_scope'],
    )
    assert.equal(body.items[2].problem.code, 'token_unknown')
    assert.equal((await service.get(`/v1/vat/aar/provenance/${provenance_ref}`)).body.total_records, 2)
  })

  test('of authorizations share budgets item by item', async (context) => {
    const service = await aTestApp(context)
    const { jti } = await aToken(service, { constraints: { max_spend_usd: 1 } })
    const item = { vat_jti: jti, ...READ, spend_usd: 0.4 }
    const { body } = await service.post('/v1/vat/authorize/batch', { items: [item, item, item] })
    assert.deepEqual(
      body.items.map((one: { answer: { authorized: boolean } }) => one.answer.authorized),
      [true, true, false],
    )
  })

  test('of more than 1,000 items or of none are refused', async (context) => {
    const service = await aTestApp(context)
    const item = { vat_jti: 'x', ...READ, result: 'success' }
    const many = await service.post('/v1/vat/record/batch', {
      items: Array.from({ length: 1001 }, () => item),
    })
    const none = await service.post('/v1/vat/record/batch', { items: [] })
    assert.deepEqual([many.body.errors[0].pointer, none.body.errors[0].pointer], ['/items', '/items'])
  })

  for (const key of ['k1', '019a94c2-7f10-7abc-8def-0123456789ab'])
    test(`with the Idempotency-Key ${key} run once`, async (context) => {
      const service = await aTestApp(context)
      const { jti, provenance_ref } = await aToken(service)
      const send = (idempotency_key = key) =>
        service.post(
          '/v1/vat/record/batch',
          { items: [{ vat_jti: jti, ...READ, result: 'success' }] },
          { 'idempotency-key': idempotency_key },
        )
      const first = await send()
      const second = await send()
      assert.deepEqual(second.body, first.body)
      assert.deepEqual(
        [first.headers['idempotency-replayed'], second.headers['idempotency-replayed']],
        [undefined, 'true'],
      )
      const total = async () =>
        (await service.get(`/v1/vat/aar/provenance/${provenance_ref}`)).body.total_records
      assert.equal(await total(), 1)
      await send(key.replace(/.$/, 'c'))
      assert.equal(await total(), 2)
    })

  test('with keys that begin with a time are ordered by it in the embedded store', async (context) => {
    const service = await aTestApp(context)
    const { jti } = await aToken(service)
    const items = [{ vat_jti: jti, ...READ, result: 'success' }]
    const timed = {
      '019a94c2-7f10-7abc-8def-0123456789ab': '019a94c27f10',
      '01KABC2ZRG0123456789ABCDEF': '01KABC2ZRG',
      aar_06gv420knnb0123456789abcdefghijklmno: 'aar_06gv420kn',
      [jti]: jti.slice(0, 'vat_root_06gv420kn'.length),
    }
    const untimed = ['k', '019A94C2-7F10-7ABC-8DEF-0123456789AB', '019a94c2-7f10-4abc-8def-0123456789ab']
    for (const key of [...Object.keys(timed), ...untimed])
      for (const replayed of [undefined, 'true']) {
        const response = await service.post('/v1/vat/record/batch', { items }, { 'idempotency-key': key })
        assert.deepEqual([response.status, response.headers['idempotency-replayed']], [200, replayed], key)
      }
    await service.get('/v1/vat/aar?limit=1') // makes earlier writes visible to other connections
    const rows = await service.rows('SELECT replay_key FROM replays')
    const times = rows.map(({ replay_key }) => /^(?:(.+)\.)?[\w-]{43}$/.exec(String(replay_key))?.[1])
    const expected = isOnPostgres ? [] : Object.values(timed)
    assert.deepEqual(times.filter((time) => time !== undefined).sort(), expected.sort())
    assert.equal(times.length, 7)
  })
})
