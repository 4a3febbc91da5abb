import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { CAEP_EVENTS, POLL_DELIVERY, PUSH_DELIVERY, SSF_VERIFICATION } from '@deputize/protocol'
import { aReceiver } from '@deputize/testing/a-receiver.ts'
import { aTestApp, type TestApp } from '@deputize/testing/a-test-app.ts'
import { anIssueRequest } from '@deputize/testing/an-issue-request.ts'
import { eventually } from '@deputize/testing/eventually.ts'
import { okBody } from '@deputize/testing/ok-body.ts'
import { createLocalJWKSet, decodeJwt, jwtVerify } from 'jose'
import { RETRY_AFTER_MS } from '../../src/events/delivery/schedule.ts'
import { aKeyedApp, anAgent, type Client } from './a-keyed-app.ts'

type Caller = Pick<Client, 'post'> | Pick<TestApp, 'post'>

const STREAMS = '/v1/vat/ssf/streams'

const poll = (client: Caller, stream_id: string, body: object = {}) =>
  okBody(client.post(`${STREAMS}/${stream_id}/poll`, { returnImmediately: true, ...body }))

/** Verifies SETs with the published keys, as any receiver would, and returns their payloads. */
async function verified(service: TestApp, { sets }: { sets: Record<string, string> }, aud: string) {
  const { body: keys } = await service.get('/.well-known/jwks.json')
  const { body: metadata } = await service.get('/.well-known/ssf-configuration')
  const keySet = createLocalJWKSet(keys)
  const payloads = []
  for (const [jti, set] of Object.entries(sets)) {
    const { payload } = await jwtVerify(set, keySet, {
      typ: 'secevent+jwt',
      issuer: metadata.issuer,
      audience: aud,
      currentDate: new Date(service.clock()),
    })
    assert.equal(payload.jti, jti)
    assert.equal(typeof payload.iat, 'number')
    assert.ok(!('exp' in payload), 'a SET does not expire')
    payloads.push(payload)
  }
  return payloads
}

const typesOf = (payloads: readonly Record<string, unknown>[]) =>
  payloads.map(({ events }) => Object.keys(events as object)[0])

