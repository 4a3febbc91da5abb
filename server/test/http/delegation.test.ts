import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { type Answer, aTestApp, type TestApp } from '@deputize/testing/a-test-app.ts'
import { anIssueRequest } from '@deputize/testing/an-issue-request.ts'
import { createLocalJWKSet, jwtVerify } from 'jose'

const HOUR_MS = 3_600_000

/** A root token that allows delegation. */
async function aRoot(service: TestApp, changes: Record<string, unknown> = {}) {
  const request = anIssueRequest({ actions: ['read', 'write', 'delegate'], ...changes })
  const { status, body } = await service.post('/v1/vat/issue/l1', request)
  assert.equal(status, 200, JSON.stringify(body))
  return body
}

const delegate = (service: TestApp, vat_jti: string, changes: Record<string, unknown> = {}) =>
  service.post('/v1/vat/delegate', { vat_jti, agent_id: 'sub-bot', ...changes })

async function aChild(service: TestApp, vat_jti: string, changes: Record<string, unknown> = {}) {
  const { status, body } = await delegate(service, vat_jti, changes)
  assert.equal(status, 201, JSON.stringify(body))
  return body
}

const authorize = (service: TestApp, vat_jti: string, changes: Record<string, unknown> = {}) =>
  service.post('/v1/vat/authorize', { vat_jti, action: 'read', resource: 'calendar:events', ...changes })

/** The reasons of a denial; empty if authorized. */
async function reasonsOf(answer: Promise<Answer>): Promise<string[]> {
  const { status, body } = await answer
  assert.equal(status, 200, JSON.stringify(body))
  return body.authorized ? [] : body.reasons
}

const refused = ({ status, body }: Answer) => [status, body.code]

describe('a delegated token', () => {
  test("names its parent, depth, actors, trust score and the hash of the parent's exact text", async (context) => {
    const service = await aTestApp(context)
    const root = await aRoot(service)
    const child = await aChild(service, root.jti, { actions: ['read', 'delegate'], purpose: 'summaries' })
    const grandchild = await aChild(service, child.jti, { agent_id: 'third-bot' })

    assert.match(child.jti, /^vat_sub_/)
    assert.deepEqual([child.parent_jti, child.root_jti, child.delegation_depth], [root.jti, root.jti, 1])
    assert.deepEqual(
      [grandchild.parent_jti, grandchild.root_jti, grandchild.delegation_depth],
      [child.jti, root.jti, 2],
    )
    assert.equal(child.provenance_ref, root.provenance_ref)
    const { claims } = grandchild
    assert.equal(claims.sub, 'agent:third-bot')
    assert.deepEqual(claims.act, { sub: 'agent:sub-bot', act: { sub: 'agent:calendar-bot' } })
    assert.equal(
      claims.svc_parent_hash,
      `sha256:${createHash('sha256').update(child.compact_jwt).digest('hex')}`,
    )
    assert.deepEqual([child.claims.svc_trust_score, claims.svc_trust_score], [0.36, 0.324])
    for (const name of ['svc_human_ref', 'svc_assurance_level', 'svc_provenance_ref', 'iss'])
      assert.equal(claims[name], root.claims[name], name)
  })

  test('verifies with public tools and carries the claims in the answer', async (context) => {
    const service = await aTestApp(context)
    const child = await aChild(service, (await aRoot(service)).jti)
    const keySet = createLocalJWKSet((await service.get('/.well-known/jwks.json')).body)
    const { payload } = await jwtVerify(child.compact_jwt, keySet, {
      currentDate: new Date(service.clock()),
      typ: 'vat+jwt',
    })
    assert.deepEqual(payload, child.claims)
  })

  test('inherits omitted lists, except the right to delegate', async (context) => {
    const service = await aTestApp(context)
    const root = await aRoot(service)
    const { claims } = await aChild(service, root.jti)
    assert.deepEqual(claims.svc_scope, {
      resources: root.claims.svc_scope.resources,
      actions: ['read', 'write'],
    })
    const named = await aChild(service, root.jti, { actions: ['delegate'] })
    assert.deepEqual(named.claims.svc_scope.actions, ['delegate'])
  })

  test('expires after an hour or with its parent', async (context) => {
    const service = await aTestApp(context)
    const root = await aRoot(service, { expires_in: 5400 })
    const first = await aChild(service, root.jti)
    assert.equal(first.claims.exp - first.claims.iat, 3600)
    service.clock.advance(HOUR_MS)
    const second = await aChild(service, root.jti)
    assert.equal(second.claims.exp, root.claims.exp)
  })

  test('acts with its own trust score and depth, and counts in the workflow of the root', async (context) => {
    const service = await aTestApp(context)
    const root = await aRoot(service)
    const child = await aChild(service, root.jti)
    const { body } = await authorize(service, child.jti)
    assert.deepEqual([body.trust_score, body.delegation_depth], [0.36, 1])
    const record = (await service.get(`/v1/vat/aar/${body.aar_id}`)).body
    assert.deepEqual([record.root_jti, record.agent_id], [root.jti, 'agent:sub-bot'])
    const workflow = (await service.get(`/v1/vat/aar/provenance/${root.provenance_ref}`)).body
    assert.equal(workflow.total_records, 1)
    assert.equal((await service.get(`/v1/vat/tokens/${root.jti}`)).body.total_actions, 1)
  })

  test('lists its chain, and is listed among the descendants of its ancestors', async (context) => {
    const service = await aTestApp(context)
    const root = await aRoot(service)
    const child = await aChild(service, root.jti, { actions: ['read', 'delegate'] })
    const grandchild = await aChild(service, child.jti)
    const jtis = async (path: string) =>
      (await service.get(path)).body.data.map(({ jti }: { jti: string }) => jti)
    assert.deepEqual(await jtis(`/v1/vat/tokens/${grandchild.jti}/chain`), [
      grandchild.jti,
      child.jti,
      root.jti,
    ])
    assert.deepEqual(await jtis(`/v1/vat/tokens/${root.jti}/descendants`), [child.jti, grandchild.jti])
    assert.deepEqual(await jtis(`/v1/vat/tokens/${grandchild.jti}/descendants`), [])
  })

  test('is issued once per Idempotency-Key', async (context) => {
    const service = await aTestApp(context)
    const root = await aRoot(service)
    const body = { vat_jti: root.jti, agent_id: 'sub-bot' }
    const first = await service.post('/v1/vat/delegate', body, { 'idempotency-key': 'k' })
    const second = await service.post('/v1/vat/delegate', body, { 'idempotency-key': 'k' })
    assert.deepEqual([second.status, second.body], [201, first.body])
    assert.equal(second.headers['idempotency-replayed'], 'true')
  })
})

