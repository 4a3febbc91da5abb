import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after, describe, test } from 'node:test'
import { mailText } from '@deputize/testing/a-mail-server.ts'
import { aPushService } from '@deputize/testing/a-push-service.ts'
import { aReceiver as aHookReceiver } from '@deputize/testing/a-receiver.ts'
import { eventually } from '@deputize/testing/eventually.ts'
import { emailRef } from '../../src/access/human-ref.ts'
import {
  DIGEST_GAP_MS,
  GATHER_MS,
  MESSAGE_GAP_MS,
  MOST_PER_HOUR,
} from '../../src/domain/times/message-timing.ts'
import { MessageDesk } from '../../src/operations/notifications/message-desk.ts'
import { aKeyedApp, anAgent, aPerson, type Client, type Person } from './a-keyed-app.ts'
import { add, addMail, aReceiver, ask, aWorld, CHANNELS, settle, told } from './a-message-world.ts'

const scope = { after }

describe('a channel', () => {
  test('for the address proved by the sign-in is active at once, and any other waits for its code', async () => {
    const { app, mail, person } = await aWorld()
    const proven = emailRef(app.test.context.keys, 'default', 'sam@example.com')
    const { secret, csrf_token } = await app.test.accessControl.sessions.create({
      tenant_id: 'default',
      human_ref: person.human_ref,
      human_refs: [person.human_ref, proven],
      assurance_level: 'L2',
      amr: ['pwd'],
      auth_time_ms: app.test.clock(),
      sign_on: undefined,
    })
    const headers = {
      cookie: `deputy_session=${secret}`,
      origin: 'http://localhost',
      'deputy-csrf': csrf_token,
    }
    const sam = app.withHeaders(() => headers)
    const known = await sam.post(CHANNELS, { kind: 'email', address: 'Sam@Example.com' })
    assert.deepEqual([known.status, known.body.state, mail.mails.length], [201, 'active', 0])

    const other = await sam.post(CHANNELS, { kind: 'email', address: 'other@example.com' })
    assert.equal(other.body.state, 'unconfirmed')
    const [sent] = mail.mails
    assert.deepEqual(sent?.to, ['other@example.com'])
    const [, code = ''] = /Code: (\d{8})/.exec(mailText(sent ?? { text: '' })) ?? []
    const path = `${CHANNELS}/${other.body.channel_id}`
    const wrong = await sam.post(`${path}/confirm`, { code: code === '00000000' ? '00000001' : '00000000' })
    assert.deepEqual([wrong.status, wrong.body.code], [403, 'code_refused'])
    const untested = await sam.post(`${path}/test`)
    assert.deepEqual([untested.status, untested.body.reason], [409, 'not_confirmed'])
    const right = await sam.post(`${path}/confirm`, { code })
    assert.deepEqual([right.status, right.body.state], [200, 'active'])
    assert.equal((await sam.post(`${path}/test`)).body.sent, true)
    assert.equal(mail.mails.length, 2)
  })

  test("can't be confirmed after five wrong codes or 15 minutes", async () => {
    const { app, mail, person } = await aWorld()
    const codeOf = (index: number) =>
      /Code: (\d{8})/.exec(mailText(mail.mails[index] ?? { text: '' }))?.[1] ?? ''
    const guessed = await add(person.client, { kind: 'email', address: 'a@example.com' })
    const wrong = String((Number(codeOf(0)) + 1) % 10 ** 8).padStart(8, '0')
    for (let attempt = 0; attempt < 5; attempt += 1)
      assert.equal((await person.client.post(`${CHANNELS}/${guessed}/confirm`, { code: wrong })).status, 403)
    const late = await person.client.post(`${CHANNELS}/${guessed}/confirm`, { code: codeOf(0) })
    assert.equal(late.body.code, 'code_refused')
    const old = await add(person.client, { kind: 'email', address: 'b@example.com' })
    app.test.clock.advance(15 * 60_000)
    const expired = await person.client.post(`${CHANNELS}/${old}/confirm`, { code: codeOf(1) })
    assert.equal(expired.body.code, 'code_refused')
  })

  test("can't be used to fill the mailbox of another person", async () => {
    const { mail, person } = await aWorld()
    for (let round = 0; round < 5; round += 1) {
      const id = await add(person.client, { kind: 'email', address: 'victim@example.com' })
      await person.client.call('DELETE', `${CHANNELS}/${id}`)
    }
    const sixth = await person.client.post(CHANNELS, { kind: 'email', address: 'victim@example.com' })
    assert.deepEqual([sixth.status, sixth.body.code, mail.mails.length], [429, 'rate_limited', 5])
    assert.equal(sixth.headers['retry-after'], String(15 * 60))
  })

  test('sends at most five codes in 15 minutes per person and per address', async () => {
    const { app, mail, person } = await aWorld()
    const email = (address: string) => ({ kind: 'email', address })
    const addAndGuess = async ({ client }: Pick<Person, 'client'>, address: string) => {
      const { status, body } = await client.post(CHANNELS, email(address))
      if (status !== 201) return body.code
      const [, code] = /Code: (\d{8})/.exec(mailText(mail.mails.at(-1) ?? { text: '' })) ?? []
      const wrong = String((Number(code) + 1) % 10 ** 8).padStart(8, '0')
      for (let attempt = 0; attempt < 5; attempt += 1)
        await client.post(`${CHANNELS}/${body.channel_id}/confirm`, { code: wrong })
      await client.call('DELETE', `${CHANNELS}/${body.channel_id}`)
      return 'sent'
    }
    for (let round = 0; round < 4; round += 1)
      assert.equal(await addAndGuess(person, 'victim@example.com'), 'sent')
    await app.test.context.accessControl.sessions.endOthers(person.human_ref)
    const again = await aPerson(app, 'default', person.human_ref)
    assert.equal(await addAndGuess(again, 'Victim@Example.com'), 'sent')
    assert.equal(await addAndGuess(again, 'victim@example.com'), 'rate_limited')
    assert.equal(await addAndGuess(again, 'other@example.com'), 'rate_limited')
    const accomplice = await aPerson(app, 'default', 'sha256:accomplice')
    assert.equal(await addAndGuess(accomplice, 'victim@example.com'), 'rate_limited')
    assert.equal(mail.mails.length, 5)
    app.test.clock.advance(15 * 60_000)
    const late = await aPerson(app, 'default', person.human_ref)
    const many = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        late.client.post(CHANNELS, email(`victim-${index}@example.com`)),
      ),
    )
    assert.equal(many.filter(({ status }) => status === 201).length, 5)
    assert.equal(mail.mails.length, 10)
  })

  test('is refused if the tenant does not allow its kind or there is no mail server', async () => {
    const { app, person } = await aWorld({ messages: { channels: ['push', 'slack'] } })
    const refused = await person.client.post(CHANNELS, { kind: 'teams', url: 'https://example.com/x' })
    assert.deepEqual([refused.body.code, refused.body.reason], ['channel_unavailable', 'not_allowed'])
    const { body } = await person.client.get('/v1/vat/notifications')
    assert.deepEqual(body.available, ['push', 'slack'])
    const bare = await aKeyedApp(scope)
    const somebody = await aPerson(bare, 'default', person.human_ref)
    const mail = await somebody.client.post(CHANNELS, { kind: 'email', address: 'a@example.com' })
    assert.deepEqual([mail.status, mail.body.reason], [409, 'not_configured'])
    assert.equal((await app.operator.get('/v1/vat/tenants/default')).body.messages.slack_interactions, false)
  })

  test('needs the target of its kind, with valid browser keys', async () => {
    const { person } = await aWorld()
    const push = await aPushService(scope)
    const pointer = async (body: Record<string, unknown>) => {
      const answer = await person.client.post(CHANNELS, body)
      assert.equal(answer.status, 400, JSON.stringify(answer.body))
      return answer.body.errors[0].pointer
    }
    assert.equal(await pointer({ kind: 'email' }), '/address')
    assert.equal(await pointer({ kind: 'slack', address: 'a@example.com' }), '/address')
    assert.equal(await pointer({ kind: 'slack', url: 'https://user@example.com/x' }), '/url')
    assert.equal(await pointer({ kind: 'email', address: 'a@example.com\r\nBcc: b@example.com' }), '/address')
    const keys = { p256dh: `B${'A'.repeat(86)}`, auth: push.subscription.keys.auth }
    const off = { kind: 'push', subscription: { ...push.subscription, keys } }
    assert.equal(await pointer(off), '/subscription/keys')
  })

  test('never shows the address of its hook again, and a person can have at most twenty', async () => {
    const { person } = await aWorld()
    for (let index = 0; index < 20; index += 1)
      await add(person.client, { kind: 'slack', url: `https://hooks.slack.com/services/secret-${index}` })
    const { body } = await person.client.get('/v1/vat/notifications')
    assert.equal(body.channels.length, 20)
    assert.doesNotMatch(JSON.stringify(body), /secret/)
    const next = await person.client.post(CHANNELS, { kind: 'slack', url: 'https://hooks.slack.com/x' })
    assert.deepEqual([next.status, next.body.code], [409, 'too_many_channels'])
  })

  test('is not added beyond the limit by calls at the same time', async () => {
    const { app, person } = await aWorld()
    const added = (client: Client, index: number) =>
      client.post(CHANNELS, { kind: 'slack', url: `https://hooks.slack.com/services/${index}` })
    for (const [kind, client] of [
      ['channel', person.client],
      ['tenant_channel', app.operator],
    ] as const) {
      for (let index = 0; index < 18; index += 1) assert.equal((await added(client, index)).status, 201)
      const answers = await Promise.all(Array.from({ length: 6 }, (_, index) => added(client, 20 + index)))
      const statuses = answers.map(({ status }) => status)
      assert.deepEqual(statuses.toSorted(), [201, 201, 409, 409, 409, 409], kind)
      const page = { limit: 100, before: undefined }
      const { entries } = await app.test.context.reader.registry.list(kind, { tenant_id: 'default' }, page)
      assert.equal(entries.length, 20, kind)
    }
  })
})

