import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { aTestApp, type TestApp } from '@deputize/testing/a-test-app.ts'
import { anIssueRequest } from '@deputize/testing/an-issue-request.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

async function aToken(service: TestApp, require_approval: object, changes: Record<string, unknown> = {}) {
  const request = anIssueRequest({
    actions: ['read', 'write', 'delegate'],
    expires_in: 2_592_000,
    ...changes,
    constraints: { require_approval, ...(changes.constraints as object | undefined) },
  })
  const { status, body } = await service.post('/v1/vat/issue/l1', request)
  assert.equal(status, 200, JSON.stringify(body))
  return body
}

const anAsk = (vat_jti: string, changes: Record<string, unknown> = {}) => ({
  vat_jti,
  action: 'write',
  resource: 'calendar:events',
  ...changes,
})

async function ask(service: TestApp, vat_jti: string, changes: Record<string, unknown> = {}) {
  const { status, body } = await service.post('/v1/vat/authorize', anAsk(vat_jti, changes))
  assert.equal(status, 200, JSON.stringify(body))
  return body
}

const decide = (service: TestApp, approval_id: string, decision: 'approve' | 'deny', note?: string) =>
  service.post(`/v1/vat/approvals/${approval_id}/${decision}`, note === undefined ? {} : { note })

/** One full round: request, approval, action. */
async function approvedOnce(service: TestApp, vat_jti: string, changes: Record<string, unknown> = {}) {
  const { approval_id, authorized } = await ask(service, vat_jti, changes)
  assert.equal(authorized, false)
  assert.equal((await decide(service, approval_id, 'approve')).status, 200)
  const answer = await ask(service, vat_jti, { ...changes, approval_id })
  assert.equal(answer.authorized, true)
}

interface Delegated {
  readonly jti: string
  /** The token in between. */
  readonly parent_jti: string
}

/** A token of `sub-bot` two levels below the root token. */
async function delegated(service: TestApp, root_jti: string): Promise<Delegated> {
  const below = async (vat_jti: string, agent_id: string) => {
    const asked = { vat_jti, agent_id, actions: ['read', 'write', 'delegate'] }
    const { status, body } = await service.post('/v1/vat/delegate', asked)
    assert.equal(status, 201, JSON.stringify(body))
    return body.jti
  }
  const parent_jti = await below(root_jti, 'middle-bot')
  return { parent_jti, jti: await below(parent_jti, 'sub-bot') }
}

const WAYS_TO_REVOKE: Readonly<Record<string, (service: TestApp, token: Delegated) => Promise<unknown>>> = {
  'its token is revoked': (service, { jti }) => service.post('/v1/vat/revoke', { vat_jti: jti }),
  'a token above it is revoked': (service, { parent_jti }) =>
    service.post('/v1/vat/revoke', { vat_jti: parent_jti }),
  'every token of its agent is revoked': (service) =>
    service.post('/v1/vat/revoke/agent', { agent_id: 'sub-bot' }),
}