describe('shared signals', () => {
  test('the metadata names the delivery methods and the endpoint for streams', async (t) => {
    const service = await aTestApp(t)
    const { body } = await service.get('/.well-known/ssf-configuration')
    assert.equal(body.spec_version, '1_0')
    assert.deepEqual(body.delivery_methods_supported, [PUSH_DELIVERY, POLL_DELIVERY])
    assert.ok(body.configuration_endpoint.endsWith(STREAMS))
    assert.equal(body.default_subjects, 'ALL')
  })

  test('a polled stream repeats revocations, suspensions and resumptions until they are acknowledged', async (t) => {
    const service = await aTestApp(t)
    const root = await okBody(service.post('/v1/vat/issue/l1', anIssueRequest()))
    const early = await okBody(service.post('/v1/vat/issue/l1', anIssueRequest()))
    await okBody(service.post('/v1/vat/revoke', { vat_jti: early.jti }))
    const stream = await okBody(service.post(STREAMS, { description: 'gateway', aud: 'https://gw.example' }))
    assert.equal(stream.delivery.method, POLL_DELIVERY)
    assert.ok(stream.delivery.endpoint_url.endsWith(`${STREAMS}/${stream.stream_id}/poll`))
    assert.deepEqual(await poll(service, stream.stream_id), { sets: {} })
    await okBody(service.post('/v1/vat/revoke', { vat_jti: root.jti, reason: 'a secret reason' }))
    await okBody(service.post('/v1/vat/agents/calendar-bot/suspend', {}))
    await okBody(service.post('/v1/vat/agents/calendar-bot/resume', {}))
    const human_ref = root.claims.svc_human_ref
    await okBody(service.post('/v1/vat/revoke/human', { human_ref }))
    const first = await poll(service, stream.stream_id)
    const payloads = await verified(service, first, 'https://gw.example')
    assert.deepEqual(
      payloads.map(({ sub_id }) => sub_id),
      [
        { format: 'jwt_id', iss: stream.iss, jti: root.jti },
        { format: 'opaque', id: 'agent:calendar-bot' },
        { format: 'opaque', id: 'agent:calendar-bot' },
        { format: 'opaque', id: human_ref },
      ],
    )
    const { session_revoked, token_claims_change } = CAEP_EVENTS
    assert.deepEqual(typesOf(payloads), [
      session_revoked,
      session_revoked,
      token_claims_change,
      session_revoked,
    ])
    assert.ok(!JSON.stringify(payloads).includes('secret reason'))
    assert.match(String(payloads[0]?.txn), /^evt_\d+$/)
    const ids = Object.keys(first.sets)
    assert.deepEqual(
      Object.keys((await poll(service, stream.stream_id)).sets),
      ids,
      'nothing was acknowledged',
    )
    const some = await poll(service, stream.stream_id, { maxEvents: 1, ack: [ids[0], ids[2]] })
    assert.deepEqual([Object.keys(some.sets), some.moreAvailable], [[ids[1]], true])
    const rest = await poll(service, stream.stream_id, { ack: [ids[1]] })
    assert.deepEqual([Object.keys(rest.sets), rest.moreAvailable], [[ids[3]], undefined])
    const refused = { setErrs: { [String(ids[3])]: { err: 'jwtAud', description: 'not ours' } } }
    assert.deepEqual(await poll(service, stream.stream_id, refused), { sets: {} })
    assert.deepEqual(await poll(service, stream.stream_id, { ack: ['foreign.1', `${stream.stream_id}.x`] }), {
      sets: {},
    })
  })

  test('a waiting poll is answered as soon as something is revoked', async (t) => {
    const service = await aTestApp(t)
    const { jti } = await okBody(service.post('/v1/vat/issue/l1', anIssueRequest()))
    const { stream_id, aud } = await okBody(service.post(STREAMS, {}))
    const waiting = okBody(service.post(`${STREAMS}/${stream_id}/poll`, {}))
    await okBody(service.post('/v1/vat/revoke', { vat_jti: jti }))
    const [payload] = await verified(service, await waiting, aud)
    assert.deepEqual(payload?.sub_id, { format: 'jwt_id', iss: payload?.iss, jti })
  })

  test('a waiting poll returns nothing of a stream that was paused meanwhile, and ends with the stream', async (t) => {
    const service = await aTestApp(t)
    const { jti } = await okBody(service.post('/v1/vat/issue/l1', anIssueRequest()))
    const [paused, deleted] = [
      await okBody(service.post(STREAMS, {})),
      await okBody(service.post(STREAMS, {})),
    ]
    const waiting = [paused, deleted].map(({ stream_id }) => service.post(`${STREAMS}/${stream_id}/poll`, {}))
    await eventually('both polls wait', async () => service.context.waits.count === 2)
    await okBody(service.post('/v1/vat/ssf/status', { stream_id: paused.stream_id, status: 'paused' }))
    const url = `${STREAMS}?stream_id=${deleted.stream_id}`
    assert.equal((await service.app.inject({ method: 'DELETE', url })).statusCode, 200)
    await okBody(service.post('/v1/vat/revoke', { vat_jti: jti }))
    const [first, second] = await Promise.all(waiting)
    assert.deepEqual([first?.status, first?.body], [200, { sets: {} }])
    assert.deepEqual([second?.status, second?.body.code], [404, 'stream_unknown'])
  })

  test('a verification event is returned with its state', async (t) => {
    const service = await aTestApp(t)
    const { stream_id, aud } = await okBody(service.post(STREAMS, {}))
    await okBody(service.post('/v1/vat/ssf/verify', { stream_id, state: 'VGhpcyBpcyBhbiBleGFtcGxl' }))
    const answer = await poll(service, stream_id)
    const [payload] = await verified(service, answer, aud)
    assert.deepEqual(payload?.events, { [SSF_VERIFICATION]: { state: 'VGhpcyBpcyBhbiBleGFtcGxl' } })
    assert.deepEqual(payload?.sub_id, { format: 'opaque', id: stream_id })
    assert.deepEqual(await poll(service, stream_id, { ack: Object.keys(answer.sets) }), { sets: {} })
  })

  test('polls and acknowledgements at the same time lose neither a verification event nor an acknowledgement', async (t) => {
    const service = await aTestApp(t)
    const { stream_id } = await okBody(service.post(STREAMS, {}))
    const tokens: string[] = []
    for (let one = 0; one < 20; one += 1)
      tokens.push((await okBody(service.post('/v1/vat/issue/l1', anIssueRequest()))).jti)
    for (const vat_jti of tokens) {
      await okBody(service.post('/v1/vat/revoke', { vat_jti }))
      const { sets } = await poll(service, stream_id)
      await service.post('/v1/vat/issue/l1', anIssueRequest()) // moves the cursor of the next poll
      await Promise.all([
        poll(service, stream_id),
        okBody(service.post('/v1/vat/ssf/verify', { stream_id, state: vat_jti })),
        poll(service, stream_id, { ack: Object.keys(sets) }),
        poll(service, stream_id),
      ])
      const rest = await poll(service, stream_id)
      const [payload] = Object.values<string>(rest.sets).map((set) => decodeJwt(set))
      assert.deepEqual(
        [Object.keys(rest.sets).length, payload && typesOf([payload])],
        [1, [SSF_VERIFICATION]],
      )
      await poll(service, stream_id, { ack: Object.keys(rest.sets) })
    }
  })

  test('a flood of verification requests leaves only the ten newest events', async (t) => {
    const service = await aTestApp(t)
    const { stream_id } = await okBody(service.post(STREAMS, { aud: 'https://gw.example' }))
    for (let state = 0; state < 25; state += 1)
      await okBody(service.post('/v1/vat/ssf/verify', { stream_id, state: String(state) }))
    const some = await poll(service, stream_id, { maxEvents: 9 })
    assert.deepEqual([Object.keys(some.sets).length, some.moreAvailable], [9, true])
    const { sets, moreAvailable } = await poll(service, stream_id)
    assert.equal(moreAvailable, undefined)
    const states = Object.values(sets as Record<string, string>).map((set) => {
      const events = decodeJwt(set).events as Record<string, { state: string }>
      return Number(events[SSF_VERIFICATION]?.state)
    })
    assert.deepEqual(
      states,
      Array.from({ length: 10 }, (_, index) => 15 + index),
    )
  })

  test('a paused stream keeps its SETs, and a disabled one misses them', async (t) => {
    const service = await aTestApp(t)
    const { stream_id } = await okBody(service.post(STREAMS, {}))
    const set = (status: string) => okBody(service.post('/v1/vat/ssf/status', { stream_id, status }))
    const revokeOne = async () => {
      const { jti } = await okBody(service.post('/v1/vat/issue/l1', anIssueRequest()))
      await okBody(service.post('/v1/vat/revoke', { vat_jti: jti }))
    }
    await set('paused')
    await revokeOne()
    assert.deepEqual(await poll(service, stream_id), { sets: {} })
    assert.equal((await okBody(service.get(`/v1/vat/ssf/status?stream_id=${stream_id}`))).status, 'paused')
    await set('enabled')
    const { sets } = await poll(service, stream_id)
    assert.equal(Object.keys(sets).length, 1)
    await poll(service, stream_id, { ack: Object.keys(sets) })
    await set('disabled')
    await revokeOne()
    await set('enabled')
    assert.deepEqual(await poll(service, stream_id), { sets: {} })
  })

  test('a removed agent is left out with its tokens until it is added again', async (t) => {
    const service = await aTestApp(t)
    const { stream_id } = await okBody(service.post(STREAMS, {}))
    const subject = { format: 'opaque', id: 'agent:quiet-bot' }
    await okBody(service.post('/v1/vat/ssf/subjects/remove', { stream_id, subject }))
    const revokeOne = async (agent_id: string) => {
      const { jti } = await okBody(service.post('/v1/vat/issue/l1', anIssueRequest({ agent_id })))
      await okBody(service.post('/v1/vat/revoke', { vat_jti: jti }))
    }
    await revokeOne('quiet-bot')
    await revokeOne('loud-bot')
    const { sets } = await poll(service, stream_id)
    assert.equal(Object.keys(sets).length, 1)
    await poll(service, stream_id, { ack: Object.keys(sets) })
    await okBody(service.post('/v1/vat/ssf/subjects/add', { stream_id, subject }))
    await revokeOne('quiet-bot')
    assert.equal(Object.keys((await poll(service, stream_id)).sets).length, 1)
    const bad = await service.post('/v1/vat/ssf/subjects/remove', {
      stream_id,
      subject: { format: 'email', email: 'a@example.com' },
    })
    assert.deepEqual([bad.status, bad.body.errors[0].pointer], [400, '/subject'])
  })

  test('streams are created, read, changed and deleted', async (t) => {
    const service = await aTestApp(t)
    const made = await okBody(service.post(STREAMS, { delivery: { method: POLL_DELIVERY } }))
    assert.equal(made.aud, made.delivery.endpoint_url)
    const polled = await okBody(
      service.post(STREAMS, { events_requested: [CAEP_EVENTS.session_revoked, 'urn:x'] }),
    )
    assert.deepEqual(polled.events_delivered, [CAEP_EVENTS.session_revoked])
    const all = await okBody(service.get(STREAMS))
    assert.deepEqual(
      all.map(({ stream_id }: { stream_id: string }) => stream_id),
      [polled.stream_id, made.stream_id],
    )
    assert.deepEqual(await okBody(service.get(`${STREAMS}?stream_id=${made.stream_id}`)), made)
    const patch = { stream_id: polled.stream_id, description: 'ours', events_requested: [] }
    const { headers: _, ...changed } = await service.app
      .inject({ method: 'PATCH', url: STREAMS, payload: patch })
      .then((answer) => answer.json())
    assert.deepEqual([changed.description, changed.events_delivered], ['ours', []])
    const wrong = await service.post(STREAMS, { delivery: { method: 'urn:ietf:rfc:0' } })
    assert.deepEqual([wrong.status, wrong.body.errors[0].pointer], [400, '/delivery/method'])
    await okBody(service.delete(`${STREAMS}?stream_id=${made.stream_id}`))
    const gone = await service.get(`${STREAMS}?stream_id=${made.stream_id}`)
    assert.deepEqual([gone.status, gone.body.code], [404, 'stream_unknown'])
  })

  test('a tenant gets only its own events, and a resource server polls only streams for its audience', async (t) => {
    const app = await aKeyedApp(t)
    const { operator: first, withKey, key } = app
    for (const tenant_id of ['acme', 'other']) await okBody(first.post('/v1/vat/tenants', { tenant_id }))
    const operator = withKey(await key('acme', 'operator'))
    const stranger = withKey(await key('other', 'operator'))
    const audience = 'https://calendar.example'
    const server = withKey(await key('acme', 'resource_server', { audience }))
    const another = withKey(await key('acme', 'resource_server', { audience: 'https://mail.example' }))
    const { stream_id } = await okBody(operator.post(STREAMS, { aud: audience }))
    for (const [tenant, client] of [
      ['acme', operator],
      ['other', stranger],
    ] as const) {
      const developer = withKey(await key(tenant, 'developer'))
      const { jti } = await anAgent(app, developer, { developer_email: 'a@example.com' })
      await okBody(client.post('/v1/vat/revoke', { vat_jti: jti }))
    }
    const answer = await poll(server, stream_id)
    assert.equal(Object.keys(answer.sets).length, 1)
    for (const client of [stranger, another, first]) {
      const { status, body } = await client.post(`${STREAMS}/${stream_id}/poll`, {})
      assert.deepEqual([status, body.code], [404, 'stream_unknown'])
    }
    assert.deepEqual(await okBody(stranger.get(STREAMS)), [])
    assert.equal((await server.get(STREAMS)).status, 403)
    assert.equal((await server.post(STREAMS, {})).status, 403)
  })
})