describe('a question', async () => {
  test('reaches the person on every channel, once, with what they need to know', async () => {
    const world = await aWorld()
    const { app, agent, person, desk } = world
    const push = await aPushService(scope)
    const [slack, teams, hook] = [await aReceiver(), await aReceiver(), await aReceiver()]
    await add(person.client, { kind: 'push', subscription: push.subscription })
    await add(person.client, { kind: 'slack', url: slack.url })
    await add(person.client, { kind: 'teams', url: teams.url })
    const made = await person.client.post(CHANNELS, { kind: 'webhook', url: hook.url })
    await person.client.call('PUT', '/v1/vat/notifications', { time_zone: 'Asia/Tokyo' })
    const approval_id = await ask(agent, { spend_usd: 149.9 })
    await settle(world)
    assert.equal(push.shown.length, 0, 'it waits a moment for others')
    app.test.clock.advance(GATHER_MS)
    const [notification] = await told('push', world, () => push.shown.length > 0 && push.shown)
    assert.deepEqual(push.refused, [])
    assert.equal(notification?.title, 'Shopping assistant wants to write calendar:events for $149.90')
    assert.match(String(notification?.body), /Left after this: \$50\.10\nAnswer by: .*GMT\+9/)
    assert.equal(notification?.path, `/approve/${approval_id}`)
    await told('all', world, () => slack.posts.length > 0 && teams.posts.length > 0 && hook.posts.length > 0)
    for (const { posts } of [slack, teams, hook]) {
      assert.ok(posts[0]?.text.includes(`/approve/${approval_id}`))
      assert.doesNotMatch(String(posts[0]?.text), /vat_|sha256:|number/, 'no token, no ref, no metadata')
    }
    const {
      'webhook-id': id,
      'webhook-timestamp': at,
      'webhook-signature': signature,
    } = hook.posts[0]?.headers ?? {}
    const key = Buffer.from(made.body.secret.slice('whsec_'.length), 'base64')
    const mac = createHmac('sha256', key).update(`${id}.${at}.${hook.posts[0]?.text}`).digest('base64')
    assert.equal(signature, `v1,${mac}`)
    app.test.clock.advance(MESSAGE_GAP_MS)
    await desk.runOnce()
    const again = new MessageDesk(app.test.context)
    await again.runOnce()
    await again.runOnce()
    await again.close()
    assert.deepEqual([push.shown.length, slack.posts.length, hook.posts.length], [1, 1, 1])
  })

  test('is sent together with others in one message, unless it was answered in the meantime', async () => {
    const world = await aWorld()
    const { app, agent, person } = world
    const slack = await aReceiver()
    await add(person.client, { kind: 'slack', url: slack.url })
    const ids = [await ask(agent), await ask(agent), await ask(agent), await ask(agent)]
    await settle(world)
    await person.client.post(`/v1/vat/approvals/${ids[0]}/deny`)
    app.test.clock.advance(GATHER_MS)
    await told('one message', world, () => slack.posts.length > 0)
    assert.match(String(slack.posts[0]?.text), /3 approval requests from Shopping assistant/)
    const late = await ask(agent)
    await settle(world)
    app.test.clock.advance(GATHER_MS)
    await settle(world)
    assert.equal(slack.posts.length, 1, 'messages keep a distance')
    await person.client.post(`/v1/vat/approvals/${late}/approve`)
    app.test.clock.advance(MESSAGE_GAP_MS)
    await settle(world)
    assert.equal(slack.posts.length, 1, 'a decided question is told to nobody')
  })

  test('that a habit answers is not sent', async () => {
    const world = await aWorld()
    const { app, agent, person } = world
    const slack = await aReceiver()
    await add(person.client, { kind: 'slack', url: slack.url })
    const same = { metadata: { item: 'paper' } }
    const first = await ask(agent, same)
    await person.client.post(`/v1/vat/approvals/${first}/approve`)
    await agent.client.post('/v1/vat/authorize', {
      vat_jti: agent.jti,
      action: 'write',
      resource: 'calendar:events',
      spend_usd: 5,
      ...same,
      approval_id: first,
    })
    let habitual = 0
    // Some requests are picked for the person at random. Those would be sent.
    for (let round = 0; round < 10; round += 1) {
      const request = {
        vat_jti: agent.jti,
        action: 'write',
        resource: 'calendar:events',
        spend_usd: 5,
        ...same,
      }
      const { body } = await agent.client.post('/v1/vat/authorize', request)
      if (body.authorized) habitual += 1
      else await person.client.post(`/v1/vat/approvals/${body.approval_id}/approve`)
    }
    assert.ok(habitual > 0)
    await settle(world)
    app.test.clock.advance(GATHER_MS)
    await settle(world)
    assert.equal(slack.posts.length, 0)
  })

  test('waits for the end of quiet hours', async () => {
    const world = await aWorld()
    const { app, agent, person } = world
    const slack = await aReceiver()
    await add(person.client, { kind: 'slack', url: slack.url })
    const now = new Date(app.test.clock())
    const hour = (add: number) => `${String((now.getUTCHours() + add) % 24).padStart(2, '0')}:30`
    const quiet_hours = { time_zone: 'UTC', from: hour(23), to: hour(0) }
    await person.client.call('PUT', '/v1/vat/notifications', { quiet_hours })
    await ask(agent)
    await settle(world)
    app.test.clock.advance(10 * 60_000)
    await settle(world)
    assert.equal(slack.posts.length, 0)
    app.test.clock.advance(25 * 60_000)
    await told('the message', world, () => slack.posts.length > 0)
  })

  test('is sent again if the receiver fails, and removes a subscription that no longer exists', async () => {
    const world = await aWorld()
    const { app, agent, person, mail } = world
    const slack = await aReceiver()
    const push = await aPushService(scope)
    await add(person.client, { kind: 'slack', url: slack.url })
    await add(person.client, { kind: 'push', subscription: push.subscription })
    slack.state.status = 503
    push.answerWith(410)
    await ask(agent)
    await settle(world)
    app.test.clock.advance(GATHER_MS)
    const kinds = async () =>
      (await person.client.get('/v1/vat/notifications')).body.channels.map(
        ({ kind }: { kind: string }) => kind,
      )
    await eventually('the subscription is removed', async () => {
      await world.desk.runOnce()
      return (await kinds()).length === 1
    })
    assert.deepEqual(await kinds(), ['slack'])
    slack.state.status = 200
    await world.desk.runOnce()
    assert.equal(slack.posts.length, 0, 'not before the pause is over')
    app.test.clock.advance(5_000)
    await told('the second attempt', world, () => slack.posts.length > 0)
    assert.equal(mail.mails.length, 0)
  })

  test('is sent by mail, again after a temporary refusal, with a link to unsubscribe in one click', async () => {
    const world = await aWorld()
    const { app, agent, person, mail } = world
    const id = await add(person.client, { kind: 'email', address: 'sam@example.com' })
    const [, code = ''] = /Code: (\d{8})/.exec(mailText(mail.mails[0] ?? { text: '' })) ?? []
    await person.client.post(`${CHANNELS}/${id}/confirm`, { code })
    mail.refusals.push(451)
    const approval_id = await ask(agent)
    await settle(world)
    app.test.clock.advance(GATHER_MS)
    await settle(world)
    await eventually('the refusal is used up', async () => {
      await world.desk.runOnce()
      return mail.refusals.length === 0
    })
    assert.equal(mail.mails.length, 1)
    app.test.clock.advance(5_000)
    const sent = await told('the mail', world, () => mail.mails[1])
    assert.deepEqual([sent.to, sent.from], [['sam@example.com'], 'deputy@example.com'])
    const text = mailText(sent)
    assert.ok(text.includes(`/approve/${approval_id}`))
    assert.match(text, /^List-Unsubscribe-Post: List-Unsubscribe=One-Click\r?$/m)
    const [, path = ''] =
      /^List-Unsubscribe: <http:\/\/localhost(?::\d+)?(\/unsubscribe\/[^>]+)>/m.exec(text) ?? []
    const { anonymous } = app
    const looked = await anonymous.get(path)
    assert.match(String(looked.body), /Stop these messages/)
    assert.equal(
      (await person.client.get('/v1/vat/notifications')).body.channels.length,
      1,
      'a look ends nothing',
    )
    const forged = await anonymous.call(
      'POST',
      path.replace(/.$/, (last) => (last === '0' ? '1' : '0')),
      'a=b',
    )
    assert.equal(forged.status, 404)
    for (const answer of [forged, await anonymous.get(path.slice(0, -1))]) {
      assert.match(String(answer.body), /nothing was changed/)
      assert.doesNotMatch(String(answer.body), /no longer sends|sam@example\.com/)
    }
    assert.equal((await person.client.get('/v1/vat/notifications')).body.channels.length, 1)
    for (let time = 0; time < 2; time += 1)
      assert.equal((await anonymous.call('POST', path, 'List-Unsubscribe=One-Click')).status, 200)
    assert.equal((await person.client.get('/v1/vat/notifications')).body.channels.length, 0)
    assert.match(String((await anonymous.get(path)).body), /no longer sends/)
  })

  test('is escalated to the reviewers if the person does not answer, which is logged', async () => {
    const reviewer_ref = `sha256:${'5'.repeat(64)}`
    const world = await aWorld({ reviewers: [reviewer_ref], messages: { escalate_after_minutes: 10 } })
    const { app, agent, person } = world
    const reviewer = await aPerson(app, 'default', reviewer_ref)
    const [own, theirs] = [await aReceiver(), await aReceiver()]
    await add(person.client, { kind: 'slack', url: own.url })
    await add(reviewer.client, { kind: 'slack', url: theirs.url })
    const answered = await ask(agent)
    const approval_id = await ask(agent)
    await settle(world)
    app.test.clock.advance(GATHER_MS)
    await told('the person', world, () => own.posts.length > 0)
    await person.client.post(`/v1/vat/approvals/${answered}/deny`)
    assert.equal(theirs.posts.length, 0)
    app.test.clock.advance(10 * 60_000)
    await told('the reviewer', world, () => theirs.posts.length > 0)
    assert.match(String(theirs.posts[0]?.text), /The first person asked hasn.t answered/)
    assert.ok(theirs.posts[0]?.text.includes(approval_id))
    const leaves = (await app.test.leafTexts()).filter((leaf) => leaf.includes('"approval.escalated"'))
    assert.equal(leaves.length, 1)
    const approve = await reviewer.client.post(`/v1/vat/approvals/${approval_id}/approve`)
    assert.equal(approve.status, 200, 'only people who may decide are asked')
  })

  test('reaches the channels of its tenant, and none of another tenant', async () => {
    const world = await aWorld()
    const { app, agent } = world
    await app.operator.post('/v1/vat/tenants', { tenant_id: 'acme' })
    const [here, elsewhere, namesake] = [await aReceiver(), await aReceiver(), await aReceiver()]
    await add(app.operator, { kind: 'slack', url: here.url })
    const stranger = app.withKey(await app.key('acme', 'operator'))
    await add(stranger, { kind: 'slack', url: elsewhere.url })
    const same = await aPerson(app, 'acme', agent.human_ref)
    await add(same.client, { kind: 'slack', url: namesake.url })
    await ask(agent)
    await settle(world)
    app.test.clock.advance(GATHER_MS)
    await told('the tenant', world, () => here.posts.length > 0)
    await settle(world)
    assert.deepEqual([elsewhere.posts.length, namesake.posts.length], [0, 0])
  })

  test('is removed by an erasure of the person, together with their channels', async () => {
    const world = await aWorld()
    const { app, agent, person } = world
    const slack = await aReceiver()
    await add(person.client, { kind: 'slack', url: slack.url })
    await person.client.call('PUT', '/v1/vat/notifications', { time_zone: 'Asia/Tokyo' })
    await ask(agent)
    await settle(world)
    const file = await person.client.get(`/v1/vat/humans/${encodeURIComponent(person.human_ref)}/export`)
    const lines = String(file.body)
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    assert.deepEqual(
      [
        lines.find(({ channel }) => channel)?.channel.kind,
        lines.find((one) => one.notifications)?.notifications,
      ],
      ['slack', { time_zone: 'Asia/Tokyo' }],
    )
    const erased = await app.operator.call('DELETE', `/v1/vat/humans/${encodeURIComponent(person.human_ref)}`)
    assert.equal(erased.status, 200)
    app.test.clock.advance(GATHER_MS)
    await settle(world)
    assert.equal(slack.posts.length, 0)
    const later = await aPerson(app, 'default', person.human_ref)
    const { body } = await later.client.get('/v1/vat/notifications')
    assert.deepEqual([body.channels, body.time_zone], [[], undefined])
  })

  test('is not needed for a message about a suspension, which omits the reason', async () => {
    const world = await aWorld()
    const { app, person } = world
    const slack = await aReceiver()
    await add(person.client, { kind: 'slack', url: slack.url, about: ['suspensions'] })
    await settle(world)
    await app.operator.post('/v1/vat/agents/shopping-bot/suspend', { reason: 'secret words of the operator' })
    await told('the news', world, () => slack.posts.length > 0)
    assert.match(String(slack.posts[0]?.text), /shopping-bot was suspended/)
    assert.doesNotMatch(String(slack.posts[0]?.text), /secret words/)
  })

  test('is not needed for a message about an agent with many newer tokens for other people', async () => {
    const world = await aWorld()
    const { app, person, developer } = world
    const slack = await aReceiver()
    await add(person.client, { kind: 'slack', url: slack.url, about: ['suspensions'] })
    for (let index = 0; index < 100; index += 1) {
      const developer_email = `other-${index}@example.com`
      await anAgent(app, developer, { agent_id: 'shopping-bot', developer_email })
    }
    await settle(world)
    await app.operator.post('/v1/vat/agents/shopping-bot/suspend', {})
    await settle(world)
    assert.equal(slack.posts.length, 1)
  })
})

