import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type DeputyEvent, tokenRef } from '@deputize/protocol'
import { aTestApp, type TestApp } from '@deputize/testing/a-test-app.ts'
import { anIssueRequest } from '@deputize/testing/an-issue-request.ts'
import { eventually } from '@deputize/testing/eventually.ts'
import type { Subscriber } from '../../src/events/audience.ts'
import { decodeLeaf } from '../../src/events/change.ts'
import { EventNumbers } from '../../src/events/event-numbers.ts'
import { EventFeed } from '../../src/events/feed.ts'
import type { FeedFilter } from '../../src/events/interest.ts'
import { LeafNameReader } from '../../src/events/leaf-names.ts'
import type { Leaf } from '../../src/log/leaf.ts'
import type { ReadStore } from '../../src/store/port.ts'

const LOCAL: Subscriber = { role: 'local' }
const READ = { action: 'read', resource: 'calendar:events', result: 'success' }

async function aToken(service: TestApp, agent_id = 'calendar-bot'): Promise<{ jti: string }> {
  const { status, body } = await service.post('/v1/vat/issue/l1', anIssueRequest({ agent_id }))
  assert.equal(status, 200, JSON.stringify(body))
  return body
}

async function act(service: TestApp, vat_jti: string): Promise<string> {
  const { status, body } = await service.post('/v1/vat/record/action', { vat_jti, ...READ })
  assert.equal(status, 200, JSON.stringify(body))
  return body.aar_id
}

/** The next `count` events that a subscriber gets from an index on. */
async function follow(
  service: TestApp,
  from: number,
  count: number,
  filter: FeedFilter = {},
): Promise<DeputyEvent[]> {
  const events: DeputyEvent[] = []
  const interest = { subscriber: LOCAL, filter }
  for await (const { changes } of service.context.events.feed.subscribe({ from, interest })) {
    for (const change of changes) events.push(await change.event())
    if (events.length >= count) break
  }
  return events
}

