import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { aTestApp } from '@deputize/testing/a-test-app.ts'
import { anIssueRequest } from '@deputize/testing/an-issue-request.ts'
import { proveAddress } from '../a-proven-address.ts'

const service = await aTestApp({ after })
const UNKNOWN_REF = `sha256:${'0'.repeat(64)}`

async function aPerson(developer_email: string, changes: Record<string, unknown> = {}) {
  const { status, body } = await service.post(
    '/v1/vat/issue/l1',
    anIssueRequest({ developer_email, ...changes }),
  )
  assert.equal(status, 200, JSON.stringify(body))
  return { jti: body.jti, human_ref: body.claims.svc_human_ref, compact_jwt: body.compact_jwt }
}

const anAction = (vat_jti: string) => ({ vat_jti, action: 'read', resource: 'calendar:events' })

describe('people', () => {
  test('are described by their newest tokens', async () => {
    const first = await aPerson('known@example.com')
    const seen = new Date(service.clock()).toISOString()
    service.clock.advance(1000)
    await aPerson('known@example.com', { actions: ['read', 'delegate'] })
    const { body } = await service.post('/v1/vat/revoke', { vat_jti: first.jti })
    assert.equal(body.revoked, true)
    assert.deepEqual((await service.get(`/v1/vat/humans/${first.human_ref}`)).body, {
      human_ref: first.human_ref,
      assurance_levels: ['L1'],
      tokens: 2,
      live_tokens: 1,
      workflows: 2,
      first_seen_at: seen,
    })
  })

  test('who are unknown can be neither read nor erased', async () => {
    for (const answer of [
      await service.get(`/v1/vat/humans/${UNKNOWN_REF}`),
      await service.delete(`/v1/vat/humans/${UNKNOWN_REF}`),
    ])
      assert.deepEqual([answer.status, answer.body.code], [404, 'human_unknown'])
    assert.equal((await service.delete('/v1/vat/humans/somebody')).status, 400)
    const misplaced = await service.delete(`/v1/vat/humans/${UNKNOWN_REF}?now=1`)
    assert.equal(misplaced.status, 400)
  })

  test('have all their tokens revoked when they are erased', async () => {
    const { jti, human_ref, compact_jwt } = await aPerson('leaving@example.com', {
      actions: ['read', 'delegate'],
    })
    const child = await service.post('/v1/vat/delegate', { vat_jti: jti, agent_id: 'sub-bot' })
    const erased = await service.delete(`/v1/vat/humans/${human_ref}`)
    assert.equal(erased.body.revoked_count, 2)
    for (const vat_jti of [jti, child.body.jti])
      assert.equal((await service.post('/v1/vat/authorize', anAction(vat_jti))).body.reason, 'token_revoked')
    assert.equal((await service.post('/v1/vat/verify', { compact_jwt })).body.reason, 'token_revoked')
    const delegated = await service.post('/v1/vat/delegate', { vat_jti: jti, agent_id: 'another' })
    assert.equal(delegated.body.code, 'token_not_live')
    assert.equal((await service.get(`/v1/vat/tokens/${jti}`)).body.status, 'revoked')
  })

  test('erased again with the same Idempotency-Key are erased again, without a replayed answer', async () => {
    const { human_ref } = await aPerson('key@example.com')
    const key = { 'idempotency-key': 'erase-once' }
    const first = await service.delete(`/v1/vat/humans/${human_ref}`, key)
    const second = await service.delete(`/v1/vat/humans/${human_ref}`, key)
    assert.deepEqual([first.body.already_erased, second.body.already_erased], [false, true])
    assert.equal(second.headers['idempotency-replayed'], undefined)
  })

  test('without personal data show only the mark of the erasure', async () => {
    const { jti, human_ref } = await aPerson('silent@example.com')
    const { aar_id } = (await service.post('/v1/vat/record/action', { ...anAction(jti), result: 'success' }))
      .body
    await service.delete(`/v1/vat/humans/${human_ref}`)
    for (const path of [`/v1/vat/tokens/${jti}`, `/v1/vat/aar/${aar_id}`])
      assert.equal((await service.get(path)).body.erased, undefined)
    assert.ok('erased_at' in (await service.get(`/v1/vat/humans/${human_ref}`)).body)
  })

  test('lose their approval habits', async () => {
    const { jti, human_ref } = await aPerson('habit@example.com', {
      constraints: { require_approval: { auto_approve_after: 1 } },
    })
    const { approval_id } = (await service.post('/v1/vat/authorize', anAction(jti))).body
    await service.post(`/v1/vat/approvals/${approval_id}/approve`, {})
    const habits = () => service.get(`/v1/vat/approvals/habits?human_ref=${human_ref}`)
    assert.equal((await habits()).body.data.length, 1)
    await service.delete(`/v1/vat/humans/${human_ref}`)
    assert.deepEqual((await habits()).body.data, [])
  })

  test('who return after an erasure start from scratch', async () => {
    const old = await aPerson('back@example.com', { purpose: 'before' })
    await service.delete(`/v1/vat/humans/${old.human_ref}`)
    const fresh = await aPerson('back@example.com', { purpose: 'after' })
    assert.equal(fresh.human_ref, old.human_ref)
    const [before, now] = [
      await service.get(`/v1/vat/tokens/${old.jti}`),
      await service.get(`/v1/vat/tokens/${fresh.jti}`),
    ]
    assert.deepEqual([before.body.purpose, before.body.erased], [undefined, true])
    assert.deepEqual([now.body.purpose, now.body.erased, now.body.status], ['after', undefined, 'live'])
  })

  test('who are erased cannot be identified by repeating a completion', async () => {
    const { jti, human_ref } = await aPerson('completed@example.com')
    const { aar_id } = (await service.post('/v1/vat/authorize', anAction(jti))).body
    const complete = () =>
      service.post(`/v1/vat/aar/${aar_id}/complete`, { result: 'success', metadata: { of: 'mine' } })
    assert.equal((await complete()).status, 200)
    assert.equal((await complete()).status, 200)
    await service.delete(`/v1/vat/humans/${human_ref}`)
    assert.equal((await complete()).body.code, 'record_closed')
    assert.equal((await service.delete(`/v1/vat/humans/${human_ref}`)).body.already_erased, true)
  })
})

