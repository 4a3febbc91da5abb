import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { describe, test } from 'node:test'
import { aTestApp, type TestApp } from '@deputize/testing/a-test-app.ts'
import { anEventStream } from '@deputize/testing/an-event-stream.ts'
import { anIssueRequest } from '@deputize/testing/an-issue-request.ts'
import { eventually } from '@deputize/testing/eventually.ts'
import type { TestScope } from '@deputize/testing/scope.ts'
import { type KeyCaller, LOCAL_CALLER } from '../../src/access/caller.ts'
import { EventStreams } from '../../src/operations/event-streams.ts'
import { aKeyedApp, anAgent, aSession, dpop } from './a-keyed-app.ts'

const EVENTS = '/v1/vat/events'
const READ = { action: 'read', resource: 'calendar:events', result: 'success' }

interface Issued {
  readonly jti: string
  readonly provenance_ref: string
}

async function aToken(service: TestApp, agent_id = 'calendar-bot'): Promise<Issued> {
  const { status, body } = await service.post('/v1/vat/issue/l1', anIssueRequest({ agent_id }))
  assert.equal(status, 200, JSON.stringify(body))
  return body
}

function act(service: TestApp, vat_jti: string) {
  return service.post('/v1/vat/record/action', { vat_jti, ...READ })
}

interface Listed {
  readonly type: string
  readonly log_index: number
}

const typesOf = (events: readonly Listed[]) => events.map(({ type }) => type)
const indexesOf = (events: readonly Listed[]) => events.map(({ log_index }) => log_index)

describe('a page of events', () => {
  test('begins with the first event, or after any cursor', async (t) => {
    const service = await aTestApp(t)
    const { jti } = await aToken(service)
    for (let count = 0; count < 4; count += 1) await act(service, jti)
    const first = await service.get(`${EVENTS}?limit=2`)
    assert.deepEqual(indexesOf(first.body.data), [0, 1])
    assert.deepEqual([first.body.has_more, first.body.next_cursor], [true, 1])
    const second = await service.get(`${EVENTS}?after=1`)
    assert.deepEqual(indexesOf(second.body.data), [2, 3, 4])
    assert.deepEqual([second.body.has_more, second.body.next_cursor], [false, 4])
    assert.deepEqual(indexesOf((await service.get(`${EVENTS}?after=0&limit=1`)).body.data), [1])
    assert.deepEqual(indexesOf((await service.get(`${EVENTS}?after=-1&limit=1`)).body.data), [0])
    const last = await service.get(`${EVENTS}?after=4`)
    assert.deepEqual(last.body, { data: [], has_more: false, next_cursor: 4 })
  })

  test('of an empty log is empty, and its cursor precedes the first event', async (t) => {
    const service = await aTestApp(t)
    const { body } = await service.get(EVENTS)
    assert.deepEqual(body, { data: [], has_more: false, next_cursor: -1 })
    await aToken(service)
    assert.deepEqual(indexesOf((await service.get(`${EVENTS}?after=${body.next_cursor}`)).body.data), [0])
  })

  test('contains only events that match the filters', async (t) => {
    const service = await aTestApp(t)
    const one = await aToken(service, 'one')
    const two = await aToken(service, 'two')
    await act(service, one.jti)
    await act(service, two.jti)
    await service.post('/v1/vat/revoke', { vat_jti: two.jti })
    const types = async (query: string) => typesOf((await service.get(`${EVENTS}?${query}`)).body.data)
    assert.deepEqual(await types('type=token.issued'), ['token.issued', 'token.issued'])
    assert.deepEqual(await types('type=token.revoked&type=action.completed'), [
      'action.completed',
      'action.completed',
      'token.revoked',
    ])
    assert.deepEqual(await types('agent_id=one'), ['token.issued', 'action.completed'])
    assert.deepEqual(await types('agent_id=agent:one'), ['token.issued', 'action.completed'])
    const ofTwo = ['token.issued', 'action.completed', 'token.revoked']
    assert.deepEqual(await types(`provenance_ref=${two.provenance_ref}`), ofTwo)
    assert.deepEqual(await types(`vat_jti=${two.jti}`), ofTwo)
    assert.deepEqual(await types('agent_id=nobody'), [])
  })

  test('refuses an unknown type, an unknown format, and a cursor that the log has not reached', async (t) => {
    const service = await aTestApp(t)
    await aToken(service)
    for (const query of ['type=token.eaten', 'format=xml', 'after=1', 'after=-2', 'wait=31', 'since=0']) {
      const { status, body } = await service.get(`${EVENTS}?${query}`)
      assert.deepEqual([status, body.code], [400, 'invalid_request'], query)
    }
    const { body } = await service.get(`${EVENTS}?after=7`)
    assert.match(body.detail, /\?after must not be after the end of the log. Its last event has the number 0/)
  })

  test('in the form of CloudEvents names the issuer as its source', async (t) => {
    const service = await aTestApp(t)
    const { provenance_ref } = await aToken(service)
    const { body } = await service.get(`${EVENTS}?format=cloudevents`)
    const [{ specversion, id, source, type, subject, logindex }] = body.data
    assert.deepEqual(
      { specversion, id, source, type, subject, logindex },
      {
        specversion: '1.0',
        id: 'evt_0',
        source: service.context.issuer,
        type: 'dev.deputy.token.issued',
        subject: provenance_ref,
        logindex: 0,
      },
    )
  })

  test('waits for the first event that matches the filter', async (t) => {
    const service = await aTestApp(t)
    const { jti } = await aToken(service)
    const waiting = service.get(`${EVENTS}?after=0&wait=30&type=token.revoked`)
    await act(service, jti)
    await service.post('/v1/vat/revoke', { vat_jti: jti })
    const { body } = await waiting
    assert.deepEqual(typesOf(body.data), ['token.revoked'])
    assert.equal(body.next_cursor, 2)
  })
})

