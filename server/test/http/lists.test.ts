import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { readAddCheckpoint, readNote, vkeyOf } from '@deputize/protocol'
import { aServer } from '@deputize/testing/a-server.ts'
import { aTestApp, type TestApp } from '@deputize/testing/a-test-app.ts'
import { anIssueRequest } from '@deputize/testing/an-issue-request.ts'
import { aRandomWitness, cosign } from '@deputize/testing/log/a-growing-log.ts'

/** The time of the witness, which has a different clock than the test. */
const COSIGNED_S = 1_767_225_600

async function aRoot(service: TestApp, changes: Record<string, unknown> = {}) {
  const { status, body } = await service.post('/v1/vat/issue/l1', anIssueRequest(changes))
  assert.equal(status, 200, JSON.stringify(body))
  return body
}

async function found(service: TestApp, path: string) {
  const { status, body } = await service.get(path)
  assert.equal(status, 200, JSON.stringify(body))
  return body
}

describe('lists:', () => {
  test('tokens by status, expiry, use of the budget and search, sorted and counted', async (t) => {
    const service = await aTestApp(t)
    const names = ['shopping-bot', 'mail-bot', 'travel-bot', 'archive-bot']
    const tokens = []
    for (const [n, agent_id] of names.entries()) {
      const constraints = { max_spend_usd: 10 }
      tokens.push(await aRoot(service, { agent_id, constraints, expires_in: 3600 * (4 - n) }))
      service.clock.advance(1000)
    }
    const [shopping, mail, travel, archive] = tokens
    const buy = { action: 'read', resource: 'calendar:events', result: 'success' }
    await service.post('/v1/vat/record/action', { vat_jti: mail.jti, spend_usd: 9, ...buy })
    await service.post('/v1/vat/record/action', { vat_jti: travel.jti, spend_usd: 5, ...buy })
    await service.post('/v1/vat/revoke', { vat_jti: shopping.jti })
    await service.post(`/v1/vat/tokens/${archive.jti}/suspend`, {})
    const jtis = async (query: string) =>
      (await found(service, `/v1/vat/tokens?${query}`)).data.map(({ jti }: { jti: string }) => jti)
    assert.deepEqual(await jtis('status=revoked'), [shopping.jti])
    assert.deepEqual(await jtis('status=suspended'), [archive.jti])
    assert.deepEqual(await jtis('status=live'), [travel.jti, mail.jti])
    assert.deepEqual(await jtis('status=expired'), [])
    assert.deepEqual(await jtis('budget_used_above=0.8'), [mail.jti])
    assert.deepEqual(await jtis('budget_used_above=0.3&status=live'), [travel.jti, mail.jti])
    assert.deepEqual(await jtis('expires_before=2027-01-01T02:00:00Z'), [archive.jti])
    assert.deepEqual(await jtis('q=MAIL'), [mail.jti])
    assert.deepEqual(await jtis(`q=${travel.provenance_ref.slice(0, 30)}`), [travel.jti])
    assert.deepEqual(await jtis('sort=expires_first'), [archive.jti, travel.jti, mail.jti, shopping.jti])
    assert.deepEqual((await jtis('sort=most_used')).slice(0, 2), [mail.jti, travel.jti])
    const first = await found(service, '/v1/vat/tokens?status=live&limit=1&total=true')
    assert.deepEqual([first.data[0].jti, first.total, first.total_is_at_least], [travel.jti, 2, false])
    assert.deepEqual(await jtis(`status=live&limit=1&cursor=${first.next_cursor}`), [mail.jti])
    assert.equal((await found(service, '/v1/vat/tokens?total=1')).total, 4)
    assert.equal('total' in (await found(service, '/v1/vat/tokens')), false)
    const bad = await service.get('/v1/vat/tokens?sort=most_used&cursor=listTokens.c1')
    assert.deepEqual([bad.status, bad.body.errors[0].pointer], [400, '?cursor'])
  })

  test('a token in a list shows the tightest budget of its chain', async (t) => {
    const service = await aTestApp(t)
    const actions = ['read', 'delegate']
    const root = await aRoot(service, { actions, constraints: { max_spend_usd: 15 } })
    const { body: child } = await service.post('/v1/vat/delegate', {
      vat_jti: root.jti,
      agent_id: 'helper',
      constraints: { max_spend_usd: 10 },
    })
    const spend = { action: 'read', resource: 'calendar:events', result: 'success', spend_usd: 12 }
    await service.post('/v1/vat/record/action', { vat_jti: root.jti, ...spend })
    const { data } = await found(service, '/v1/vat/tokens')
    assert.deepEqual(
      data.map(({ jti, tightest }: { jti: string; tightest: { jti: string; remaining_usd: number } }) => [
        jti,
        tightest.jti,
        tightest.remaining_usd,
      ]),
      [
        [child.jti, root.jti, 3],
        [root.jti, root.jti, 3],
      ],
    )
    assert.equal('tightest' in (await found(service, `/v1/vat/tokens/${child.jti}`)), false)
  })

  test('agents by status, search and order, with their live tokens', async (t) => {
    const service = await aTestApp(t)
    for (const agent_id of ['alpha', 'beta', 'gamma']) await aRoot(service, { agent_id })
    const second = await aRoot(service, { agent_id: 'alpha' })
    await service.post('/v1/vat/agents', { agent_id: 'gamma', display_name: 'A gardener' })
    service.clock.advance(1000)
    const act = { action: 'read', resource: 'calendar:events', result: 'success' }
    await service.post('/v1/vat/record/action', { vat_jti: second.jti, ...act })
    await service.post('/v1/vat/revoke', { vat_jti: second.jti })
    await service.post('/v1/vat/agents/beta/suspend', {})
    const names = async (query: string) =>
      (await found(service, `/v1/vat/agents?${query}`)).data.map((one: { agent_id: string }) => one.agent_id)
    assert.deepEqual(await names('status=suspended'), ['agent:beta'])
    assert.deepEqual(await names('status=active'), ['agent:gamma', 'agent:alpha'])
    assert.deepEqual(await names('q=garden'), ['agent:gamma'])
    assert.deepEqual(await names('sort=name'), ['agent:gamma', 'agent:alpha', 'agent:beta'])
    assert.deepEqual((await names('sort=actions'))[0], 'agent:alpha')
    assert.deepEqual((await names('sort=last_action'))[0], 'agent:alpha')
    assert.deepEqual((await names('sort=reputation'))[0], 'agent:alpha')
    const { data, total } = await found(service, '/v1/vat/agents?total=true')
    assert.equal(total, 3)
    assert.deepEqual(
      data.map(({ live_tokens }: { live_tokens: number }) => live_tokens),
      [1, 1, 1],
    )
  })

  test('agents with their recent activity by day', async (t) => {
    const service = await aTestApp(t)
    const { jti } = await aRoot(service, { agent_id: 'alpha', expires_in: 30 * 86_400 })
    await aRoot(service, { agent_id: 'idle' })
    const act = { vat_jti: jti, action: 'read', resource: 'calendar:events', result: 'success' }
    await service.post('/v1/vat/record/action', { ...act, spend_usd: 9 })
    service.clock.advance(14 * 86_400_000) // the first day is no longer shown
    await service.post('/v1/vat/record/action', { ...act, spend_usd: 2 })
    await service.post('/v1/vat/record/action', { ...act, action: 'fly' })
    service.clock.advance(86_400_000)
    await service.post('/v1/vat/record/action', { ...act, spend_usd: 1 })
    const { data } = await found(service, '/v1/vat/agents?expand=activity')
    const [idle, alpha] = data
    assert.deepEqual(idle.activity, { allowed: 0, denied: 0, spend_usd: 0, days: [] })
    assert.deepEqual(alpha.activity, {
      allowed: 2,
      denied: 1,
      spend_usd: 3,
      last_denied_at: '2027-01-15T00:00:00.000Z',
      days: [
        { start: '2027-01-15T00:00:00.000Z', allowed: 1, denied: 1, spend_usd: 2 },
        { start: '2027-01-16T00:00:00.000Z', allowed: 1, denied: 0, spend_usd: 1 },
      ],
    })
    assert.equal((await found(service, '/v1/vat/agents')).data[0].activity, undefined)
  })

  test('workflows by state and search, with spend, purpose, denials and live tokens', async (t) => {
    const service = await aTestApp(t)
    const actions = ['read', 'delegate']
    const open = await aRoot(service, { agent_id: 'open-bot', purpose: 'Plan my week', actions })
    const closed = await aRoot(service, { agent_id: 'closed-bot' })
    const act = { action: 'read', resource: 'calendar:events', result: 'success', spend_usd: 2.5 }
    await service.post('/v1/vat/record/action', { vat_jti: open.jti, ...act })
    await service.post('/v1/vat/authorize', { vat_jti: open.jti, action: 'fly', resource: 'calendar:events' })
    await service.post('/v1/vat/revoke', { vat_jti: closed.jti })
    const refs = async (query: string) =>
      (await found(service, `/v1/vat/workflows?${query}`)).data.map(
        (one: { provenance_ref: string }) => one.provenance_ref,
      )
    assert.deepEqual(await refs('state=open'), [open.provenance_ref])
    assert.deepEqual(await refs('state=closed'), [closed.provenance_ref])
    assert.deepEqual(await refs('q=closed-'), [closed.provenance_ref])
    const { data, total } = await found(service, '/v1/vat/workflows?state=open&expand=token,denials&total=1')
    const [{ spent_usd, purpose, denials, state }] = data
    assert.deepEqual([spent_usd, purpose, denials, state, total], [2.5, 'Plan my week', 1, 'open', 1])
    assert.equal((await found(service, '/v1/vat/workflows?total=1')).total, 2)
    await service.post('/v1/vat/delegate', { vat_jti: open.jti, agent_id: 'sub-bot' })
    const { data: counted } = await found(service, '/v1/vat/workflows?expand=live_tokens')
    assert.deepEqual(
      counted.map(({ live_tokens }: { live_tokens: number }) => live_tokens),
      [0, 2],
    )
    assert.equal((await service.get('/v1/vat/workflows?expand=everything')).status, 400)
  })

  test('denials by reason and resource, counted', async (t) => {
    const service = await aTestApp(t)
    const { jti } = await aRoot(service)
    const ask = (action: string, resource: string) =>
      service.post('/v1/vat/authorize', { vat_jti: jti, action, resource })
    await ask('fly', 'calendar:events')
    await ask('read', 'mail:inbox')
    await ask('fly', 'mail:inbox')
    const count = async (query: string) => {
      const { data, total, total_is_at_least } = await found(service, `/v1/vat/denials?total=true&${query}`)
      assert.deepEqual([data.length, total_is_at_least], [total, false], query)
      return total
    }
    assert.equal(await count(''), 3)
    assert.equal(await count('reason=action_not_in_scope'), 2)
    assert.equal(await count('reason=resource_not_in_scope'), 2)
    assert.equal(await count('resource=mail:inbox'), 2)
    assert.equal(await count('action=fly&resource=mail:inbox'), 1)
    assert.equal(await count('reason=rate_limit'), 0)
  })

  test('approvals with their token and agent, by reason, search and deadline', async (t) => {
    const service = await aTestApp(t)
    const constraints = { max_spend_usd: 20, require_approval: { actions: ['write'], above_usd: 5 } }
    const actions = ['read', 'write']
    const { jti } = await aRoot(service, { actions, constraints, purpose: 'Order paper' })
    await service.post('/v1/vat/agents', { agent_id: 'calendar-bot', display_name: 'Shopper' })
    const ask = async (action: string, spend_usd: number) => {
      service.clock.advance(1000)
      const body = { vat_jti: jti, action, resource: 'calendar:events', spend_usd }
      return (await service.post('/v1/vat/authorize', body)).body.approval_id
    }
    const cheap = await ask('write', 1)
    const dear = await ask('read', 7.5)
    const both = await ask('write', 9)
    const ids = async (query: string) =>
      (await found(service, `/v1/vat/approvals?${query}`)).data.map(
        (one: { approval_id: string }) => one.approval_id,
      )
    assert.deepEqual(await ids('reason=amount'), [both, dear])
    assert.deepEqual(await ids('reason=action'), [both, cheap])
    assert.deepEqual(await ids('reason=always'), [])
    assert.deepEqual(await ids('q=READ'), [dear])
    assert.deepEqual(await ids('sort=expires_first'), [cheap, dear, both])
    const { data, total } = await found(service, '/v1/vat/approvals?expand=token,agent&state=pending&total=1')
    const [{ token, agent }] = data
    assert.equal(total, 3)
    assert.deepEqual(
      [token.purpose, token.status, token.asked_because, token.tightest.remaining_usd],
      ['Order paper', 'live', ['action', 'amount'], 20],
    )
    assert.equal(token.remaining_after_usd, 11)
    assert.deepEqual([agent.display_name, agent.total_actions, agent.suspended], ['Shopper', 0, false])
    await service.post(`/v1/vat/approvals/${dear}/approve`, {})
    const after = await found(service, '/v1/vat/approvals?expand=token&state=approved')
    assert.equal('remaining_after_usd' in after.data[0].token, false)
    assert.equal('agent' in after.data[0], false)
    assert.equal((await found(service, '/v1/vat/approvals?reason=amount&total=1')).total, 2)
  })

  test('people, with their number of pending approvals', async (t) => {
    const service = await aTestApp(t)
    const constraints = { require_approval: {} }
    const { jti } = await aRoot(service, { developer_email: 'ann@example.com', constraints })
    await aRoot(service, { developer_email: 'bea@example.com' })
    await service.post('/v1/vat/authorize', { vat_jti: jti, action: 'read', resource: 'calendar:events' })
    const { data } = await found(service, '/v1/vat/humans')
    assert.deepEqual(
      data.map(({ live_tokens, waiting, assurance_levels }: Record<string, unknown>) => [
        live_tokens,
        waiting,
        assurance_levels,
      ]),
      [
        [1, 0, ['L1']],
        [1, 1, ['L1']],
      ],
    )
    assert.ok(!JSON.stringify(data).includes('example.com'))
    const page = await found(service, '/v1/vat/humans?limit=1')
    assert.equal(page.has_more, true)
    const next = await found(service, `/v1/vat/humans?limit=1&cursor=${page.next_cursor}`)
    assert.equal(next.data[0].human_ref, data[1].human_ref)
  })
})

