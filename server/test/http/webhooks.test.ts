import assert from 'node:assert/strict'
import { createPublicKey, verify } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { after, describe, type TestContext, test } from 'node:test'
import { AuthorityError, PUSH_DELIVERY } from '@deputize/protocol'
import { aReceiver, type ReceivedMessage, type Receiver } from '@deputize/testing/a-receiver.ts'
import { type Answer, aTestApp, type TestApp } from '@deputize/testing/a-test-app.ts'
import { anIssueRequest } from '@deputize/testing/an-issue-request.ts'
import { eventually } from '@deputize/testing/eventually.ts'
import { manualClock } from '@deputize/testing/manual-clock.ts'
import { assertOcsf } from '@deputize/testing/ocsf-schema.ts'
import { Webhook } from 'standardwebhooks'
import { FAILING_LIMIT_MS, RETRY_AFTER_MS } from '../../src/events/delivery/schedule.ts'
import { aKeyedApp, type Client } from './a-keyed-app.ts'

const PATH = '/v1/vat/webhooks'
const HOUR_MS = 3_600_000

/** A service that sends, and a receiver. Its clock starts at the time of this machine, which the package reads. */
async function aSender(
  context: Pick<TestContext, 'after'>,
): Promise<{ service: TestApp; receiver: Receiver }> {
  const receiver = await aReceiver(context)
  const service = await aTestApp(context, {
    outbound_allow: receiver.host,
    clock: manualClock(Date.now()),
  })
  service.startDeliveries()
  return { service, receiver }
}

async function made(answer: Promise<Answer>): Promise<Answer['body']> {
  const { status, body } = await answer
  assert.ok(status < 300, JSON.stringify(body))
  return body
}

async function aToken(service: TestApp, agent_id = 'calendar-bot'): Promise<Answer['body']> {
  return made(service.post('/v1/vat/issue/l1', anIssueRequest({ agent_id })))
}

/** Records actions of one workflow. */
async function act(service: TestApp, vat_jti: string, count = 1): Promise<void> {
  const action = { vat_jti, action: 'read', resource: 'calendar:events', result: 'success' }
  for (let index = 0; index < count; index++) await made(service.post('/v1/vat/record/action', action))
}

function patch(service: TestApp, path: string, body: unknown): Promise<Answer> {
  return service.app
    .inject({ method: 'PATCH', url: path, payload: body as object })
    .then((response) => ({ status: response.statusCode, headers: response.headers, body: response.json() }))
}

function headersOf({ headers }: ReceivedMessage): Record<string, string> {
  return Object.fromEntries(
    ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => [name, String(headers[name])]),
  )
}

function indexesOf(messages: readonly ReceivedMessage[]): number[] {
  return messages.map(({ body }) => JSON.parse(body).log_index)
}

async function stateOf(service: TestApp, webhook_id: string, status: string): Promise<Answer['body']> {
  return eventually(`webhook is ${status}`, async () => {
    const { body } = await service.get(`${PATH}/${webhook_id}`)
    return body.status === status ? body : undefined
  })
}

