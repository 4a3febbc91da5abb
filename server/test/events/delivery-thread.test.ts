import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { aTestApp } from '@deputize/testing/a-test-app.ts'
import { anIssueRequest } from '@deputize/testing/an-issue-request.ts'
import { eventually } from '@deputize/testing/eventually.ts'
import { EventNumbers } from '../../src/events/event-numbers.ts'
import type { FeedFilter } from '../../src/events/interest.ts'
import type { CredentialWatch } from '../../src/events/thread/credential-watch.ts'
import { DeliveryThread, localHost, type StreamSink } from '../../src/events/thread/delivery-thread.ts'
import { NOTHING_LISTED } from '../../src/outbound/allowlist.ts'

const READ = { action: 'read', resource: 'calendar:events', result: 'success' }

/** A client that keeps what it gets. While it is slow, it only takes more when asked to. */
class Client implements StreamSink {
  readonly texts: Uint8Array[] = []
  readonly ends: string[] = []
  is_slow = false
  is_valid = true
  verified = 0
  next = 0

  write(text: Uint8Array, next: number): boolean {
    this.texts.push(text)
    this.next = next
    return !this.is_slow
  }

  async isValid(): Promise<boolean> {
    this.verified += 1
    return this.is_valid
  }

  passed(next: number | undefined): void {
    this.next = Math.max(this.next, next ?? 0)
  }

  end(reason: string): void {
    this.ends.push(reason)
  }

  get ids(): number[] {
    return this.texts.flatMap((text) =>
      [
        ...Buffer.from(text)
          .toString()
          .matchAll(/^id: (\d+)$/gm),
      ].map(([, id]) => Number(id)),
    )
  }
}

describe('the delivery thread', async () => {
  const service = await aTestApp({ after })
  const { context, reader, clock } = service
  const { body: token } = await service.post('/v1/vat/issue/l1', anIssueRequest())
  const act = async (count = 1) => {
    const items = Array.from({ length: count }, () => ({ vat_jti: token.jti, ...READ }))
    const { status } = await service.post('/v1/vat/record/batch', { items })
    assert.equal(status, 200)
    thread.wake()
  }
  let endHost = async (_cause: Error) => {}
  const troubles: string[] = []
  const thread = new DeliveryThread({
    connect(onEnd) {
      const host = localHost({
        reader,
        numbers: new EventNumbers(),
        deliveries: context.events.deliveries.store,
        clock,
        access: 'open',
        allowlist: NOTHING_LISTED,
        source: () => 'http://localhost',
        is_behind_callers: true,
      })
      endHost = async (cause) => {
        await host.end()
        onEnd(cause)
      }
      return host
    },
    registry: reader.registry,
    sign: async () => assert.fail('nothing is signed here'),
    onDisabled: async () => assert.fail('nothing is disabled here'),
    onRefused: () => assert.fail('nothing is refused here'),
    onAway: assert.fail,
    onTrouble: (_, what) => void troubles.push(what),
  })
  after(() => thread.close())

  async function open(
    client: Client,
    wants: { from?: number; filter?: FeedFilter; watch?: CredentialWatch } = {},
  ) {
    const log_size = await context.events.feed.size()
    const { from = log_size, filter = {}, watch } = wants
    const interest = { subscriber: { role: 'local' }, filter } as const
    return thread.open(
      { from, log_size, interest, watch, format: 'deputy', source: 'http://localhost' },
      client,
    )
  }

  const indexes = (from: number, end: number) => Array.from({ length: end - from }, (_, at) => from + at)

  test('encodes bytes only once for streams that want the same events', async () => {
    const clients = [new Client(), new Client()]
    const other = new Client()
    const handles = [
      ...(await Promise.all(clients.map((client) => open(client)))),
      await open(other, { filter: { types: new Set(['action.denied']) } }),
    ]
    const from = await context.events.feed.size()
    await act(3)
    await eventually('both got them', () => clients.every(({ ids }) => ids.length === 3))
    const [one, two] = clients
    assert.deepEqual(one?.ids, indexes(from, from + 3))
    assert.equal(one?.texts[0], two?.texts[0])
    assert.deepEqual(other.ids, [])
    for (const handle of handles) handle.leave()
  })

  test('lets callers run between the writes of many streams', async () => {
    const turns: number[] = []
    let turn = 0
    const count = () => {
      turn += 1
      counting = setImmediate(count)
    }
    let counting = setImmediate(count)
    class LargeClient extends Client {
      override write(text: Uint8Array, next: number): boolean {
        turns.push(turn)
        const until = performance.now() + 3 // longer than a slice
        while (performance.now() < until);
        return super.write(text, next)
      }
    }
    const clients = Array.from({ length: 4 }, () => new LargeClient())
    const handles = await Promise.all(clients.map((client) => open(client)))
    await act(1)
    await eventually('all got it', () => turns.length === 4)
    clearImmediate(counting)
    assert.equal(new Set(turns).size, 4, `in turns ${turns}`)
    for (const handle of handles) handle.leave()
  })

  test('sends a slow client one piece at a time, with each event once and in order, wherever it began', async () => {
    const [slow, fast, late] = [new Client(), new Client(), new Client()]
    slow.is_slow = true
    const slowly = await open(slow)
    const handles = [slowly, await open(fast)]
    const from = await context.events.feed.size()
    await act(1)
    await eventually('the slow one got the first', () => slow.texts.length === 1)
    for (let batch = 0; batch < 3; batch += 1) await act(400)
    await eventually('the fast one got all', () => fast.ids.length === 1_201)
    assert.equal(slow.texts.length, 1)
    handles.push(await open(late, { from: 0 }))
    const end = await context.events.feed.size()
    await eventually('the slow one got all', () => {
      slowly.taken()
      return slow.ids.length === 1_201
    })
    await eventually('the late one got all', () => late.ids.length === end)
    assert.deepEqual(slow.ids, indexes(from, end))
    assert.deepEqual(fast.ids, indexes(from, end))
    assert.deepEqual(late.ids, indexes(0, end))
    for (const handle of handles) handle.leave()
  })

  test('verifies a credential again before it sends what followed a change of it', async () => {
    const client = new Client()
    await open(client, { watch: { of: 'key', tenant_id: 'default' } })
    await act()
    await eventually('it got the first event', () => client.ids.length === 1)
    assert.equal(client.verified, 1) // the credential may have ended while the stream was being opened
    client.is_valid = false
    const entry = { entry_kind: 'alert_rule', id: 'one', tenant_id: 'default', owner: undefined } as const
    await service.submit({ kind: 'register', ...entry, document: '{}', expects: 'any' })
    await act()
    await eventually('it is ended', () => client.ends.length === 1)
    assert.deepEqual(client.ends, ['credential_ended'])
    assert.equal(client.verified, 2)
    assert.equal(client.ids.length, 1)
  })

  test('tells a client its position even if no event was for it', async () => {
    const client = new Client()
    const handle = await open(client, { filter: { types: new Set(['action.denied']) } })
    await act(2)
    const size = await context.events.feed.size()
    await eventually('its cursor is at the end', () => {
      handle.where()
      return client.next === size
    })
    handle.leave()
  })

  test('is started again if it ends, and its clients are told to reconnect', async () => {
    const [before, afterwards] = [new Client(), new Client()]
    await open(before)
    await endHost(new Error('out of memory'))
    assert.deepEqual(before.ends, ['shutting_down'])
    assert.deepEqual(troubles, ['the delivery thread ended and is being restarted'])
    await open(afterwards)
    await act()
    await eventually('it got the event', () => afterwards.ids.length === 1)
    assert.deepEqual(before.ids, [])
  })
})
