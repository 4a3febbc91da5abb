import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { ACCESS, OPERATIONS, type Operation, type OperationId, type Subject } from '@deputize/protocol'
import type { Answer } from '@deputize/testing/a-test-app.ts'
import { apiKeyText } from '../../src/access/api-key.ts'
import type { Client } from './a-keyed-app.ts'
import { aKeyedWorld, type CallerName, type Place } from './a-keyed-world.ts'

/** A foreign object must look nonexistent, in every byte of the answer and in its timing. */

const world = await aKeyedWorld({ after })
const { app, clients, things } = world

/** For every kind of object, a call that names one, and its caller. */
const QUESTIONS: Readonly<
  Partial<Record<Subject['kind'], { readonly by: readonly CallerName[]; path(id: string): string }>>
> = {
  token: { by: ['developer', 'human', 'agent', 'auditor'], path: (id) => `/v1/vat/tokens/${id}` },
  record: { by: ['developer', 'human', 'agent', 'auditor'], path: (id) => `/v1/vat/aar/${id}` },
  denial: { by: ['developer', 'human', 'agent', 'auditor'], path: (id) => `/v1/vat/denials/${id}` },
  approval: { by: ['developer', 'human', 'agent', 'auditor'], path: (id) => `/v1/vat/approvals/${id}` },
  workflow: { by: ['developer', 'human', 'agent', 'auditor'], path: (id) => `/v1/vat/aar/provenance/${id}` },
  verification: {
    by: ['developer', 'human', 'auditor'],
    path: (id) => `/v1/vat/auth/verifications/${id}`,
  },
  human: { by: ['developer', 'human', 'auditor'], path: (id) => `/v1/vat/humans/${id}` },
  vouch: { by: ['developer', 'human', 'auditor'], path: (id) => `/v1/vat/trust/vouches/${id}` },
  webhook: { by: ['operator', 'developer', 'auditor'], path: (id) => `/v1/vat/webhooks/${id}` },
  agent: { by: ['developer', 'human', 'auditor'], path: (id) => `/v1/vat/agents/${id}` },
  tenant: { by: ['operator', 'developer', 'human', 'auditor'], path: (id) => `/v1/vat/tenants/${id}` },
  channel: { by: ['operator', 'human'], path: (id) => `/v1/vat/notifications/channels/${id}/test` },
  key: { by: ['operator'], path: (id) => `/v1/vat/keys/${id}/rotate` },
}

/** Places outside a caller's reach: another tenant and, for people and agents, the rest of their own tenant. */
function hiddenFrom(caller: CallerName, kind: Subject['kind']): Place[] {
  const isShared = kind === 'agent' || kind === 'tenant' || kind === 'key'
  return (caller === 'human' || caller === 'agent') && !isShared ? ['foreign', 'tenant'] : ['foreign']
}

function ask(client: Client, kind: Subject['kind'], id: string): Promise<Answer> {
  const { path } = QUESTIONS[kind] ?? assert.fail(kind)
  const headers = { 'x-request-id': 'same' }
  if (kind === 'channel') return client.post(path(id), undefined, headers)
  return kind === 'key' ? client.post(path(id), {}, headers) : client.get(path(id), headers)
}

function shape({ status, headers, body }: Answer) {
  const { date: _, ...rest } = headers
  return { status, headers: rest, body: JSON.stringify(body) }
}

/** The agent of another tenant. Its plain name is unknown in this one. */
const idIn = (place: Place, kind: Subject['kind']) => things[place][kind]

