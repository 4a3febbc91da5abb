import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { describe, type TestContext, test } from 'node:test'
import { AuthorityError } from '@deputize/protocol'
import { eventually } from '@deputize/testing/eventually.ts'
import type { Command, Reply } from '../../src/clerk/command.ts'
import {
  type ClerkConnection,
  connectToClerk,
  UnansweredBatch,
} from '../../src/clerk/relay/clerk-connection.ts'
import { type ClerkListener, openClerkListener } from '../../src/clerk/relay/clerk-listener.ts'
import { ClerkRoute } from '../../src/clerk/relay/clerk-route.ts'
import { encodeFrame, FrameReader } from '../../src/clerk/relay/frames.ts'
import { relayKey } from '../../src/clerk/relay/relay-key.ts'
import type { RelayedBatch } from '../../src/clerk/thread.ts'

const KEY = relayKey(randomBytes(32))
const NOW_MS = 1_800_000_000_000
const HOLDER = 'the holder'

interface Holder {
  readonly listener: ClerkListener
  /** The batches that it was asked to write. */
  readonly relayed: RelayedBatch[]
}

/** A listener that writes batches with `relay`, which by default returns the text of the batch. */
async function aHolder(
  context: TestContext,
  relay: (batch: RelayedBatch) => Promise<string> = async ({ commands }) => `done ${commands}`,
): Promise<Holder> {
  const relayed: RelayedBatch[] = []
  const listener = await openClerkListener({
    host: '127.0.0.1',
    port: 0,
    key: KEY,
    holder: HOLDER,
    logTime: () => NOW_MS,
    relay(batch) {
      relayed.push(batch)
      return relay(batch)
    },
  })
  context.after(() => listener.close())
  return { listener, relayed }
}

const aBatch = (commands: string, now_ms = NOW_MS): RelayedBatch => ({
  lane: undefined,
  weight: 1,
  now_ms,
  commands,
})

interface SendingNode {
  readonly connection: ClerkConnection
  /** Why the connection ended. */
  readonly ended: Promise<Error | undefined>
}

function aFront(
  context: TestContext,
  { port, holder = HOLDER, key = KEY }: { port: number; holder?: string; key?: Uint8Array },
): SendingNode {
  const { promise: ended, resolve } = Promise.withResolvers<Error | undefined>()
  const connection = connectToClerk({ host: '127.0.0.1', port, holder }, key, resolve)
  context.after(() => connection.leave())
  return { connection, ended }
}

const isReady = (connection: ClerkConnection) =>
  eventually('the connection is ready', () => connection.isReady())