describe('a delegation', () => {
  test('that widens is refused with every entry that the parent lacks', async (context) => {
    const service = await aTestApp(context)
    const root = await aRoot(service, {
      audience: 'https://a.example',
      expires_in: 600,
      constraints: {
        max_spend_usd: 1,
        max_spend_per_action_usd: 0.5,
        max_actions: 5,
        max_actions_per_minute: 2,
        min_reputation: 0.4,
        max_delegation_depth: 2,
        allowed_audiences: ['https://a.example'],
        expires_at: '2027-01-01T01:00:00Z',
        not_before: '2026-12-01T00:00:00Z',
        x_region: 'eu',
      },
    })
    const wider = {
      resources: ['calendar:events', 'calendar:*', 'files:all'],
      actions: ['read', 'delete'],
      expires_in: 601,
      audience: 'https://b.example',
      constraints: {
        max_spend_usd: 1.000001,
        max_spend_per_action_usd: 0.6,
        max_actions: 6,
        max_actions_per_minute: 3,
        min_reputation: 0.3,
        max_delegation_depth: 2,
        allowed_audiences: ['https://a.example', 'https://b.example'],
        expires_at: '2027-01-01T01:00:01Z',
        not_before: '2026-11-01T00:00:00Z',
        x_region: 'us',
      },
    }
    const answer = await delegate(service, root.jti, wider)
    assert.deepEqual(refused(answer), [403, 'scope_widening'])
    assert.deepEqual([...answer.body.widening].sort(), [
      'allowed_audiences: https://b.example',
      'audience: https://b.example',
      'calendar:*',
      'delete',
      'expires_at',
      'expires_in',
      'files:all',
      'max_actions',
      'max_actions_per_minute',
      'max_delegation_depth',
      'max_spend_per_action_usd',
      'max_spend_usd',
      'min_reputation',
      'not_before',
      'x_region',
    ])
    const preview = await service.post('/v1/vat/delegate/preview', {
      vat_jti: root.jti,
      agent_id: 'b',
      ...wider,
    })
    assert.deepEqual(preview.body.widening, answer.body.widening)
    assert.equal(preview.body.allowed, false)
  })

  test('from a pattern may name anything the pattern covers, and nothing in another namespace', async (context) => {
    const service = await aTestApp(context)
    const root = await aRoot(service, { resources: ['calendar:*'] })
    await aChild(service, root.jti, { resources: ['calendar:*'] })
    await aChild(service, root.jti, { resources: ['calendar:events'] })
    const answer = await delegate(service, root.jti, { resources: ['calendars:events'] })
    assert.deepEqual(answer.body.widening, ['calendars:events'])
  })

  test('requires the action delegate', async (context) => {
    const service = await aTestApp(context)
    const root = await aRoot(service, { actions: ['read'] })
    assert.deepEqual(refused(await delegate(service, root.jti)), [403, 'delegation_not_allowed'])
  })

  test('stops at max_delegation_depth, which decreases with each link', async (context) => {
    const service = await aTestApp(context)
    const root = await aRoot(service, { constraints: { max_delegation_depth: 2 } })
    const actions = ['read', 'delegate']
    const first = await aChild(service, root.jti, { actions })
    assert.equal(first.claims.svc_constraints.max_delegation_depth, 1)
    const second = await aChild(service, first.jti, { actions })
    assert.deepEqual(refused(await delegate(service, second.jti)), [403, 'delegation_not_allowed'])
    const none = await aRoot(service, { constraints: { max_delegation_depth: 0 } })
    assert.deepEqual(refused(await delegate(service, none.jti)), [403, 'delegation_not_allowed'])
  })

  test('stops ten links below the root', async (context) => {
    const service = await aTestApp(context)
    let jti = (await aRoot(service)).jti
    for (let depth = 1; depth <= 10; depth++) {
      const child = await aChild(service, jti, { actions: ['read', 'delegate'] })
      assert.equal(child.delegation_depth, depth)
      jti = child.jti
    }
    assert.deepEqual(refused(await delegate(service, jti)), [403, 'delegation_not_allowed'])
    assert.deepEqual(await reasonsOf(authorize(service, jti)), [])
  })

  test('from a token that holds only delegate must name the actions of the child', async (context) => {
    const service = await aTestApp(context)
    const root = await aRoot(service, { actions: ['delegate'] })
    assert.deepEqual(refused(await delegate(service, root.jti)), [403, 'delegation_not_allowed'])
    await aChild(service, root.jti, { actions: ['delegate'] })
  })

  test('requires a live parent, and so does its preview', async (context) => {
    const service = await aTestApp(context)
    const dead: Record<string, { jti: string; kill: () => Promise<unknown> }> = {}
    for (const reason of ['token_revoked', 'token_suspended', 'agent_suspended', 'token_expired']) {
      const { jti } = await aRoot(service, { agent_id: reason, expires_in: 7200 })
      const kill = {
        token_revoked: () => service.post('/v1/vat/revoke', { vat_jti: jti }),
        token_suspended: () => service.post(`/v1/vat/tokens/${jti}/suspend`),
        agent_suspended: () => service.post(`/v1/vat/agents/${reason}/suspend`),
      }[reason]
      dead[reason] = { jti, kill: kill ?? (async () => service.clock.advance(2 * HOUR_MS)) }
    }
    for (const [reason, { jti, kill }] of Object.entries(dead)) {
      const middle = await aChild(service, jti, { actions: ['read', 'delegate'], expires_in: 7200 })
      await kill()
      for (const vat_jti of [jti, middle.jti]) {
        const answer = await delegate(service, vat_jti)
        assert.deepEqual([...refused(answer), answer.body.reasons], [403, 'token_not_live', [reason]], reason)
        const preview = await service.post('/v1/vat/delegate/preview', { vat_jti, agent_id: 'sub-bot' })
        assert.deepEqual([preview.body.allowed, preview.body.reasons], [false, [reason]])
      }
    }
  })

  test('from a revoked parent is refused for that, whatever else is wrong with the request', async (context) => {
    const service = await aTestApp(context)
    const { jti } = await aRoot(service)
    await service.post('/v1/vat/revoke', { vat_jti: jti })
    const wider = await delegate(service, jti, { resources: ['payments:*'] })
    assert.deepEqual([...refused(wider), wider.body.reasons], [403, 'token_not_live', ['token_revoked']])
  })

  test('before the parent becomes valid is refused', async (context) => {
    const service = await aTestApp(context)
    const root = await aRoot(service, { constraints: { not_before: '2027-01-01T00:30:00Z' } })
    const answer = await delegate(service, root.jti)
    assert.deepEqual(
      [...refused(answer), answer.body.reasons],
      [403, 'token_not_live', ['token_not_yet_valid']],
    )
  })

  test('to a suspended agent is refused, and the preview reports it', async (context) => {
    const service = await aTestApp(context)
    const root = await aRoot(service)
    await service.post('/v1/vat/agents', { agent_id: 'sub-bot' })
    await service.post('/v1/vat/agents/sub-bot/suspend')
    const answer = await delegate(service, root.jti)
    assert.deepEqual([...refused(answer), answer.body.reasons], [403, 'token_not_live', ['agent_suspended']])
    const preview = await service.post('/v1/vat/delegate/preview', { vat_jti: root.jti, agent_id: 'sub-bot' })
    assert.deepEqual([preview.body.allowed, preview.body.reasons], [false, ['agent_suspended']])
    await service.post('/v1/vat/agents/sub-bot/resume')
    await aChild(service, root.jti)
  })

  test('matches its preview, which stores nothing', async (context) => {
    const service = await aTestApp(context)
    const root = await aRoot(service, { constraints: { max_spend_usd: 2, max_delegation_depth: 3 } })
    const body = { vat_jti: root.jti, agent_id: 'sub-bot', constraints: { max_spend_usd: 1 } }
    const before = await service.logSize()
    const preview = (await service.post('/v1/vat/delegate/preview', body)).body
    assert.equal(await service.logSize(), before)
    assert.equal((await service.get('/v1/vat/agents/sub-bot')).body.code, 'agent_unknown')
    assert.deepEqual([preview.allowed, preview.widening, preview.reasons], [true, [], []])
    const { claims } = (await service.post('/v1/vat/delegate', body)).body
    assert.deepEqual(preview.child, {
      agent_id: claims.sub,
      ...claims.svc_scope,
      constraints: claims.svc_constraints,
      delegation_depth: 1,
      trust_score: claims.svc_trust_score,
      expires_at: new Date(claims.exp * 1000).toISOString(),
    })
    const leaf = await aRoot(service, { actions: ['read'] })
    const obstacle = await service.post('/v1/vat/delegate/preview', { vat_jti: leaf.jti, agent_id: 'x' })
    assert.deepEqual([obstacle.body.allowed, typeof obstacle.body.obstacle], [false, 'string'])
    const unknown = await service.post('/v1/vat/delegate/preview', { vat_jti: 'vat_root_x', agent_id: 'x' })
    assert.deepEqual(refused(unknown), [404, 'token_unknown'])
  })
})