describe('a message', async () => {
  test('is sent once, even if two nodes run at the same time, and a third after a restart', async () => {
    const world = await aWorld()
    const { app, agent, person, desk } = world
    const slack = await aReceiver()
    await add(person.client, { kind: 'slack', url: slack.url })
    const other = new MessageDesk(app.test.context)
    const asked = [await ask(agent), await ask(agent), await ask(agent)]
    await settle({ ...world, desk: other })
    await settle(world)
    app.test.clock.advance(GATHER_MS)
    for (let round = 0; round < 5; round += 1) await Promise.all([desk.runOnce(), other.runOnce()])
    await other.close()
    const third = new MessageDesk(app.test.context)
    await settle({ ...world, desk: third })
    app.test.clock.advance(MESSAGE_GAP_MS)
    await third.runOnce()
    await third.close()
    assert.equal(slack.posts.length, 1)
    assert.match(String(slack.posts[0]?.text), new RegExp(`${asked.length} approval requests`))
  })

  test('is sent after a restart even without the cursor, for a question and for a notice', async () => {
    const world = await aWorld()
    const { app, agent, person, desk } = world
    const slack = await aReceiver()
    slack.state.status = 500
    await add(person.client, { kind: 'slack', url: slack.url })
    await ask(agent)
    await app.operator.post('/v1/vat/agents/shopping-bot/suspend', {})
    await settle(world)
    app.test.clock.advance(GATHER_MS)
    await settle(world)
    await desk.close()
    slack.state.status = 200
    await app.test.context.ephemeral.take('message', 'cursor')
    await app.operator.post('/v1/vat/agents/shopping-bot/resume', {})
    const next = new MessageDesk(app.test.context)
    after(() => next.close())
    await eventually('both', async () => {
      app.test.clock.advance(MESSAGE_GAP_MS)
      await next.runOnce()
      return slack.posts.length === 2
    })
    assert.match(String(slack.posts[0]?.text), /was suspended/)
    assert.match(String(slack.posts[1]?.text), /wants to write/)
  })

  test('is recorded on its channel with its time or the reason for its failure', async () => {
    const world = await aWorld()
    const { app, agent, person, mail } = world
    await addMail(person.client, mail)
    const channel = async () => (await person.client.get('/v1/vat/notifications')).body.channels[0]
    assert.deepEqual([(await channel()).last_sent_at, (await channel()).last_failure], [undefined, undefined])
    mail.refusals.push(550)
    await ask(agent)
    await settle(world)
    app.test.clock.advance(GATHER_MS)
    const { last_failure } = await eventually('a failure', async () => {
      await world.desk.runOnce()
      const found = await channel()
      return found.last_failure !== undefined && found
    })
    assert.deepEqual(last_failure, {
      at: new Date(app.test.clock()).toISOString(),
      detail: 'the mail server refused the address with 550',
    })
    app.test.clock.advance(1_800_000)
    await told('the mail', world, () => mail.mails.length > 0)
    const { client } = await aPerson(app, 'default', person.human_ref) // the session has ended by now
    const [{ last_sent_at, last_failure: none, attempts }] = (await client.get('/v1/vat/notifications')).body
      .channels
    assert.deepEqual([last_sent_at, none], [new Date(app.test.clock()).toISOString(), undefined])
    assert.deepEqual(attempts, [
      { at: last_sent_at, sent: true },
      { at: last_failure.at, sent: false, detail: last_failure.detail },
    ])
  })

  test('becomes a digest after ten messages in an hour', async () => {
    const world = await aWorld()
    const { app, agent, person } = world
    const slack = await aReceiver()
    await add(person.client, { kind: 'slack', url: slack.url })
    await settle(world)
    for (let round = 0; round < 20; round += 1) {
      await ask(agent)
      await settle(world)
      app.test.clock.advance(MESSAGE_GAP_MS)
      await world.desk.runOnce()
    }
    assert.equal(slack.posts.length, MOST_PER_HOUR)
    app.test.clock.advance(DIGEST_GAP_MS)
    await told('the digest', world, () => slack.posts.length > MOST_PER_HOUR)
    assert.match(String(slack.posts.at(-1)?.text), /10 approval requests from/)
  })

  test('combines several notices that occur in a row', async () => {
    const world = await aWorld()
    const { app, person } = world
    const slack = await aReceiver()
    await add(person.client, { kind: 'slack', url: slack.url })
    for (let round = 0; round < 4; round += 1) {
      await app.operator.post('/v1/vat/agents/shopping-bot/suspend', {})
      await settle(world)
      await app.operator.post('/v1/vat/agents/shopping-bot/resume', {})
    }
    assert.equal(slack.posts.length, 1)
    app.test.clock.advance(MESSAGE_GAP_MS)
    await told('the digest', world, () => slack.posts.length > 1)
    assert.match(String(slack.posts[1]?.text), /"3 notices"/)
    assert.match(String(slack.posts[1]?.text), /shopping-bot was suspended/)
  })

  test('reaches operators by mail about an alert and about a disabled webhook', async () => {
    const receiver = await aHookReceiver(scope)
    const world = await aWorld({}, { outbound_allow: receiver.host })
    const { app, agent, mail } = world
    receiver.answer = () => ({ status: 410 })
    await addMail(app.operator, mail, { about: ['alerts'] })
    await addMail(app.operator, mail, { about: ['webhooks'] })
    await settle(world)
    app.test.startDeliveries()
    const hook = await app.operator.post('/v1/vat/webhooks', { url: receiver.url })
    assert.equal(hook.status, 201, JSON.stringify(hook.body))
    const condition = { kind: 'denials', more_than: 2, within_minutes: 10 }
    const rule = await app.operator.post('/v1/vat/alerts/rules', {
      name: 'Burst',
      condition,
      effect: 'notify',
    })
    assert.equal(rule.status, 201, JSON.stringify(rule.body))
    app.test.clock.advance(60_000) // a rule begins with the next minute
    const denied = { vat_jti: agent.jti, action: 'sell', resource: 'bank:account', result: 'success' }
    for (let time = 0; time < 5; time += 1) await agent.client.post('/v1/vat/record/action', denied)
    await app.test.watchAlerts()
    await told('both mails', world, () => mail.mails.length === 2)
    const texts = mail.mails.map(mailText)
    const alert = texts.find((text) => text.includes('Subject: Alert about shopping-bot')) ?? ''
    assert.match(alert, /^Why: 5 denials in 10 minutes/m)
    assert.match(alert, /^What was done: nothing; this is only a notification\r?$/m)
    const disabled = texts.find((text) => text.includes('Subject: Webhook disabled')) ?? ''
    assert.ok(disabled.includes(`Webhook: ${hook.body.webhook_id}`))
    assert.match(disabled, /^Why: the receiver answered 410 Gone\r?$/m)
    assert.match(disabled, /enable it again, it continues where it stopped/)
  })
})