describe('an approval is required', () => {
  test('for the named actions, the named resources and spends above the limit, and for nothing else', async (context) => {
    const service = await aTestApp(context)
    const { jti } = await aToken(service, { actions: ['write'], resources: ['email:*'], above_usd: 1 })
    const isAsked = async (changes: Record<string, unknown>) => {
      const { authorized, reason } = await ask(service, jti, changes)
      return authorized ? false : reason === 'approval_required'
    }
    const free = { action: 'read', resource: 'calendar:events' }
    assert.equal(await isAsked(free), false)
    assert.equal(await isAsked({ ...free, action: 'write' }), true)
    assert.equal(await isAsked({ ...free, resource: 'email:read' }), true)
    assert.equal(await isAsked({ ...free, spend_usd: 1 }), false)
    assert.equal(await isAsked({ ...free, spend_usd: 1.000001 }), true)
  })

  test('for every action when the rule has no condition', async (context) => {
    const service = await aTestApp(context)
    const { jti } = await aToken(service, {})
    assert.deepEqual((await ask(service, jti, { action: 'read' })).reasons, ['approval_required'])
  })

  test('with an approval id to wait for, and without a stored denial', async (context) => {
    const service = await aTestApp(context)
    const { jti, provenance_ref, claims } = await aToken(service, {})
    const answer = await ask(service, jti, { spend_usd: 0.5, metadata: { to: 'x' } })
    assert.deepEqual(
      [answer.authorized, answer.reason, answer.denial_id, answer.aar_id],
      [false, 'approval_required', undefined, undefined],
    )
    assert.match(answer.approval_id, /^apr_/)
    const { body } = await service.get(`/v1/vat/approvals/${answer.approval_id}`)
    const { created_at, expires_at, log_index, ...said } = body
    assert.deepEqual(said, {
      approval_id: answer.approval_id,
      state: 'pending',
      vat_jti: jti,
      provenance_ref,
      agent_id: 'agent:calendar-bot',
      human_ref: claims.svc_human_ref,
      assurance_level: 'L1',
      action: 'write',
      resource: 'calendar:events',
      spend_usd: 0.5,
      metadata: { to: 'x' },
      summary: ['to: x'],
      required: 1,
      decisions: [],
    })
    assert.equal(Date.parse(expires_at) - Date.parse(created_at), HOUR_MS)
    assert.equal(typeof log_index, 'number')
  })

  test('only for actions that the token allows', async (context) => {
    const service = await aTestApp(context)
    const { jti } = await aToken(service, {}, { constraints: { max_spend_usd: 1 } })
    const answer = await ask(service, jti, { spend_usd: 2 })
    assert.deepEqual([answer.reasons, answer.approval_id], [['budget_exceeded'], undefined])
    assert.deepEqual((await ask(service, jti, { action: 'delete' })).reasons, ['action_not_in_scope'])
  })

  test('by the rule of any link in the chain', async (context) => {
    const service = await aTestApp(context)
    const { jti } = await aToken(service, { actions: ['write'] })
    const child = await service.post('/v1/vat/delegate', {
      vat_jti: jti,
      agent_id: 'sub-bot',
      constraints: { require_approval: { actions: ['read'], auto_approve_after: 1 } },
    })
    assert.equal(child.status, 201, JSON.stringify(child.body))
    for (const action of ['read', 'write'])
      assert.equal((await ask(service, child.body.jti, { action })).reason, 'approval_required')
  })

  test('once per request: repeating the request returns the pending approval', async (context) => {
    const service = await aTestApp(context)
    const { jti } = await aToken(service, {})
    const first = await ask(service, jti, { spend_usd: 1 })
    const second = await ask(service, jti, { spend_usd: 1 })
    const other = await ask(service, jti, { spend_usd: 2 })
    assert.equal(second.approval_id, first.approval_id)
    assert.notEqual(other.approval_id, first.approval_id)
    const { body } = await service.get('/v1/vat/approvals?state=pending')
    assert.equal(body.data.length, 2)
  })

  test('for at most 50 open requests below one root token, and again after a decision or expiry', async (context) => {
    const service = await aTestApp(context)
    const { jti } = await aToken(service, {})
    const child = await service.post('/v1/vat/delegate', { vat_jti: jti, agent_id: 'sub-bot' })
    const items = Array.from({ length: 51 }, (_, n) =>
      anAsk(n % 2 === 0 ? jti : child.body.jti, { metadata: { n } }),
    )
    const { body } = await service.post('/v1/vat/authorize/batch', { items })
    const ids = body.items.map(({ answer }: { answer: { approval_id?: string } }) => answer.approval_id)
    assert.equal(ids.filter((id: string | undefined) => id !== undefined).length, 50)
    const dry = await ask(service, jti, { metadata: { n: 101 }, dry_run: true })
    assert.deepEqual(dry.reasons, ['approval_limit_root'])
    const last = await ask(service, jti, { metadata: { n: 101 } })
    assert.deepEqual([last.reasons, last.approval_id], [['approval_limit_root'], undefined])
    assert.match(last.denial_id, /^den_/)
    assert.equal((await ask(service, jti, { metadata: { n: 0 } })).approval_id, ids[0])
    await decide(service, ids[0], 'deny')
    assert.match((await ask(service, jti, { metadata: { n: 101 } })).approval_id, /^apr_/)
    service.clock.advance(HOUR_MS)
    const fresh = await aToken(service, {})
    assert.match((await ask(service, fresh.jti, { metadata: { n: 102 } })).approval_id, /^apr_/)
  })

  test('for at most 100 open requests to one person, across all root tokens', async (context) => {
    const service = await aTestApp(context)
    for (let root = 0; root < 2; root++) {
      const { jti } = await aToken(service, {})
      const items = Array.from({ length: 50 }, (_, n) => anAsk(jti, { metadata: { n } }))
      await service.post('/v1/vat/authorize/batch', { items })
    }
    const { jti } = await aToken(service, {})
    for (const dry_run of [true, false])
      assert.deepEqual((await ask(service, jti, { dry_run })).reasons, ['approval_limit_person'])
    const other = await aToken(service, {}, { developer_email: 'b@example.com' })
    assert.match((await ask(service, other.jti)).approval_id, /^apr_/)
  })

  test('for at most 100 open requests to one person, not counting revoked tokens', async (context) => {
    const service = await aTestApp(context)
    const roots = [await aToken(service, {}, { agent_id: 'runaway' }), await aToken(service, {})]
    for (const { jti } of roots) {
      const items = Array.from({ length: 50 }, (_, n) => anAsk(jti, { metadata: { n } }))
      await service.post('/v1/vat/authorize/batch', { items })
    }
    const { jti } = await aToken(service, {}, { agent_id: 'other-bot' })
    assert.deepEqual((await ask(service, jti)).reasons, ['approval_limit_person'])
    await service.post('/v1/vat/revoke/agent', { agent_id: 'runaway' })
    const items = Array.from({ length: 50 }, (_, n) => anAsk(jti, { metadata: { n } }))
    await service.post('/v1/vat/authorize/batch', { items })
    const next = await aToken(service, {}, { agent_id: 'other-bot' })
    assert.deepEqual((await ask(service, next.jti)).reasons, ['approval_limit_person'])
    await service.post('/v1/vat/revoke', { vat_jti: roots[1]?.jti })
    assert.match((await ask(service, next.jti)).approval_id, /^apr_/)
  })

  test('for at most 50 open requests below one root token, not counting revoked sub-tokens', async (context) => {
    const service = await aTestApp(context)
    const { jti } = await aToken(service, {})
    const child = await service.post('/v1/vat/delegate', {
      vat_jti: jti,
      agent_id: 'sub-bot',
      actions: ['write', 'delegate'],
    })
    const grandchild = await service.post('/v1/vat/delegate', {
      vat_jti: child.body.jti,
      agent_id: 'sub-sub-bot',
    })
    const items = Array.from({ length: 50 }, (_, n) =>
      anAsk(n < 25 ? grandchild.body.jti : jti, { metadata: { n } }),
    )
    await service.post('/v1/vat/authorize/batch', { items })
    assert.deepEqual((await ask(service, jti)).reasons, ['approval_limit_root'])
    await service.post('/v1/vat/revoke', { vat_jti: child.body.jti })
    assert.match((await ask(service, jti)).approval_id, /^apr_/)
  })

  test('for at most 25 open requests of one branch below a root token, however it delegates', async (context) => {
    const service = await aTestApp(context)
    const { jti } = await aToken(service, {}, { agent_id: 'calendar-bot' })
    const delegated = async (vat_jti: string, agent_id: string) =>
      (await service.post('/v1/vat/delegate', { vat_jti, agent_id, actions: ['write', 'delegate'] })).body.jti
    const greedy = await delegated(jti, 'greedy')
    const sibling = await delegated(jti, 'sibling')
    const helpers = [greedy, await delegated(greedy, 'helper'), await delegated(greedy, 'calendar-bot')]
    const items = Array.from({ length: 30 }, (_, n) => anAsk(helpers[n % 3], { metadata: { n } }))
    const { body } = await service.post('/v1/vat/authorize/batch', { items })
    const waiting = body.items.filter(
      ({ answer }: { answer: { approval_id?: string } }) => answer.approval_id,
    )
    assert.equal(waiting.length, 25)
    assert.deepEqual((await ask(service, greedy)).reasons, ['approval_limit_root'])
    for (const other of [jti, sibling]) assert.match((await ask(service, other)).approval_id, /^apr_/)
  })

  test('but not created by a dry run', async (context) => {
    const service = await aTestApp(context)
    const { jti } = await aToken(service, {})
    const answer = await ask(service, jti, { dry_run: true })
    assert.deepEqual([answer.reason, answer.approval_id], ['approval_required', undefined])
    assert.deepEqual((await service.get('/v1/vat/approvals')).body.data, [])
  })
})