describe('a webhook', () => {
  test('gets events that the published package verifies, and the secret is shown once', async (context) => {
    const { service, receiver } = await aSender(context)
    const { webhook_id, secret, ...hook } = await made(service.post(PATH, { url: receiver.url }))
    assert.match(secret, /^whsec_/)
    const { jti } = await aToken(service)
    await act(service, jti)
    const [first, second] = await receiver.received(2)
    assert.ok(first && second)
    const issued = new Webhook(secret).verify(first.body, headersOf(first)) as Answer['body']
    assert.equal(issued.type, 'token.issued')
    assert.equal(issued.data.vat_jti, jti)
    const completed = new Webhook(secret).verify(second.body, headersOf(second)) as Answer['body']
    assert.equal(completed.type, 'action.completed')
    assert.throws(() => new Webhook(secret).verify(first.body.replace('evt_', 'evt-'), headersOf(first)))
    const shown = await service.get(`${PATH}/${webhook_id}`)
    assert.equal(JSON.stringify(shown.body).includes(secret), false)
    const rows = await service.rows('SELECT document FROM registry')
    assert.equal(
      rows.some(({ document }) => document instanceof Uint8Array && Buffer.from(document).includes('whsec')),
      false,
    )
    assert.equal(hook.status, 'enabled')
  })

  test('with v1a can be verified with only the public key', async (context) => {
    const { service, receiver } = await aSender(context)
    const hook = await made(service.post(PATH, { url: receiver.url, signature: 'v1a' }))
    assert.equal(hook.secret, undefined)
    await aToken(service)
    const [message] = await receiver.received(1)
    assert.ok(message)
    const { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': signature } = headersOf(message)
    const [version, text = ''] = String(signature).split(',')
    const x = Buffer.from(hook.public_key.slice('whpk_'.length), 'base64').toString('base64url')
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
    const content = Buffer.from(`${id}.${time}.${message.body}`)
    assert.equal(version, 'v1a')
    assert.equal(verify(null, content, key, Buffer.from(text, 'base64')), true)
  })

  test('gets only the types, the agent or the workflow that it subscribed to', async (context) => {
    const { service, receiver } = await aSender(context)
    const other = await aToken(service, 'other-bot')
    const url = (name: string) => receiver.url.replace('/hook', `/${name}`)
    await made(service.post(PATH, { url: url('types'), events: ['token.issued'] }))
    await made(service.post(PATH, { url: url('agent'), agent_id: 'calendar-bot' }))
    await made(service.post(PATH, { url: url('workflow'), provenance_ref: other.provenance_ref }))
    const { jti } = await aToken(service)
    await act(service, jti)
    await act(service, other.jti)
    await receiver.received(4)
    const seen = receiver.messages.map(({ path, body }) => `${path} ${JSON.parse(body).type}`).sort()
    assert.deepEqual(seen, [
      '/agent action.completed',
      '/agent token.issued',
      '/types token.issued',
      '/workflow action.completed',
    ])
  })

  test('sends CloudEvents if requested', async (context) => {
    const { service, receiver } = await aSender(context)
    await made(service.post(PATH, { url: receiver.url, format: 'cloudevents' }))
    const { jti } = await aToken(service)
    const [message] = await receiver.received(1)
    assert.match(String(message?.headers['content-type']), /^application\/cloudevents\+json/)
    const event = JSON.parse(String(message?.body))
    assert.deepEqual([event.specversion, event.data.vat_jti], ['1.0', jti])
  })

  test('sends OCSF rows if requested', async (context) => {
    const { service, receiver } = await aSender(context)
    const { secret } = await made(service.post(PATH, { url: receiver.url, format: 'ocsf' }))
    const { jti } = await aToken(service)
    await made(service.post('/v1/vat/revoke', { vat_jti: jti }))
    const messages = await receiver.received(2)
    const rows = messages.map((message) => {
      const row = new Webhook(secret).verify(message.body, headersOf(message)) as Answer['body']
      assertOcsf(row)
      return [row.metadata.event_code, row.type_uid, row.actor.session.uid]
    })
    assert.deepEqual(rows, [
      ['token.issued', 300301, jti],
      ['token.revoked', 300404, jti],
    ])
    assert.match(String(messages[0]?.headers['content-type']), /^application\/json/)
  })

  test('is retried with the same ID by schedule, in order, without delaying other workflows', async (context) => {
    const { service, receiver } = await aSender(context)
    const { webhook_id } = await made(service.post(PATH, { url: receiver.url, events: ['action.completed'] }))
    const [slow, quick] = [await aToken(service), await aToken(service, 'other-bot')]
    receiver.answer = ({ body }) =>
      body.includes(slow.provenance_ref) ? { status: 503, body: 'not now' } : { status: 200 }
    await act(service, slow.jti, 2)
    await act(service, quick.jti, 3)
    await receiver.received(4)
    const failing = await stateOf(service, webhook_id, 'enabled')
    assert.equal(failing.failing_since, undefined, 'it accepts other workflows')
    const waiting = await eventually('two deliveries wait', async () => {
      const { body } = await service.get(`${PATH}/${webhook_id}/deliveries?state=waiting`)
      return body.data.length === 2 ? body.data : undefined
    })
    assert.deepEqual(
      waiting.map(({ attempts, status, answer }: Answer['body']) => [attempts, status, answer]),
      [
        [0, undefined, undefined],
        [1, 503, 'not now'],
      ],
    )
    receiver.answer = () => ({ status: 200 })
    service.clock.advance(2 * (RETRY_AFTER_MS[0] ?? 0))
    const all = await receiver.received(6)
    const ofSlow = all.filter(({ body }) => body.includes(slow.provenance_ref))
    assert.equal(ofSlow[0]?.headers['webhook-id'], ofSlow[1]?.headers['webhook-id'])
    const [a = 0, b = 0, c = 0] = indexesOf(ofSlow)
    assert.deepEqual([a === b, b < c], [true, true])
    assert.equal(new Set(all.map(({ headers }) => headers['webhook-id'])).size, 5)
  })

  test('waits as long as the receiver requests', async (context) => {
    const { service, receiver } = await aSender(context)
    const { webhook_id } = await made(service.post(PATH, { url: receiver.url }))
    receiver.answer = () => ({ status: 429, headers: { 'retry-after': '7200' } })
    await aToken(service)
    await receiver.received(1)
    const delivery = await eventually('the delivery waits', async () => {
      const { body } = await service.get(`${PATH}/${webhook_id}/deliveries`)
      return body.data[0]
    })
    assert.ok(Date.parse(delivery.next_attempt_at) >= service.clock() + 2 * HOUR_MS)
  })

  test('follows no redirect', async (context) => {
    const { service, receiver } = await aSender(context)
    const { webhook_id } = await made(service.post(PATH, { url: receiver.url }))
    receiver.answer = ({ path }) =>
      path === '/hook'
        ? { status: 302, headers: { location: receiver.url.replace('/hook', '/stolen') } }
        : { status: 200 }
    await aToken(service)
    const failing = await stateOf(service, webhook_id, 'failing')
    assert.ok(failing.failing_since)
    assert.equal(
      receiver.messages.some(({ path }) => path === '/stolen'),
      false,
    )
  })

  test('loses its description if that is set to null, and keeps it otherwise', async (context) => {
    const { service, receiver } = await aSender(context)
    const about = { url: receiver.url, description: 'for the shop' }
    const { webhook_id } = await made(service.post(PATH, about))
    const update = async (body: object) =>
      (await made(patch(service, `${PATH}/${webhook_id}`, body))).description
    assert.equal(await update({ events: ['token.issued'] }), 'for the shop')
    assert.equal(await update({ description: null }), undefined)
    assert.equal((await made(service.get(`${PATH}/${webhook_id}`))).description, undefined)
  })

  test('is disabled by 410 with an event, and continues without loss once it is enabled', async (context) => {
    const { service, receiver } = await aSender(context)
    const { webhook_id } = await made(service.post(PATH, { url: receiver.url, events: ['token.issued'] }))
    receiver.answer = () => ({ status: 410, body: 'moved out' })
    await aToken(service)
    const disabled = await stateOf(service, webhook_id, 'disabled')
    assert.equal(disabled.disabled_reason, 'gone')
    const [last] = (await made(service.get(`${PATH}/${webhook_id}/deliveries`))).data
    assert.deepEqual([last?.state, last?.status, last?.answer], ['waiting', 410, 'moved out'])
    const leaves = (await service.leafTexts()).map((text) => JSON.parse(text))
    const leaf = leaves.find(({ type }) => type === 'webhook.disabled')
    assert.deepEqual([leaf?.webhook_id, leaf?.reason], [webhook_id, 'gone'])
    await aToken(service)
    receiver.answer = () => ({ status: 200 })
    receiver.messages.length = 0
    const enabled = await made(service.post(`${PATH}/${webhook_id}/enable`))
    assert.equal(enabled.status, 'enabled')
    const all = await receiver.received(2)
    assert.equal(new Set(all.map(({ headers }) => headers['webhook-id'])).size, 2)
  })

  test('that fails for three days is disabled, and a log line reports it', async (context) => {
    const lines: string[] = []
    const receiver = await aReceiver(context)
    const service = await aTestApp(context, {
      outbound_allow: receiver.host,
      onLog: (line) => lines.push(line),
    })
    service.startDeliveries()
    receiver.answer = () => ({ status: 500 })
    const { webhook_id } = await made(service.post(PATH, { url: receiver.url, events: ['token.issued'] }))
    await aToken(service)
    await stateOf(service, webhook_id, 'failing')
    await eventually('the first attempt is stored', async () => {
      const { body } = await service.get(`${PATH}/${webhook_id}/deliveries`)
      return body.data[0]?.attempts === 1
    })
    service.clock.advance(FAILING_LIMIT_MS)
    const disabled = await stateOf(service, webhook_id, 'disabled')
    assert.equal(disabled.disabled_reason, 'failing')
    assert.ok(lines.some((line) => line.includes('endpoint disabled') && line.includes(webhook_id)))
  })

  test('that is enabled before its receiver is back loses no event, and retries soon', async (context) => {
    const { service, receiver } = await aSender(context)
    receiver.answer = () => ({ status: 503 })
    const { webhook_id } = await made(service.post(PATH, { url: receiver.url, events: ['token.issued'] }))
    await aToken(service)
    const delivery = async (attempts: number) =>
      eventually(`attempt ${attempts} is stored`, async () => {
        const { body } = await service.get(`${PATH}/${webhook_id}/deliveries`)
        return body.data[0]?.attempts === attempts ? body.data[0] : undefined
      })
    for (const [failed, pause_ms] of RETRY_AFTER_MS.entries()) {
      await delivery(failed + 1)
      service.clock.advance(1.1 * pause_ms)
    }
    await delivery(RETRY_AFTER_MS.length + 1)
    service.clock.advance(FAILING_LIMIT_MS)
    await stateOf(service, webhook_id, 'disabled')
    await made(service.post(`${PATH}/${webhook_id}/enable`))
    const { state, next_attempt_at } = await delivery(1)
    assert.equal(state, 'waiting')
    assert.ok(Date.parse(next_attempt_at) <= service.clock() + 1.1 * (RETRY_AFTER_MS[0] ?? 0))
    receiver.answer = () => ({ status: 200 })
    service.clock.advance(HOUR_MS)
    await eventually('the event is delivered', async () => (await delivery(2)).state === 'delivered')
  })

  test('is signed with both keys during a rotation, and then with the new one', async (context) => {
    const { service, receiver } = await aSender(context)
    const hook = { url: receiver.url, events: ['token.issued'] }
    const { webhook_id, secret } = await made(service.post(PATH, hook))
    const rotated = await made(service.post(`${PATH}/${webhook_id}/rotate-secret`, { overlap_s: 60 }))
    assert.notEqual(rotated.secret, secret)
    await aToken(service)
    const [both] = await receiver.received(1)
    assert.ok(both)
    for (const one of [secret, rotated.secret]) new Webhook(one).verify(both.body, headersOf(both))
    service.clock.advance(61_000)
    await aToken(service)
    const [, second] = await receiver.received(2)
    assert.ok(second)
    new Webhook(rotated.secret).verify(second.body, headersOf(second))
    assert.throws(() => new Webhook(secret).verify(second.body, headersOf(second)))
  })

  test('can be tested at once, which returns the answer of the receiver', async (context) => {
    const { service, receiver } = await aSender(context)
    const { webhook_id, secret } = await made(service.post(PATH, { url: receiver.url }))
    receiver.answer = () => ({ status: 200, body: 'hello' })
    const good = await made(service.post(`${PATH}/${webhook_id}/test`))
    assert.deepEqual([good.delivered, good.status, good.answer], [true, 200, 'hello'])
    const [message] = receiver.messages
    assert.ok(message)
    const event = new Webhook(secret).verify(message.body, headersOf(message)) as Answer['body']
    assert.deepEqual([event.type, event.data.webhook_id], ['webhook.test', webhook_id])
    receiver.answer = () => ({ status: 500, body: 'x'.repeat(3_000) })
    const bad = await made(service.post(`${PATH}/${webhook_id}/test`))
    assert.deepEqual([bad.delivered, bad.status, bad.answer.length], [false, 500, 1_024])
  })

  test('can resend a delivery, and all events from an index on', async (context) => {
    const { service, receiver } = await aSender(context)
    const { jti } = await aToken(service)
    const { webhook_id } = await made(service.post(PATH, { url: receiver.url, events: ['action.completed'] }))
    await act(service, jti, 2)
    await receiver.received(2)
    const [first] = indexesOf(receiver.messages)
    await eventually('both are stored', async () => {
      const { body } = await service.get(`${PATH}/${webhook_id}/deliveries?state=delivered`)
      return body.data.length === 2
    })
    const again = await made(service.post(`${PATH}/${webhook_id}/deliveries/evt_${first}/retry`))
    assert.equal(again.state, 'waiting')
    const [, , third] = await receiver.received(3)
    assert.equal(third?.headers['webhook-id'], receiver.messages[0]?.headers['webhook-id'])
    await made(service.post(`${PATH}/${webhook_id}/replay`, { from_index: 0 }))
    const all = await receiver.received(5)
    assert.deepEqual(new Set(indexesOf(all.slice(3))), new Set(indexesOf(all.slice(0, 2))))
    const unknown = await service.post(`${PATH}/${webhook_id}/deliveries/evt_999/retry`)
    assert.equal(unknown.body.code, 'delivery_unknown')
  })

  test('sends waiting deliveries to its new address, and nothing once it is deleted', async (context) => {
    const { service, receiver } = await aSender(context)
    const url = (name: string) => receiver.url.replace('/hook', `/${name}`)
    receiver.answer = ({ path }) => ({ status: path === '/old' ? 500 : 200 })
    const { webhook_id } = await made(service.post(PATH, { url: url('old'), events: ['token.issued'] }))
    await aToken(service)
    await receiver.received(1)
    const changed = await made(patch(service, `${PATH}/${webhook_id}`, { url: url('new') }))
    assert.equal(changed.url, url('new'))
    service.clock.advance(HOUR_MS)
    const [, second] = await receiver.received(2)
    assert.equal(second?.path, '/new')
    assert.equal((await service.delete(`${PATH}/${webhook_id}`)).body.deleted, true)
    assert.equal((await service.get(`${PATH}/${webhook_id}`)).body.code, 'webhook_unknown')
    const { webhook_id: next } = await made(service.post(PATH, { url: url('next') }))
    await aToken(service)
    await eventually('the other webhook gets the event', () =>
      receiver.messages.some(({ path }) => path === '/next'),
    )
    assert.equal(receiver.messages.filter(({ path }) => path === '/new').length, 1)
    assert.ok(next)
  })
})

describe('the address of a webhook', async () => {
  const service = await aTestApp({ after })
  const { urls }: { urls: { url: string; block: boolean | 'policy'; why: string }[] } = JSON.parse(
    readFileSync(new URL('../../../vectors/hostile/ssrf-urls.json', import.meta.url), 'utf8'),
  )

  test('that is not public is refused when it is created and when it is changed', async () => {
    const { webhook_id } = await made(service.post(PATH, { url: 'https://hooks.example.com/' }))
    for (const { url, block, why } of urls.filter(({ block }) => block !== false)) {
      const created = await service.post(PATH, { url })
      assert.deepEqual(
        [created.status, created.body.code],
        [400, 'invalid_request'],
        `${url} ${why} ${block}`,
      )
      const changed = await patch(service, `${PATH}/${webhook_id}`, { url })
      assert.equal(changed.status, 400, url)
    }
  })

  test('is checked again for each attempt', async (context) => {
    const receiver = await aReceiver(context)
    const { webhook_id } = await made(service.post(PATH, { url: 'https://hooks.example.com/' }))
    const entry = await service.reader.registry.entry('webhook', webhook_id)
    assert.ok(entry?.document)
    const document = JSON.stringify({ ...JSON.parse(entry.document), url: receiver.url })
    const { tenant_id, log_index } = entry
    await service.submit({
      kind: 'register',
      entry_kind: 'webhook',
      id: webhook_id,
      tenant_id,
      owner: undefined,
      document,
      expects: log_index,
    })
    const refused = await made(service.post(`${PATH}/${webhook_id}/test`))
    assert.deepEqual([refused.delivered, refused.error], [false, 'not a public https URL'])
    assert.equal(receiver.messages.length, 0)
  })
})

describe('in keyed mode a webhook', () => {
  test('gets what its creator may see in its own tenant', async (context) => {
    const receiver = await aReceiver(context)
    const app = await aKeyedApp(context, { outbound_allow: receiver.host })
    app.test.startDeliveries()
    await made(app.operator.post('/v1/vat/tenants', { tenant_id: 'acme', allow_bearer: true }))
    await made(app.operator.post('/v1/vat/tenants', { tenant_id: 'other', allow_bearer: true }))
    const url = (name: string) => receiver.url.replace('/hook', `/${name}`)
    const clients: Record<string, ReturnType<typeof app.withKey>> = {}
    for (const tenant of ['acme', 'other'])
      for (const role of ['operator', 'developer'] as const) {
        const client = app.withKey(await app.key(tenant, role))
        clients[`${tenant}-${role}`] = client
        await made(client.post(PATH, { url: url(`${tenant}-${role}`) }))
      }
    receiver.messages.length = 0
    await made(clients['acme-developer']?.post('/v1/vat/issue/l1', anIssueRequest()) ?? assert.fail())
    await app.key('acme', 'auditor')
    const last = await made(
      clients['other-developer']?.post('/v1/vat/issue/l1', anIssueRequest()) ?? assert.fail(),
    )
    await eventually(
      'the last event',
      () => receiver.messages.filter(({ body }) => body.includes(last.jti)).length === 2,
    )
    const seen = new Map<string, Set<string>>()
    for (const { path, body } of receiver.messages) {
      const { type, tenant_id } = JSON.parse(body)
      seen.set(path, (seen.get(path) ?? new Set()).add(`${tenant_id} ${type}`))
    }
    const of = (path: string) =>
      [...(seen.get(path) ?? [])].filter((one) => !one.endsWith('registry.changed'))
    assert.deepEqual(of('/acme-developer'), ['acme token.issued'])
    assert.deepEqual(of('/other-developer'), ['other token.issued'])
    assert.deepEqual(of('/acme-operator'), ['acme token.issued'])
    assert.ok(seen.get('/acme-operator')?.has('acme registry.changed'))
    assert.equal(seen.get('/acme-developer')?.has('acme registry.changed'), false)
    assert.equal(
      [...(seen.get('/other-operator') ?? [])].some((one) => one.startsWith('acme')),
      false,
    )
  })

  test('of an operator cannot be changed by a developer', async (context) => {
    const app = await aKeyedApp(context)
    await made(app.operator.post('/v1/vat/tenants', { tenant_id: 'acme' }))
    const operator = app.withKey(await app.key('acme', 'operator'))
    const developer = app.withKey(await app.key('acme', 'developer'))
    const url = 'https://hooks.example.com/'
    const { webhook_id } = await made(operator.post(PATH, { url }))
    const calls = [
      developer.call('PATCH', `${PATH}/${webhook_id}`, { url }),
      developer.post(`${PATH}/${webhook_id}/rotate-secret`, {}),
      developer.call('DELETE', `${PATH}/${webhook_id}`),
      developer.post(`${PATH}/${webhook_id}/replay`, { from_index: 0 }),
    ]
    for (const call of calls) assert.equal((await call).body.code, 'not_yours')
    assert.equal((await developer.get(`${PATH}/${webhook_id}`)).status, 200)
    const own = await made(developer.post(PATH, { url }))
    assert.equal(
      (await operator.call('PATCH', `${PATH}/${own.webhook_id}`, { description: 'x' })).status,
      200,
    )
  })
})

describe('the webhook of a key', () => {
  async function aCreator(context: TestContext) {
    const receiver = await aReceiver(context)
    const app = await aKeyedApp(context, { outbound_allow: receiver.host })
    app.test.startDeliveries()
    await made(app.operator.post('/v1/vat/tenants', { tenant_id: 'acme', allow_bearer: true }))
    const operator = app.withKey(await app.key('acme', 'operator'))
    const developer = app.withKey(await app.key('acme', 'developer'))
    const path = (key: string) => `/v1/vat/keys/${key.split('_')[1]}`
    return {
      app,
      operator,
      receiver,
      key: await app.key('acme', 'operator'),
      remove: (key: string) => made(operator.call('DELETE', path(key))),
      rotate: async (key: string) => String((await made(operator.post(`${path(key)}/rotate`, {}))).key),
      hook: async (key: string) =>
        String((await made(app.withKey(key).post(PATH, { url: receiver.url }))).webhook_id),
      async statusOf(webhook_id: string) {
        const { body } = await operator.get(`${PATH}/${webhook_id}`)
        return [body.status, body.disabled_reason]
      },
      issue: async () => String((await made(developer.post('/v1/vat/issue/l1', anIssueRequest()))).jti),
      arrives: (jti: string) => receiver.messages.some(({ body }) => body.includes(jti)),
    }
  }

  test('stops when that key is deleted, which is logged, and continues once it is enabled', async (context) => {
    const { app, operator, key, remove, hook, statusOf, arrives, issue } = await aCreator(context)
    const webhook_id = await hook(key)
    const other = await made(operator.post(PATH, { url: 'https://hooks.example.com/' }))
    const before = await issue()
    await eventually('an event before', () => arrives(before))
    assert.deepEqual((await remove(key)).disabled_webhooks, [webhook_id])
    assert.deepEqual(await statusOf(webhook_id), ['disabled', 'key_deleted'])
    assert.notEqual((await statusOf(other.webhook_id))[0], 'disabled')
    const leaves = (await app.test.leafTexts()).map((text) => JSON.parse(text))
    const told = leaves.filter(({ type }) => type === 'webhook.disabled')
    assert.deepEqual(
      told.map((leaf) => [leaf.webhook_id, leaf.reason]),
      [[webhook_id, 'key_deleted']],
    )
    const after = await issue()
    await made(operator.post(`${PATH}/${webhook_id}/test`, {}))
    assert.equal(arrives(after), false)
    await made(operator.post(`${PATH}/${webhook_id}/enable`, {}))
    await eventually('what happened meanwhile', () => arrives(after))
  })

  test('may stay enabled if nothing can be written when the key is deleted, as the answer says', async (context) => {
    const { app, operator, hook } = await aCreator(context)
    for (const code of ['storage_full', 'storage_unavailable'] as const) {
      const key = await app.key('acme', 'operator')
      await hook(key)
      const { store } = app.test.context.events.deliveries
      const begin = context.mock.method(store, 'begin', () => Promise.reject(new AuthorityError(code)))
      const { body } = await operator.call('DELETE', `/v1/vat/keys/${key.split('_')[1]}`)
      begin.mock.restore()
      assert.equal(body.code, code)
      assert.match(body.detail, /is deleted, but webhooks that it created .* may still be enabled/)
      assert.equal((await app.withKey(key).get(PATH)).status, 401)
    }
  })

  test('is also one whose address the key has changed, until another caller changes it again', async (context) => {
    const { app, operator, key, remove, statusOf, receiver } = await aCreator(context)
    const thief = app.withKey(key)
    const hook = async () =>
      String((await made(operator.post(PATH, { url: 'https://hooks.example.com/' }))).webhook_id)
    const turn = (client: Client, id: string, url: string) =>
      made(client.call('PATCH', `${PATH}/${id}`, { url }))
    const [turned, restored, renamed] = [await hook(), await hook(), await hook()]
    for (const id of [turned, restored]) await turn(thief, id, receiver.url)
    await turn(operator, restored, 'https://hooks.example.com/again')
    await made(thief.call('PATCH', `${PATH}/${renamed}`, { description: 'ours' }))
    assert.deepEqual((await remove(key)).disabled_webhooks, [turned])
    assert.deepEqual(await statusOf(turned), ['disabled', 'key_deleted'])
    for (const id of [restored, renamed]) assert.notEqual((await statusOf(id))[0], 'disabled')
  })

  test('keeps working after a rotation, and stops once its last key is gone', async (context) => {
    const { key, remove, rotate, hook, statusOf } = await aCreator(context)
    const first = await hook(key)
    const second = await rotate(key)
    assert.deepEqual((await remove(key)).disabled_webhooks, [])
    const later = await hook(second)
    const third = await rotate(second)
    assert.deepEqual((await remove(second)).disabled_webhooks, [])
    assert.deepEqual(
      [await statusOf(first), await statusOf(later)],
      [
        ['enabled', undefined],
        ['enabled', undefined],
      ],
    )
    assert.deepEqual((await remove(third)).disabled_webhooks.toSorted(), [first, later].toSorted())
  })

  test('stops when the newest key of a rotation is deleted, though the one before it still works', async (context) => {
    const { app, key, remove, rotate, hook } = await aCreator(context)
    const first = await hook(key)
    const second = await rotate(key)
    const later = await hook(second)
    assert.deepEqual((await remove(second)).disabled_webhooks.toSorted(), [first, later].toSorted())
    assert.equal((await app.withKey(key).get(PATH)).status, 200)
  })

  test('is disabled with the key, unlike a stream of signals, which is named if it is pushed', async (context) => {
    const { app, operator, key, remove, rotate } = await aCreator(context)
    const endpoint_url = 'https://gateway.example/signals'
    const push = { method: PUSH_DELIVERY, endpoint_url }
    const stream = async (by: Client, delivery?: typeof push) =>
      String(
        (
          await made(
            by.post('/v1/vat/ssf/streams', { aud: 'https://gateway.example', ...(delivery && { delivery }) }),
          )
        ).stream_id,
      )
    const own = await stream(app.withKey(key), push)
    await stream(app.withKey(key))
    await stream(operator, push)
    const { body } = await operator.get(`/v1/vat/ssf/streams?stream_id=${own}`)
    assert.equal(body.created_by, `key:${key.split('_')[1]}`)
    const second = await rotate(key)
    assert.deepEqual((await remove(key)).kept_streams, [])
    const answer = await remove(second)
    assert.deepEqual([answer.kept_streams, answer.disabled_webhooks], [[own], []])
    const { status } = (await operator.get(`/v1/vat/ssf/status?stream_id=${own}`)).body
    assert.equal(status, 'enabled')
  })
})
