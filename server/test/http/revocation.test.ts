import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { aTestApp, type TestApp } from '@deputize/testing/a-test-app.ts'
import { anIssueRequest } from '@deputize/testing/an-issue-request.ts'

async function aRoot(service: TestApp, changes: Record<string, unknown> = {}) {
  const request = anIssueRequest({ actions: ['read', 'write', 'delegate'], ...changes })
  const { status, body } = await service.post('/v1/vat/issue/l1', request)
  assert.equal(status, 200, JSON.stringify(body))
  return body
}

/** A child that can delegate, too. */
async function aChild(service: TestApp, vat_jti: string, agent_id = 'sub-bot'): Promise<string> {
  const request = { vat_jti, agent_id, actions: ['read', 'delegate'] }
  const { status, body } = await service.post('/v1/vat/delegate', request)
  assert.equal(status, 201, JSON.stringify(body))
  return body.jti
}

interface Tree {
  readonly root: string
  readonly left: string
  readonly below_left: string
  readonly right: string
  readonly human_ref: string
}

async function aTree(service: TestApp, changes: Record<string, unknown> = {}): Promise<Tree> {
  const { jti: root, claims } = await aRoot(service, changes)
  const left = await aChild(service, root, 'left-bot')
  const below_left = await aChild(service, left, 'low-bot')
  const right = await aChild(service, root, 'right-bot')
  return { root, left, below_left, right, human_ref: claims.svc_human_ref }
}

const ask = async (service: TestApp, vat_jti: string, changes: Record<string, unknown> = {}) =>
  (
    await service.post('/v1/vat/authorize', {
      vat_jti,
      action: 'read',
      resource: 'calendar:events',
      ...changes,
    })
  ).body

/** The reasons against each token of the tree. Live tokens are omitted. */
async function silenced(service: TestApp, { root, left, below_left, right }: Tree) {
  const found: Record<string, string[]> = {}
  for (const [name, jti] of Object.entries({ root, left, below_left, right })) {
    const answer = await ask(service, jti)
    if (!answer.authorized) found[name] = answer.reasons
  }
  return found
}

const statusOf = async (service: TestApp, jti: string) =>
  (await service.get(`/v1/vat/tokens/${jti}`)).body.status

describe('a revoke', () => {
  test('of a token in the middle revokes its descendants and nothing else', async (context) => {
    const service = await aTestApp(context)
    const tree = await aTree(service)
    const { status, body } = await service.post('/v1/vat/revoke', { vat_jti: tree.left, reason: 'done' })
    assert.equal(status, 200)
    assert.deepEqual([body.revoked, body.already_revoked, body.revoked_count], [true, false, 2])
    assert.deepEqual(await silenced(service, tree), {
      left: ['token_revoked'],
      below_left: ['token_revoked'],
    })
    assert.deepEqual(
      [await statusOf(service, tree.below_left), await statusOf(service, tree.right)],
      ['revoked', 'live'],
    )
    assert.equal((await service.get(`/v1/vat/tokens/${tree.left}`)).body.revoke_reason, 'done')
  })

  test('of a root counts every token that it revoked, without those revoked before', async (context) => {
    const service = await aTestApp(context)
    const tree = await aTree(service)
    await service.post('/v1/vat/revoke', { vat_jti: tree.left })
    const { body } = await service.post('/v1/vat/revoke', { vat_jti: tree.root })
    assert.equal(body.revoked_count, 2)
    assert.deepEqual(Object.keys(await silenced(service, tree)), ['root', 'left', 'below_left', 'right'])
  })

  test('below a revoked token revokes nothing more', async (context) => {
    const service = await aTestApp(context)
    const tree = await aTree(service)
    await service.post('/v1/vat/revoke', { vat_jti: tree.root })
    const { body } = await service.post('/v1/vat/revoke', { vat_jti: tree.left })
    assert.deepEqual([body.revoked, body.revoked_count], [true, 0])
  })

  test('does not count expired tokens', async (context) => {
    const service = await aTestApp(context)
    const tree = await aTree(service)
    service.clock.advance(3_600_000)
    assert.equal((await service.post('/v1/vat/revoke', { vat_jti: tree.root })).body.revoked_count, 1)
  })

  test('can be repeated, which changes nothing', async (context) => {
    const service = await aTestApp(context)
    const tree = await aTree(service)
    const first = (await service.post('/v1/vat/revoke', { vat_jti: tree.root })).body
    const size = await service.logSize()
    service.clock.advance(1000)
    const second = (await service.post('/v1/vat/revoke', { vat_jti: tree.root })).body
    assert.deepEqual(second, { ...first, already_revoked: true, revoked_count: 0 })
    assert.equal(await service.logSize(), size)
  })

  test('of an unknown token, agent or person is refused with its own code', async (context) => {
    const service = await aTestApp(context)
    const codeOf = async (path: string, body?: object) => (await service.post(path, body)).body.code
    assert.equal(await codeOf('/v1/vat/revoke', { vat_jti: 'vat_sub_x' }), 'token_unknown')
    assert.equal(await codeOf('/v1/vat/revoke/preview', { vat_jti: 'vat_sub_x' }), 'token_unknown')
    assert.equal(await codeOf('/v1/vat/revoke/agent', { agent_id: 'nobody' }), 'agent_unknown')
    const human_ref = `sha256:${'0'.repeat(64)}`
    assert.equal(await codeOf('/v1/vat/revoke/human', { human_ref }), 'human_unknown')
    assert.equal(await codeOf('/v1/vat/tokens/vat_sub_x/suspend'), 'token_unknown')
    assert.equal(await codeOf('/v1/vat/tokens/vat_sub_x/resume'), 'token_unknown')
    assert.equal(await codeOf('/v1/vat/agents/nobody/suspend'), 'agent_unknown')
  })

  test('allows a pending record below it to be completed, and marks it', async (context) => {
    const service = await aTestApp(context)
    for (const kind of ['token', 'agent', 'human']) {
      const tree = await aTree(service, { constraints: { max_spend_usd: 1 }, agent_id: `root-${kind}` })
      const { aar_id } = await ask(service, tree.below_left, { spend_usd: 0.5 })
      if (kind === 'token') await service.post('/v1/vat/revoke', { vat_jti: tree.root })
      if (kind === 'agent') await service.post('/v1/vat/revoke/agent', { agent_id: 'root-agent' })
      if (kind === 'human') await service.post('/v1/vat/revoke/human', { human_ref: tree.human_ref })
      const done = await service.post(`/v1/vat/aar/${aar_id}/complete`, {
        result: 'success',
        spend_usd: 0.25,
      })
      assert.deepEqual(
        [done.status, done.body.state, done.body.completed_after_revocation],
        [200, 'completed', true],
        kind,
      )
      const { budget } = (await service.get(`/v1/vat/tokens/${tree.root}`)).body
      assert.deepEqual([budget.spent_usd, budget.reserved_usd], [0.25, 0], kind)
    }
  })
})

