import assert from 'node:assert/strict'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { describe, test } from 'node:test'
import type { TestScope } from '@deputize/testing/scope.ts'
import fastify from 'fastify'
import { sendDownload } from '../../src/http/downloads.ts'

const KIB = 1024

/** A server on a real socket that answers with a download of these pieces. */
async function aServer(scope: TestScope, chunks: () => AsyncIterable<string>, stalled_ms?: number) {
  const app = fastify({ logger: false })
  const file_name = 'prov_1"; x.txt'
  app.get('/', (request, reply) =>
    sendDownload({ media_type: 'text/plain', file_name, chunks: chunks() }, request, reply, stalled_ms),
  )
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  scope.after(() => app.close())
  return url
}

/** Pieces that count how many were consumed, and record whether the consumer stopped them. */
function countedPieces(length: number, each: number, failAt = Number.POSITIVE_INFINITY) {
  const seen = { taken: 0, isEnded: false }
  async function* pieces() {
    try {
      for (let at = 0; at < length; at++) {
        if (at === failAt) throw new Error('the disk is gone')
        seen.taken += 1
        yield `${at}`.padEnd(each, '.')
      }
    } finally {
      seen.isEnded = true
    }
  }
  return { seen, pieces }
}

async function begun(url: string): Promise<IncomingMessage> {
  const [response] = await once(get(url), 'response')
  return response
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 5))
}

describe('a download', () => {
  test('arrives complete, with its file name, in chunks of about 64 KiB', async (t) => {
    const { pieces } = countedPieces(2_000, 100)
    const response = await begun(await aServer(t, pieces))
    const lengths: number[] = []
    for await (const chunk of response) lengths.push(chunk.length)
    assert.equal(response.complete, true)
    assert.equal(
      lengths.reduce((sum, length) => sum + length),
      200_000,
    )
    assert.ok(lengths.length < 40, `${lengths.length} chunks`)
    assert.equal(response.headers['content-disposition'], 'attachment; filename="prov_1___x.txt"')
    assert.deepEqual(
      [response.headers['content-type'], response.headers['cache-control']],
      ['text/plain', 'no-store'],
    )
  })

  test('can be empty', async (t) => {
    const { pieces } = countedPieces(0, 0)
    const response = await begun(await aServer(t, pieces))
    assert.deepEqual([response.statusCode, await response.toArray()], [200, []])
  })

  test('runs at the pace of its reader, and stops when the reader disconnects', async (t) => {
    const { pieces, seen } = countedPieces(1_000_000, KIB)
    const response = await begun(await aServer(t, pieces))
    await once(response, 'readable') // then read nothing
    let before = -1
    while (before !== seen.taken) {
      before = seen.taken
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    assert.ok(seen.taken < 100_000, `${seen.taken} KiB were made for a reader that takes nothing`)
    response.destroy()
    await until(() => seen.isEnded)
  })

  test('stops when the reader reads nothing for too long', async (t) => {
    const { pieces, seen } = countedPieces(1_000_000, KIB)
    const response = await begun(await aServer(t, pieces, 100))
    response.on('error', () => {}) // this test expects the connection to break
    await until(() => seen.isEnded)
    assert.ok(seen.taken < 1_000_000)
  })

  test('that fails midway breaks the connection instead of ending normally', async (t) => {
    const { pieces, seen } = countedPieces(1_000, KIB, 200)
    const { port } = new URL(await aServer(t, pieces))
    const socket = connect(Number(port), '127.0.0.1')
    socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
    let received = ''
    socket.on('data', (bytes) => {
      received += bytes.toString('latin1')
    })
    socket.on('error', () => {}) // a connection reset is an accepted end
    await once(socket, 'close')
    assert.match(received, /^HTTP\/1\.1 200 OK\r\n/)
    assert.ok(received.length > 64 * KIB)
    assert.doesNotMatch(received, /\r\n0\r\n\r\n$/, 'the last chunk of a whole answer')
    assert.equal(seen.isEnded, true)
    await assert.rejects((await begun(`http://127.0.0.1:${port}`)).toArray(), { code: 'ECONNRESET' })
  })

  test('that fails before its first byte returns an error', async (t) => {
    const { pieces } = countedPieces(1_000, KIB, 1)
    const response = await begun(await aServer(t, pieces))
    assert.equal(response.statusCode, 500)
    assert.equal(response.headers['content-disposition'], undefined)
  })

  test('is not produced for HEAD', async (t) => {
    const { pieces, seen } = countedPieces(10, KIB)
    const response = await fetch(await aServer(t, pieces), { method: 'HEAD' })
    assert.deepEqual([response.status, seen.taken], [200, 0])
    assert.match(response.headers.get('content-disposition') ?? '', /attachment/)
  })
})