describe('an approval', () => {
  test('allows one action', async (context) => {
    const service = await aTestApp(context)
    const { jti } = await aToken(service, {})
    const { approval_id } = await ask(service, jti)
    const decided = await decide(service, approval_id, 'approve', 'go')
    assert.deepEqual(
      [decided.body.state, decided.body.decided_by, decided.body.note],
      ['approved', 'human', 'go'],
    )
    const used = await ask(service, jti, { approval_id })
    assert.equal(used.authorized, true)
    assert.equal((await service.get(`/v1/vat/approvals/${approval_id}`)).body.used_by, used.aar_id)
    const again = await ask(service, jti, { approval_id })
    assert.deepEqual([again.authorized, again.reason], [false, 'approval_required'])
    assert.notEqual(again.approval_id, approval_id)
  })

  test('allows one action when several requests use it at once', async (context) => {
    const service = await aTestApp(context)
    const { jti } = await aToken(service, {})
    const { approval_id } = await ask(service, jti)
    await decide(service, approval_id, 'approve')
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask(service, jti, { approval_id })))
    assert.equal(answers.filter(({ authorized }) => authorized).length, 1)
  })

  test('allows only the exact action that was requested', async (context) => {
    const service = await aTestApp(context)
    const { jti } = await aToken(service, {})
    const other = await aToken(service, {})
    const asked = { spend_usd: 1, metadata: { to: 'anna' } }
    const { approval_id } = await ask(service, jti, asked)
    await decide(service, approval_id, 'approve')
    for (const [vat_jti, changes] of [
      [jti, { ...asked, spend_usd: 1.01 }],
      [jti, { ...asked, spend_usd: 0.5 }],
      [jti, { ...asked, metadata: { to: 'bert' } }],
      [jti, { spend_usd: 1 }],
      [jti, { ...asked, action: 'read' }],
      [jti, { ...asked, resource: 'email:read' }],
      [other.jti, asked],
    ] as const) {
      const answer = await ask(service, vat_jti, { ...changes, approval_id })
      assert.deepEqual([answer.authorized, answer.reason], [false, 'approval_required'])
    }
    assert.equal((await ask(service, jti, { ...asked, approval_id: 'apr_unknown' })).authorized, false)
    assert.equal((await ask(service, jti, { ...asked, approval_id })).authorized, true)
  })

  test('that does not apply is reported as unknown, used, for another request, or expired', async (context) => {
    const service = await aTestApp(context)
    const { jti } = await aToken(service, {})
    const child = await service.post('/v1/vat/delegate', { vat_jti: jti, agent_id: 'sub-bot' })
    const stranger = await aToken(service, {}, { developer_email: 'b@example.com' })
    const { approval_id } = await ask(service, jti, { spend_usd: 1 })
    const details = async (vat_jti: string, changes: Record<string, unknown>) =>
      (await ask(service, vat_jti, { spend_usd: 1, ...changes })).details
    const because = (approval: string) => [{ reason: 'approval_required', approval }]

    assert.equal(await details(jti, {}), undefined)
    assert.equal(await details(jti, { approval_id }), undefined, 'it still waits')
    assert.deepEqual(await details(jti, { approval_id: 'apr_unknown' }), because('unknown'))
    assert.deepEqual(await details(jti, { approval_id, spend_usd: 2 }), because('other_request'))
    assert.deepEqual(await details(child.body.jti, { approval_id }), because('other_request'))
    assert.deepEqual(await details(stranger.jti, { approval_id }), because('unknown'))
    const ofChild = await ask(service, child.body.jti)
    assert.deepEqual(await details(jti, { approval_id: ofChild.approval_id }), because('unknown'))

    await decide(service, approval_id, 'approve')
    assert.equal((await ask(service, jti, { spend_usd: 1, approval_id })).authorized, true)
    assert.deepEqual(await details(jti, { approval_id, dry_run: true }), because('used'))
    const again = await ask(service, jti, { spend_usd: 1, approval_id })
    assert.deepEqual(again.details, because('used'))
    assert.equal((await ask(service, jti, { spend_usd: 1, approval_id })).approval_id, again.approval_id)
    const recorded = await service.post('/v1/vat/record/action', {
      ...anAsk(jti, { spend_usd: 1, approval_id }),
      result: 'success',
    })
    assert.deepEqual(recorded.body.details, because('used'))
    service.clock.advance(HOUR_MS)
    assert.deepEqual(await details(jti, { approval_id: again.approval_id }), because('expired'))
  })

  test('does not override a revoked token or an exhausted budget', async (context) => {
    const service = await aTestApp(context)
    const { jti } = await aToken(service, { actions: ['write'] }, { constraints: { max_spend_usd: 1 } })
    const { approval_id } = await ask(service, jti, { spend_usd: 0.6 })
    await decide(service, approval_id, 'approve')
    const { aar_id } = await ask(service, jti, { action: 'read', spend_usd: 0.6 })
    assert.deepEqual((await ask(service, jti, { spend_usd: 0.6, approval_id })).reasons, ['budget_exceeded'])
    await service.post(`/v1/vat/aar/${aar_id}/cancel`)
    await service.post('/v1/vat/revoke', { vat_jti: jti })
    assert.deepEqual((await ask(service, jti, { spend_usd: 0.6, approval_id })).reasons, ['token_revoked'])
  })

  test('that is denied denies the action, and the denial is stored', async (context) => {
    const service = await aTestApp(context)
    const { jti } = await aToken(service, {})
    const { approval_id } = await ask(service, jti)
    assert.equal((await decide(service, approval_id, 'deny')).body.state, 'denied')
    const answer = await ask(service, jti, { approval_id })
    assert.deepEqual([answer.authorized, answer.reason], [false, 'approval_denied'])
    assert.match(answer.denial_id, /^den_/)
  })

  test('can be decided once', async (context) => {
    const service = await aTestApp(context)
    const { jti } = await aToken(service, {})
    const { approval_id } = await ask(service, jti)
    await decide(service, approval_id, 'deny')
    for (const decision of ['approve', 'deny'] as const) {
      const { status, body } = await decide(service, approval_id, decision)
      assert.deepEqual([status, body.code, body.state], [409, 'approval_decided', 'denied'])
    }
    const unknown = await decide(service, 'apr_unknown', 'approve')
    assert.deepEqual([unknown.status, unknown.body.code], [404, 'approval_unknown'])
  })

  test('expires when undecided or unused', async (context) => {
    const service = await aTestApp(context)
    const { jti } = await aToken(service, {})
    const undecided = (await ask(service, jti)).approval_id
    const unused = (await ask(service, jti, { spend_usd: 1 })).approval_id
    await decide(service, unused, 'approve')
    service.clock.advance(HOUR_MS)
    for (const id of [undecided, unused])
      assert.equal((await service.get(`/v1/vat/approvals/${id}`)).body.state, 'expired')
    const late = await decide(service, undecided, 'approve')
    assert.deepEqual([late.status, late.body.code, late.body.state], [409, 'approval_decided', 'expired'])
    assert.equal((await ask(service, jti, { spend_usd: 1, approval_id: unused })).authorized, false)
    const fresh = await ask(service, jti)
    assert.notEqual(fresh.approval_id, undecided)
    const open = (await service.get('/v1/vat/approvals?state=pending')).body.data
    assert.ok(open.some(({ approval_id }: { approval_id: string }) => approval_id === fresh.approval_id))
    assert.ok(open.every(({ approval_id }: { approval_id: string }) => approval_id !== undecided))
  })

  test('allows one record/action as well', async (context) => {
    const service = await aTestApp(context)
    const { jti } = await aToken(service, {})
    const record = (changes: object = {}) =>
      service.post('/v1/vat/record/action', anAsk(jti, { result: 'success', ...changes }))
    const first = await record()
    assert.deepEqual(
      [first.status, first.body.code, first.body.reason],
      [403, 'not_allowed', 'approval_required'],
    )
    const { approval_id } = first.body
    await decide(service, approval_id, 'approve')
    assert.equal((await record({ approval_id })).status, 200)
    assert.equal((await record({ approval_id })).body.reason, 'approval_required')
  })

  test('can be used in a batch while an equal request is pending', async (context) => {
    const service = await aTestApp(context)
    const { jti } = await aToken(service, {})
    const { approval_id } = await ask(service, jti)
    await decide(service, approval_id, 'approve')
    const open = (await ask(service, jti)).approval_id
    const { status, body } = await service.post('/v1/vat/authorize/batch', {
      items: [anAsk(jti, { approval_id }), anAsk(jti)],
    })
    assert.equal(status, 200, JSON.stringify(body))
    assert.equal(body.items[0].answer.authorized, true)
    assert.equal(body.items[1].answer.approval_id, open)
  })

  test('can be decided in a batch, with one result per item', async (context) => {
    const service = await aTestApp(context)
    const { jti } = await aToken(service, {})
    const [a, b] = [await ask(service, jti), await ask(service, jti, { spend_usd: 1 })]
    const { status, body } = await service.post('/v1/vat/approvals/batch', {
      items: [
        { approval_id: a.approval_id, decision: 'approved', note: 'yes' },
        { approval_id: b.approval_id, decision: 'denied' },
        { approval_id: a.approval_id, decision: 'denied' },
        { approval_id: 'apr_unknown', decision: 'approved' },
      ],
    })
    assert.equal(status, 200)
    assert.deepEqual(
      body.items.map((item: { status: number; answer?: { state: string }; problem?: { code: string } }) => [
        item.status,
        item.answer?.state ?? item.problem?.code,
      ]),
      [
        [200, 'approved'],
        [200, 'denied'],
        [409, 'approval_decided'],
        [404, 'approval_unknown'],
      ],
    )
  })

  test('can be listed by state, agent and workflow', async (context) => {
    const service = await aTestApp(context)
    const one = await aToken(service, {})
    const two = await aToken(service, {}, { agent_id: 'other-bot' })
    const { approval_id } = await ask(service, one.jti)
    await ask(service, two.jti)
    await decide(service, approval_id, 'approve')
    const list = async (query: string) =>
      (await service.get(`/v1/vat/approvals?${query}`)).body.data.map(
        ({ vat_jti }: { vat_jti: string }) => vat_jti,
      )
    assert.deepEqual(await list(''), [two.jti, one.jti])
    assert.deepEqual(await list('state=approved'), [one.jti])
    assert.deepEqual(await list('state=pending'), [two.jti])
    assert.deepEqual(await list('agent_id=other-bot'), [two.jti])
    assert.deepEqual(await list(`provenance_ref=${one.provenance_ref}`), [one.jti])
    assert.deepEqual(await list('state=denied'), [])
  })

  test('can be waited for, and the wait ends with the decision', async (context) => {
    const service = await aTestApp(context)
    const { jti } = await aToken(service, {})
    const { approval_id } = await ask(service, jti)
    assert.equal((await service.get(`/v1/vat/approvals/${approval_id}?wait=0`)).body.state, 'pending')
    const started = performance.now()
    const waiting = service.get(`/v1/vat/approvals/${approval_id}?wait=30`)
    await sleep(200)
    await decide(service, approval_id, 'approve')
    assert.equal((await waiting).body.state, 'approved')
    assert.ok(performance.now() - started < 29_000, 'it waited to the end')
    const tooLong = await service.get(`/v1/vat/approvals/${approval_id}?wait=31`)
    assert.equal(tooLong.body.code, 'invalid_request')
    assert.equal((await service.get('/v1/vat/approvals/apr_unknown?wait=1')).body.code, 'approval_unknown')
  })

  test('ends with its token: it is no longer pending and cannot be approved, but can be denied', async (context) => {
    const service = await aTestApp(context)
    const { jti, claims } = await aToken(service, {})
    const child = await service.post('/v1/vat/delegate', { vat_jti: jti, agent_id: 'sub-bot' })
    const { approval_id } = await ask(service, child.body.jti)
    const other = await ask(service, child.body.jti, { spend_usd: 1 })
    const used = await ask(service, jti)
    await decide(service, used.approval_id, 'approve')
    await ask(service, jti, { approval_id: used.approval_id })
    const unused = await ask(service, jti, { spend_usd: 2 })
    await decide(service, unused.approval_id, 'approve')
    const listed = async (state: string) => {
      const { body } = await service.get(`/v1/vat/approvals?state=${state}&total=1`)
      return [body.data.map((one: { approval_id: string }) => one.approval_id), body.total]
    }
    const waiting = async () => {
      const { body } = await service.get('/v1/vat/humans')
      return body.data.find((one: { human_ref: string }) => one.human_ref === claims.svc_human_ref).waiting
    }
    assert.deepEqual(await listed('pending'), [[other.approval_id, approval_id], 2])
    const waited = service.get(`/v1/vat/approvals/${approval_id}?wait=30`)
    await service.post('/v1/vat/revoke', { vat_jti: jti })

    assert.equal((await waited).body.state, 'expired')
    assert.deepEqual(await listed('pending'), [[], 0])
    assert.deepEqual(await listed('approved'), [[used.approval_id], 1])
    assert.deepEqual(await listed('expired'), [[unused.approval_id, other.approval_id, approval_id], 3])
    assert.equal(await waiting(), 0)
    const { status, body } = await decide(service, approval_id, 'approve')
    assert.deepEqual([status, body.code, body.reasons], [403, 'token_not_live', ['token_revoked']])
    const both = await service.post('/v1/vat/approvals/batch', {
      items: [
        { approval_id, decision: 'approved' },
        { approval_id: other.approval_id, decision: 'denied' },
      ],
    })
    const [refused, denied] = both.body.items
    assert.deepEqual([refused.problem.code, denied.answer.state], ['token_not_live', 'denied'])
    assert.equal((await decide(service, approval_id, 'deny')).body.state, 'denied')
  })

  test('ends when every token of its agent or its person is revoked', async (context) => {
    const service = await aTestApp(context)
    const { jti, claims } = await aToken(service, {})
    const child = await service.post('/v1/vat/delegate', { vat_jti: jti, agent_id: 'sub-bot' })
    const ofChild = await ask(service, child.body.jti)
    const ofRoot = await ask(service, jti)
    await service.post('/v1/vat/revoke/agent', { agent_id: 'sub-bot' })
    const pending = async () => (await service.get('/v1/vat/approvals?state=pending')).body.data.length
    assert.equal((await decide(service, ofChild.approval_id, 'approve')).body.code, 'token_not_live')
    assert.equal(await pending(), 1)
    await service.post('/v1/vat/revoke/human', { human_ref: claims.svc_human_ref })
    assert.equal((await decide(service, ofRoot.approval_id, 'approve')).body.code, 'token_not_live')
    assert.equal(await pending(), 0)
  })

  test('stays open while its token is suspended', async (context) => {
    const service = await aTestApp(context)
    const { jti } = await aToken(service, {})
    const { approval_id } = await ask(service, jti)
    await service.post(`/v1/vat/tokens/${jti}/suspend`)
    assert.equal((await service.get('/v1/vat/approvals?state=pending')).body.data.length, 1)
    assert.equal((await decide(service, approval_id, 'approve')).body.state, 'approved')
    assert.deepEqual((await ask(service, jti, { approval_id })).reasons, ['token_suspended'])
    await service.post(`/v1/vat/tokens/${jti}/resume`)
    assert.equal((await ask(service, jti, { approval_id })).authorized, true)
  })

  test('returns the same answer for the same Idempotency-Key', async (context) => {
    const service = await aTestApp(context)
    const { jti } = await aToken(service, {})
    const key = { 'idempotency-key': 'k' }
    const first = await service.post('/v1/vat/authorize', anAsk(jti), key)
    const path = `/v1/vat/approvals/${first.body.approval_id}/approve`
    const decided = await service.post(path, {}, key)
    const again = await service.post(path, {}, key)
    assert.deepEqual([again.status, again.body], [200, decided.body])
    assert.equal(again.headers['idempotency-replayed'], 'true')
    const replayed = await service.post('/v1/vat/authorize', anAsk(jti), key)
    assert.deepEqual(replayed.body, first.body)
    const use = anAsk(jti, { approval_id: first.body.approval_id })
    const used = await service.post('/v1/vat/authorize', use, { 'idempotency-key': 'use' })
    const usedAgain = await service.post('/v1/vat/authorize', use, { 'idempotency-key': 'use' })
    assert.deepEqual([used.body.authorized, usedAgain.body], [true, used.body])
  })
})

