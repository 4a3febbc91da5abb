import assert from 'node:assert/strict'
import { once } from 'node:events'
import { get } from 'node:http'
import { connect, type Socket } from 'node:net'
import { describe, test } from 'node:test'
import { anIssueRequest } from '@deputize/testing/an-issue-request.ts'
import { eventually } from '@deputize/testing/eventually.ts'
import { httpClient } from '@deputize/testing/http-client.ts'
import { aProgram } from '@deputize/testing/program.ts'
import { CLI } from '@deputize/testing/programs.ts'
import { statusOf, unfinishedRequest } from '@deputize/testing/raw-http.ts'
import { type TestScope, temporaryDirectory } from '@deputize/testing/scope.ts'
import { logSize } from './audit-store.ts'

const SLOW = 100
/** The fewest open files that the service starts with. */
const WITH_FEW_FILES = ['sh', '-c', 'ulimit -n 768 && exec "$@"', 'sh', process.execPath, CLI, 'start']
/** The service ends a request after 15 seconds. */
const PATIENCE_MS = 90_000

/** Each test waits for limits of its own service, so they run at the same time. */
describe('slow clients', { concurrency: true }, () => {
  test('clients that never finish a request are disconnected and delay no one else', async (t) => {
    const directory = temporaryDirectory(t)
    const program = await aProgram(t, directory)
    const { host } = new URL(program.url)
    const head = `POST /v1/vat/issue/l1 HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\n`
    const beginnings = [head, `${head}Content-Length: 100\r\n\r\n{"agent_id":`]

    const endings = Array.from({ length: SLOW }, (_, index) =>
      unfinishedRequest(t, program.url, beginnings[index % beginnings.length] ?? ''),
    )

    const client = httpClient(t, program.url)
    for (let n = 0; n < 50; n++)
      assert.equal((await client.post('/v1/vat/issue/l1', anIssueRequest())).status, 200)
    for (const ending of await Promise.all(endings)) assert.equal(statusOf(ending), 408, ending)
    assert.equal(logSize(directory), 50)
  })

  test('2,000 half-open connections of one address lock out no other, and not even their own', {
    skip: process.platform !== 'linux' && 'only Linux has further loopback addresses',
  }, async (t) => {
    const program = await aProgram(t, temporaryDirectory(t), {}, WITH_FEW_FILES)
    const { port, host } = new URL(program.url)
    const silent = async (count: number, from: string, bytes: string) => {
      for (let n = 0; n < count; n += 100)
        await Promise.all(Array.from({ length: 100 }, () => aSilentClient(t, port, from, bytes)))
    }
    await silent(1_000, '127.0.0.2', '')
    await silent(1_000, '127.0.0.2', `POST /v1/vat/revoke HTTP/1.1\r\nHost: ${host}\r\n`)
    const answers = ['127.0.0.1', '127.0.0.2', '127.0.0.3'].map((from) => readinessFrom(program.url, from))
    assert.deepEqual(await Promise.all(answers), [200, 200, 200])
    assert.doesNotMatch(program.output(), /EMFILE/, 'files are left for the service itself')
  })

  test('a client that never reads and never hangs up loses its connection after the 408', async (t) => {
    const program = await aProgram(t, temporaryDirectory(t), { DEPUTY_CONNECTION_LIMIT: '2' })
    const { port, host } = new URL(program.url)
    const unfinished = `POST /v1/vat/revoke HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nContent-Length: 9\r\nExpect: 100-continue\r\n\r\n`
    // Requests in progress are not evicted, so both places are taken until their time is over.
    for (let n = 0; n < 2; n++) {
      const socket = await aSilentClient(t, port, '127.0.0.1', unfinished)
      socket.resume()
      await once(socket, 'data') // the service waits for the body
      socket.pause()
    }
    assert.equal(await readinessFrom(program.url, '127.0.0.1'), 0, 'a place was free')
    const isAnswered = async () => (await readinessFrom(program.url, '127.0.0.1')) === 200
    await eventually('both places are free again', isAnswered, PATIENCE_MS)
  })
})

/** A client that neither reads nor hangs up, from this local address. */
function aSilentClient(t: TestScope, port: string, localAddress: string, bytes: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port: Number(port), host: '127.0.0.1', localAddress, allowHalfOpen: true })
    t.after(() => {
      socket.destroy()
    })
    socket.on('error', reject)
    socket.pause()
    socket.on('connect', () => {
      socket.off('error', reject)
      socket.on('error', () => {}) // it is cut off at some point
      socket.write(bytes)
      resolve(socket)
    })
  })
}

/** The status of /readyz, or 0 without an answer. */
function readinessFrom(url: string, localAddress: string): Promise<number> {
  return new Promise((resolve) => {
    const sent = get(`${url}/readyz`, { localAddress, agent: false }, (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
    sent.on('error', () => resolve(0))
  })
}
