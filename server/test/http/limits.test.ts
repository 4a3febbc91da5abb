import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Answer, aTestApp, type TestApp } from '@deputize/testing/a-test-app.ts'
import { anIssueRequest } from '@deputize/testing/an-issue-request.ts'
import { cpuMs } from '@deputize/testing/cpu-time.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

const SCOPE = { resources: ['bank:accounts'], actions: ['transfer', 'read', 'delegate'] }

const issue = (service: TestApp, constraints: Record<string, unknown>) =>
  service.post('/v1/vat/issue/l1', anIssueRequest({ ...SCOPE, expires_in: 30 * 86_400, constraints }))

async function aRoot(service: TestApp, constraints: Record<string, unknown>) {
  const { status, body } = await issue(service, constraints)
  assert.equal(status, 200, JSON.stringify(body))
  return body
}

const delegate = (
  service: TestApp,
  vat_jti: string,
  constraints?: Record<string, unknown>,
  agent_id = 'sub-bot',
) =>
  service.post('/v1/vat/delegate', {
    vat_jti,
    agent_id,
    actions: ['transfer', 'delegate'],
    expires_in: 29 * 86_400,
    ...(constraints !== undefined && { constraints }),
  })

async function aChild(
  service: TestApp,
  vat_jti: string,
  constraints?: Record<string, unknown>,
  agent_id?: string,
) {
  const { status, body } = await delegate(service, vat_jti, constraints, agent_id)
  assert.equal(status, 201, JSON.stringify(body))
  return body
}

const transfer = (vat_jti: string, changes: Record<string, unknown> = {}) => ({
  vat_jti,
  action: 'transfer',
  resource: 'bank:accounts',
  ...changes,
})

const authorize = (service: TestApp, vat_jti: string, changes: Record<string, unknown> = {}) =>
  service.post('/v1/vat/authorize', transfer(vat_jti, changes))

function firstError({ status, body }: Answer) {
  assert.equal(status, 400, JSON.stringify(body))
  return body.errors[0]
}

const LIMITS = {
  transfer: {
    '/amount': { max: 100, min: 0.01 },
    '/currency': { one_of: ['EUR', 'USD'] },
    '/to': { matches: 'DE[0-9]+', max_length: 22 },
  },
}
const GOOD = { amount: 50, currency: 'EUR', to: 'DE89370400440532013000' }

