import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { aTestApp, type TestApp } from '@deputize/testing/a-test-app.ts'
import { anIssueRequest } from '@deputize/testing/an-issue-request.ts'
import { AlertWatch } from '../../src/alerts/alert-watch.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

const BURST = { kind: 'denials', more_than: 3, within_minutes: 5 }

async function aRule(service: TestApp, changes: Record<string, unknown> = {}) {
  const rule = { name: 'a rule', condition: BURST, effect: 'notify' }
  const answer = await service.post('/v1/vat/alerts/rules', { ...rule, ...changes })
  assert.equal(answer.status, 201, JSON.stringify(answer.body))
  return answer.body
}

async function aToken(service: TestApp, changes: Record<string, unknown> = {}): Promise<string> {
  const scope = { resources: ['shop:*'], actions: ['read', 'buy', 'delegate'], expires_in: 30 * 24 * 3600 }
  const { body } = await service.post(
    '/v1/vat/issue/l1',
    anIssueRequest({ agent_id: 'one', ...scope, ...changes }),
  )
  return body.jti
}

async function act(service: TestApp, vat_jti: string, changes: Record<string, unknown> = {}) {
  const request = { vat_jti, action: 'read', resource: 'shop:orders', result: 'success' }
  return service.post('/v1/vat/record/action', { ...request, ...changes })
}

async function deny(service: TestApp, vat_jti: string, times: number): Promise<void> {
  for (let time = 0; time < times; time += 1) await act(service, vat_jti, { action: 'sell' })
}

async function alerts(service: TestApp) {
  return (await service.get('/v1/vat/alerts')).body.data
}

async function dryRun(service: TestApp, condition: object, more: Record<string, unknown> = {}) {
  const answer = await service.post('/v1/vat/alerts/rules/dry-run', { condition, ...more })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return answer.body
}

async function leavesOf(service: TestApp, type: string): Promise<Record<string, unknown>[]> {
  return (await service.leafTexts()).map((text) => JSON.parse(text)).filter((leaf) => leaf.type === type)
}

/** A service with an agent that has acted at the same hour for eight days. */
async function withHabits(context: TestContext) {
  const service = await aTestApp(context)
  const vat_jti = await aToken(service)
  for (let day = 0; day < 8; day += 1) {
    await act(service, vat_jti, { action: 'buy', spend_usd: 2 })
    service.clock.advance(DAY_MS)
  }
  return { service, vat_jti }
}

