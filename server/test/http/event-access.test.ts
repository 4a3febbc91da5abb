import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type DeputyEvent, EVENT_TYPES, eventSchema } from '@deputize/protocol'
import { compileSchema } from '../../src/http/validation.ts'
import { aBusyWorld } from './a-busy-world.ts'
import type { Client } from './a-keyed-app.ts'
import { aKeyedWorld } from './a-keyed-world.ts'

async function eventsOf(client: Client): Promise<DeputyEvent[]> {
  const all: DeputyEvent[] = []
  for (let after = -1, has_more = true; has_more; ) {
    const { status, body } = await client.get(`/v1/vat/events?limit=200&after=${after}`)
    assert.equal(status, 200, JSON.stringify(body))
    all.push(...body.data)
    after = body.next_cursor
    has_more = body.has_more
  }
  return all
}

/** The path at which the subject of an event can be read, if it can be read by its id. */
function addressOf({ type, data }: DeputyEvent): string | undefined {
  if ('approval_id' in data && type.startsWith('approval.')) return `/v1/vat/approvals/${data.approval_id}`
  if ('denial_id' in data) return `/v1/vat/denials/${data.denial_id}`
  if ('aar_id' in data) return `/v1/vat/aar/${data.aar_id}`
  if ('vat_jti' in data) return `/v1/vat/tokens/${data.vat_jti}`
  if ('vouch_id' in data) return `/v1/vat/trust/vouches/${data.vouch_id}`
  return undefined
}

/** Keys sign for every tenant, and a backup restores all of them. */
function isForAll(type: string): boolean {
  return type.startsWith('key.') || type === 'deployment.restored'
}