describe('the constraints of an ancestor apply to all its descendants', () => {
  test('max_spend_usd is one budget shared by the parent and all its children', async (context) => {
    const service = await aTestApp(context)
    const root = await aRoot(service, { constraints: { max_spend_usd: 1 } })
    const [a, b] = [await aChild(service, root.jti), await aChild(service, root.jti)]
    assert.deepEqual(await reasonsOf(authorize(service, a.jti, { spend_usd: 0.6 })), [])
    assert.deepEqual(await reasonsOf(authorize(service, b.jti, { spend_usd: 0.400001 })), ['budget_exceeded'])
    assert.deepEqual(await reasonsOf(authorize(service, b.jti, { spend_usd: 0.3 })), [])
    assert.deepEqual(await reasonsOf(authorize(service, root.jti, { spend_usd: 0.2 })), ['budget_exceeded'])
    const { body } = await service.get(`/v1/vat/tokens/${b.jti}/budget`)
    assert.deepEqual([body.reserved_usd, body.remaining_usd], [0.3, 0.7])
    assert.deepEqual(body.tightest, {
      jti: root.jti,
      allocated_usd: 1,
      spent_usd: 0,
      reserved_usd: 0.9,
      remaining_usd: 0.1,
    })
  })

  test('budget that a child releases is available to its sibling', async (context) => {
    const service = await aTestApp(context)
    const root = await aRoot(service, { constraints: { max_spend_usd: 1 } })
    const [a, b] = [await aChild(service, root.jti), await aChild(service, root.jti)]
    const { aar_id } = (await authorize(service, a.jti, { spend_usd: 1 })).body
    assert.deepEqual(await reasonsOf(authorize(service, b.jti, { spend_usd: 1 })), ['budget_exceeded'])
    await service.post(`/v1/vat/aar/${aar_id}/cancel`)
    assert.deepEqual(await reasonsOf(authorize(service, b.jti, { spend_usd: 1 })), [])
  })

  test('max_spend_per_action_usd limits each action of a descendant', async (context) => {
    const service = await aTestApp(context)
    const root = await aRoot(service, { constraints: { max_spend_per_action_usd: 0.1 } })
    const child = await aChild(service, root.jti)
    assert.deepEqual(await reasonsOf(authorize(service, child.jti, { spend_usd: 0.1 })), [])
    assert.deepEqual(await reasonsOf(authorize(service, child.jti, { spend_usd: 0.11 })), ['budget_exceeded'])
  })

  test('max_actions counts the actions of all descendants together', async (context) => {
    const service = await aTestApp(context)
    const root = await aRoot(service, { constraints: { max_actions: 2 } })
    const [a, b] = [await aChild(service, root.jti), await aChild(service, root.jti)]
    assert.deepEqual(await reasonsOf(authorize(service, a.jti)), [])
    assert.deepEqual(await reasonsOf(authorize(service, b.jti)), [])
    for (const jti of [a.jti, b.jti, root.jti])
      assert.deepEqual(await reasonsOf(authorize(service, jti)), ['action_limit'])
  })

  test('max_actions_per_minute counts per clock minute', async (context) => {
    const service = await aTestApp(context)
    const root = await aRoot(service, { constraints: { max_actions_per_minute: 1 } })
    const [a, b] = [await aChild(service, root.jti), await aChild(service, root.jti)]
    assert.deepEqual(await reasonsOf(authorize(service, a.jti)), [])
    assert.deepEqual(await reasonsOf(authorize(service, b.jti)), ['rate_limit'])
    service.clock.advance(60_000)
    assert.deepEqual(await reasonsOf(authorize(service, b.jti)), [])
  })

  test('active_hours of the parent apply regardless of the hours of the child', async (context) => {
    const service = await aTestApp(context)
    const hours = (from: string, to: string) => ({ active_hours: { time_zone: 'UTC', from, to } })
    const root = await aRoot(service, { constraints: hours('01:00', '02:00') })
    const inherits = await aChild(service, root.jti, { expires_in: 10_800 })
    const own = await aChild(service, root.jti, { expires_in: 10_800, constraints: hours('00:00', '24:00') })
    for (const { jti } of [inherits, own])
      assert.deepEqual(await reasonsOf(authorize(service, jti)), ['outside_hours'])
    service.clock.advance(HOUR_MS)
    for (const { jti } of [inherits, own]) assert.deepEqual(await reasonsOf(authorize(service, jti)), [])
    service.clock.advance(HOUR_MS)
    assert.deepEqual(await reasonsOf(authorize(service, own.jti)), ['outside_hours'])
  })

  test('min_reputation applies to the acting agent', async (context) => {
    const service = await aTestApp(context)
    const free = await aRoot(service)
    for (let n = 0; n < 6; n += 1) {
      const { body } = await authorize(service, free.jti)
      await service.post(`/v1/vat/aar/${body.aar_id}/feedback`, { rating: 'approved' })
    }
    const root = await aRoot(service, { constraints: { min_reputation: 0.5 } })
    const child = await aChild(service, root.jti)
    assert.deepEqual(await reasonsOf(authorize(service, child.jti)), ['reputation_too_low'])
    assert.deepEqual(await reasonsOf(authorize(service, root.jti)), [])
  })

  test('allowed_audiences limit the audience of a child', async (context) => {
    const service = await aTestApp(context)
    const root = await aRoot(service, { constraints: { allowed_audiences: ['https://a.example'] } })
    const child = await aChild(service, root.jti, { audience: 'https://a.example' })
    assert.equal(child.claims.aud, 'https://a.example')
    const answer = await delegate(service, root.jti, { audience: 'https://b.example' })
    assert.deepEqual(answer.body.widening, ['audience: https://b.example'])
  })

  test('allowed_audiences that leave out the audience of the same token are refused', async (context) => {
    const service = await aTestApp(context)
    const constraints = { allowed_audiences: ['https://a.example'] }
    const request = anIssueRequest({ audience: 'https://b.example', constraints })
    const free = await aRoot(service)
    const bound = await aRoot(service, { audience: 'https://b.example' })
    const pointerOf = ({ body }: Answer) => body.errors?.[0].pointer
    const issued = await service.post('/v1/vat/issue/l1', request)
    assert.equal(pointerOf(issued), '/audience')
    const named = await delegate(service, free.jti, { audience: 'https://b.example', constraints })
    assert.equal(pointerOf(named), '/audience')
    for (const path of ['/v1/vat/delegate', '/v1/vat/delegate/preview']) {
      const asked = { vat_jti: bound.jti, agent_id: 'sub-bot', constraints }
      assert.equal(pointerOf(await service.post(path, asked)), '/constraints/allowed_audiences')
    }
    await aChild(service, free.jti, { audience: 'https://a.example', constraints })
  })

  test("a child's stricter constraints apply", async (context) => {
    const service = await aTestApp(context)
    const root = await aRoot(service, { constraints: { max_spend_usd: 1, max_actions: 10 } })
    const child = await aChild(service, root.jti, { constraints: { max_spend_usd: 0.1, max_actions: 1 } })
    assert.deepEqual(await reasonsOf(authorize(service, child.jti, { spend_usd: 0.2 })), ['budget_exceeded'])
    assert.deepEqual(await reasonsOf(authorize(service, child.jti, { spend_usd: 0.09 })), [])
    assert.deepEqual(await reasonsOf(authorize(service, child.jti)), ['action_limit'])
    assert.deepEqual(await reasonsOf(authorize(service, root.jti, { spend_usd: 0.9 })), [])
  })

  test('null does not remove a constraint', async (context) => {
    const service = await aTestApp(context)
    const root = await aRoot(service)
    for (const name of [
      'max_spend_usd',
      'max_spend_per_action_usd',
      'max_overrun_pct',
      'max_actions',
      'max_actions_per_minute',
      'not_before',
      'expires_at',
      'active_hours',
      'max_delegation_depth',
      'require_approval',
      'min_reputation',
      'allowed_audiences',
    ]) {
      const answer = await delegate(service, root.jti, { constraints: { [name]: null } })
      assert.deepEqual(refused(answer), [400, 'invalid_request'], name)
      assert.ok(answer.body.errors[0].pointer.startsWith(`/constraints/${name}`))
    }
    for (const name of ['resources', 'actions', 'constraints', 'expires_in', 'audience'])
      assert.deepEqual(
        refused(await delegate(service, root.jti, { [name]: null })),
        [400, 'invalid_request'],
        name,
      )
  })
})