describe('limits on arguments', () => {
  test('cost the service little, however many patterns and renewals a token has', async (context) => {
    const service = await aTestApp(context)
    const matches = Array.from({ length: 16 }, (_, n) => `*${'a?'.repeat(60)}${'b'.repeat(n % 7)}*`)
    let { jti } = await aRoot(service, {
      arguments: { '*': { '/text': { matches } }, transfer: { '/text': { matches } } },
    })
    for (let renewals = 0; renewals < 40; renewals += 1)
      jti = (await service.post('/v1/vat/renew', { vat_jti: jti, expires_in: 86_400 })).body.jti
    const took_ms = await cpuMs(async () => {
      const { body } = await authorize(service, jti, { metadata: { text: 'a'.repeat(4000) } })
      assert.deepEqual(body.reasons, ['argument_not_allowed'])
    })
    assert.ok(took_ms < 5_000, `${took_ms} ms`)
  })

  test('are checked against the metadata of the request, and a denial names each path and rule', async (context) => {
    const service = await aTestApp(context)
    const { jti } = await aRoot(service, { arguments: LIMITS })
    assert.equal((await authorize(service, jti, { metadata: GOOD })).body.authorized, true)
    const details = async (metadata?: unknown) => {
      const { body } = await authorize(service, jti, metadata === undefined ? {} : { metadata })
      assert.deepEqual([body.authorized, body.reasons], [false, ['argument_not_allowed']])
      return body.details.map(({ path, rule }: { path: string; rule: string }) => `${path} ${rule}`)
    }
    assert.deepEqual(await details({ ...GOOD, amount: 100.01 }), ['/amount max'])
    assert.deepEqual(await details({ ...GOOD, amount: '50' }), ['/amount type'])
    assert.deepEqual(await details({ ...GOOD, currency: 'eur' }), ['/currency one_of'])
    assert.deepEqual(await details({ ...GOOD, to: 'GB29' }), ['/to matches'])
    assert.deepEqual(await details({ amount: 1 }), ['/currency required', '/to required'])
    assert.deepEqual(await details(), ['/amount required', '/currency required', '/to required'])
    // Other actions are not limited.
    assert.equal((await authorize(service, jti, { action: 'read' })).body.authorized, true)
  })

  test('cannot contain numbers that cannot be compared exactly', async (context) => {
    const service = await aTestApp(context)
    for (const [limit, pointer] of [
      [{ one_of: ['x', 12345678901234568] }, 'one_of/1'],
      [{ max: 2 ** 53 }, 'max'],
      [{ min: -(2 ** 53) }, 'min'],
    ] as const) {
      const refused = await issue(service, { arguments: { transfer: { '/to': limit } } })
      assert.equal(firstError(refused).pointer, `/constraints/arguments/transfer/~1to/${pointer}`)
    }
    await aRoot(service, {
      arguments: { transfer: { '/to': { one_of: [Number.MAX_SAFE_INTEGER, '12345678901234568'] } } },
    })
  })

  test('apply to every way of requesting an action', async (context) => {
    const service = await aTestApp(context)
    const { jti } = await aRoot(service, { arguments: LIMITS })
    const bad = transfer(jti, { metadata: { ...GOOD, amount: 101 } })
    const recorded = await service.post('/v1/vat/record/action', { ...bad, result: 'success' })
    assert.deepEqual(
      [recorded.status, recorded.body.reason, recorded.body.details],
      [403, 'argument_not_allowed', [{ reason: 'argument_not_allowed', path: '/amount', rule: 'max' }]],
    )
    const dry = await service.post('/v1/vat/authorize', { ...bad, dry_run: true })
    assert.deepEqual([dry.body.reason, dry.body.details.length], ['argument_not_allowed', 1])
    const many = await service.post('/v1/vat/authorize/batch', {
      items: [bad, transfer(jti, { metadata: GOOD })],
    })
    assert.deepEqual(
      many.body.items.map(({ answer }: { answer: { authorized: boolean } }) => answer.authorized),
      [false, true],
    )
    const records = await service.post('/v1/vat/record/batch', { items: [{ ...bad, result: 'success' }] })
    assert.equal(records.body.items[0].problem.reason, 'argument_not_allowed')
  })

  test('leave no argument and no limit in the log', async (context) => {
    const service = await aTestApp(context)
    const { jti } = await aRoot(service, { arguments: LIMITS })
    await authorize(service, jti, { metadata: { ...GOOD, to: 'XX-secret-account' } })
    const leaves = await service.leafTexts()
    assert.ok(leaves.some((text) => text.includes('action.denied')))
    for (const value of ['secret-account', 'EUR', 'DE[0-9]']) assert.ok(!leaves.join().includes(value), value)
  })

  test('only narrow along a chain, and stay in the token of a child', async (context) => {
    const service = await aTestApp(context)
    const { jti } = await aRoot(service, { arguments: LIMITS })
    const wider = await delegate(service, jti, {
      arguments: { transfer: { '/amount': { max: 101 }, '/currency': { one_of: ['EUR', 'CHF'] } } },
    })
    assert.deepEqual(
      [wider.status, wider.body.code, wider.body.widening],
      [403, 'scope_widening', ['arguments: transfer /amount max', 'arguments: transfer /currency one_of']],
    )
    const child = await aChild(service, jti, {
      arguments: {
        transfer: { '/amount': { max: 10 }, '/to': { matches: '*3000' }, '/memo': { max_length: 5 } },
      },
    })
    assert.deepEqual(child.claims.svc_constraints.arguments.transfer, {
      '/amount': { max: 10, min: 0.01 },
      '/currency': { one_of: ['EUR', 'USD'] },
      '/to': { matches: ['DE[0-9]+', '*3000'], max_length: 22 },
      '/memo': { max_length: 5 },
    })
    const asked = async (metadata: unknown) =>
      (await authorize(service, child.jti, { metadata })).body.authorized
    assert.equal(await asked({ ...GOOD, amount: 10, memo: 'rent' }), true)
    assert.equal(await asked({ ...GOOD, amount: 11, memo: 'rent' }), false)
    assert.equal(await asked({ ...GOOD, amount: 10, memo: 'rent', to: 'DE1' }), false)
  })

  test('are refused at issue when they cannot be enforced', async (context) => {
    const service = await aTestApp(context)
    const limit = (path: string, rules: unknown, action = 'transfer') =>
      issue(service, { arguments: { [action]: { [path]: rules } } })
    for (const pattern of ['(a+)+$[', '[z-a]', '', 'x'.repeat(129), 'a\\'])
      assert.equal(
        firstError(await limit('/to', { matches: pattern })).pointer,
        '/constraints/arguments/transfer/~1to/matches',
        pattern,
      )
    assert.match(firstError(await limit('/a', { min: 2, max: 1 })).detail, /must not be greater than max/)
    assert.match(firstError(await limit('/a', {})).detail, /at least one of max/)
    assert.match(firstError(await limit('/a', { most: 1 })).detail, /is not a known field/)
    assert.match(firstError(await limit('a', { max: 1 })).detail, /JSON pointer/)
    assert.match(firstError(await limit('/a', { max: 1 }, 'a*')).detail, /\* for every action/)
    assert.match(firstError(await limit('/a', { one_of: [{}] })).detail, /./)
  })

  test('are bound to an approval together with the metadata', async (context) => {
    const service = await aTestApp(context)
    const { jti } = await aRoot(service, { arguments: LIMITS, require_approval: {} })
    const asked = await authorize(service, jti, { metadata: GOOD })
    await service.post(`/v1/vat/approvals/${asked.body.approval_id}/approve`)
    const { approval_id } = asked.body
    const other = await authorize(service, jti, { metadata: { ...GOOD, amount: 51 }, approval_id })
    assert.equal(other.body.authorized, false)
    assert.equal((await authorize(service, jti, { metadata: GOOD, approval_id })).body.authorized, true)
    // Limits are checked first: a person is never asked about arguments that the token doesn't allow.
    assert.equal((await authorize(service, jti, { metadata: {} })).body.reason, 'argument_not_allowed')
  })
})