describe('in an overloaded service', () => {
  test('revoking and suspending still succeed while other calls are refused', async (context) => {
    const service = await aTestApp(context, { queue_limit: 1 })
    const { jti, claims } = await aRoot(service)
    const storm = () =>
      Array.from({ length: 20 }, () =>
        service.post('/v1/vat/authorize', { vat_jti: jti, action: 'read', resource: 'calendar:events' }),
      )
    for (const [path, body] of [
      [`/v1/vat/tokens/${jti}/suspend`, undefined],
      ['/v1/vat/agents/calendar-bot/suspend', undefined],
      ['/v1/vat/revoke', { vat_jti: jti }],
      ['/v1/vat/revoke/agent', { agent_id: 'calendar-bot' }],
      ['/v1/vat/revoke/human', { human_ref: claims.svc_human_ref }],
    ] as const) {
      const others = storm()
      const { status } = await service.post(path, body)
      assert.equal(status, 200, path)
      assert.ok((await Promise.all(others)).some((one) => one.body.code === 'overloaded'))
    }
  })
})

describe('the preview of a revoke', () => {
  test('reports what would be revoked, and revokes nothing', async (context) => {
    const service = await aTestApp(context)
    const tree = await aTree(service, { constraints: { max_spend_usd: 1 } })
    await ask(service, tree.below_left, { spend_usd: 0.25 })
    await ask(service, tree.right, { spend_usd: 0.5 })
    const size = await service.logSize()
    const preview = async (vat_jti: string) =>
      (await service.post('/v1/vat/revoke/preview', { vat_jti })).body
    assert.deepEqual(await preview(tree.left), {
      jti: tree.left,
      already_revoked: false,
      live_tokens: 2,
      agents: ['agent:left-bot', 'agent:low-bot'],
      pending_records: 1,
      reserved_usd: 0.25,
    })
    const whole = await preview(tree.root)
    assert.deepEqual([whole.live_tokens, whole.pending_records, whole.reserved_usd], [4, 2, 0.75])
    assert.equal(await service.logSize(), size)
    const { body } = await service.post('/v1/vat/revoke', { vat_jti: tree.root })
    assert.equal(body.revoked_count, whole.live_tokens)
    const after = await preview(tree.root)
    assert.deepEqual([after.already_revoked, after.live_tokens], [true, 0])
  })
})