describe('a renewed token', () => {
  const renew = (service: TestApp, vat_jti: string, expires_in: number) =>
    service.post('/v1/vat/renew', { vat_jti, expires_in })

  test('has the same scope and workflow, and outlives the token it renews', async (context) => {
    const service = await aTestApp(context)
    const root = await aRoot(service, { expires_in: 3600, constraints: { max_spend_usd: 1 } })
    const { status, body } = await renew(service, root.jti, 7200)
    assert.equal(status, 201)
    assert.match(body.jti, /^vat_root_/)
    assert.deepEqual([body.renews_jti, body.root_jti, body.delegation_depth], [root.jti, root.jti, 0])
    assert.equal(body.provenance_ref, root.provenance_ref)
    for (const name of ['sub', 'svc_scope', 'svc_constraints', 'svc_human_ref', 'svc_trust_score'])
      assert.deepEqual(body.claims[name], root.claims[name], name)
    service.clock.advance(HOUR_MS)
    assert.deepEqual(await reasonsOf(authorize(service, root.jti)), ['token_expired'])
    assert.deepEqual(await reasonsOf(authorize(service, body.jti)), [])
    const child = await aChild(service, body.jti)
    assert.deepEqual(await reasonsOf(authorize(service, child.jti)), [])
    service.clock.advance(HOUR_MS)
    assert.deepEqual(await reasonsOf(authorize(service, body.jti)), ['token_expired'])
  })

  test('shares its budget and counters with the old token, so a renewal doubles nothing', async (context) => {
    const service = await aTestApp(context)
    const root = await aRoot(service, { constraints: { max_spend_usd: 1, max_actions: 3 } })
    assert.deepEqual(await reasonsOf(authorize(service, root.jti, { spend_usd: 0.7 })), [])
    const { jti } = (await renew(service, root.jti, 7200)).body
    assert.deepEqual(await reasonsOf(authorize(service, jti, { spend_usd: 0.4 })), ['budget_exceeded'])
    assert.deepEqual(await reasonsOf(authorize(service, jti, { spend_usd: 0.2 })), [])
    assert.deepEqual(await reasonsOf(authorize(service, root.jti, { spend_usd: 0.2 })), ['budget_exceeded'])
    assert.deepEqual(await reasonsOf(authorize(service, root.jti)), [])
    assert.deepEqual(await reasonsOf(authorize(service, jti)), ['action_limit'])
  })

  test('is revoked and suspended with the old token', async (context) => {
    const service = await aTestApp(context)
    const root = await aRoot(service)
    const { jti } = (await renew(service, root.jti, 7200)).body
    await service.post(`/v1/vat/tokens/${root.jti}/suspend`)
    assert.deepEqual(await reasonsOf(authorize(service, jti)), ['token_suspended'])
    await service.post(`/v1/vat/tokens/${root.jti}/resume`)
    const { body } = await service.post('/v1/vat/revoke', { vat_jti: root.jti })
    assert.equal(body.revoked_count, 2)
    assert.deepEqual(await reasonsOf(authorize(service, jti)), ['token_revoked'])
    assert.deepEqual(refused(await renew(service, jti, 60)), [403, 'token_not_live'])
  })

  test('revokes the token that it renews when it is revoked, and the descendants of both', async (context) => {
    const service = await aTestApp(context)
    const root = await aRoot(service)
    const child = await aChild(service, root.jti)
    const first = (await renew(service, root.jti, 7200)).body
    const second = (await renew(service, first.jti, 7200)).body
    const ask = { vat_jti: second.jti }
    const preview = (await service.post('/v1/vat/revoke/preview', ask)).body
    assert.deepEqual([preview.jti, preview.live_tokens, preview.already_revoked], [second.jti, 4, false])
    const { body } = await service.post('/v1/vat/revoke', { ...ask, reason: 'done' })
    assert.deepEqual([body.jti, body.revoked_count, body.already_revoked], [second.jti, 4, false])
    for (const { jti } of [root, child, first, second])
      assert.deepEqual(await reasonsOf(authorize(service, jti)), ['token_revoked'])
    assert.deepEqual(refused(await renew(service, root.jti, 7200)), [403, 'token_not_live'])
    assert.equal((await service.post('/v1/vat/revoke', ask)).body.already_revoked, true)
    assert.equal((await service.post('/v1/vat/revoke/preview', ask)).body.already_revoked, true)
    assert.equal((await service.get(`/v1/vat/tokens/${second.jti}`)).body.revoke_reason, 'done')
  })

  test('is suspended and resumed together with the token that it renews', async (context) => {
    const service = await aTestApp(context)
    const root = await aRoot(service)
    const child = await aChild(service, root.jti)
    const { jti } = (await renew(service, root.jti, 7200)).body
    const reasons = () =>
      Promise.all([root.jti, child.jti, jti].map((one) => reasonsOf(authorize(service, one))))
    assert.equal((await service.post(`/v1/vat/tokens/${jti}/suspend`)).body.changed, true)
    assert.deepEqual(await reasons(), [['token_suspended'], ['token_suspended'], ['token_suspended']])
    assert.equal((await service.post(`/v1/vat/tokens/${jti}/suspend`)).body.changed, false)
    assert.equal((await service.post(`/v1/vat/tokens/${jti}/resume`)).body.changed, true)
    assert.deepEqual(await reasons(), [[], [], []])
    assert.equal((await service.post(`/v1/vat/tokens/${jti}/resume`)).body.changed, false)
  })

  test('expires within the limits of its assurance level and its parent', async (context) => {
    const service = await aTestApp(context)
    const root = await aRoot(service, { expires_in: 7200 })
    const child = await aChild(service, root.jti, { expires_in: 60 })
    const answer = await renew(service, child.jti, 7201)
    assert.deepEqual([...refused(answer), answer.body.widening], [403, 'scope_widening', ['expires_in']])
    const renewed = await renew(service, child.jti, 7200)
    assert.equal(renewed.status, 201)
    assert.match(renewed.body.jti, /^vat_sub_/)
    assert.deepEqual([renewed.body.delegation_depth, renewed.body.claims.svc_parent_jti], [1, root.jti])
    service.clock.advance(61_000)
    assert.deepEqual(await reasonsOf(authorize(service, renewed.body.jti)), [])
    assert.deepEqual(refused(await renew(service, root.jti, 2_592_001)), [400, 'invalid_request'])
    assert.equal((await renew(service, root.jti, 2_592_000)).status, 201)
  })

  test('never outlives the times in its constraints', async (context) => {
    const service = await aTestApp(context)
    const root = await aRoot(service, { constraints: { expires_at: '2027-01-01T01:00:00Z' } })
    const { body } = await renew(service, root.jti, 86_400)
    assert.equal(body.claims.exp, Date.parse('2027-01-01T01:00:00Z') / 1000)
  })

  test('can be issued only from a live token', async (context) => {
    const service = await aTestApp(context)
    const root = await aRoot(service, { expires_in: 60 })
    service.clock.advance(60_000)
    assert.deepEqual(refused(await renew(service, root.jti, 60)), [403, 'token_not_live'])
    assert.deepEqual(refused(await renew(service, 'vat_root_x', 60)), [404, 'token_unknown'])
  })
})