describe('the export of a person', () => {
  const entriesOf = async (human_ref: string) => {
    const response = await service.app.inject({ url: `/v1/vat/humans/${human_ref}/export` })
    assert.equal(response.statusCode, 200)
    assert.match(String(response.headers['content-type']), /^application\/x-ndjson/)
    const text = response.body
    const lines = text.split('\n')
    assert.equal(lines.pop(), '')
    return { text, entries: lines.map((line) => JSON.parse(line)) }
  }

  test('contains everything that is stored, in plain text, and no credentials', async () => {
    const { jti, human_ref } = await aPerson('export@example.com', {
      actions: ['read', 'delegate'],
      purpose: 'the purpose',
    })
    const other = await aPerson('somebody.else@example.com', { purpose: 'not theirs' })
    const child = await service.post('/v1/vat/delegate', { vat_jti: jti, agent_id: 'sub-bot' })
    const asking = await aPerson('export@example.com', { constraints: { require_approval: {} } })
    const ids: string[] = []
    for (let n = 0; n < 205; n++) {
      const body = { ...anAction(jti), result: 'success', metadata: { n } }
      ids.push((await service.post('/v1/vat/record/action', body)).body.aar_id)
    }
    await service.post(`/v1/vat/aar/${ids[0]}/feedback`, { rating: 'approved', note: 'the note' })
    await service.post('/v1/vat/authorize', { ...anAction(jti), action: 'write' })
    const { approval_id } = (await service.post('/v1/vat/authorize', anAction(asking.jti))).body
    await service.post(`/v1/vat/approvals/${approval_id}/approve`, { note: 'the decision' })
    await service.post('/v1/vat/revoke', { vat_jti: asking.jti, reason: 'the reason' })

    const { text, entries } = await entriesOf(human_ref)
    const of = (kind: string) => entries.flatMap((entry) => entry[kind] ?? [])
    assert.equal(of('human')[0].human_ref, human_ref)
    assert.deepEqual(
      of('token').map(({ purpose, revoke_reason }) => [purpose, revoke_reason]),
      [
        [undefined, 'the reason'],
        [undefined, undefined],
        ['the purpose', undefined],
      ],
    )
    assert.deepEqual(
      of('record').map(({ aar_id, metadata }) => [aar_id, metadata.n]),
      ids.map((aar_id, n) => [aar_id, n]).reverse(),
    )
    assert.equal(of('record').at(-1).note, 'the note')
    assert.deepEqual(of('denial')[0].reasons, ['action_not_in_scope'])
    assert.equal(of('approval')[0].note, 'the decision')
    assert.equal(of('habit')[0].approvals, 1)
    assert.deepEqual(entries.at(-1), { end: true, entries: entries.length - 1 })
    for (const id of [jti, child.body.jti, asking.jti, other.jti, 'not theirs'])
      assert.ok(!text.includes(id), id)
  })

  test('contains what is stored under every ref of the person, whichever ref is named', async () => {
    const address = await aPerson('proven@example.com', { purpose: 'under the address' })
    const account = await aPerson('account@example.com', { purpose: 'under the account' })
    for (const { jti } of [address, account])
      await service.post('/v1/vat/record/action', { ...anAction(jti), result: 'success' })
    await proveAddress(service, {
      tenant_id: 'default',
      address: address.human_ref,
      account: account.human_ref,
    })
    for (const [named, other] of [
      [address, account],
      [account, address],
    ] as const) {
      const { entries } = await entriesOf(named.human_ref)
      const of = (kind: string) => entries.flatMap((entry) => entry[kind] ?? [])
      const refs = of('human').map(({ human_ref }) => human_ref)
      assert.deepEqual(refs, [named.human_ref, other.human_ref])
      const purposes = of('token').map(({ purpose }) => purpose)
      assert.deepEqual(purposes.toSorted(), ['under the account', 'under the address'])
      assert.equal(of('record').length, 2)
      assert.deepEqual(entries.at(-1), { end: true, entries: entries.length - 1 })
    }
  })

  test('shows after an erasure that data existed, but not what it was', async () => {
    const { jti, human_ref } = await aPerson('export.erased@example.com', {
      purpose: 'gone with the erasure',
    })
    await service.post('/v1/vat/record/action', {
      ...anAction(jti),
      result: 'success',
      metadata: { word: 'gone with the erasure' },
    })
    await service.delete(`/v1/vat/humans/${human_ref}`)
    const { text, entries } = await entriesOf(human_ref)
    assert.ok(!text.includes('gone with'))
    assert.deepEqual([entries[1].token.erased, entries[2].record.erased], [true, true])
  })

  test('is refused for an unknown person', async () => {
    assert.equal((await service.get(`/v1/vat/humans/${UNKNOWN_REF}/export`)).body.code, 'human_unknown')
  })
})