describe('an alert', () => {
  test('fires once per window, says why, and appears in the log and in the list', async (context) => {
    const service = await aTestApp(context)
    const { rule_id } = await aRule(service, { name: 'Many denials' })
    const vat_jti = await aToken(service)
    await deny(service, vat_jti, 3)
    await service.watchAlerts()
    assert.deepEqual(await alerts(service), [])
    await deny(service, vat_jti, 2)
    await service.watchAlerts()
    await deny(service, vat_jti, 5)
    await service.watchAlerts()
    const [alert, ...others] = await alerts(service)
    assert.deepEqual(others, [])
    assert.equal(alert.rule_id, rule_id)
    assert.equal(alert.agent_id, 'agent:one')
    assert.equal(alert.explanation, '5 denials in 5 minutes; usual is none')
    const [leaf, ...more] = await leavesOf(service, 'alert.fired')
    assert.deepEqual(more, [])
    assert.deepEqual([leaf?.rule_id, leaf?.effect, leaf?.agent_id], [rule_id, 'notify', 'agent:one'])
    assert.equal((await act(service, vat_jti)).status, 200)
  })

  test('fires again in the next window if the condition still holds', async (context) => {
    const service = await aTestApp(context)
    await aRule(service, { window_minutes: 60 })
    const vat_jti = await aToken(service)
    for (let hour = 0; hour < 3; hour += 1) {
      await deny(service, vat_jti, 4)
      await service.watchAlerts()
      service.clock.advance(HOUR_MS)
    }
    assert.equal((await alerts(service)).length, 3)
  })

  test('fires again in the same window after its rule was changed, now with the new effect', async (context) => {
    const service = await aTestApp(context)
    const { rule_id } = await aRule(service)
    const vat_jti = await aToken(service)
    await deny(service, vat_jti, 4)
    await service.watchAlerts()
    const change = { method: 'PATCH', url: `/v1/vat/alerts/rules/${rule_id}` } as const
    service.clock.advance(1)
    const changed = await service.app.inject({ ...change, payload: { effect: 'suspend' } })
    assert.equal(changed.statusCode, 200, changed.body)
    service.clock.advance(MINUTE_MS)
    for (let round = 0; round < 2; round += 1) {
      await deny(service, vat_jti, 4)
      await service.watchAlerts()
    }
    const effects = (await alerts(service)).map(({ effect }: { effect: string }) => effect)
    assert.deepEqual(effects, ['suspend', 'notify'])
    assert.deepEqual((await act(service, vat_jti)).body.reasons, ['agent_suspended'])
  })

  test('that suspends names its reason, and an operator can resume the agent', async (context) => {
    const service = await aTestApp(context)
    await aRule(service, { name: 'Burst', effect: 'suspend' })
    const vat_jti = await aToken(service)
    await deny(service, vat_jti, 20)
    await service.watchAlerts()
    const refused = await act(service, vat_jti)
    assert.equal(refused.status, 403)
    assert.deepEqual(refused.body.reasons, ['agent_suspended'])
    const { body: agent } = await service.get('/v1/vat/agents/one')
    assert.equal(agent.suspended_by, 'person')
    assert.equal(agent.suspend_reason, 'Alert "Burst": 20 denials in 5 minutes; usual is none')
    assert.equal((await leavesOf(service, 'agent.suspended')).length, 1)
    assert.equal((await service.post('/v1/vat/agents/one/resume', {})).status, 200)
    assert.equal((await act(service, vat_jti)).status, 200)
  })

  test('that asks requires approval for every action, also of delegated agents, until it ends', async (context) => {
    const service = await aTestApp(context)
    await aRule(service, { effect: 'ask', ask_minutes: 10 })
    const vat_jti = await aToken(service)
    const { body: child } = await service.post('/v1/vat/delegate', { vat_jti, agent_id: 'two' })
    await deny(service, vat_jti, 4)
    await service.watchAlerts()
    for (const jti of [vat_jti, child.jti]) {
      const asked = await act(service, jti)
      assert.deepEqual(asked.body.reasons, ['approval_required'])
      const { approval_id } = asked.body
      assert.equal((await service.post(`/v1/vat/approvals/${approval_id}/approve`, {})).status, 200)
      assert.equal((await act(service, jti, { approval_id })).status, 200)
      // The token has no rule that lets a habit decide.
      assert.deepEqual((await act(service, jti)).body.reasons, ['approval_required'])
    }
    service.clock.advance(10 * MINUTE_MS)
    assert.equal((await act(service, vat_jti)).status, 200)
  })

  test('that asks suspends a token that settles an action above the approved amount', async (context) => {
    const service = await aTestApp(context)
    await aRule(service, { effect: 'ask', ask_minutes: 10 })
    const vat_jti = await aToken(service)
    await deny(service, vat_jti, 4)
    await service.watchAlerts()
    const ask = { vat_jti, action: 'buy', resource: 'shop:orders', spend_usd: 1 }
    const { approval_id } = (await service.post('/v1/vat/authorize', ask)).body
    assert.equal((await service.post(`/v1/vat/approvals/${approval_id}/approve`, {})).status, 200)
    const { aar_id } = (await service.post('/v1/vat/authorize', { ...ask, approval_id })).body
    const outcome = { result: 'success', spend_usd: 1_000_000 }
    assert.equal((await service.post(`/v1/vat/aar/${aar_id}/complete`, outcome)).body.exceeded, true)
    assert.equal((await service.get(`/v1/vat/tokens/${vat_jti}`)).body.status, 'suspended')
  })

  test('counts only events since its rule was created, and only of the agent that the rule names', async (context) => {
    const service = await aTestApp(context)
    const vat_jti = await aToken(service)
    const other = await aToken(service, { agent_id: 'other' })
    await deny(service, vat_jti, 9)
    service.clock.advance(10 * MINUTE_MS)
    await aRule(service, { agent_id: 'one' })
    await deny(service, other, 9)
    await service.watchAlerts()
    assert.deepEqual(await alerts(service), [])
  })

  test('counts nothing from the minute in which its rule was created or changed, nor from before', async (context) => {
    const service = await aTestApp(context)
    const vat_jti = await aToken(service)
    service.clock.advance(20_000)
    await deny(service, vat_jti, 9)
    const { rule_id } = await aRule(service, { condition: { ...BURST, within_minutes: 60 } })
    const rejected = await act(service, vat_jti)
    await service.post(`/v1/vat/aar/${rejected.body.aar_id}/feedback`, { rating: 'rejected' })
    await aRule(service, { condition: { kind: 'rejected' } })
    await service.watchAlerts()
    service.clock.advance(MINUTE_MS)
    await deny(service, vat_jti, 3)
    await service.watchAlerts()
    assert.deepEqual(await alerts(service), [])
    const url = `/v1/vat/alerts/rules/${rule_id}`
    const condition = { ...BURST, within_minutes: 60, more_than: 2 }
    assert.equal((await service.app.inject({ method: 'PATCH', url, payload: { condition } })).statusCode, 200)
    await service.watchAlerts()
    const { outcome } = await service.submit({
      kind: 'fire_alert',
      rule_id,
      agent_id: 'one',
      at_ms: service.clock() - MINUTE_MS,
      explanation: 'found by the rule before its change',
    })
    assert.deepEqual(outcome, { fired: false })
    service.clock.advance(MINUTE_MS)
    await deny(service, vat_jti, 3)
    await service.watchAlerts()
    const [fired, ...others] = await alerts(service)
    assert.deepEqual(others, [])
    assert.equal(fired.explanation, '3 denials in 60 minutes; usual is none')
  })

  test('is the same on every node, and only one node records it', async (context) => {
    const closing: (() => void | Promise<void>)[] = []
    const scope = { after: (close: () => void | Promise<void>) => closing.unshift(close) }
    const service = await aTestApp(scope)
    const second = await aTestApp(scope, { node_of: service })
    context.after(async () => {
      for (const close of closing) await close() // the second node first
    })
    await aRule(service, { effect: 'suspend' })
    await deny(service, await aToken(service), 20)
    await Promise.all([service.watchAlerts(), second.watchAlerts(), service.watchAlerts()])
    assert.equal((await leavesOf(service, 'alert.fired')).length, 1)
    assert.equal((await leavesOf(service, 'agent.suspended')).length, 1)
  })

  test('fires for what shows only after the end of its minute, or on a node whose clock is ahead', async (context) => {
    const service = await aTestApp(context)
    await aRule(service)
    const vat_jti = await aToken(service)
    const { reader, clerk } = service.context
    let ahead_ms = 2_000
    const watch = new AlertWatch({ reader, clerk, clock: () => service.clock() + ahead_ms })
    service.clock.advance(2 * MINUTE_MS - (service.clock() % MINUTE_MS) - 1_000)
    await watch.runOnce()
    await deny(service, vat_jti, 4)
    ahead_ms = 0
    service.clock.advance(10_000)
    await watch.runOnce()
    assert.equal((await alerts(service)).length, 1)
  })

  test('never fires for a rule that is disabled or deleted', async (context) => {
    const service = await aTestApp(context)
    const off = await aRule(service, { enabled: false })
    const gone = await aRule(service)
    assert.equal((await service.delete(`/v1/vat/alerts/rules/${gone.rule_id}`)).status, 200)
    await deny(service, await aToken(service), 9)
    await service.watchAlerts()
    assert.deepEqual(await alerts(service), [])
    const at_ms = service.clock() + MINUTE_MS
    const late = { kind: 'fire_alert', agent_id: 'one', at_ms, explanation: 'late' } as const
    for (const { rule_id } of [off, gone])
      assert.deepEqual((await service.submit({ ...late, rule_id })).outcome, { fired: false })
  })
})

