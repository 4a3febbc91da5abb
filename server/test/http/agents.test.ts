import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { aTestApp, type TestApp } from '@deputize/testing/a-test-app.ts'
import { anIssueRequest } from '@deputize/testing/an-issue-request.ts'
import { aKeyedApp } from './a-keyed-app.ts'

const DAY_MS = 24 * 3_600_000

async function aToken(service: TestApp, agent_id: string): Promise<string> {
  const { status, body } = await service.post(
    '/v1/vat/issue/l1',
    anIssueRequest({ agent_id, expires_in: 2_592_000 }),
  )
  assert.equal(status, 200, JSON.stringify(body))
  return body.jti
}

async function act(service: TestApp, vat_jti: string, result = 'success'): Promise<string> {
  const { status, body } = await service.post('/v1/vat/record/action', {
    vat_jti,
    action: 'read',
    resource: 'calendar:events',
    result,
  })
  assert.equal(status, 200, JSON.stringify(body))
  return body.aar_id
}

const rate = (service: TestApp, aar_id: string, rating: string) =>
  service.post(`/v1/vat/aar/${aar_id}/feedback`, { rating })

async function patch(service: TestApp, agent_id: string, body: object) {
  const response = await service.app.inject({
    method: 'PATCH',
    url: `/v1/vat/agents/${agent_id}`,
    headers: { 'content-type': 'application/json' },
    payload: JSON.stringify(body),
  })
  return { status: response.statusCode, body: response.json() }
}

describe('an agent', () => {
  test('is listed after its first token, root or child', async (context) => {
    const service = await aTestApp(context)
    const issued = await service.post('/v1/vat/issue/l1', anIssueRequest({ actions: ['read', 'delegate'] }))
    await service.post('/v1/vat/delegate', { vat_jti: issued.body.jti, agent_id: 'sub-bot' })
    const { status, body } = await service.get('/v1/vat/agents/sub-bot')
    assert.equal(status, 200)
    assert.deepEqual(body, {
      agent_id: 'agent:sub-bot',
      suspended: false,
      total_actions: 0,
      combined_reputation: 0.5,
      has_human_feedback: false,
      first_seen_at: new Date(service.clock()).toISOString(),
    })
    const { data } = (await service.get('/v1/vat/agents')).body
    assert.deepEqual(
      data.map(({ agent_id }: { agent_id: string }) => agent_id),
      ['agent:sub-bot', 'agent:calendar-bot'],
    )
  })

  test('can be registered before its first token, and updated by registering again', async (context) => {
    const service = await aTestApp(context)
    const first = await service.post('/v1/vat/agents', { agent_id: 'bot', display_name: 'Bot', model: 'm1' })
    assert.deepEqual([first.status, first.body.agent_id, first.body.display_name], [201, 'agent:bot', 'Bot'])
    const { body } = await service.post('/v1/vat/agents', { agent_id: 'bot', owner: 'team' })
    assert.deepEqual([body.display_name, body.model, body.owner], ['Bot', 'm1', 'team'])
    const wrong = await service.post('/v1/vat/agents', { agent_id: 'bot', suspended: false })
    assert.deepEqual([wrong.status, wrong.body.errors[0].pointer], [400, '/suspended'])
  })

  test('is updated member by member: a value sets, null removes, an absent member stays', async (context) => {
    const service = await aTestApp(context)
    await service.post('/v1/vat/agents', {
      agent_id: 'bot',
      display_name: 'Bot',
      model: 'm1',
      url: 'https://b.example',
    })
    const { status, body } = await patch(service, 'bot', { display_name: 'Robot', model: null })
    assert.equal(status, 200)
    assert.deepEqual([body.display_name, 'model' in body, body.url], ['Robot', false, 'https://b.example'])
    assert.deepEqual((await service.get('/v1/vat/agents/bot')).body, body)
    const unknown = await patch(service, 'unknown', { model: 'm' })
    assert.deepEqual([unknown.status, unknown.body.code], [404, 'agent_unknown'])
    assert.equal((await patch(service, 'bot', { model: '' })).status, 400)
    assert.equal((await patch(service, 'bot', { agent_id: 'other' })).status, 400)
  })

  test('can be suspended and resumed; suspending it again keeps the time of the first suspension', async (context) => {
    const service = await aTestApp(context)
    await aToken(service, 'bot')
    const suspended_at = new Date(service.clock()).toISOString()
    await service.post('/v1/vat/agents/bot/suspend')
    service.clock.advance(1000)
    const again = await service.post('/v1/vat/agents/bot/suspend')
    assert.deepEqual([again.status, again.body.suspended, again.body.suspended_at], [200, true, suspended_at])
    const resumed = await service.post('/v1/vat/agents/bot/resume')
    assert.deepEqual([resumed.body.suspended, 'suspended_at' in resumed.body], [false, false])
    assert.equal((await service.post('/v1/vat/agents/unknown/resume')).body.code, 'agent_unknown')
  })

  test('is listed exactly once across pages', async (context) => {
    const service = await aTestApp(context)
    for (let n = 0; n < 5; n++) await service.post('/v1/vat/agents', { agent_id: `bot-${n}` })
    const seen: string[] = []
    let cursor = ''
    for (;;) {
      const { body } = await service.get(`/v1/vat/agents?limit=2${cursor}`)
      seen.push(...body.data.map(({ agent_id }: { agent_id: string }) => agent_id))
      if (!body.has_more) break
      cursor = `&cursor=${body.next_cursor}`
    }
    assert.deepEqual(
      seen,
      [4, 3, 2, 1, 0].map((n) => `agent:bot-${n}`),
    )
  })

  test('is found by name with others, in the requested order', async (context) => {
    const service = await aTestApp(context)
    for (const name of ['one', 'two words', 'Zürich'])
      await service.post('/v1/vat/agents', { agent_id: name, display_name: `The ${name}` })
    const listed = async (query: string) => {
      const { status, body } = await service.get(`/v1/vat/agents?${query}`)
      return [
        status,
        body.data?.map(({ display_name }: { display_name: string }) => display_name),
        body.total,
      ]
    }
    const names = encodeURIComponent('Zürich,agent:one,unknown,two words,one')
    assert.deepEqual(await listed(`agent_ids=${names}`), [
      200,
      ['The Zürich', 'The one', 'The two words'],
      undefined,
    ])
    assert.deepEqual(await listed(`agent_ids=${names}&limit=1&total=true`), [200, ['The Zürich'], 3])
    assert.deepEqual(await listed(`agent_ids=${names}&q=words`), [200, ['The two words'], undefined])
    assert.deepEqual(await listed('agent_ids=unknown'), [200, [], undefined])
    const bots = Array.from({ length: 101 }, (_, index) => `bot-${index}`)
    for (const agent_id of bots.slice(0, 51)) await service.post('/v1/vat/agents', { agent_id })
    assert.equal((await listed(`agent_ids=${bots.slice(0, 100)}`))[1]?.length, 51, 'not cut to a page')
    const many = bots.join(',')
    for (const wrong of ['', ',', 'one,', many])
      assert.equal((await listed(`agent_ids=${wrong}`))[0], 400, wrong)
  })

  test('of another tenant is not found by name', async (context) => {
    const app = await aKeyedApp(context)
    const here = app.withKey(await app.key('default', 'developer'))
    await app.operator.post('/v1/vat/tenants', { tenant_id: 'acme' })
    const there = app.withKey(await app.key('acme', 'developer'))
    await here.post('/v1/vat/agents', { agent_id: 'bot', display_name: 'Ours' })
    await there.post('/v1/vat/agents', { agent_id: 'helper', display_name: 'Theirs' })
    const found = async (client: typeof here, names: string) =>
      (await client.get(`/v1/vat/agents?agent_ids=${names}`)).body.data.map(
        ({ display_name }: { display_name: string }) => display_name,
      )
    assert.deepEqual([await found(here, 'bot'), await found(there, 'bot')], [['Ours'], []])
    assert.deepEqual(await found(there, 'helper'), ['Theirs'])
    assert.deepEqual(await found(here, 'bot,helper,acme:helper,agent:acme:helper'), ['Ours'])
  })
})

