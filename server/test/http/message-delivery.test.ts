/** How messages are sent when receivers, agents or settings get in the way. */
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { mailText } from '@deputize/testing/a-mail-server.ts'
import { aPushService } from '@deputize/testing/a-push-service.ts'
import { eventually } from '@deputize/testing/eventually.ts'
import { freePort } from '@deputize/testing/free-port.ts'
import {
  DIGEST_GAP_MS,
  GATHER_MS,
  MESSAGE_GAP_MS,
  MOST_PER_HOUR,
} from '../../src/domain/times/message-timing.ts'
import { MOST_CHANNELS } from '../../src/operations/channels/channel-entries.ts'
import { MessageDesk } from '../../src/operations/notifications/message-desk.ts'
import { anAgent, aPerson } from './a-keyed-app.ts'
import { add, aReceiver, ask, aWorld, CHANNELS, settle, told } from './a-message-world.ts'

const scope = { after }

describe('a channel', () => {
  test('of a browser that subscribes again is replaced, also if the person has no room for another', async () => {
    const { person } = await aWorld()
    const push = await aPushService(scope)
    const browser = { kind: 'push', subscription: push.subscription }
    const first = await add(person.client, browser)
    for (let index = 1; index < MOST_CHANNELS; index += 1)
      await add(person.client, { kind: 'slack', url: `https://hooks.slack.com/services/${index}` })
    const second = await add(person.client, browser)
    const { body } = await person.client.get('/v1/vat/notifications')
    const ids = body.channels.map(({ channel_id }: { channel_id: string }) => channel_id)
    assert.deepEqual([ids.length, ids.includes(first), ids.includes(second)], [MOST_CHANNELS, false, true])
  })

  test('of a receiver that cannot be reached says why in words', async () => {
    const { person } = await aWorld()
    const url = `http://127.0.0.1:${await freePort()}/hook`
    const id = await add(person.client, { kind: 'webhook', url })
    const detail = 'connection failed'
    assert.deepEqual((await person.client.post(`${CHANNELS}/${id}/test`)).body, { sent: false, detail })
    const [channel] = (await person.client.get('/v1/vat/notifications')).body.channels
    assert.deepEqual([channel.last_failure.detail, channel.attempts[0].detail], [detail, detail])
    const page = await person.client.get('/me')
    assert.ok(page.body.includes('<p>The last message did not arrive: connection failed.'))
  })

  test('is not delayed by the receiver of another one', async () => {
    const world = await aWorld()
    const { app, agent, person, desk } = world
    const [slow, quick] = [await aReceiver(), await aReceiver()]
    await add(person.client, { kind: 'slack', url: slow.url })
    await add(person.client, { kind: 'slack', url: quick.url })
    await ask(agent)
    await settle(world)
    const { promise, resolve: answer } = Promise.withResolvers<void>()
    slow.state.held = promise
    app.test.clock.advance(GATHER_MS)
    await desk.look()
    await eventually('the first message', () => slow.posts.length === 1 && quick.posts.length === 1)
    await ask(agent)
    app.test.clock.advance(MESSAGE_GAP_MS)
    await eventually('the second message', async () => {
      app.test.clock.advance(GATHER_MS)
      await desk.look()
      return quick.posts.length === 2
    })
    assert.equal(slow.posts.length, 1, 'its receiver has not answered yet')
    answer()
  })

  test('whose receiver does not answer delays a shutdown for a moment only', async () => {
    const world = await aWorld()
    const { app, agent, person, desk } = world
    const slow = await aReceiver()
    await add(person.client, { kind: 'slack', url: slow.url })
    await ask(agent)
    await settle(world)
    const { promise, resolve: answer } = Promise.withResolvers<void>()
    slow.state.held = promise
    after(() => answer())
    app.test.clock.advance(GATHER_MS)
    await desk.look()
    await eventually('the message', () => slow.posts.length === 1)
    await desk.close()
    const [channel] = (await person.client.get('/v1/vat/notifications')).body.channels
    assert.deepEqual(
      [channel.last_sent_at, channel.last_failure],
      [undefined, undefined],
      'it is still waiting',
    )
  })

  test('is served although another one cannot be', async () => {
    const world = await aWorld()
    const { app, agent, person } = world
    const [broken, sound] = [await aReceiver(), await aReceiver()]
    await add(person.client, { kind: 'slack', url: broken.url })
    await add(person.client, { kind: 'slack', url: sound.url })
    const { messenger } = app.test.context
    const send: typeof messenger.send = (target, ...more) => {
      if ('url' in target && target.url === broken.url) throw new Error('cannot be rendered')
      return messenger.send(target, ...more)
    }
    const desk = new MessageDesk({ ...app.test.context, messenger: { ...messenger, send } })
    after(() => desk.close())
    const failures: unknown[] = []
    const look = async () => {
      app.test.clock.advance(MESSAGE_GAP_MS)
      await desk.runOnce().catch((cause: unknown) => failures.push(cause))
    }
    await ask(agent)
    await eventually('the first message', async () => {
      await look()
      return sound.posts.length === 1
    })
    await ask(agent)
    await eventually('the second message', async () => {
      await look()
      return sound.posts.length === 2
    })
    assert.match(String(failures[0]), /cannot be rendered/)
  })
})