describe('a denial', () => {
  test('holds for the same request for ten minutes, and twice as long after each further denial', async (context) => {
    const service = await aTestApp(context)
    const { jti } = await aToken(service, {})
    for (const minutes of [10, 20, 40]) {
      const { approval_id } = await ask(service, jti)
      await decide(service, approval_id, 'deny')
      service.clock.advance(minutes * 60_000 - 1)
      const held = await ask(service, jti)
      assert.deepEqual([held.reason, held.approval_id], ['approval_denied', undefined])
      assert.equal((await ask(service, jti, { dry_run: true })).reason, 'approval_denied')
      assert.equal((await ask(service, jti, { spend_usd: minutes })).reason, 'approval_required')
      service.clock.advance(1)
    }
    assert.equal((await ask(service, jti)).reason, 'approval_required')
  })

  test('cannot be evaded by smaller amounts or child tokens: five in a row deny all for a while', async (context) => {
    const service = await aTestApp(context)
    const agent_id = 'calendar-bot'
    const rights = { actions: ['write', 'delegate'], resources: ['calendar:*'] }
    const { jti } = await aToken(service, {}, { ...rights, agent_id })
    const askAgain = async (count: number, changes: Record<string, unknown>) => {
      const { authorized, reason, approval_id } = await ask(service, jti, changes)
      assert.deepEqual([authorized, reason], [false, 'approval_required'], `${count}`)
      return approval_id
    }
    const deny = async (count: number) => {
      await decide(service, await askAgain(count, { spend_usd: 5 - count / 1e6 }), 'deny')
      service.clock.advance(1)
    }
    const waiting = await askAgain(0, { spend_usd: 7 })
    for (let count = 1; count <= 5; count++) await deny(count)
    const { jti: child } = (
      await service.post('/v1/vat/delegate', { vat_jti: jti, agent_id, actions: ['write'] })
    ).body
    for (const [vat_jti, changes] of [
      [jti, { spend_usd: 1 }],
      [jti, { metadata: { nonce: 1 } }],
      [jti, { resource: 'calendar:other' }],
      [child, {}],
    ] as const) {
      const { reason, approval_id } = await ask(service, vat_jti, changes)
      assert.deepEqual([reason, approval_id], ['approval_denied', undefined], JSON.stringify(changes))
      assert.equal((await ask(service, vat_jti, { ...changes, dry_run: true })).reason, 'approval_denied')
    }
    assert.equal((await ask(service, jti, { spend_usd: 7, dry_run: true })).reason, 'approval_required')
    assert.equal((await ask(service, (await aToken(service, {})).jti)).reason, 'approval_required')
    service.clock.advance(10 * 60_000 - 1)
    await deny(6)
    service.clock.advance(20 * 60_000 - 2)
    assert.equal((await ask(service, jti, { spend_usd: 1 })).reason, 'approval_denied')
    await decide(service, waiting, 'approve')
    await askAgain(7, { spend_usd: 1 })
  })

  test('cannot be evaded by creating agents, and does not block siblings of the denied agent', async (context) => {
    const service = await aTestApp(context)
    const { jti } = await aToken(service, {}, { agent_id: 'calendar-bot' })
    const delegated = async (vat_jti: string, agent_id: string) =>
      (await service.post('/v1/vat/delegate', { vat_jti, agent_id, actions: ['write', 'delegate'] })).body.jti
    const [nagging, sibling] = [await delegated(jti, 'nagging'), await delegated(jti, 'sibling')]
    const reasonOf = async (vat_jti: string) =>
      (await ask(service, vat_jti, { spend_usd: 9, dry_run: true })).reason
    let spend_usd = 0
    const deny = async (vat_jti: string) => {
      spend_usd += 1
      await decide(service, (await ask(service, vat_jti, { spend_usd })).approval_id, 'deny')
      service.clock.advance(1)
    }
    for (let count = 1; count <= 5; count++)
      await deny(count % 2 ? nagging : await delegated(nagging, `n${count}`))
    // While that branch is denied, the others can still ask.
    for (const minutes of [10, 20]) {
      for (const one of [
        nagging,
        await delegated(nagging, 'another'),
        await delegated(nagging, 'calendar-bot'),
      ])
        assert.equal(await reasonOf(one), 'approval_denied')
      for (const one of [jti, sibling, await delegated(jti, 'late')])
        assert.equal(await reasonOf(one), 'approval_required')
      service.clock.advance(minutes * 60_000)
      await deny(nagging)
    }
    for (let count = 1; count <= 5; count++) await deny(await delegated(jti, `child-${count}`))
    for (const one of [jti, sibling, await delegated(jti, 'later')])
      assert.equal(await reasonOf(one), 'approval_denied')
    service.clock.advance(10 * 60_000)
    for (const one of [jti, sibling]) assert.equal(await reasonOf(one), 'approval_required')
  })

  test('of several requests in one batch counts once', async (context) => {
    const service = await aTestApp(context)
    const { jti } = await aToken(service, {})
    const asked = await Promise.all([1, 2, 3, 4, 5, 6].map((spend_usd) => ask(service, jti, { spend_usd })))
    const decisions = asked.map(({ approval_id }) => ({ approval_id, decision: 'denied' }))
    assert.equal((await service.post('/v1/vat/approvals/batch', { items: decisions })).status, 200)
    assert.equal((await ask(service, jti, { spend_usd: 7 })).reason, 'approval_required')
  })
})