describe('GET /v1/vat/log/witnesses', () => {
  test('shows what each witness cosigned last, and since when one has been failing', async (t) => {
    const good = aRandomWitness('witness.test/good')
    const bad = aRandomWitness('witness.test/bad')
    let isAwake = false
    const url = await aServer(t, async (incoming, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of incoming) chunks.push(chunk)
      const { note } = readAddCheckpoint(Buffer.concat(chunks).toString())
      const isBad = incoming.url?.startsWith('/bad/') === true
      if (isBad && !isAwake) {
        response.statusCode = 500
        response.end()
        return
      }
      response.end(await cosign(isBad ? bad : good, readNote(note).text, COSIGNED_S))
    })
    const witnesses = `${vkeyOf(good.key)} ${url}/good,${vkeyOf(bad.key)} ${url}/bad`
    const service = await aTestApp(t, { witnesses })
    const status = () => found(service, '/v1/vat/log/witnesses')
    const until = async (isDone: (body: Awaited<ReturnType<typeof status>>) => boolean) => {
      for (const started = Date.now(); Date.now() - started < 60_000; ) {
        await aRoot(service)
        service.clock.advance(120_000)
        await service.context.log.checkpointSigner.covering(await service.logSize())
        // Witnesses answer after the checkpoint is published. One that failed is asked again with a later checkpoint.
        for (let looks = 0; looks < 20; looks += 1) {
          const body = await status()
          if (isDone(body)) return body
          await sleep(20)
        }
      }
      return assert.fail('the witnesses did not get there')
    }
    const failing = await until(
      ({ data }) => data[0].cosigned_size !== undefined && data[1].state === 'failing',
    )
    assert.equal(failing.quorum, 0)
    assert.deepEqual([failing.data[0].name, failing.data[0].vkey], ['witness.test/good', vkeyOf(good.key)])
    assert.equal(failing.data[0].cosigned_at, new Date(COSIGNED_S * 1000).toISOString())
    assert.deepEqual([failing.data[1].failure, failing.data[1].cosigned_size], ['refused', undefined])
    assert.match(failing.data[1].explanation, /status 500/)
    assert.ok(Date.parse(failing.data[1].failing_since) > 0)
    isAwake = true
    const well = await until(({ data }) => data[1].state === 'ok' && data[0].state === 'ok')
    assert.equal(well.cosigned, 2)
    assert.equal('failing_since' in well.data[1], false)
  })

  test('returns an empty list if there are none', async (t) => {
    const service = await aTestApp(t)
    const { data, quorum, cosigned, log_size } = await found(service, '/v1/vat/log/witnesses')
    assert.deepEqual([data, quorum, cosigned], [[], 0, 0])
    assert.equal(log_size, await service.logSize())
  })
})