describe('the people to whom a question is escalated', async () => {
  const { app } = await aWorld()
  const ref = (digit: string) => `sha256:${digit.repeat(64)}`
  const patch = (body: object) => app.operator.call('PATCH', '/v1/vat/tenants/default', body)

  test('must be reviewers of the tenant, and cannot be removed as reviewers', async () => {
    const stranger = await patch({ reviewers: [ref('5')], messages: { escalate_to: [ref('5'), ref('6')] } })
    assert.deepEqual(
      [stranger.status, stranger.body.code, stranger.body.errors[0].pointer],
      [400, 'invalid_request', '/messages/escalate_to/1'],
    )
    assert.equal((await patch({ reviewers: [ref('5')], messages: { escalate_to: [ref('5')] } })).status, 200)
    const removed = await patch({ reviewers: [ref('6')] })
    assert.equal(removed.body.errors[0].pointer, '/reviewers')
    assert.equal((await patch({ messages: null })).status, 200)
    assert.equal((await patch({ reviewers: [ref('6')] })).status, 200)
    const made = await app.operator.post('/v1/vat/tenants', {
      tenant_id: 'acme',
      messages: { escalate_to: [ref('6')] },
    })
    assert.equal(made.body.errors[0].pointer, '/messages/escalate_to/0')
  })
})