describe('a limit on spending', () => {
  test('is named in a denial with the remaining amount, also in dry runs and for ancestors', async (context) => {
    const service = await aTestApp(context)
    const { jti } = await aRoot(service, { max_spend_usd: 5, max_spend_per_action_usd: 3 })
    const child = await aChild(service, jti)
    const left = (limit: string, remaining_usd: number) => [
      { reason: 'budget_exceeded', limit, remaining_usd },
    ]
    for (const dry_run of [true, false]) {
      const { body } = await authorize(service, child.jti, { spend_usd: 4, dry_run })
      assert.deepEqual(body.details, left('max_spend_per_action_usd', 3))
    }
    await authorize(service, jti, { spend_usd: 2.5 })
    const { body } = await service.post('/v1/vat/record/action', {
      ...transfer(child.jti, { spend_usd: 3 }),
      result: 'success',
    })
    assert.deepEqual(body.details, left('max_spend_usd', 2.5))
  })
})

describe('budgets per period', () => {
  test('are shared along the chain and reset in their time zone', async (context) => {
    const service = await aTestApp(context)
    const { jti } = await aRoot(service, { max_spend_usd_per: { day: 10, time_zone: 'europe/berlin' } })
    const child = await aChild(service, jti)
    assert.equal(child.claims.svc_constraints.max_spend_usd_per.time_zone, 'Europe/Berlin')
    assert.equal((await authorize(service, child.jti, { spend_usd: 7 })).body.authorized, true)
    const { body } = await authorize(service, jti, { spend_usd: 4 })
    const tomorrow = nextMidnight(service.clock(), 'Europe/Berlin')
    assert.deepEqual(
      [body.reasons, body.details],
      [
        ['period_budget_exceeded'],
        [{ reason: 'period_budget_exceeded', period: 'day', resets_at: new Date(tomorrow).toISOString() }],
      ],
    )
    service.clock.advance(tomorrow - service.clock() - 1)
    assert.equal((await authorize(service, jti, { spend_usd: 4 })).body.authorized, false)
    service.clock.advance(1)
    assert.equal((await authorize(service, jti, { spend_usd: 4 })).body.authorized, true)
  })

  test('count a spend in the period in which its action was allowed, not in which it ends', async (context) => {
    const service = await aTestApp(context)
    const { jti } = await aRoot(service, { max_spend_usd_per: { hour: 10, month: 30 } })
    const open = async () => (await authorize(service, jti, { spend_usd: 3 })).body.aar_id
    const [settled, cancelled] = [await open(), await open()]
    await open() // will expire
    service.clock.advance(HOUR_MS)
    assert.deepEqual(await periods(service, jti), [
      ['hour', 0, 0, 10],
      ['month', 0, 9, 21],
    ])
    await service.post(`/v1/vat/aar/${settled}/complete`, { result: 'success', spend_usd: 2 })
    await service.post(`/v1/vat/aar/${cancelled}/cancel`)
    await service.sweep()
    assert.deepEqual(await periods(service, jti), [
      ['hour', 0, 0, 10],
      ['month', 2, 0, 28],
    ])
  })

  test('show what is left and when they reset', async (context) => {
    const service = await aTestApp(context)
    const { jti } = await aRoot(service, { max_spend_usd_per: { day: 10, week: 20 } })
    const child = await aChild(service, jti, { max_spend_usd_per: { day: 5 } })
    await service.post('/v1/vat/record/action', { ...transfer(jti, { spend_usd: 6 }), result: 'success' })
    const { body } = await service.get(`/v1/vat/tokens/${child.jti}/budget`)
    const [day, week] = body.periods
    assert.deepEqual([day.period, day.jti, day.remaining_usd], ['day', jti, 4])
    assert.deepEqual([week.period, week.limit_usd, week.spent_usd, week.remaining_usd], ['week', 20, 6, 14])
    assert.equal(Date.parse(day.resets_at) - Date.parse(day.starts_at), DAY_MS)
    assert.equal(new Date(week.starts_at).getUTCDay(), 1)
  })

  test('only narrow along a chain', async (context) => {
    const service = await aTestApp(context)
    const { jti } = await aRoot(service, { max_spend_usd_per: { day: 10 } })
    const wider = await delegate(service, jti, { max_spend_usd_per: { day: 11, hour: 1 } })
    assert.deepEqual([wider.status, wider.body.widening], [403, ['max_spend_usd_per: day']])
    const { claims } = await aChild(service, jti, { max_spend_usd_per: { hour: 1 } })
    assert.deepEqual(claims.svc_constraints.max_spend_usd_per, { day: 10, hour: 1 })
  })

  test('are refused without an amount', async (context) => {
    const service = await aTestApp(context)
    const answer = await issue(service, { max_spend_usd_per: { time_zone: 'UTC' } })
    assert.match(firstError(answer).detail, /at least one of hour, day, week, month/)
  })

  test('stop 96 siblings exactly at the limit, before and after midnight', async (context) => {
    const service = await aTestApp(context)
    const time_zone = 'America/New_York'
    const { jti } = await aRoot(service, { max_spend_usd_per: { day: 0.00005, time_zone } })
    const children = await Promise.all(
      Array.from({ length: 96 }, async (_, n) => (await aChild(service, jti, undefined, `bot-${n}`)).jti),
    )
    const everybody = () =>
      Promise.all(
        children.map((child: string, n) => {
          const action = transfer(child, { spend_usd: 0.000001 })
          return n % 3 === 0
            ? service.post('/v1/vat/authorize', action)
            : service.post('/v1/vat/record/action', { ...action, result: 'success' })
        }),
      )
    const allowed = (answers: Answer[]) =>
      answers.filter(({ body }) => body.authorized || body.recorded).length
    service.clock.advance(nextMidnight(service.clock(), time_zone) - service.clock() - 1)
    const before = await everybody()
    assert.equal(allowed(before), 50)
    for (const { body } of before.filter((one) => !one.body.authorized && !one.body.recorded))
      assert.deepEqual(body.reasons, ['period_budget_exceeded'])
    assert.equal((await periods(service, jti))[0]?.[3], 0)
    service.clock.advance(1)
    assert.equal(allowed(await everybody()), 50)
    const [day] = await periods(service, jti)
    assert.equal(day?.[3], 0)
    // Completing yesterday's records changes nothing today.
    const yesterdays = before.flatMap(({ body }) =>
      body.aar_id !== undefined && body.authorized ? [body.aar_id] : [],
    )
    await Promise.all(
      yesterdays.map((aar_id) => service.post(`/v1/vat/aar/${aar_id}/complete`, { result: 'success' })),
    )
    assert.deepEqual((await periods(service, jti))[0], day)
  })
})