describe('a habit', () => {
  /** Makes a request. If the service picks it at random for the person, approves it and uses the approval. */
  async function automatic(service: TestApp, jti: string, changes: Record<string, unknown> = {}) {
    const answer = await ask(service, jti, changes)
    if (answer.authorized) return answer
    assert.equal(answer.reason, 'approval_required')
    await decide(service, answer.approval_id, 'approve')
    return ask(service, jti, { ...changes, approval_id: answer.approval_id })
  }

  /** Whether the habit approves the request. Repeats requests that the service picked for the person. */
  async function isAutomatic(service: TestApp, jti: string, changes: Record<string, unknown> = {}) {
    for (let attempt = 0; attempt < 12; attempt++) {
      const { authorized, approval_id } = await ask(service, jti, changes)
      if (authorized) return true
      await decide(service, approval_id, 'approve')
      assert.equal((await ask(service, jti, { ...changes, approval_id })).authorized, true)
    }
    return false
  }

  test('approves automatically after enough equal approvals by the person', async (context) => {
    const service = await aTestApp(context)
    const { jti, claims } = await aToken(service, { auto_approve_after: 3 })
    for (const spend_usd of [1, 2, 3]) await approvedOnce(service, jti, { spend_usd })
    let answer = await ask(service, jti, { spend_usd: 2 })
    while (!answer.authorized) {
      await decide(service, answer.approval_id, 'approve')
      await ask(service, jti, { spend_usd: 2, approval_id: answer.approval_id })
      answer = await ask(service, jti, { spend_usd: 2 })
    }
    const [approval] = (await service.get('/v1/vat/approvals')).body.data
    assert.deepEqual(
      [approval.state, approval.decided_by, approval.used_by],
      ['approved', 'habit', answer.aar_id],
    )
    const { data } = (await service.get('/v1/vat/approvals/habits?agent_id=calendar-bot')).body
    const { last_human_at, approvals, ...habit } = data[0]
    assert.deepEqual(habit, {
      agent_id: 'agent:calendar-bot',
      human_ref: claims.svc_human_ref,
      action: 'write',
      resource: 'calendar:events',
      root_jti: jti,
      covers_usd: 3,
      auto_approvals: 1,
    })
    assert.ok(approvals >= 3)
    assert.equal(Date.parse(last_human_at), service.clock())
    assert.equal((await ask(service, jti, { action: 'read' })).reason, 'approval_required')
  })

  test('of small amounts approves no larger amounts, other metadata members or other root tokens', async (context) => {
    const service = await aTestApp(context)
    const { jti } = await aToken(service, { auto_approve_after: 3 })
    const small = { spend_usd: 1, metadata: { to: 'anna' } }
    for (let n = 0; n < 3; n++) await approvedOnce(service, jti, small)
    assert.equal(await isAutomatic(service, jti, { spend_usd: 1, metadata: { to: 'bert' } }), true)
    const other = await aToken(service, { auto_approve_after: 3 })
    for (const [vat_jti, changes] of [
      [jti, { ...small, spend_usd: 1_000_000 }],
      [jti, { ...small, spend_usd: 1.000001 }],
      [jti, { ...small, metadata: { to: 'anna', urgent: true } }],
      [jti, { ...small, metadata: { to: { name: 'anna' } } }],
      [jti, { spend_usd: 1 }],
      [other.jti, small],
    ] as const)
      assert.equal(
        (await ask(service, vat_jti, changes)).reason,
        'approval_required',
        JSON.stringify(changes),
      )
  })

  test('asks the person again within 20 actions, at a time that the agent cannot predict', async (context) => {
    const service = await aTestApp(context)
    const { jti } = await aToken(service, { auto_approve_after: 1 })
    await approvedOnce(service, jti)
    const runs: number[] = []
    for (let round = 0; round < 12; round++) {
      let run = 0
      let answer = await ask(service, jti)
      for (; answer.authorized; run++) answer = await ask(service, jti)
      runs.push(run)
      assert.equal(answer.reason, 'approval_required')
      const other = await ask(service, jti, { metadata: undefined, spend_usd: 0 })
      assert.equal(other.approval_id, answer.approval_id, 'asking again does not help')
      await decide(service, answer.approval_id, 'approve')
      assert.equal((await ask(service, jti, { approval_id: answer.approval_id })).authorized, true)
    }
    assert.ok(Math.max(...runs) <= 19, String(runs))
    assert.ok(new Set(runs).size > 1, `always after ${runs[0]}`)
  })

  test('ends when the person denies a request', async (context) => {
    const service = await aTestApp(context)
    const { jti } = await aToken(service, { auto_approve_after: 1 })
    const { approval_id } = await ask(service, jti, { spend_usd: 7 })
    await approvedOnce(service, jti)
    assert.equal((await automatic(service, jti)).authorized, true)
    await decide(service, approval_id, 'deny')
    assert.equal((await ask(service, jti)).reason, 'approval_required')
    assert.deepEqual((await service.get('/v1/vat/approvals/habits')).body.data, [])
  })

  test("ends 30 days after the person's last approval", async (context) => {
    const service = await aTestApp(context)
    const { jti } = await aToken(service, { auto_approve_after: 2 })
    await approvedOnce(service, jti)
    await approvedOnce(service, jti)
    service.clock.advance(10 * DAY_MS)
    const renewed = await service.post('/v1/vat/renew', { vat_jti: jti, expires_in: 2_592_000 })
    service.clock.advance(20 * DAY_MS)
    assert.equal((await ask(service, renewed.body.jti)).reason, 'approval_required')
    const { data } = (await service.get('/v1/vat/approvals/habits')).body
    assert.equal(data[0].approvals, 2)
  })

  test('continues below a renewed root token', async (context) => {
    const service = await aTestApp(context)
    const { jti } = await aToken(service, { auto_approve_after: 1 })
    await approvedOnce(service, jti)
    const renewed = await service.post('/v1/vat/renew', { vat_jti: jti, expires_in: 3600 })
    assert.equal(await isAutomatic(service, renewed.body.jti), true)
  })

  test('ends on request', async (context) => {
    const service = await aTestApp(context)
    const { jti, claims } = await aToken(service, { auto_approve_after: 1 })
    await approvedOnce(service, jti)
    await approvedOnce(service, jti, { metadata: { n: 1 } })
    const key = {
      agent_id: 'calendar-bot',
      human_ref: claims.svc_human_ref,
      action: 'write',
      resource: 'calendar:events',
    }
    const end = async () => (await service.post('/v1/vat/approvals/habits/end', key)).body
    assert.deepEqual(await end(), { ended: true })
    assert.equal((await ask(service, jti)).reason, 'approval_required')
    assert.equal((await ask(service, jti, { metadata: { n: 1 } })).reason, 'approval_required')
    assert.deepEqual(await end(), { ended: false })
  })

  for (const [revoked, stop] of Object.entries(WAYS_TO_REVOKE))
    test(`ends when ${revoked}: five approvals make another one, also below the same root token`, async (context) => {
      const service = await aTestApp(context)
      const root = await aToken(service, { auto_approve_after: 5 })
      const first = await delegated(service, root.jti)
      for (let n = 0; n < 5; n++) await approvedOnce(service, first.jti)
      assert.equal(await isAutomatic(service, first.jti), true)
      await stop(service, first)
      assert.deepEqual((await service.get('/v1/vat/approvals/habits')).body.data, [])
      const second = await delegated(service, root.jti)
      for (let n = 0; n < 5; n++) await approvedOnce(service, second.jti)
      assert.equal(await isAutomatic(service, second.jti), true)
      assert.equal((await service.get('/v1/vat/approvals/habits')).body.data.length, 1)
    })

  test('does not apply to a token whose rule has no habit, or to another person', async (context) => {
    const service = await aTestApp(context)
    const { jti } = await aToken(service, { auto_approve_after: 1 })
    await approvedOnce(service, jti)
    const strict = await aToken(service, {})
    const patient = await aToken(service, { auto_approve_after: 2 })
    const stranger = await aToken(service, { auto_approve_after: 1 }, { developer_email: 'b@example.com' })
    for (const token of [strict, patient, stranger])
      assert.equal((await ask(service, token.jti)).reason, 'approval_required')
    const child = await service.post('/v1/vat/delegate', {
      vat_jti: strict.jti,
      agent_id: 'calendar-bot',
      constraints: { require_approval: { auto_approve_after: 1 } },
    })
    assert.equal((await ask(service, child.body.jti)).reason, 'approval_required')
  })
})