/** Forwards bytes after changing them with `change`, and keeps the original bytes. */
async function aRecorder(
  context: TestContext,
  port: number,
  change: (piece: Buffer) => Buffer = (piece) => piece,
): Promise<{ readonly port: number; readonly sent: Buffer[] }> {
  const sent: Buffer[] = []
  const sockets: Socket[] = []
  const server = createServer((from) => {
    const to = connect(port, '127.0.0.1')
    sockets.push(from, to)
    from.on('data', (piece) => {
      sent.push(piece)
      to.write(change(piece))
    })
    to.on('data', (piece) => from.write(piece))
    for (const [one, other] of [
      [from, to],
      [to, from],
    ] as const) {
      one.on('error', () => {})
      one.on('close', () => other.destroy())
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  context.after(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  const address = server.address()
  assert.ok(address !== null && typeof address === 'object')
  return { port: address.port, sent }
}

describe('the relay between nodes', () => {
  test('reads whole frames, however the bytes are split', () => {
    const frames = [
      { kind: 'batch', batch: 7, weight: 3, now_ms: NOW_MS, text: 'čtyři' },
      { kind: 'beat', batch: 0, weight: 0, now_ms: 0, text: '' },
      { kind: 'committed', batch: 7, weight: 0, now_ms: 0, text: 'x'.repeat(1_000) },
    ] as const
    const bytes = Buffer.concat(frames.map((frame) => encodeFrame(frame)))
    for (const size of [1, 3, 5, 64, bytes.length]) {
      const reader = new FrameReader()
      const read = []
      for (let at = 0; at < bytes.length; at += size) read.push(...reader.read(bytes.subarray(at, at + size)))
      assert.deepEqual(read, frames)
    }
    assert.throws(() => new FrameReader().read(Buffer.from('GET / HTTP/1.1\r\n\r\n')), /no frame/)
  })

  test('carries batches and their results', async (context) => {
    const { listener, relayed } = await aHolder(context)
    const { connection } = aFront(context, listener)
    await isReady(connection)
    const answers = await Promise.all(['a', 'b'].map((text) => connection.send(aBatch(text))))
    assert.deepEqual(answers, ['done a', 'done b'])
    assert.deepEqual(relayed, [aBatch('a'), aBatch('b')])
  })

  test('is closed to a node with a different key', async (context) => {
    const { listener } = await aHolder(context)
    const { connection, ended } = aFront(context, { ...listener, key: relayKey(randomBytes(32)) })
    assert.match(String(await ended), /BAD_RECORD_MAC|bad record mac/i)
    assert.equal(connection.send(aBatch('a')), undefined)
  })

  test('is closed to a node that looks for another process', async (context) => {
    const { listener, relayed } = await aHolder(context)
    const { connection, ended } = aFront(context, { ...listener, holder: 'one that is gone' })
    assert.ok((await ended) instanceof Error)
    assert.equal(connection.isReady(), false)
    assert.deepEqual(relayed, [])
  })

  test('ignores recorded bytes that are sent again', async (context) => {
    const { listener, relayed } = await aHolder(context)
    const recorder = await aRecorder(context, listener.port)
    const { connection } = aFront(context, recorder)
    await isReady(connection)
    await connection.send(aBatch('once'))
    const again = connect(listener.port, '127.0.0.1')
    again.on('error', () => {})
    again.write(Buffer.concat(recorder.sent))
    again.resume()
    await once(again, 'close')
    assert.equal(relayed.length, 1)
  })

  test('ends when bytes are changed in transit, and reports that the outcome is unknown', async (context) => {
    const { listener, relayed } = await aHolder(context)
    let isForging = false
    const recorder = await aRecorder(context, listener.port, (piece) => {
      if (!isForging) return piece
      const forged = Buffer.from(piece)
      const last = forged.length - 1
      forged[last] = (forged[last] ?? 0) ^ 1
      return forged
    })
    const { connection } = aFront(context, recorder)
    await isReady(connection)
    isForging = true
    await assert.rejects(connection.send(aBatch('forged')) ?? Promise.resolve(), UnansweredBatch)
    assert.deepEqual(relayed, [])
  })

  test('stays open to nodes while an address without the key opens connections and sends nothing', {
    skip: process.platform === 'linux' ? false : 'other systems have no second loopback address',
  }, async (context) => {
    const { listener } = await aHolder(context)
    let opened = 0
    let isOver = false
    const strangers = new Set<Socket>()
    function open(): void {
      const stranger = connect({ port: listener.port, host: '127.0.0.1', localAddress: '127.0.0.2' })
      strangers.add(stranger)
      stranger.once('connect', () => {
        opened += 1
      })
      stranger.on('error', () => {})
      stranger.once('close', () => {
        strangers.delete(stranger)
        if (!isOver) open()
      })
    }
    for (let count = 0; count < 300; count += 1) open()
    context.after(() => {
      isOver = true
      for (const stranger of strangers) stranger.destroy()
    })
    await eventually('they are open', () => opened >= 300)
    const { connection } = aFront(context, listener)
    await isReady(connection)
    assert.equal(await connection.send(aBatch('a')), 'done a')
  })

  test('rejects a batch that was sent long ago', async (context) => {
    const { listener, relayed } = await aHolder(context)
    const { connection } = aFront(context, listener)
    await isReady(connection)
    await assert.rejects(
      connection.send(aBatch('late', NOW_MS - 60_000)) ?? Promise.resolve(),
      UnansweredBatch,
    )
    assert.deepEqual(relayed, [])
  })

  test('answers everything that was sent before it started to close', async (context) => {
    const gate = Promise.withResolvers<string>()
    const { listener, relayed } = await aHolder(context, () => gate.promise)
    const { connection, ended } = aFront(context, listener)
    await isReady(connection)
    const answer = connection.send(aBatch('a'))
    await eventually('the batch arrives', () => relayed.length === 1)
    const closed = listener.close()
    await eventually('the other node sends nothing more', () => !connection.isReady())
    assert.equal(connection.send(aBatch('b')), undefined)
    gate.resolve('done')
    assert.equal(await answer, 'done')
    await closed
    assert.equal(await ended, undefined)
  })
})

const probe: Command = { kind: 'probe' }
const repeated: Command = {
  kind: 'end_session',
  session_id: 'x',
  replay: { key: 'k', fingerprint: 'f' },
} as unknown as Command // only its kind and its key are read here
const unrepeatable = { kind: 'record_action' } as unknown as Command // as above

describe('the route of batches', () => {
  const executed = (own: Command[][]) => async (commands: readonly Command[]) => {
    own.push([...commands])
    const replies: Reply[] = commands.map(({ kind }) => ({ outcome: `here ${kind}` }))
    return { replies, wrote: true }
  }

  async function aRoute(context: TestContext, relay: (batch: RelayedBatch) => Promise<string>) {
    const own: Command[][] = []
    const troubles: unknown[] = []
    const { listener, relayed } = await aHolder(context, relay)
    const route = new ClerkRoute({
      key: KEY,
      execute: executed(own),
      logTime: () => NOW_MS,
      onTrouble: (cause) => troubles.push(cause),
    })
    context.after(() => route.close())
    const address = { host: '127.0.0.1', port: listener.port, holder: HOLDER }
    route.follow(address)
    await eventually('batches are forwarded', () => route.isForwarding())
    return { route, address, own, troubles, relayed }
  }

  test('leads to the holder of the lease, but bypasses it for stops and for probes of this node', async (context) => {
    const done = JSON.stringify({ replies: [{ outcome: 'there' }], wrote: true })
    const { route, own } = await aRoute(context, async () => done)
    assert.deepEqual(await route.execute([probe]), {
      replies: [{ outcome: 'there' }],
      wrote: true,
      is_forwarded: true,
    })
    assert.deepEqual(own, [])
    await route.execute([probe], 'stop')
    await route.execute([{ kind: 'probe', is_own: true }])
    assert.equal(own.length, 2)
    route.follow(undefined)
    await route.execute([probe])
    assert.equal(own.length, 3)
  })

  test('writes here what the holder did not answer if repeating is harmless; the rest is unknown', async (context) => {
    const { route, address, own, troubles } = await aRoute(context, async () => {
      throw new Error('the holder has lost its database')
    })
    const { replies, wrote } = await route.execute([unrepeatable, repeated, probe])
    const { code, message, members } = new AuthorityError('storage_unavailable')
    assert.deepEqual(replies, [
      { refusal: { code, detail: message, members } },
      { outcome: 'here end_session' },
      { outcome: 'here probe' },
    ])
    assert.equal(wrote, true)
    assert.deepEqual(own, [[repeated, probe]])
    assert.equal(troubles.length, 1)
    route.follow(address)
    await route.execute([unrepeatable])
    assert.equal(own.length, 2, 'the holder is avoided for a while')
  })

  test('does not wait for a holder that has lost the lease and takes its time', {
    timeout: 60_000,
  }, async (context) => {
    const { route, own, relayed } = await aRoute(context, () => new Promise(() => {}))
    const answer = route.execute([unrepeatable, repeated])
    await eventually('the batch arrives', () => relayed.length === 1)
    route.follow(undefined)
    const [unknown, here] = (await answer).replies
    assert.ok(unknown !== undefined && 'refusal' in unknown)
    assert.equal(unknown.refusal.code, 'storage_unavailable')
    assert.deepEqual(here, { outcome: 'here end_session' })
    assert.deepEqual(own, [[repeated]])
  })
})