describe('a call from Slack', async () => {
  const SECRET = 'c'.repeat(32)
  const { app } = await aWorld({ messages: { slack_signing_secret: SECRET } })
  const PATH = '/v1/vat/notifications/slack/default/interactions'
  const approval_id = `apr_${'0'.repeat(36)}`
  const payload = JSON.stringify({
    type: 'block_actions',
    actions: [{ action_id: 'deputy_open', value: approval_id }],
  })
  const body = `payload=${encodeURIComponent(payload)}`

  function press(text: string, at_ms = app.test.clock(), secret = SECRET, path = PATH) {
    const timestamp = String(Math.floor(at_ms / 1000))
    const mac = createHmac('sha256', secret).update(`v0:${timestamp}:${text}`).digest('hex')
    const headers = { 'x-slack-request-timestamp': timestamp, 'x-slack-signature': `v0=${mac}` }
    return app.anonymous.call('POST', path, text, headers)
  }

  test('is answered with a link to the page, and decides nothing', async () => {
    const answer = await press(body)
    assert.equal(answer.status, 200)
    assert.equal(answer.body.response_type, 'ephemeral')
    assert.match(answer.body.text, new RegExp(`/approve/${approval_id}\\|Review`))
    const before = await app.test.logSize()
    const at_ms = app.test.clock()
    const [first, replayed] = [await press(body, at_ms), await press(body, at_ms)]
    assert.deepEqual(
      [first.body, await app.test.logSize()],
      [replayed.body, before],
      'a replay changes nothing',
    )
    const odd = await press(`payload=${encodeURIComponent('{"actions":[{"value":"<!channel>"}]}')}`)
    assert.doesNotMatch(odd.body.text, /channel/)
    assert.match(odd.body.text, /\/me#approvals\|Review/)
    await app.operator.post('/v1/vat/tenants', {
      tenant_id: 'acme',
      messages: { slack_signing_secret: SECRET },
    })
    const several = await press('payload=%7B%7D', app.test.clock(), SECRET, PATH.replace('default', 'acme'))
    assert.match(several.body.text, /\/me\?tenant=acme#approvals\|Review/)
  })

  test('is refused if its secret or time is wrong or its signature is missing', async () => {
    for (const refused of [
      await press(body, app.test.clock(), 'd'.repeat(32)),
      await press(body, app.test.clock() - 301_000),
      await app.anonymous.call('POST', PATH, body),
      await app.anonymous.call('POST', PATH.replace('default', 'none'), body),
    ])
      assert.deepEqual([refused.status, refused.body.code], [401, 'callback_refused'])
  })

  test('needs a secret that is never shown again', async () => {
    const { body: tenant } = await app.operator.get('/v1/vat/tenants/default')
    assert.equal(tenant.messages.slack_interactions, true)
    assert.doesNotMatch(JSON.stringify(tenant), /cccc/)
  })
})