describe('leaves', () => {
  test('commit to the claims of a token without text from the caller', async () => {
    const { human_ref } = await aPerson('leaves@example.com', {
      constraints: { max_actions: 5, x_words: 'mine' },
    })
    const { body } = await service.get(`/v1/vat/tokens?human_ref=${human_ref}`)
    assert.equal(body.data[0].claims.svc_constraints.x_words, 'mine')
    const leaf = JSON.parse((await service.leafTexts())[body.data[0].log_index] ?? '')
    assert.deepEqual(leaf.constraints, { max_actions: 5 })
    assert.match(leaf.claims_hash, /^sha256:[0-9a-f]{64}$/)
  })

  test('of a profile commit to the whole profile, not to the last change', async () => {
    await service.post('/v1/vat/agents', { agent_id: 'profiled', display_name: 'A', model: 'm' })
    const digests = async () =>
      (await service.leafTexts())
        .map((text) => JSON.parse(text))
        .filter(({ type, agent_id }) => type === 'agent.registered' && agent_id === 'agent:profiled')
        .map(({ profile_digest }) => profile_digest)
    const patch = (payload: Record<string, unknown>) =>
      service.app.inject({ method: 'PATCH', url: '/v1/vat/agents/profiled', payload })
    assert.equal((await patch({ display_name: 'A' })).statusCode, 200)
    assert.equal((await patch({ display_name: 'B' })).statusCode, 200)
    const [first, second, third, ...more] = await digests()
    assert.match(first, /^sha256:[0-9a-f]{64}$/)
    assert.deepEqual([second === first, third === first, more], [true, false, []])
  })
})