describe('reputation over time', () => {
  test('is counted separately for each day', async (context) => {
    const service = await aTestApp(context)
    const jti = await aToken(service, 'bot')
    await act(service, jti, 'success')
    const failed = await act(service, jti, 'error')
    service.clock.advance(2 * DAY_MS)
    await rate(service, failed, 'rejected')
    await act(service, jti, 'partial')
    const { status, body } = await service.get('/v1/vat/reputation/bot/history?bucket=day')
    assert.equal(status, 200)
    const intervals = body.data.map(
      ({ combined_interval: one }: { combined_interval: { low: number; high: number } }) => one,
    )
    for (const { low, high } of intervals) assert.ok(0 <= low && low < 0.3 && 0.5 < high && high <= 1)
    assert.ok(intervals[1].high < intervals[0].high, 'a bad rating and one action more narrow it')
    const data = body.data.map(({ combined_interval: _, ...day }: Record<string, unknown>) => day)
    assert.deepEqual(
      { ...body, data },
      {
        agent_id: 'agent:bot',
        data: [
          {
            day: '2027-01-01',
            total_actions: 2,
            completed_actions: 2,
            execution_score: 0.5,
            feedback_score: 0.5,
            combined_reputation: 0.5,
            ratings: { approved: 0, flagged: 0, rejected: 0 },
          },
          {
            day: '2027-01-03',
            total_actions: 1,
            completed_actions: 1,
            execution_score: 0.5,
            feedback_score: 0,
            combined_reputation: 0.3,
            ratings: { approved: 0, flagged: 0, rejected: 1 },
          },
        ],
      },
    )
    assert.equal((await service.get('/v1/vat/reputation/bot/history?bucket=hour')).status, 400)
  })

  test('omits days without activity', async (context) => {
    const service = await aTestApp(context)
    await aToken(service, 'bot')
    assert.deepEqual((await service.get('/v1/vat/reputation/bot/history')).body.data, [])
  })
})

describe('the ranking', () => {
  test('sorts by score or by lower bound', async (context) => {
    const service = await aTestApp(context)
    const [lucky, steady, poor] = [
      await aToken(service, 'lucky'),
      await aToken(service, 'steady'),
      await aToken(service, 'poor'),
    ]
    await aToken(service, 'idle')
    await act(service, lucky)
    for (let n = 0; n < 30; n++) await act(service, steady, n === 0 ? 'partial' : 'success')
    for (let n = 0; n < 3; n++) await act(service, poor, 'error')
    const ranked = async (query: string) =>
      (await service.get(`/v1/vat/reputation${query}`)).body.data.map(
        ({ agent_id }: { agent_id: string }) => agent_id,
      )
    const byScore = ['agent:lucky', 'agent:steady', 'agent:poor']
    assert.deepEqual(await ranked(''), byScore)
    assert.deepEqual(await ranked('?sort=combined'), byScore)
    assert.deepEqual(await ranked('?sort=lower_bound'), ['agent:steady', 'agent:lucky', 'agent:poor'])
    assert.deepEqual(await ranked('?sort=lower_bound&limit=1'), ['agent:steady'])
    assert.equal((await service.get('/v1/vat/reputation?sort=luck')).body.code, 'invalid_request')
  })
})