test('a cursor belongs to one list, and is refused by every other', async (t) => {
  const service = await aTestApp(t)
  const { body } = await service.post('/v1/vat/issue/l1', anIssueRequest({ actions: ['read', 'delegate'] }))
  const { jti: vat_jti, claims } = body
  for (let count = 0; count < 2; count += 1) {
    await service.post('/v1/vat/delegate', { vat_jti, agent_id: `child-${count}` })
    const action = { vat_jti, action: 'read', resource: 'calendar:events' }
    await service.post('/v1/vat/record/action', { ...action, result: 'success' })
  }
  const lists = [
    '/v1/vat/tokens',
    '/v1/vat/aar',
    '/v1/vat/agents',
    `/v1/vat/tokens/${vat_jti}/descendants`,
    `/v1/vat/aar/provenance/${claims.svc_provenance_ref}/records`,
  ]
  const cursors: string[] = []
  for (const list of lists) {
    const { body: page } = await service.get(`${list}?limit=1`)
    assert.equal(page.has_more, true, list)
    cursors.push(page.next_cursor)
    const next = await service.get(`${list}?limit=1&cursor=${page.next_cursor}`)
    assert.deepEqual([next.status, next.body.data.length], [200, 1], list)
    assert.notDeepEqual(next.body.data, page.data)
  }
  for (const [place, list] of lists.entries())
    for (const cursor of ['c1', 'c3', ...cursors.toSpliced(place, 1)]) {
      const { status, body: refusal } = await service.get(`${list}?cursor=${cursor}`)
      assert.deepEqual([status, refusal.errors?.[0].pointer], [400, '?cursor'], `${list} ${cursor}`)
    }
})