describe('a stream of events', { concurrency: 4 }, () => {
  test('to a client that reads nothing is cut off, and can be resumed where the client stopped', async (t) => {
    const service = await aTestApp(t)
    const { jti } = await aToken(service)
    const item = { vat_jti: jti, ...READ }
    for (let batch = 0; batch < 10; batch += 1)
      await service.post('/v1/vat/record/batch', { items: Array.from({ length: 500 }, () => item) })
    const url = await service.listen()
    // OCSF rows are large: together they exceed the buffers of both sockets.
    const query = '?after=-1&format=ocsf'
    const silent = await aClientThatReadsNothing(t, url, query)
    await eventually('the stream is open', () => service.context.events.streams.count === 1)
    const live = await anEventStream(t, `${url}${EVENTS}?after=5000`)
    await eventually('only the silent client is cut off', () => service.context.events.streams.count === 1)
    await postTo(url, '/v1/vat/record/action', item)
    assert.deepEqual(indexesOf(await live.events(1)), [5001])
    const ids = idsIn(await restOf(silent))
    const last = ids.at(-1) ?? 0
    assert.ok(ids.length > 0 && last < 5000, `${ids.length} events, the last ${last}`)
    const again = await anEventStream(t, `${url}${EVENTS}${query}`, { 'last-event-id': String(last) })
    assert.equal((await again.next())?.id, String(last + 1))
  })

  test('sends new events, and a client that reconnects misses none', async (t) => {
    const service = await aTestApp(t)
    const { jti } = await aToken(service)
    const url = await service.listen()
    const act = () => postTo(url, '/v1/vat/record/action', { vat_jti: jti, ...READ })
    const live = await anEventStream(t, `${url}${EVENTS}`)
    assert.deepEqual([live.status, live.media_type], [200, 'text/event-stream'])
    await act()
    await act()
    const block = await live.next()
    assert.deepEqual([block?.id, block?.event], ['1', undefined])
    live.close()
    await act()
    const again = await anEventStream(t, `${url}${EVENTS}?after=0`, { 'last-event-id': '1' })
    assert.deepEqual(indexesOf(await again.events(2)), [2, 3])
    const all = await anEventStream(t, `${url}${EVENTS}?after=-1&agent_id=calendar-bot`)
    assert.deepEqual(indexesOf(await all.events(4)), [0, 1, 2, 3])
    const cloud = await anEventStream(t, `${url}${EVENTS}?after=2&format=cloudevents`)
    assert.equal((await cloud.events(1))[0].id, 'evt_3')
  })

  test('detects after a restore that the event of a cursor was lost', async (t) => {
    const service = await aTestApp(t, { restores: [{ log_size: 2, mark: 7 }] })
    const { jti } = await aToken(service)
    for (let count = 0; count < 3; count += 1) await act(service, jti)
    const { body } = await service.get(`${EVENTS}?after=-1`)
    const ids = ['evt_0', 'evt_1', 'evt_70000000002', 'evt_70000000003']
    assert.deepEqual(
      body.data.map(({ id }: { id: string }) => id),
      ids,
    )
    assert.deepEqual(indexesOf(body.data), [0, 1, 2, 3])
    assert.equal(body.next_cursor, 7_0000000003)
    assert.equal((await service.get(`${EVENTS}?after=${body.next_cursor}`)).status, 200)
    assert.deepEqual(indexesOf((await service.get(`${EVENTS}?last=1`)).body.data), [3])
    const refused = await service.get(`${EVENTS}?after=3`)
    assert.deepEqual([refused.status, refused.body.code, refused.body.after], [410, 'log_restored', 1])
    const url = await service.listen()
    const live = await anEventStream(t, `${url}${EVENTS}?after=1`)
    assert.equal((await live.next())?.id, '70000000002')
    const lost = await fetch(`${url}${EVENTS}`, {
      headers: { accept: 'text/event-stream', 'last-event-id': '3' },
    })
    assert.equal(lost.status, 410)
    await lost.body?.cancel()
  })

  test('refuses a last-event-id that no event has', async (t) => {
    const service = await aTestApp(t)
    const url = await service.listen()
    const garbage = ['evt_1', '-1', '+1', '1.0', '1e3', '0x1', '1,2', 'null', '9'.repeat(15), '9'.repeat(400)]
    for (const id of ['7', ...garbage])
      assert.equal((await anEventStream(t, `${url}${EVENTS}`, { 'last-event-id': id })).status, 400, id)
  })

  test('is refused while the node serves its maximum number of streams', async (t) => {
    const service = await aTestApp(t)
    const ends = Array.from({ length: 2_500 }, () => service.context.events.streams.begin(LOCAL_CALLER))
    const url = await service.listen()
    const refused = await fetch(`${url}${EVENTS}`, { headers: { accept: 'text/event-stream' } })
    assert.equal(refused.status, 429)
    assert.equal(JSON.parse(await refused.text()).code, 'too_many_streams')
    ends.pop()?.()
    assert.equal((await anEventStream(t, `${url}${EVENTS}`)).status, 200)
  })

  test('counts against its caller and its tenant, so that neither can use up a node', () => {
    const streams = new EventStreams()
    const key = (tenant_id: string, number: number): KeyCaller => {
      const key_id = `${tenant_id}${number}`
      return { role: 'developer', tenant_id, name: `key:${key_id}`, key_id, audience: undefined }
    }
    const refused = { code: 'too_many_streams' }
    for (let number = 0; number < 5; number += 1) {
      for (let count = 0; count < 250; count += 1) streams.begin(key('acme', number))
      assert.throws(() => streams.begin(key('acme', number)), refused)
    }
    assert.throws(() => streams.begin(key('acme', 5)), refused)
    const end = streams.begin(key('other', 0))
    assert.equal(streams.count, 1_251)
    end()
    end()
    assert.equal(streams.count, 1_250)
  })

  test('ends with its cursor when the service shuts down', async (t) => {
    const service = await aTestApp(t)
    await aToken(service)
    const url = await service.listen()
    const stream = await anEventStream(t, `${url}${EVENTS}?after=-1`)
    assert.equal((await stream.events(1)).length, 1)
    await service.context.events.deliveries.thread.close()
    const closing = await stream.next()
    assert.deepEqual(
      [closing?.event, closing?.id, closing?.data],
      ['closing', '0', '{"reason":"shutting_down","cursor":0}'],
    )
    assert.equal(await stream.next(), undefined)
  })

  test('ends before the next event when its key, session or token is revoked', async (t) => {
    const app = await aKeyedApp(t)
    const { withKey, key, test } = app
    const developer_key = await key('default', 'developer')
    const auditor_key = await key('default', 'auditor')
    const agent = await anAgent(app, withKey(developer_key), { developer_email: 'ann@example.com' })
    const { secret, session } = await aSession(test, 'default', agent.human_ref)
    const url = await test.listen()
    const auditor = await anEventStream(t, `${url}${EVENTS}`, { authorization: `Bearer ${auditor_key}` })
    const person = await anEventStream(t, `${url}${EVENTS}`, { cookie: `deputy_session=${secret}` })
    const proof = dpop(agent.key, 'GET', EVENTS, agent.compact_jwt, test.clock(), { htu: `${url}${EVENTS}` })
    const ofAgent = await anEventStream(t, `${url}${EVENTS}`, proof)
    assert.deepEqual([auditor.status, person.status, ofAgent.status], [200, 200, 200])
    await test.submit({
      kind: 'register',
      entry_kind: 'api_key',
      id: String(auditor_key.split('_')[1]),
      tenant_id: 'default',
      owner: undefined,
      document: undefined,
      expects: 'any',
    })
    await test.accessControl.sessions.end(session.session_key)
    await test.submit({ kind: 'revoke', vat_jti: agent.jti, reason: undefined })
    for (const stream of [auditor, person, ofAgent]) {
      let last = await stream.next()
      while (last?.event === undefined && last !== undefined) last = await stream.next()
      assert.equal(last?.event, 'closing')
      assert.equal(JSON.parse(last?.data ?? '').reason, 'credential_ended')
    }
    assert.equal(test.context.events.streams.count, 0)
  })

  test('of a reviewer ends when the tenant removes the reviewer, and survives other changes', async (t) => {
    const { operator, test } = await aKeyedApp(t)
    const [reviewer, other] = [`sha256:${'1'.repeat(64)}`, `sha256:${'2'.repeat(64)}`]
    const tenant = '/v1/vat/tenants/default'
    assert.equal((await operator.call('PATCH', tenant, { reviewers: [reviewer] })).status, 200)
    const { secret } = await aSession(test, 'default', reviewer)
    const stream = await anEventStream(t, `${await test.listen()}${EVENTS}`, {
      cookie: `deputy_session=${secret}`,
    })
    assert.equal(stream.status, 200)
    // Written as by another node, so this node may have cached the earlier settings.
    const entry = { entry_kind: 'tenant', id: 'default', tenant_id: 'default', owner: undefined } as const
    const name = (reviewers: string[]) => {
      const document = JSON.stringify({ name: 'Default', allow_bearer: false, step_up: [], reviewers })
      return test.submit({ kind: 'register', ...entry, document, expects: 'any' })
    }
    await name([reviewer, other])
    assert.equal(test.context.events.streams.count, 1)
    await name([other])
    const last = await stream.next()
    assert.deepEqual([last?.event, JSON.parse(last?.data ?? '').reason], ['closing', 'credential_ended'])
  })
})

async function postTo(url: string, path: string, body: object): Promise<void> {
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  assert.equal(response.status, 200)
}

/** Requests a stream on a separate socket, and reads no byte of it. */
async function aClientThatReadsNothing(scope: TestScope, url: string, query: string): Promise<Socket> {
  const { hostname, port, host } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port) })
  scope.after(() => {
    socket.destroy()
  })
  socket.on('error', () => {}) // the service resets it
  await once(socket, 'connect')
  socket.pause()
  socket.write(`GET ${EVENTS}${query} HTTP/1.1\r\nHost: ${host}\r\nAccept: text/event-stream\r\n\r\n`)
  return socket
}

/** The contents of the buffers when the connection was cut. */
async function restOf(socket: Socket): Promise<string> {
  const chunks: Buffer[] = []
  socket.on('data', (chunk) => chunks.push(chunk))
  socket.resume()
  if (!socket.closed) await once(socket, 'close')
  return Buffer.concat(chunks).toString()
}

/** The ids of complete events, as a client sees them. */
function idsIn(text: string): number[] {
  const blocks = text.split('\n\n').slice(1, -1)
  return blocks.flatMap((block) => [...block.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id)))
}