describe('the events that a caller sees', () => {
  test('are exactly the events about what the caller may read', async (t) => {
    const world = await aBusyWorld(t)
    const { app, clients, agent, child, alice, bob } = world
    const { operator, developer, auditor, first_operator, first_auditor } = clients
    const log = (await app.test.leafTexts()).map((text) => JSON.parse(text))
    const seen = {
      operator: await eventsOf(operator),
      auditor: await eventsOf(auditor),
      developer: await eventsOf(developer),
      alice: await eventsOf(alice.client),
      bob: await eventsOf(bob.client),
      agent: await eventsOf(agent.client),
      first_operator: await eventsOf(first_operator),
      first_auditor: await eventsOf(first_auditor),
    }

    // Staff see all of their own tenant.
    const told = (tenant: string) =>
      log.filter(
        (leaf) =>
          leaf.type !== 'token.released' &&
          leaf.kind !== 'review' &&
          (isForAll(leaf.type) || isOf(tenant, leaf, log)),
      )
    assert.equal(seen.operator.length, told('acme').length)
    assert.deepEqual(ids(seen.auditor), ids(seen.operator))
    assert.ok(
      seen.operator.every(({ tenant_id, type }) => tenant_id === (isForAll(type) ? 'default' : 'acme')),
    )
    assert.equal(seen.first_operator.length, told('default').length)
    assert.deepEqual(ids(seen.first_auditor), ids(seen.first_operator))
    const forOperators = ['registry.changed', 'session.begun', 'session.ended']
    assert.deepEqual(
      ids(seen.developer),
      ids(seen.operator.filter(({ type }) => !forOperators.includes(type))),
    )

    // People see everything that concerns them, including requests that they may approve for others.
    const approvers = new Map<string, string>()
    for (const { data } of seen.operator)
      if ('approval_id' in data && !approvers.has(String(data.approval_id))) {
        const { body } = await operator.get(`/v1/vat/approvals/${data.approval_id}`)
        approvers.set(String(data.approval_id), JSON.stringify(body.approvers ?? []))
      }
    for (const [name, person] of [
      ['alice', alice],
      ['bob', bob],
    ] as const) {
      const own = seen.operator.filter(
        (event) =>
          concerns(event, person.human_ref) ||
          (event.type.startsWith('approval.') &&
            approvers.get(String(Reflect.get(event.data, 'approval_id')))?.includes(person.human_ref)),
      )
      assert.deepEqual(ids(seen[name]), ids(own), name)
      assert.ok(own.length > 10, name)
    }

    // An agent sees its token and the tokens below it.
    const below = seen.operator.filter(
      ({ type, data }) =>
        'vat_jti' in data &&
        (data.vat_jti === agent.jti || (data.vat_jti === child.jti && !type.startsWith('approval.'))),
    )
    assert.deepEqual(ids(seen.agent), ids(below))
    assert.ok(below.length > 10)
    assert.ok(seen.operator.every(({ data }) => !('agent_id' in data) || /^agent:[^:]+$/.test(data.agent_id)))

    // Whatever has an id can be read with the same credential.
    const readers = {
      operator,
      developer,
      auditor,
      alice: alice.client,
      bob: bob.client,
      agent: agent.client,
    }
    for (const [name, client] of Object.entries(readers))
      for (const event of seen[name as keyof typeof readers]) {
        const address = addressOf(event)
        if (address === undefined) continue
        const { status } = await client.get(address)
        assert.equal(status, 200, `${name} is told of ${event.type} and may not read ${address}`)
      }

    // Every kind of event occurred, matches its schema, and contains no text that people wrote and no secret.
    const all = [...seen.operator, ...seen.first_operator]
    for (const event of all) {
      const validate = compileSchema(eventSchema(event.type), 'body')
      assert.ok(validate(event), `${event.type}: ${JSON.stringify(validate.errors)} ${JSON.stringify(event)}`)
      assert.doesNotMatch(JSON.stringify(event), /CANARY|eyJ|dk_|dsu_|salt|digest|jwt_hash|claims_hash/)
    }
    // Each new type needs an operation in the busy world.
    const types = new Set(all.map(({ type }) => type))
    assert.deepEqual(
      EVENT_TYPES.filter((type) => !types.has(type)),
      [],
    )
  })

  test('are refused to other roles, and a filter by an id of another tenant reveals nothing', async (t) => {
    const { app, clients, things } = await aKeyedWorld(t)
    const desk = app.withKey(await app.key('acme', 'safety'))
    assert.equal((await clients.anonymous.get('/v1/vat/events')).status, 401)
    for (const client of [clients.resource_server, desk])
      assert.equal((await client.get('/v1/vat/events')).body.code, 'role_not_allowed')

    // A filter reveals nothing about another tenant: its ids get the same answer as unknown ones.
    const filtered = (name: string, id: string) =>
      clients.operator.get(`/v1/vat/events?${name}=${id}&limit=200`)
    for (const [name, thing] of [
      ['vat_jti', 'token'],
      ['provenance_ref', 'workflow'],
    ] as const) {
      const [foreign, unknown] = [
        await filtered(name, things.foreign[thing]),
        await filtered(name, things.unknown[thing]),
      ]
      assert.deepEqual(foreign.body, unknown.body, name)
      assert.deepEqual(foreign.body.data, [])
    }
    const theirs = await filtered('agent_id', 'other-bot')
    assert.deepEqual(theirs.body, (await filtered('agent_id', 'nobodys-bot')).body)
    const types = (count: number) => Array.from({ length: count }, () => 'type=token.issued').join('&')
    assert.equal((await clients.operator.get(`/v1/vat/events?${types(100)}`)).status, 200)
    for (const count of [101, 10_000])
      assert.equal((await clients.operator.get(`/v1/vat/events?${types(count)}`)).status, 400)
  })
})

const ids = (events: readonly DeputyEvent[]) => events.map(({ id }) => id)

/** Whether an event names a person. */
function concerns({ type, data }: DeputyEvent, human_ref: string): boolean {
  if (type.startsWith('anchor.')) return false
  if (type === 'registry.changed' && 'kind' in data && !['passkey', 'biometric'].includes(data.kind))
    return false
  const named = ['human_ref', 'from', 'to'].map((name) => Reflect.get(data, name))
  return named.includes(human_ref)
}

type LoggedLeaf = Readonly<Record<string, unknown>>

/** Whether a leaf belongs to a tenant. Independent of the tested code: uses the tokens of its workflow or person. */
function isOf(tenant: string, leaf: LoggedLeaf, log: readonly LoggedLeaf[]): boolean {
  return tenantOfLeaf(leaf, log) === tenant
}

function tenantOfLeaf(leaf: LoggedLeaf, log: readonly LoggedLeaf[]): string {
  if (typeof leaf.tenant_id === 'string') return leaf.tenant_id
  if (typeof leaf.agent_id === 'string') {
    const [, first = '', second] = leaf.agent_id.split(':')
    return second === undefined ? 'default' : first
  }
  const names = ['provenance_ref', 'vouch_id', 'human_ref'] as const
  const origin = names.flatMap((name) =>
    leaf[name] === undefined
      ? []
      : log.filter((one) => one[name] === leaf[name] && (one.agent_id ?? one.tenant_id) !== undefined),
  )[0]
  return origin === undefined ? 'default' : tenantOfLeaf(origin, log)
}