describe('the rules about', () => {
  test('budgets, ratings and depth fire from the log', async (context) => {
    const service = await aTestApp(context)
    await aRule(service, { condition: { kind: 'budget', percent: 80 } })
    await aRule(service, { condition: { kind: 'rejected' } })
    await aRule(service, { condition: { kind: 'chain', deeper_than: 0 } })
    const vat_jti = await aToken(service, { constraints: { max_spend_usd: 10 } })
    const { body } = await act(service, vat_jti, { action: 'buy', spend_usd: 9 })
    await service.post(`/v1/vat/aar/${body.aar_id}/feedback`, { rating: 'rejected' })
    await service.post('/v1/vat/delegate', { vat_jti, agent_id: 'two' })
    await service.watchAlerts()
    const told = (await alerts(service)).map((alert: Record<string, unknown>) => alert.explanation)
    assert.deepEqual(told.sort(), [
      '1 action was rated rejected',
      'A budget reached 80 %',
      'A token at delegation depth 1; the rule allows 0',
    ])
  })

  test('habits compare with earlier days', async (context) => {
    const { service, vat_jti } = await withHabits(context)
    await aRule(service, { condition: { kind: 'new_use', of: 'resource' } })
    await aRule(service, { condition: { kind: 'spend_rate', times: 2, at_least_usd: 5 } })
    await act(service, vat_jti, { action: 'buy', resource: 'shop:vault', spend_usd: 50 })
    service.clock.advance(12 * HOUR_MS)
    await aRule(service, { condition: { kind: 'unusual_hours' } })
    await act(service, vat_jti, { action: 'buy' })
    await service.watchAlerts()
    const told = (await alerts(service))
      .map((alert: Record<string, unknown>) => String(alert.explanation))
      .sort()
    assert.equal(told.length, 3, JSON.stringify(told))
    assert.equal(told[0], '$50.00 in one hour; usual is $0.00 to $2.00')
    assert.match(
      String(told[1]),
      /^Actions between \d\d:00 and \d\d:59 UTC; in 28 days it acted in 1 other hour/,
    )
    assert.equal(told[2], 'First use of the resource shop:vault, after 8 days with actions')
  })
})