/** Each period with what is spent, reserved and left. */
async function periods(service: TestApp, jti: string): Promise<[string, number, number, number][]> {
  const { body } = await service.get(`/v1/vat/tokens/${jti}/budget`)
  return body.periods.map((one: Record<string, unknown>) => [
    one.period,
    one.spent_usd,
    one.reserved_usd,
    one.remaining_usd,
  ])
}

/** The next instant at which the date changes, found minute by minute. */
function nextMidnight(now_ms: number, time_zone: string): number {
  const date = (at_ms: number) => new Date(at_ms).toLocaleDateString('en', { timeZone: time_zone })
  let at_ms = Math.floor(now_ms / 60_000) * 60_000 + 60_000
  while (date(at_ms) === date(now_ms)) at_ms += 60_000
  return at_ms
}

describe('active hours', () => {
  test('with equal ends are refused with a hint', async (context) => {
    const service = await aTestApp(context)
    const hours = (from: string, to: string) =>
      issue(service, { active_hours: { time_zone: 'UTC', from, to } })
    for (const [from, to] of [
      ['09:00', '09:00'],
      ['00:00', '00:00'],
      ['24:00', '00:00'],
      ['24:00', '24:00'],
    ] as const)
      assert.match(firstError(await hours(from, to)).detail, /send 00:00 to 24:00/)
    assert.equal((await hours('00:00', '24:00')).status, 200)
    assert.equal((await hours('22:00', '06:00')).status, 200)
  })

  test('store a time zone in one spelling', async (context) => {
    const service = await aTestApp(context)
    const { claims } = await aRoot(service, {
      active_hours: { time_zone: 'eUROPE/bERLIN', from: '00:00', to: '24:00' },
    })
    assert.equal(claims.svc_constraints.active_hours.time_zone, 'Europe/Berlin')
  })
})