describe('a stream that is pushed', () => {
  const AUTHORIZATION = 'Bearer of-the-receiver'

  /** A service, a receiver that it may call, and a stream between them. */
  async function aPushStream(context: TestContext) {
    const receiver = await aReceiver(context)
    receiver.answer = () => ({ status: 202 })
    const lines: string[] = []
    const service = await aTestApp(context, {
      outbound_allow: receiver.host,
      onLog: (line) => lines.push(line),
    })
    service.startDeliveries()
    const delivery = {
      method: PUSH_DELIVERY,
      endpoint_url: receiver.url,
      authorization_header: AUTHORIZATION,
    }
    const stream = await okBody(service.post(STREAMS, { delivery, aud: 'https://gw.example' }))
    const { stream_id } = stream
    const revokeOne = async (): Promise<string> => {
      const { jti } = await okBody(service.post('/v1/vat/issue/l1', anIssueRequest()))
      await okBody(service.post('/v1/vat/revoke', { vat_jti: jti }))
      return jti
    }
    const setStatus = (status: string) => okBody(service.post('/v1/vat/ssf/status', { stream_id, status }))
    /** The tokens in the messages, whose SETs are verified. */
    const named = async () => {
      const sets = receiver.messages.map(({ body }) => [jtiOf(body), body] as const)
      const payloads = await verified(service, { sets: Object.fromEntries(sets) }, 'https://gw.example')
      return payloads.map(({ sub_id }) => (sub_id as { jti?: string }).jti)
    }
    return { service, receiver, stream, stream_id, lines, revokeOne, setStatus, named }
  }

  const jtiOf = (set: string): string => decodeJwt(set).jti ?? assert.fail()

  test('sends a signed SET for a revoked token, with the credential of the receiver', async (context) => {
    const { service, receiver, stream, revokeOne, named } = await aPushStream(context)
    assert.deepEqual(stream.delivery, { method: PUSH_DELIVERY, endpoint_url: receiver.url })
    const jti = await revokeOne()
    const [message] = await receiver.received(1)
    assert.deepEqual(await named(), [jti])
    assert.equal(message?.headers['content-type'], 'application/secevent+jwt')
    assert.equal(message?.headers.authorization, AUTHORIZATION)
    const shown = await okBody(service.get(STREAMS))
    assert.ok(!JSON.stringify(shown).includes(AUTHORIZATION))
    const rows = await service.rows('SELECT document FROM registry')
    assert.ok(
      rows.every(({ document }) => !Buffer.from((document as Uint8Array) ?? '').includes(AUTHORIZATION)),
    )
  })

  test('repeats a SET with the same jti until the receiver, which was down, accepts it', async (context) => {
    const { service, receiver, revokeOne, named } = await aPushStream(context)
    receiver.answer = () => ({ status: 503 })
    const jti = await revokeOne()
    await receiver.received(1)
    receiver.answer = () => ({ status: 202 })
    await eventually('the SET comes again', () => {
      service.clock.advance(2 * (RETRY_AFTER_MS[0] ?? 0))
      return receiver.messages.length >= 2
    })
    assert.equal(jtiOf(receiver.messages[1]?.body ?? ''), jtiOf(receiver.messages[0]?.body ?? ''))
    assert.deepEqual(await named(), [jti])
  })

  test('drops a SET that the receiver refuses permanently, logs that, and continues', async (context) => {
    const { receiver, stream_id, lines, revokeOne } = await aPushStream(context)
    receiver.answer = () => ({ status: 400, body: JSON.stringify({ err: 'invalid_audience' }) })
    await revokeOne()
    await eventually('a line in the log', () =>
      lines.some((line) => line.includes('invalid_audience') && line.includes(stream_id)),
    )
    receiver.answer = () => ({ status: 202 })
    await revokeOne()
    const [first, second] = await receiver.received(2)
    assert.notEqual(jtiOf(first?.body ?? ''), jtiOf(second?.body ?? ''))
  })

  test('keeps its SETs while it is paused, and misses events while it is disabled', async (context) => {
    const { receiver, revokeOne, setStatus, named } = await aPushStream(context)
    await setStatus('paused')
    const kept = await revokeOne()
    await setStatus('enabled')
    await receiver.received(1)
    await setStatus('disabled')
    await revokeOne()
    await setStatus('enabled')
    const last = await revokeOne()
    // A SET that was in flight when the stream changed may arrive twice.
    await eventually('the last one arrives', async () => (await named()).includes(last))
    assert.deepEqual([...new Set(await named())], [kept, last])
  })

  test('limits verification events, cannot be polled, and is paused with a reason after a 410', async (context) => {
    const { service, receiver, stream_id, revokeOne } = await aPushStream(context)
    await okBody(service.post('/v1/vat/ssf/verify', { stream_id, state: 'x' }))
    assert.deepEqual(decodeJwt(receiver.messages[0]?.body ?? '').events, {
      [SSF_VERIFICATION]: { state: 'x' },
    })
    const again = await service.post('/v1/vat/ssf/verify', { stream_id })
    assert.deepEqual([again.status, again.body.code], [429, 'rate_limited'])
    assert.equal(again.headers['retry-after'], '5')
    service.clock.advance(5_000)
    await okBody(service.post('/v1/vat/ssf/verify', { stream_id }))
    assert.equal(receiver.messages.length, 2)
    const polled = await service.post(`${STREAMS}/${stream_id}/poll`, {})
    assert.deepEqual([polled.status, polled.body.code], [404, 'stream_unknown'])
    receiver.answer = () => ({ status: 410 })
    await revokeOne()
    const status = await eventually('the stream stops', async () => {
      const { body } = await service.get(`/v1/vat/ssf/status?stream_id=${stream_id}`)
      return body.status === 'paused' ? body : undefined
    })
    assert.equal(status.reason, 'The receiver answered 410.')
  })

  test('is refused without a public address, and with members of the other method', async (context) => {
    const service = await aTestApp(context)
    for (const [delivery, pointer] of [
      [{ method: PUSH_DELIVERY }, '/delivery/endpoint_url'],
      [{ method: PUSH_DELIVERY, endpoint_url: 'http://127.0.0.1:1/' }, '/delivery/endpoint_url'],
      [
        { method: PUSH_DELIVERY, endpoint_url: 'https://gw.example/', authorization_header: 'a\r\nb: c' },
        '/delivery/authorization_header',
      ],
      [{ method: POLL_DELIVERY, authorization_header: 'Bearer x' }, '/delivery/authorization_header'],
    ] as const) {
      const { status, body } = await service.post(STREAMS, { delivery })
      assert.deepEqual([status, body.errors?.[0].pointer], [400, pointer])
    }
  })
})
