import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { eventually } from '@deputize/testing/eventually.ts'
import { MOST_NAMED, networkOf, SecurityEvents } from '../../src/access/security-events.ts'
import { aKeyedApp } from './a-keyed-app.ts'

interface Row {
  readonly kind: string
  readonly reason?: string
  readonly caller: string
  readonly network?: string
  readonly operation: string
  readonly count: number
  readonly first_at: string
  readonly last_at: string
}

describe('GET /v1/vat/security-events', () => {
  test('counts refused calls by kind, caller and hour, separately for each tenant', async (t) => {
    const app = await aKeyedApp(t)
    const { operator, withKey, key, test: service } = app
    await operator.post('/v1/vat/tenants', { tenant_id: 'acme' })
    const developer = withKey(await key('acme', 'developer'))
    const theirs = withKey(await key('acme', 'operator'))
    const list = async (client = operator, query = ''): Promise<Row[]> => {
      const { status, body } = await client.get(`/v1/vat/security-events${query}`)
      assert.equal(status, 200, JSON.stringify(body))
      return body.data
    }
    assert.deepEqual(await list(), [])
    for (let n = 0; n < 3; n += 1) await withKey('dk_guess_wrong').get('/v1/vat/agents')
    service.clock.advance(1000)
    await developer.get('/v1/vat/keys')
    await developer.get('/v1/vat/keys')
    const [guess, ...others] = await list()
    assert.deepEqual(others, [])
    assert.deepEqual(
      [guess?.kind, guess?.reason, guess?.caller, guess?.network, guess?.operation, guess?.count],
      ['credential_invalid', 'key_refused', 'public', '127.0.0.0/24', 'listAgents', 3],
    )
    const [misuse] = await list(theirs)
    assert.deepEqual([misuse?.kind, misuse?.operation, misuse?.count], ['role_not_allowed', 'listKeys', 2])
    assert.match(String(misuse?.caller), /^key:/)
    assert.deepEqual(await list(operator, '?tenant_id=acme'), [misuse])
    assert.deepEqual(await list(theirs, '?kind=credential_invalid'), [])
    assert.equal((await theirs.get('/v1/vat/security-events?tenant_id=default')).status, 404)
    assert.equal((await developer.get('/v1/vat/security-events')).status, 403)
  })

  test('lists the hours of the last week', async (t) => {
    const app = await aKeyedApp(t)
    const { clock } = app.test
    const list = async (query: string) => (await app.operator.get(`/v1/vat/security-events?${query}`)).body
    const refuse = () => app.withKey('dk_guess_wrong').get('/v1/vat/agents')
    await refuse()
    clock.advance(3_600_000)
    await refuse()
    await refuse()
    const first = await list('limit=1')
    assert.deepEqual([first.data[0].count, first.has_more], [2, true])
    const second = await list(`limit=1&cursor=${first.next_cursor}`)
    assert.equal(second.data[0].count, 1)
    const { data } = await list(`from=${first.data[0].hour}`)
    assert.equal(data.length, 1)
    clock.advance(3 * 86_400_000)
    const pages = []
    let cursor = ''
    do {
      const page = await list(`limit=10${cursor}`)
      pages.push(...page.data)
      cursor = page.has_more ? `&cursor=${page.next_cursor}` : ''
    } while (cursor !== '')
    assert.equal(pages.length, 2)
    clock.advance(6 * 86_400_000)
    assert.deepEqual((await list('')).data, [])
  })

  test('lists every caller once, also those that were refused at the same instant', async (t) => {
    const { test: service } = await aKeyedApp(t)
    const { ephemeral } = service.context
    const onTrouble = (cause: unknown) => assert.fail(String(cause))
    const events = new SecurityEvents({ ephemeral, clock: service.clock, onTrouble })
    const caller = { role: 'public', tenant_id: 'acme', name: 'public' } as const
    const call = { kind: 'not_yours', reason: undefined, operation: 'getToken', caller } as const
    const addresses = Array.from({ length: 7 }, (_, n) => `203.0.${n}.7`)
    for (const address of addresses.slice(0, 5)) events.note({ ...call, address })
    service.clock.advance(1)
    for (const address of addresses.slice(5)) events.note({ ...call, address })
    for (const limit of [1, 2, 3, 7]) {
      const listed: (string | undefined)[] = []
      let before: number | undefined
      do {
        const page = await events.list('acme', { kind: undefined, from_ms: undefined, before, limit })
        listed.push(...page.entries.map(({ network }) => network))
        before = page.before
      } while (before !== undefined)
      assert.deepEqual(listed.toSorted(), addresses.map((_, n) => `203.0.${n}.0/24`).toSorted(), `${limit}`)
    }
  })

  test('counts calls beyond the rate limit', async (t) => {
    const app = await aKeyedApp(t, { rate_limit: 20 })
    const auditor = app.withKey(await app.key('default', 'auditor'))
    for (let n = 0; n < 25; n += 1) await app.anonymous.get('/healthz')
    app.test.clock.advance(60_000)
    const { body } = await auditor.get('/v1/vat/security-events?kind=rate_limited')
    assert.ok(body.data[0].count >= 1, JSON.stringify(body))
  })

  test('a flood from many networks adds a limited number of entries and hides no credential', async (t) => {
    const { test: service, operator } = await aKeyedApp(t)
    const { context } = service
    const refused = {
      kind: 'credential_invalid',
      reason: 'key_refused',
      operation: 'listAgents',
      caller: { role: 'public', tenant_id: 'default', name: 'public' },
    } as const
    const { securityEvents } = context.accessControl
    for (let n = 0; n < 5_000; n += 1)
      securityEvents.note({ ...refused, address: `10.${n % 250}.${Math.floor(n / 250)}.9` })
    const caller = {
      role: 'auditor',
      tenant_id: 'default',
      name: 'key:abc',
      key_id: 'abc',
      audience: undefined,
    } as const
    securityEvents.note({ ...refused, kind: 'role_not_allowed', caller, address: '10.0.0.1' })
    const found: Row[] = []
    let cursor = ''
    do {
      const { body } = await operator.get(`/v1/vat/security-events?limit=200${cursor}`)
      found.push(...body.data)
      cursor = body.has_more ? `&cursor=${body.next_cursor}` : ''
    } while (cursor !== '')
    assert.ok(found.length <= MOST_NAMED)
    assert.equal(
      found.reduce((sum, { count }) => sum + count, 0),
      5_001,
    )
    assert.ok(found.some((row) => row.caller === 'others' && row.network === undefined))
    assert.ok(found.some((row) => row.caller === 'key:abc'))
  })

  test('adds up the counts of several nodes', async (t) => {
    const { test: service } = await aKeyedApp(t)
    const { ephemeral } = service.context
    const onTrouble = (cause: unknown) => assert.fail(String(cause))
    const nodes = [1, 2].map(() => new SecurityEvents({ ephemeral, clock: service.clock, onTrouble }))
    for (const node of nodes) {
      const caller = { role: 'public', tenant_id: 'acme', name: 'public' } as const
      const call = { kind: 'not_yours', reason: undefined, operation: 'getToken', caller } as const
      node.note({ ...call, address: '203.0.113.7' })
      await node.write()
    }
    const query = { kind: undefined, from_ms: undefined, before: undefined, limit: 10 }
    const { entries } = await (nodes[0] ?? assert.fail()).list('acme', query)
    assert.deepEqual(
      entries.map(({ count, network }) => [count, network]),
      [[2, '203.0.113.0/24']],
    )
  })

  test('keeps networks, never addresses', () => {
    assert.equal(networkOf('203.0.113.77'), '203.0.113.0/24')
    assert.equal(networkOf('::ffff:203.0.113.77'), '203.0.113.0/24')
    assert.equal(networkOf('2001:db8:85a3::8a2e:370:7334'), '2001:db8:85a3::/48')
    assert.equal(networkOf('2001:db8::1'), '2001:db8:0::/48')
    assert.equal(networkOf('203.0.113.77:50123'), '203.0.113.0/24')
    assert.equal(networkOf('[2001:db8:85a3::8a2e:370:7334]:50123'), '2001:db8:85a3::/48')
    assert.equal(networkOf('not an address'), 'unknown')
  })
})

describe('last_used_at of API keys', () => {
  test('is the minute of the last use', async (t) => {
    const { operator, withKey, key, test: service } = await aKeyedApp(t)
    const auditor = await key('default', 'auditor')
    const usedAt = async () => {
      const { body } = await operator.get('/v1/vat/keys')
      return body.data.find(({ role }: { role: string }) => role === 'auditor').last_used_at
    }
    assert.equal(await usedAt(), undefined)
    await withKey(auditor).get('/v1/vat/agents')
    await eventually('an entry that is written in the background', async () => (await usedAt()) !== undefined)
    const first = await usedAt()
    assert.match(first, /:00\.000Z$/)
    service.clock.advance(3_600_000)
    await withKey(auditor).get('/v1/vat/agents')
    await eventually('an entry that is written in the background', async () => (await usedAt()) !== first)
    assert.equal(Date.parse(await usedAt()) - Date.parse(first), 3_600_000)
  })
})