/** The rules for chains that every implementation of the protocol must follow. */
const RULES: readonly { id: string; rule: string; allow?: boolean | 'policy' }[] = JSON.parse(
  readFileSync(new URL('../../../vectors/scope/scope-narrowing.json', import.meta.url), 'utf8'),
).chain

const BUDGET = { constraints: { max_spend_usd: 10 } }
const withBudget = (max_spend_usd: unknown) => ({ constraints: { max_spend_usd } })

async function childOf(service: TestApp, parent: Record<string, unknown>, child: Record<string, unknown>) {
  return delegate(service, (await aRoot(service, parent)).jti, child)
}

/** The test of each rule. */
const KEPT: Record<string, (service: TestApp) => Promise<void>> = {
  async C1(service) {
    const answer = await childOf(service, { expires_in: 100 }, { expires_in: 101 })
    assert.deepEqual([answer.body.code, answer.body.widening], ['scope_widening', ['expires_in']])
  },
  async C2(service) {
    assert.equal((await childOf(service, { expires_in: 100 }, { expires_in: 100 })).status, 201)
  },
  async C3(service) {
    assert.equal((await childOf(service, { resources: ['a:b', 'a:c'] }, { resources: ['a:b'] })).status, 201)
  },
  async C4(service) {
    const answer = await childOf(service, { resources: ['a:b'] }, { resources: ['a:b', 'a:c'] })
    assert.deepEqual([answer.body.code, answer.body.widening], ['scope_widening', ['a:c']])
  },
  // Policy of this service: a token without any authority is refused.
  async C5(service) {
    const answer = await childOf(service, { resources: ['a:b'] }, { resources: [] })
    assert.deepEqual([answer.status, answer.body.errors[0].pointer], [400, '/resources'])
  },
  async C6(service) {
    const { body } = await childOf(service, BUDGET, {})
    assert.equal(body.claims.svc_constraints.max_spend_usd, 10)
  },
  async C7(service) {
    const answer = await childOf(service, BUDGET, withBudget(10.01))
    assert.deepEqual([answer.body.code, answer.body.widening], ['scope_widening', ['max_spend_usd']])
  },
  async C8(service) {
    const { body } = await childOf(service, BUDGET, withBudget(9.99))
    assert.equal(body.claims.svc_constraints.max_spend_usd, 9.99)
  },
  async C9(service) {
    assert.deepEqual(refused(await childOf(service, BUDGET, withBudget(null))), [400, 'invalid_request'])
  },
  async C10(service) {
    assert.deepEqual(refused(await childOf(service, BUDGET, withBudget('5'))), [400, 'invalid_request'])
  },
  async C11(service) {
    assert.deepEqual(refused(await childOf(service, BUDGET, withBudget(-1))), [400, 'invalid_request'])
  },
  async C12(service) {
    const { jti } = await aRoot(service, BUDGET)
    const text = `{"vat_jti":"${jti}","agent_id":"sub-bot","constraints":{"max_spend_usd":1e400}}`
    assert.equal((await service.post('/v1/vat/delegate', text)).status, 400)
  },
  async C13(service) {
    const { jti } = await aRoot(service, BUDGET)
    const [a, b] = [await aChild(service, jti, BUDGET), await aChild(service, jti, BUDGET)]
    assert.deepEqual(await reasonsOf(authorize(service, a.jti, { spend_usd: 6 })), [])
    assert.deepEqual(await reasonsOf(authorize(service, b.jti, { spend_usd: 6 })), ['budget_exceeded'])
  },
  async C14(service) {
    const { jti } = await aRoot(service, BUDGET)
    const child = await aChild(service, jti)
    assert.deepEqual(await reasonsOf(authorize(service, child.jti, { spend_usd: 8 })), [])
    assert.deepEqual(await reasonsOf(authorize(service, jti, { spend_usd: 3 })), ['budget_exceeded'])
  },
  // Unknown members must start with x_.
  async C15(service) {
    const { body } = await childOf(service, { constraints: { x_allowed_hours: '09-17' } }, {})
    assert.equal(body.claims.svc_constraints.x_allowed_hours, '09-17')
    const unknown = await aRoot(service)
    const answer = await delegate(service, unknown.jti, { constraints: { allowed_hours: '09-17' } })
    assert.deepEqual(refused(answer), [400, 'invalid_request'])
  },
  async C16(service) {
    const parent = { constraints: { x_allowed_hours: '09-17' } }
    const answer = await childOf(service, parent, { constraints: { x_allowed_hours: '00-24' } })
    assert.deepEqual([answer.body.code, answer.body.widening], ['scope_widening', ['x_allowed_hours']])
  },
  // Policy of this service: at most ten delegations; a parent may allow fewer.
  async C17(service) {
    const answer = await childOf(service, { constraints: { max_delegation_depth: 0 } }, {})
    assert.deepEqual(refused(answer), [403, 'delegation_not_allowed'])
  },
  async C18(service) {
    const { jti } = await aRoot(service)
    const [revoked, raced] = await Promise.all([
      service.post('/v1/vat/revoke', { vat_jti: jti }),
      delegate(service, jti),
    ])
    assert.equal(revoked.status, 200)
    if (raced.status === 201)
      assert.deepEqual(await reasonsOf(authorize(service, raced.body.jti)), ['token_revoked'])
    assert.deepEqual(refused(await delegate(service, jti)), [403, 'token_not_live'])
  },
  async C19(service) {
    const { jti } = await aRoot(service, { expires_in: 100 })
    service.clock.advance(100_000)
    const answer = await delegate(service, jti)
    assert.deepEqual([...refused(answer), answer.body.reasons], [403, 'token_not_live', ['token_expired']])
  },
  // Policy of this service: delegation requires the action delegate.
  async C20(service) {
    const answer = await childOf(service, { actions: ['read'] }, { actions: ['read'] })
    assert.deepEqual(refused(answer), [403, 'delegation_not_allowed'])
  },
  async C21(service) {
    const { jti } = await aRoot(service)
    const answer = await delegate(service, jti, { svc_trust_score: 0.7 })
    assert.deepEqual(refused(answer), [400, 'invalid_request'])
    assert.equal((await aChild(service, jti)).claims.svc_trust_score, 0.36)
  },
  // The service chooses the jti of a child, so a token cannot name itself as its parent.
  async C22(service) {
    const { jti } = await aRoot(service)
    assert.deepEqual(refused(await delegate(service, jti, { jti })), [400, 'invalid_request'])
    assert.deepEqual(refused(await delegate(service, 'vat_sub_self')), [404, 'token_unknown'])
    const child = await aChild(service, jti)
    assert.notEqual(child.jti, child.parent_jti)
  },
  async C23(service) {
    const { jti, provenance_ref } = await aRoot(service)
    const answer = await delegate(service, jti, { provenance_ref: 'prov_other' })
    assert.deepEqual(refused(answer), [400, 'invalid_request'])
    assert.equal((await aChild(service, jti)).provenance_ref, provenance_ref)
  },
}