describe('names', () => {
  test('may contain further colons, spaces and letters of any script', async (context) => {
    const service = await aTestApp(context)
    const request = anIssueRequest({
      agent_id: 'Büro Bot',
      resources: ['arn:aws:s3:::reports', 'db:*'],
      actions: ['send mail'],
    })
    const { body: token } = await service.post('/v1/vat/issue/l1', request)
    for (const resource of ['arn:aws:s3:::reports', 'db:prod:users']) {
      const { body } = await service.post('/v1/vat/record/action', {
        vat_jti: token.jti,
        action: 'send mail',
        resource,
        result: 'längst erledigt',
      })
      assert.equal(body.recorded, true, JSON.stringify(body))
    }
    for (const name of ['Büro Bot', 'agent:Büro Bot']) {
      const { status, body } = await service.get(`/v1/vat/reputation/${encodeURIComponent(name)}`)
      assert.deepEqual([status, body.agent_id, body.total_actions], [200, 'agent:Büro Bot', 2])
      const list = await service.get(`/v1/vat/aar?agent_id=${encodeURIComponent(name)}`)
      assert.equal(list.body.data.length, 2)
    }
    const { body: introspected } = await service.post('/v1/vat/introspect', `token=${token.compact_jwt}`, {
      'content-type': 'application/x-www-form-urlencoded',
    })
    assert.equal(introspected.scope, 'send%20mail@arn:aws:s3:::reports send%20mail@db:*')
  })

  test('keep their meaning in OAuth scopes, also with an @ in the action', async (context) => {
    const service = await aTestApp(context)
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const request = anIssueRequest({
      resources: ['bank@eu:giro', 'mail:ann@example.com'],
      actions: ['pay@bank', '100 %40', 'delegate'],
    })
    const { body: token } = await service.post('/v1/vat/issue/l1', request)
    const { body } = await service.post('/v1/vat/introspect', `token=${token.compact_jwt}`, form)
    const [first] = body.scope.split(' ')
    assert.equal(first, 'pay%40bank@bank@eu:giro')
    const asked = new URLSearchParams({
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      subject_token: token.compact_jwt,
      subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
      scope: body.scope,
    })
    const exchanged = await service.post('/oauth/token', asked.toString(), form)
    assert.deepEqual([exchanged.status, exchanged.body.scope], [200, body.scope])
    const [, payload = ''] = exchanged.body.access_token.split('.')
    const { svc_scope } = JSON.parse(Buffer.from(payload, 'base64url').toString())
    assert.deepEqual(svc_scope, { resources: request.resources, actions: request.actions })
  })

  test('cannot be . or .., and cannot mix scripts that look alike', async (context) => {
    const service = await aTestApp(context)
    for (const agent_id of ['.', '..', 'c\u0430lendar'])
      assert.equal(
        firstError(await service.post('/v1/vat/issue/l1', anIssueRequest({ agent_id }))).pointer,
        '/agent_id',
      )
  })

  test('that are repeated in a list count once', async (context) => {
    const service = await aTestApp(context)
    const { body } = await service.post(
      '/v1/vat/issue/l1',
      anIssueRequest({ resources: ['a:b', 'a:b', 'c:d'], actions: ['read', 'read'] }),
    )
    assert.deepEqual(body.claims.svc_scope, { resources: ['a:b', 'c:d'], actions: ['read'] })
  })

  test('digests of results are stored in lower case, whatever their length', async (context) => {
    const service = await aTestApp(context)
    const { jti } = await aRoot(service, {})
    const { body } = await service.post('/v1/vat/record/action', {
      ...transfer(jti),
      result: 'success',
      result_hash: 'sha256:DEADbeef',
    })
    const record = await service.get(`/v1/vat/aar/${body.aar_id}`)
    assert.equal(record.body.result_hash, 'sha256:deadbeef')
    const open = await authorize(service, jti)
    const complete = (result_hash: string) =>
      service.post(`/v1/vat/aar/${open.body.aar_id}/complete`, { result: 'success', result_hash })
    assert.equal((await complete('sha256:AB')).body.result_hash, 'sha256:ab')
    assert.equal((await complete('sha256:ab')).status, 200)
  })
})