describe('a revoke of an agent', () => {
  test('covers all its tokens and their descendants, in every workflow', async (context) => {
    const service = await aTestApp(context)
    const [one, two] = [await aTree(service), await aTree(service, { developer_email: 'b@example.com' })]
    const { status, body } = await service.post('/v1/vat/revoke/agent', { agent_id: 'left-bot' })
    assert.deepEqual([status, body.revoked, body.agent_id], [200, true, 'agent:left-bot'])
    for (const tree of [one, two])
      assert.deepEqual(await silenced(service, tree), {
        left: ['token_revoked'],
        below_left: ['token_revoked'],
      })
  })

  test('counts the tokens of the agent itself, each once', async (context) => {
    const service = await aTestApp(context)
    await aTree(service)
    await aTree(service)
    const { body } = await service.post('/v1/vat/revoke/agent', { agent_id: 'left-bot' })
    assert.equal(body.revoked_count, 2)
    const again = await service.post('/v1/vat/revoke/agent', { agent_id: 'left-bot' })
    assert.equal(again.body.revoked_count, 0)
  })

  test('does not affect tokens issued to it later', async (context) => {
    const service = await aTestApp(context)
    const tree = await aTree(service)
    await service.post('/v1/vat/revoke/agent', { agent_id: 'left-bot' })
    const later = await aChild(service, tree.root, 'left-bot')
    assert.equal((await ask(service, later)).authorized, true)
    assert.equal(await statusOf(service, tree.left), 'revoked')
  })
})

describe('a revoke of a person', () => {
  test('covers everything that acts for them, and nothing else', async (context) => {
    const service = await aTestApp(context)
    const [mine, other] = [await aTree(service), await aTree(service, { developer_email: 'b@example.com' })]
    const { human_ref } = mine
    const { status, body } = await service.post('/v1/vat/revoke/human', { human_ref })
    assert.deepEqual([status, body.revoked, body.revoked_count, body.human_ref], [200, true, 4, human_ref])
    assert.equal(Object.keys(await silenced(service, mine)).length, 4)
    assert.deepEqual(await silenced(service, other), {})
  })

  test('leaves later tokens live, however often it is repeated', async (context) => {
    const service = await aTestApp(context)
    const { human_ref, root } = await aTree(service)
    await service.post('/v1/vat/revoke/human', { human_ref })
    const later = await aTree(service)
    assert.deepEqual(await silenced(service, later), {})
    const again = await service.post('/v1/vat/revoke/human', { human_ref })
    assert.equal(again.body.revoked_count, 4)
    assert.equal(Object.keys(await silenced(service, later)).length, 4)
    assert.equal(await statusOf(service, root), 'revoked')
  })
})

describe('a suspension', () => {
  test('of a token suspends its descendants until it is resumed', async (context) => {
    const service = await aTestApp(context)
    const tree = await aTree(service)
    const freeze = (what: string) => service.post(`/v1/vat/tokens/${tree.left}/${what}`)
    const first = (await freeze('suspend')).body
    assert.deepEqual([first.jti, first.suspended, first.changed], [tree.left, true, true])
    assert.deepEqual(await silenced(service, tree), {
      left: ['token_suspended'],
      below_left: ['token_suspended'],
    })
    assert.equal(await statusOf(service, tree.below_left), 'suspended')
    assert.equal((await freeze('suspend')).body.changed, false)
    const resumed = (await freeze('resume')).body
    assert.deepEqual([resumed.suspended, resumed.changed], [false, true])
    assert.deepEqual(await silenced(service, tree), {})
    assert.equal((await freeze('resume')).body.changed, false)
  })

  test('is not lifted by resuming a descendant', async (context) => {
    const service = await aTestApp(context)
    const tree = await aTree(service)
    await service.post(`/v1/vat/tokens/${tree.root}/suspend`)
    await service.post(`/v1/vat/tokens/${tree.left}/resume`)
    assert.equal(Object.keys(await silenced(service, tree)).length, 4)
  })

  test('that is lifted does not restore revoked tokens', async (context) => {
    const service = await aTestApp(context)
    const tree = await aTree(service)
    await service.post(`/v1/vat/tokens/${tree.root}/suspend`)
    await service.post('/v1/vat/revoke', { vat_jti: tree.left })
    await service.post(`/v1/vat/tokens/${tree.root}/resume`)
    assert.deepEqual(await silenced(service, tree), {
      left: ['token_revoked'],
      below_left: ['token_revoked'],
    })
  })

  test('of an agent suspends its tokens and their descendants, and blocks new ones', async (context) => {
    const service = await aTestApp(context)
    const tree = await aTree(service)
    const { status, body } = await service.post('/v1/vat/agents/left-bot/suspend')
    assert.deepEqual([status, body.suspended], [200, true])
    assert.deepEqual(await silenced(service, tree), {
      left: ['agent_suspended'],
      below_left: ['agent_suspended'],
    })
    const issue = () => service.post('/v1/vat/issue/l1', anIssueRequest({ agent_id: 'left-bot' }))
    assert.equal((await issue()).body.code, 'token_not_live')
    const resumed = await service.post('/v1/vat/agents/left-bot/resume')
    assert.deepEqual([resumed.body.suspended, resumed.body.suspended_at], [false, undefined])
    assert.deepEqual(await silenced(service, tree), {})
    assert.equal((await issue()).status, 200)
  })
})