describe('a foreign object gets the same answer as an unknown one:', () => {
  for (const [kind, { by }] of Object.entries(QUESTIONS) as [
    Subject['kind'],
    { by: readonly CallerName[] },
  ][])
    test(kind, async () => {
      for (const caller of by) {
        const unknown = shape(await ask(clients[caller], kind, idIn('unknown', kind)))
        assert.equal(unknown.status, 404, `${caller}: ${unknown.body}`)
        assert.match(unknown.body, new RegExp(`"code":"${kind}_unknown"`))
        for (const place of hiddenFrom(caller, kind)) {
          const hidden = shape(await ask(clients[caller], kind, idIn(place, kind)))
          assert.deepEqual(hidden, unknown, `${caller} asks for a ${kind} in ${place}`)
        }
      }
      app.test.clock.advance(60_000) // to stay below the limit for failed attempts
    })

  test('every kind of object in the access table is covered', () => {
    const kinds = Object.values(ACCESS).flatMap(({ about }) => (about === undefined ? [] : [about.kind]))
    const asked = [...Object.keys(QUESTIONS), 'passkey'] // a passkey can only be removed, and only by its person
    assert.deepEqual(
      [...new Set(kinds)].filter((kind) => !asked.includes(kind)),
      [],
    )
  })

  test('every operation on one object, called by a developer of the tenant', async () => {
    const rows = Object.entries<Operation>(OPERATIONS) as [OperationId, Operation][]
    let cases = 0
    for (const [id, { method, path, query }] of rows) {
      const { about, developer } = ACCESS[id]
      const isSimple = method === 'GET' && about?.at.startsWith('/params/') === true
      if (!isSimple || developer === undefined || about === undefined || about.kind === 'passkey') continue
      const queryText = query !== undefined && id === 'exportWorkflow' ? '?format=ndjson' : ''
      const at = (place: Place) =>
        clients.developer.get(
          `${path.replaceAll(/\{\w+\}/g, encodeURIComponent(things[place][about.kind]))}${queryText}`,
          { 'x-request-id': 'same' },
        )
      assert.deepEqual(shape(await at('foreign')), shape(await at('unknown')), id)
      cases += 1
      if (cases % 10 === 0) app.test.clock.advance(60_000)
    }
    app.test.clock.advance(60_000)
    assert.ok(cases >= 15, `${cases}`)
  })
})

const FACTOR = 3
const ROUNDS = 150
const SAMPLES = 3

type Acts = Readonly<Record<string, () => Promise<unknown>>>

/** The fastest tenth of each act, in milliseconds. Load on the machine slows the slow part of a distribution first. */
async function fastTimes(acts: Acts): Promise<Map<string, number>> {
  const times = new Map(Object.keys(acts).map((name) => [name, [] as number[]]))
  for (let round = 0; round < ROUNDS; round++) {
    const order = round % 2 === 0 ? Object.entries(acts) : Object.entries(acts).reverse()
    for (const [name, act] of order) {
      const before = performance.now()
      await act()
      if (round >= ROUNDS / 5) times.get(name)?.push(performance.now() - before)
    }
    if (round % 10 === 0) app.test.clock.advance(60_000)
  }
  return new Map(
    [...times].map(([name, all]) => [name, all.toSorted((a, b) => a - b)[Math.floor(all.length / 10)] ?? 0]),
  )
}

/** A real difference appears in every sample, the effect of a busy machine in one. */
async function assertAlike(acts: Acts): Promise<void> {
  const samples: string[] = []
  for (let sample = 0; sample < SAMPLES; sample++) {
    const times = await fastTimes(acts)
    const all = [...times.values()]
    if (Math.max(...all) < FACTOR * Math.min(...all)) return
    samples.push([...times].map(([name, ms]) => `${name} ${ms.toFixed(3)} ms`).join(', '))
  }
  assert.fail(samples.join('; '))
}

describe('a foreign object takes the same time as an unknown one:', () => {
  for (const kind of Object.keys(QUESTIONS) as Subject['kind'][])
    test(kind, async () => {
      const client = kind === 'key' ? clients.operator : clients.developer
      await assertAlike({
        foreign: () => ask(client, kind, things.foreign[kind]),
        unknown: () => ask(client, kind, things.unknown[kind]),
      })
    })

  test('an API key with an unknown id takes the same time as one with a wrong secret', async () => {
    const secret = 'A'.repeat(43)
    const use = (key_id: string) => app.withKey(apiKeyText({ key_id, secret })).get('/v1/vat/tokens')
    await assertAlike({
      wrong: () => use(String(world.key_ids.developer)),
      unknown: () => use('00000000'),
    })
  })
})