describe('a message', () => {
  test('is sent once to a receiver with a long answer', async () => {
    const world = await aWorld()
    const { app, agent, person } = world
    const slack = await aReceiver()
    slack.state.body = 'x'.repeat(200_000)
    await add(person.client, { kind: 'slack', url: slack.url })
    await ask(agent)
    await settle(world)
    app.test.clock.advance(GATHER_MS)
    await told('the message', world, () => slack.posts.length > 0)
    app.test.clock.advance(MESSAGE_GAP_MS)
    await settle(world)
    assert.equal(slack.posts.length, 1)
    const [channel] = (await person.client.get('/v1/vat/notifications')).body.channels
    assert.equal(channel.last_failure, undefined)
  })

  test('to a person of another tenant than default leads through the sign-in of that tenant', async () => {
    const world = await aWorld()
    const { app, mail } = world
    await app.operator.post('/v1/vat/tenants', { tenant_id: 'acme' })
    const operator = app.withKey(await app.key('acme', 'operator'))
    const agent = await anAgent(app, app.withKey(await app.key('acme', 'developer')), {
      agent_id: 'acme-bot',
    })
    const { client } = await aPerson(app, 'acme', agent.human_ref)
    const hook = await aReceiver()
    const channel_id = await add(client, { kind: 'slack', url: hook.url })
    await client.post(`${CHANNELS}/${channel_id}/test`)
    await settle(world)
    await operator.post('/v1/vat/agents/acme-bot/suspend', {})
    await told('the notice', world, () => hook.posts.length === 2)
    for (const { text } of hook.posts) assert.ok(text.includes('/me?tenant=acme"'), text)
    await add(client, { kind: 'email', address: 'sam@example.com' })
    assert.ok(mailText(mail.mails[0] ?? { text: '' }).includes('/me?tenant=acme'))
  })

  test('that waits is not sent once the tenant has disallowed its kind of channel, and neither is a test', async () => {
    const world = await aWorld()
    const { app, agent, person } = world
    const slack = await aReceiver()
    const channel_id = await add(person.client, { kind: 'slack', url: slack.url })
    await ask(agent)
    await settle(world)
    const messages = { channels: ['push', 'email'] }
    assert.equal((await app.operator.call('PATCH', '/v1/vat/tenants/default', { messages })).status, 200)
    app.test.clock.advance(GATHER_MS)
    await settle(world)
    const tried = await person.client.post(`${CHANNELS}/${channel_id}/test`)
    assert.deepEqual([tried.status, tried.body.reason, slack.posts.length], [409, 'not_allowed', 0])
  })

  test('that waits is not sent to a person who is no longer a reviewer', async () => {
    const ref = (digit: string) => `sha256:${digit.repeat(64)}`
    const world = await aWorld({
      reviewers: [ref('5'), ref('6')],
      messages: { escalate_after_minutes: 1 },
    })
    const { app, agent } = world
    const [former, current] = [await aReceiver(), await aReceiver()]
    former.state.status = 503
    current.state.status = 503
    await add((await aPerson(app, 'default', ref('5'))).client, { kind: 'slack', url: former.url })
    await add((await aPerson(app, 'default', ref('6'))).client, { kind: 'slack', url: current.url })
    await ask(agent)
    await settle(world)
    app.test.clock.advance(60_000)
    await eventually('the first attempts', async () => {
      app.test.clock.advance(1_000)
      await world.desk.runOnce()
      return former.attempts() > 0 && current.attempts() > 0
    })
    await app.operator.call('PATCH', '/v1/vat/tenants/default', { reviewers: [ref('6')] })
    former.state.status = 200
    current.state.status = 200
    app.test.clock.advance(5_000)
    await told('the reviewer', world, () => current.posts.length > 0)
    app.test.clock.advance(30_000)
    await settle(world)
    assert.equal(former.posts.length, 0)
  })

  test('about a question gets its turn in a flood of notices', async () => {
    const world = await aWorld()
    const { app, agent, developer, person, desk } = world
    const { human_ref } = await anAgent(app, developer, { agent_id: 'noisy-bot' })
    assert.equal(human_ref, person.human_ref)
    const slack = await aReceiver()
    await add(person.client, { kind: 'slack', url: slack.url })
    app.test.clock.advance(5_000)
    await settle(world)
    const suspend = async () => {
      assert.equal((await app.operator.post('/v1/vat/agents/noisy-bot/suspend', {})).status, 200)
      assert.equal((await app.operator.post('/v1/vat/agents/noisy-bot/resume', {})).status, 200)
    }
    while (slack.posts.length < MOST_PER_HOUR) {
      const before = slack.posts.length
      await suspend()
      await told('a notice', world, () => slack.posts.length > before)
      app.test.clock.advance(MESSAGE_GAP_MS)
    }
    await ask(agent)
    app.test.clock.advance(1)
    await suspend()
    await settle(world)
    for (let slot = 0; slot < 2; slot += 1) {
      app.test.clock.advance(DIGEST_GAP_MS)
      await desk.runOnce()
      await suspend()
      await settle(world)
    }
    const texts = slack.posts.slice(MOST_PER_HOUR).map(({ text }) => text)
    assert.ok(
      texts.some((text) => text.includes('wants to write')),
      texts.join('\n'),
    )
  })

  test('is kept by a push service for as long as the question is open', async () => {
    const world = await aWorld()
    const { app, agent, person } = world
    const push = await aPushService(scope)
    await add(person.client, { kind: 'push', subscription: push.subscription })
    await ask(agent)
    app.test.clock.advance(40 * 60_000)
    await told('the message', world, () => push.shown.length > 0)
    assert.deepEqual(push.ttls, [20 * 60])
  })

  test('is sent soon after an outage of the receiver, before its question expires', async () => {
    const world = await aWorld()
    const { app, agent, person } = world
    const slack = await aReceiver()
    await add(person.client, { kind: 'slack', url: slack.url })
    slack.state.status = 503
    await ask(agent)
    await settle(world)
    for (let minute = 0; minute < 45; minute += 1) {
      app.test.clock.advance(60_000)
      await world.desk.runOnce()
    }
    assert.ok(slack.attempts() > 3)
    slack.state.status = 200
    await ask(agent)
    await settle(world)
    app.test.clock.advance(15 * 60_000)
    await world.desk.runOnce()
    await told('the message', world, () => slack.posts.length > 0)
  })

  test('about a suspension is sent after quiet hours of a whole weekend', async () => {
    const world = await aWorld()
    const { app, person } = world
    const slack = await aReceiver()
    await add(person.client, { kind: 'slack', url: slack.url })
    const today = new Date(app.test.clock()).getUTCDay()
    const days = [0, 1].map((more) => ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'][(today + more) % 7])
    const quiet_hours = { time_zone: 'UTC', days, from: '00:00', to: '24:00' }
    const set = await person.client.call('PUT', '/v1/vat/notifications', { quiet_hours })
    assert.equal(set.status, 200)
    await settle(world)
    await app.operator.post('/v1/vat/agents/shopping-bot/suspend', {})
    await settle(world)
    for (let hour = 0; hour < 24; hour += 1) {
      app.test.clock.advance(3_600_000)
      await world.desk.runOnce()
    }
    assert.equal(slack.posts.length, 0)
    for (let hour = 0; hour < 24; hour += 1) {
      app.test.clock.advance(3_600_000)
      await world.desk.runOnce()
    }
    assert.equal(slack.posts.length, 1)
  })

  test('that tests a channel shows its name in one visible line', async () => {
    const world = await aWorld()
    const hook = await aReceiver()
    const name = 'Team\r\nAmount: $0\u202e'
    const id = await add(world.person.client, { kind: 'teams', url: hook.url, name })
    assert.equal((await world.person.client.post(`${CHANNELS}/${id}/test`)).body.sent, true)
    assert.ok(hook.posts[0]?.text.includes('Team⟨U+000D⟩⟨U+000A⟩Amount: $0⟨U+202E⟩'), hook.posts[0]?.text)
  })
})