describe('a chain follows every rule of the protocol', () => {
  test('every rule has a case here', () => {
    assert.deepEqual(
      RULES.map(({ id }) => id),
      Object.keys(KEPT),
    )
  })

  for (const { id, rule } of RULES) {
    test(`${id}: ${rule}`, async (context) => {
      const keep = KEPT[id] ?? assert.fail(`no test for ${id}`)
      await keep(await aTestApp(context))
    })
  }
})

test('a chain has at most fifty renewals', async (t) => {
  const service = await aTestApp(t)
  let { jti } = (await service.post('/v1/vat/issue/l1', anIssueRequest())).body
  for (let i = 0; i < 50; i++)
    ({ jti } = (await service.post('/v1/vat/renew', { vat_jti: jti, expires_in: 3600 })).body)
  const refused = await service.post('/v1/vat/renew', { vat_jti: jti, expires_in: 3600 })
  assert.deepEqual([refused.status, refused.body.code], [403, 'delegation_not_allowed'])
})

test('a preview lists the policy rules that the child would not meet', async (t) => {
  const service = await aTestApp(t)
  const actions = ['read', 'delegate']
  const { jti } = (await service.post('/v1/vat/issue/l1', anIssueRequest({ actions }))).body
  const ask = { vat_jti: jti, agent_id: 'helper', policy_assertions: ['NIST_ZTA'] }
  const preview = (await service.post('/v1/vat/delegate/preview', ask)).body
  const refused = await service.post('/v1/vat/delegate', ask)
  assert.equal(preview.allowed, false)
  assert.ok(preview.unmet.length > 0)
  assert.equal(refused.body.unmet.length, preview.unmet.length)
})