describe('a grant', () => {
  async function granted(
    service: TestApp,
    jti: string,
    grant: object,
    changes: Record<string, unknown> = {},
  ) {
    const { approval_id } = await ask(service, jti, changes)
    const { status, body } = await service.post(`/v1/vat/approvals/${approval_id}/approve`, { grant })
    assert.equal(status, 200, JSON.stringify(body))
    return body
  }
  const grants = async (service: TestApp) => (await service.get('/v1/vat/approvals/grants')).body.data

  test('approves requests of the same kind until it ends, each with a reference to the grant', async (context) => {
    const service = await aTestApp(context)
    const { jti, claims } = await aToken(service, {})
    const approval = await granted(service, jti, { minutes: 30, max_spend_usd: 50 }, { spend_usd: 10 })
    const expires_at = new Date(service.clock() + 30 * 60_000).toISOString()
    assert.deepEqual(approval.grant, { expires_at, max_spend_usd: 50 })
    const answer = await ask(service, jti, { spend_usd: 15 })
    assert.equal(answer.authorized, true)
    const [used] = (await service.get('/v1/vat/approvals')).body.data
    assert.deepEqual(
      [used.decided_by, used.grant_id, used.used_by],
      ['grant', approval.approval_id, answer.aar_id],
    )
    assert.deepEqual(await grants(service), [
      {
        approval_id: approval.approval_id,
        agent_id: 'agent:calendar-bot',
        human_ref: claims.svc_human_ref,
        action: 'write',
        resource: 'calendar:events',
        root_jti: jti,
        expires_at,
        max_spend_usd: 50,
        spent_usd: 25,
        uses: 1,
      },
    ])
    service.clock.advance(30 * 60_000)
    assert.equal((await ask(service, jti, { spend_usd: 1 })).reason, 'approval_required')
    assert.deepEqual(await grants(service), [])
  })

  test('approves up to its total and not a micro-dollar more, even for concurrent requests', async (context) => {
    const service = await aTestApp(context)
    const { jti } = await aToken(service, {})
    await granted(service, jti, { minutes: 30, max_spend_usd: 50 }, { spend_usd: 1 })
    const answers = await Promise.all(Array.from({ length: 40 }, () => ask(service, jti, { spend_usd: 2 })))
    assert.equal(answers.filter(({ authorized }) => authorized).length, 24)
    const [grant] = await grants(service)
    assert.deepEqual([grant.spent_usd, grant.uses], [49, 24])
    assert.equal((await ask(service, jti, { spend_usd: 1.000001 })).authorized, false)
    assert.equal((await ask(service, jti, { spend_usd: 1 })).authorized, true)
  })

  test('covers no other root token, agent, action, resource or metadata members', async (context) => {
    const service = await aTestApp(context)
    const { jti } = await aToken(service, {})
    await granted(service, jti, { minutes: 30 }, { metadata: { to: 'anna' } })
    const child = await service.post('/v1/vat/delegate', { vat_jti: jti, agent_id: 'sub-bot' })
    const other = await aToken(service, {})
    const same = { metadata: { to: 'bert' } }
    assert.equal((await ask(service, jti, same)).authorized, true)
    for (const [vat_jti, changes] of [
      [jti, { ...same, action: 'read' }],
      [jti, { ...same, resource: 'email:read' }],
      [jti, { ...same, spend_usd: 0.000001 }],
      [jti, { metadata: { to: 'bert', cc: 'carl' } }],
      [jti, {}],
      [child.body.jti, same],
      [other.jti, same],
    ] as const)
      assert.equal(
        (await ask(service, vat_jti, changes)).reason,
        'approval_required',
        JSON.stringify(changes),
      )
  })

  test('ends at once when the person ends it, denies a request, or the token is revoked', async (context) => {
    const service = await aTestApp(context)
    const end = async (approval_id: string) =>
      (await service.post('/v1/vat/approvals/grants/end', { approval_id })).body
    const { jti } = await aToken(service, {})
    const first = await granted(service, jti, { minutes: 30 })
    assert.deepEqual(await end(first.approval_id), { ended: true })
    assert.deepEqual(await end(first.approval_id), { ended: false })
    assert.equal((await ask(service, jti)).reason, 'approval_required')
    assert.deepEqual(await grants(service), [])
    const second = await granted(service, jti, { minutes: 30 })
    const costly = await ask(service, jti, { spend_usd: 1 })
    await decide(service, costly.approval_id, 'deny')
    assert.equal((await ask(service, jti)).reason, 'approval_required')
    assert.deepEqual(await end(second.approval_id), { ended: false })
    await granted(service, jti, { minutes: 30 })
    await service.post(`/v1/vat/tokens/${jti}/suspend`, {})
    assert.deepEqual((await ask(service, jti)).reasons, ['token_suspended'])
    await service.post('/v1/vat/revoke', { vat_jti: jti })
    assert.ok((await ask(service, jti)).reasons.includes('token_revoked'))
  })

  for (const [revoked, stop] of Object.entries(WAYS_TO_REVOKE))
    test(`ends when ${revoked}, also for new tokens below the same root token`, async (context) => {
      const service = await aTestApp(context)
      const root = await aToken(service, {})
      const first = await delegated(service, root.jti)
      const { approval_id } = await granted(service, first.jti, { minutes: 30, max_spend_usd: 50 })
      assert.equal((await ask(service, first.jti)).authorized, true)
      await stop(service, first)
      assert.deepEqual(await grants(service), [])
      const ended = await service.post('/v1/vat/approvals/grants/end', { approval_id })
      assert.deepEqual(ended.body, { ended: false })
      const second = await delegated(service, root.jti)
      assert.equal((await ask(service, second.jti, { dry_run: true })).reason, 'approval_required')
      await approvedOnce(service, second.jti)
      assert.equal((await ask(service, second.jti)).reason, 'approval_required')
    })

  test('ends with the root token, and is no longer listed', async (context) => {
    const service = await aTestApp(context)
    const { jti, claims } = await aToken(service, {})
    await granted(service, jti, { minutes: 30 })
    assert.equal((await grants(service)).length, 1)
    await service.post('/v1/vat/revoke/human', { human_ref: claims.svc_human_ref })
    assert.deepEqual(await grants(service), [])
  })

  test('is refused if it is smaller than the approved action or lasts longer than a day', async (context) => {
    const service = await aTestApp(context)
    const { jti } = await aToken(service, {})
    const { approval_id } = await ask(service, jti, { spend_usd: 10 })
    for (const grant of [{ minutes: 30, max_spend_usd: 9.99 }, { minutes: 1441 }, { minutes: 0 }, {}]) {
      const { status, body } = await service.post(`/v1/vat/approvals/${approval_id}/approve`, { grant })
      assert.deepEqual([status, body.code], [400, 'invalid_request'], JSON.stringify(grant))
    }
    assert.equal((await service.get(`/v1/vat/approvals/${approval_id}`)).body.state, 'pending')
  })
})

describe('approvers', () => {
  test('are refused in open mode, where everyone counts as one person', async (context) => {
    const service = await aTestApp(context)
    const { status, body } = await service.post(
      '/v1/vat/issue/l1',
      anIssueRequest({ constraints: { require_approval: { approvers: { count: 2, role: 'reviewer' } } } }),
    )
    assert.deepEqual(
      [status, body.code, body.errors[0].pointer],
      [400, 'invalid_request', '/constraints/require_approval/approvers'],
    )
  })
})