describe('an agent that does nothing but spend', () => {
  const SPENDING = { kind: 'spend_rate', times: 2, at_least_usd: 5 }

  async function firedBehindACrowd(context: TestContext, about: { readonly agent_id?: string }) {
    const { service, vat_jti } = await withHabits(context)
    await aRule(service, { condition: SPENDING, ...about })
    await act(service, vat_jti, { action: 'buy', spend_usd: 50 })
    for (let crowd = 0; crowd < 7; crowd += 1)
      await deny(service, await aToken(service, { agent_id: `noise-${crowd}` }), 2)
    const { reader, clerk } = service.context
    await new AlertWatch({ reader, clerk, clock: service.clock, page: 3 }).runOnce()
    const fired = await alerts(service)
    return fired.map(({ agent_id, explanation }: Record<string, unknown>) => [agent_id, explanation])
  }

  const FOUND = [['agent:one', '$50.00 in one hour; usual is $0.00 to $2.00']]

  test('is found by a rule for all agents behind many agents with more denials', async (context) => {
    assert.deepEqual(await firedBehindACrowd(context, {}), FOUND)
  })

  test('is found by a rule for that agent behind many agents with more denials', async (context) => {
    assert.deepEqual(await firedBehindACrowd(context, { agent_id: 'one' }), FOUND)
  })

  test('is listed once, whatever the page size', async (context) => {
    const service = await aTestApp(context)
    for (let agent = 0; agent < 7; agent += 1) {
      const vat_jti = await aToken(service, { agent_id: `n-${agent}` })
      await deny(service, vat_jti, 1 + (agent % 3))
    }
    const { stats } = service.context.reader
    const query = { tenant_id: 'default', unit: 'minute', from: 0 } as const
    const found: string[] = []
    for (let after = ''; ; ) {
      const page = await stats.activeSince({ ...query, limit: 2, after })
      found.push(...page)
      const last = page.at(-1)
      if (last === undefined) break
      after = last
    }
    assert.deepEqual(found.toSorted(), (await stats.activeSince({ ...query, limit: 100 })).toSorted())
    assert.equal(found.length, 7)
    const [one = ''] = found
    assert.deepEqual(await stats.activeSince({ ...query, limit: 100, agent_id: one }), [one])
  })
})