describe('the feed', () => {
  test('returns past events and then new ones, in the order of the log', async (t) => {
    const service = await aTestApp(t)
    const { jti } = await aToken(service)
    await act(service, jti)
    const following = follow(service, 0, 4)
    await act(service, jti)
    await service.post('/v1/vat/revoke', { vat_jti: jti })
    const events = await following
    assert.deepEqual(
      events.map(({ type }) => type),
      ['token.issued', 'action.completed', 'action.completed', 'token.revoked'],
    )
    assert.deepEqual(
      events.map(({ id, log_index }) => [id, log_index]),
      events.map((_, index) => [`evt_${index}`, index]),
    )
    for (const { data } of events) assert.equal('vat_jti' in data ? data.vat_jti : undefined, jti)
  })

  test('finds the ID of a token and of its parent without its caches', async (t) => {
    const service = await aTestApp(t)
    const request = anIssueRequest({ actions: ['read', 'delegate'] })
    const root = (await service.post('/v1/vat/issue/l1', request)).body
    const below = { vat_jti: root.jti, agent_id: 'sub-bot' }
    const first = (await service.post('/v1/vat/delegate', below)).body
    const second = (await service.post('/v1/vat/delegate', below)).body
    const renewed = (await service.post('/v1/vat/renew', { vat_jti: root.jti, expires_in: 7200 })).body
    await service.post('/v1/vat/revoke', { vat_jti: first.jti })
    const names = async (log_index: number) => {
      const reader = new LeafNameReader(service.reader, new EventNumbers())
      const leaf: Leaf = JSON.parse((await service.leafTexts())[log_index] ?? '')
      const token_ref = String(leaf.token)
      return [await reader.jtiOf(leaf, { token_ref }, log_index), await reader.aboveJtiOf(leaf, log_index)]
    }
    assert.deepEqual(await names(0), [root.jti, undefined])
    assert.deepEqual(await names(1), [first.jti, root.jti])
    assert.deepEqual(await names(2), [second.jti, root.jti])
    assert.deepEqual(await names(3), [renewed.jti, root.jti])
    assert.deepEqual(await names(4), [first.jti, undefined])
  })

  test('omits no action of a type that the filter names', async (t) => {
    const service = await aTestApp(t)
    const { jti } = await aToken(service)
    const asked = { vat_jti: jti, action: 'read', resource: 'calendar:events' }
    const all = ['action.authorized', 'action.denied', 'action.completed', 'action.completed'] as const
    const from = await service.context.events.feed.size()
    const following = [...new Set(all)].map((type) =>
      follow(service, from, all.filter((one) => one === type).length, { types: new Set([type]) }),
    )
    await eventually('all follow', () => service.context.events.feed.subscriptions === following.length)
    const { body } = await service.post('/v1/vat/authorize', asked)
    await service.post('/v1/vat/authorize', { ...asked, action: 'destroy' })
    await service.post(`/v1/vat/aar/${body.aar_id}/complete`, { result: 'success' })
    await act(service, jti)
    const told = (await Promise.all(following)).flat().map(({ type }) => type)
    assert.deepEqual(told, all)
  })

  test('shows an agent its own token, however many tokens its workflow has', async (t) => {
    const service = await aTestApp(t)
    const { jti } = await aToken(service)
    await service.post('/v1/vat/revoke', { vat_jti: jti })
    const text = (await service.leafTexts())[1] ?? ''
    const leaf: Leaf = JSON.parse(text)
    const decoded = await decodeLeaf(text, 1, new LeafNameReader(service.reader, new EventNumbers()))
    const provenance_ref = String(leaf.provenance_ref)
    const agent = { role: 'agent', tenant_id: 'default', provenance_ref, token_ref: tokenRef(jti) } as const
    assert.equal(await decoded.change?.isSeenBy(agent), true)
    const other = { ...agent, token_ref: tokenRef('vat_root_x') }
    assert.equal(await decoded.change?.isSeenBy(other), false)
  })

  test('describes a completed action with the details of its authorization', async (t) => {
    const service = await aTestApp(t)
    const { jti } = await aToken(service)
    const asked = { vat_jti: jti, action: 'read', resource: 'calendar:events' }
    const { body } = await service.post('/v1/vat/authorize', asked)
    await service.post(`/v1/vat/aar/${body.aar_id}/complete`, { result: 'partial' })
    const [, , completed] = await follow(service, 0, 3)
    const { action, resource, result, vat_jti } = { ...completed?.data } as Record<string, unknown> // of a type that the test asserts
    assert.deepEqual(
      { action, resource, result, vat_jti },
      { action: 'read', resource: 'calendar:events', result: 'partial', vat_jti: jti },
    )
  })

  test('leaves out what the filter does not match', async (t) => {
    const service = await aTestApp(t)
    const one = await aToken(service, 'one')
    const other = await aToken(service, 'other')
    const following = follow(service, 0, 2, { agent_id: 'other' })
    await act(service, one.jti)
    const aar_id = await act(service, other.jti)
    const [issued, acted] = await following
    assert.equal(issued?.type, 'token.issued')
    assert.equal(acted?.type === 'action.completed' ? acted.data.aar_id : undefined, aar_id)
  })

  test('a subscriber that reads slowly gets everything, each once', async (t) => {
    const service = await aTestApp(t)
    const { jti } = await aToken(service)
    const interest = { subscriber: LOCAL, filter: {} }
    const subscription = service.context.events.feed.subscribe({ from: 0, interest })
    const seen: number[] = []
    const expected = 3_001
    for await (const { changes } of subscription) {
      seen.push(...changes.map(({ log_index }) => log_index))
      if (seen.length >= expected) break
      if (seen.length > 1) continue
      // While it holds the first event, more events occur than the feed buffers for it.
      const items = Array.from({ length: 1_000 }, () => ({ vat_jti: jti, ...READ }))
      for (let batch = 0; batch < 3; batch += 1)
        assert.equal((await service.post('/v1/vat/record/batch', { items })).status, 200)
    }
    assert.deepEqual(
      seen,
      seen.map((_, index) => index),
    )
    assert.equal(seen.length, expected)
  })

  test('leaves nothing behind when a subscriber stops', async (t) => {
    const service = await aTestApp(t)
    const { feed } = service.context.events
    await aToken(service)
    await follow(service, 0, 1)
    assert.equal(feed.subscriptions, 0)
  })

  test('ends when the service closes', async (t) => {
    const service = await aTestApp(t)
    const done = follow(service, 0, 1)
    await service.context.events.feed.close()
    assert.deepEqual(await done, [])
  })
})

describe('the tenants of people in the revocation feed', () => {
  test('are looked up once, and again for a later leaf about a person of whom nothing was stored', async (t) => {
    const service = await aTestApp(t)
    const { reader } = service.context
    let asked = 0
    const counting: ReadStore = {
      ...reader,
      registry: {
        ...reader.registry,
        list(kind, ...args) {
          if (kind === 'session') asked += 1 // where a lookup begins
          return reader.registry.list(kind, ...args)
        },
      },
    }
    const feed = new EventFeed({ reader: counting, numbers: new EventNumbers(), onTrouble: assert.fail })
    const { body } = await service.post('/v1/vat/issue/l1', anIssueRequest())
    const known = String(body.claims.svc_human_ref)
    const revoked = (log_index: number) => [
      { human_ref: 'sha256:nobody', log_index },
      { human_ref: 'sha256:nobody', log_index: 0 },
      { human_ref: known, log_index },
    ]
    for (let poll = 0; poll < 3; poll += 1)
      assert.deepEqual([...(await feed.tenantsOfPeople(revoked(0)))], [[known, 'default']])
    assert.equal(asked, 2)
    await service.submit({
      kind: 'register',
      entry_kind: 'identity',
      id: 'sha256:address',
      tenant_id: 'acme',
      owner: 'sha256:nobody',
      document: '{}',
      expects: 'absent',
    })
    assert.equal((await feed.tenantsOfPeople(revoked(0))).get('sha256:nobody'), undefined)
    const later = await feed.tenantsOfPeople(revoked(await feed.size()))
    assert.equal(later.get('sha256:nobody'), 'acme')
    assert.equal(asked, 3)
    const proven = { human_ref: 'sha256:address', log_index: 0 }
    assert.equal((await feed.tenantsOfPeople([proven])).get('sha256:address'), 'acme')
  })
})