describe('a dry run', () => {
  test('finds what a rule would have fired, and stores nothing', async (context) => {
    const service = await aTestApp(context)
    const vat_jti = await aToken(service)
    for (let day = 0; day < 3; day += 1) {
      await deny(service, vat_jti, 5)
      service.clock.advance(DAY_MS)
    }
    const size = await service.logSize()
    const { count, data } = await dryRun(service, BURST)
    assert.equal(count, 3)
    assert.equal(data[1].explanation, '5 denials in 5 minutes; usual is 0 to 5')
    assert.equal(await service.logSize(), size)
    assert.equal((await dryRun(service, { ...BURST, more_than: 5 })).count, 0)
    assert.equal((await dryRun(service, BURST, { agent_id: 'nobody' })).count, 0)
  })

  test('reports exactly the alerts that fired', async (context) => {
    const service = await aTestApp(context)
    await aRule(service, { window_minutes: 30 })
    const vat_jti = await aToken(service)
    for (const [denials, minutes] of [
      [4, 1],
      [2, 3],
      [3, 40],
      [5, 20],
      [1, 5],
      [4, 30],
    ] as const) {
      await deny(service, vat_jti, denials)
      await service.watchAlerts()
      service.clock.advance(minutes * MINUTE_MS)
    }
    const fired = (await alerts(service)).map(({ at }: { at: string }) => at).reverse()
    const { data } = await dryRun(service, BURST, { window_minutes: 30 })
    assert.deepEqual(
      data.map(({ at }: { at: string }) => at),
      fired,
    )
    assert.equal(fired.length > 2, true)
  })
})

describe('alert rules', () => {
  test('are created, listed, changed and deleted', async (context) => {
    const service = await aTestApp(context)
    const made = await aRule(service)
    const path = `/v1/vat/alerts/rules/${made.rule_id}`
    assert.deepEqual((await service.get(path)).body, made)
    const changed = await service.app.inject({
      method: 'PATCH',
      url: path,
      payload: { effect: 'suspend', enabled: false },
    })
    assert.equal(changed.statusCode, 200, changed.body)
    assert.deepEqual(
      [changed.json().effect, changed.json().enabled, changed.json().name],
      ['suspend', false, 'a rule'],
    )
    assert.equal((await service.get('/v1/vat/alerts/rules')).body.data.length, 1)
    assert.equal((await service.delete(path)).body.deleted, true)
    assert.equal((await service.get(path)).body.code, 'rule_unknown')
    assert.equal((await service.delete(path)).body.code, 'rule_unknown')
  })

  test('that are suggested only notify, and are created only once', async (context) => {
    const service = await aTestApp(context)
    const { body } = await service.post('/v1/vat/alerts/rules/suggested')
    assert.equal(body.data.length, 8)
    assert.deepEqual([...new Set(body.data.map(({ effect }: { effect: string }) => effect))], ['notify'])
    assert.deepEqual((await service.post('/v1/vat/alerts/rules/suggested')).body.data, [])
  })

  test('must have exactly the members of their condition', async (context) => {
    const service = await aTestApp(context)
    const refused: readonly [object, string][] = [
      [{ kind: 'denials', more_than: 3 }, '/condition/within_minutes'],
      [{ kind: 'rejected', percent: 50 }, '/condition/percent'],
      [{ kind: 'budget', percent: 51 }, '/condition/percent'],
      [{ kind: 'moon' }, '/condition/kind'],
    ]
    for (const [condition, pointer] of refused) {
      const answer = await service.post('/v1/vat/alerts/rules', { name: 'x', condition, effect: 'notify' })
      assert.equal(answer.status, 400)
      assert.equal(answer.body.errors[0].pointer, pointer)
    }
  })

  test('are limited to 50, and a repeated request creates one', async (context) => {
    const service = await aTestApp(context)
    const request = { name: 'x', condition: BURST, effect: 'notify' }
    const headers = { 'idempotency-key': 'once' }
    const first = await service.post('/v1/vat/alerts/rules', request, headers)
    const second = await service.post('/v1/vat/alerts/rules', request, headers)
    assert.deepEqual(second.body, first.body)
    for (let number = 1; number < 50; number += 1) await aRule(service)
    const answer = await service.post('/v1/vat/alerts/rules', request)
    assert.equal(answer.body.code, 'too_many_rules')
    assert.deepEqual((await service.post('/v1/vat/alerts/rules', request, headers)).body, first.body)
  })
})
