import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, type TestContext, test } from 'node:test'
import { eventually } from '@deputize/testing/eventually.ts'
import { httpClient } from '@deputize/testing/http-client.ts'
import { aProgram } from '@deputize/testing/program.ts'
import { codeOf, rawRequest, statusOf } from '@deputize/testing/raw-http.ts'
import { temporaryDirectory } from '@deputize/testing/scope.ts'
import { VERSION } from '../../src/version.ts'
import { auditStore } from './audit-store.ts'
import { oracle } from './oracle.ts'

const CALLERS = 16
const ATTEMPTS = 4

/** Numbers of threads that speak HTTP. */
const THREADS = process.platform === 'linux' ? ['1', '2'] : ['1']

for (const threads of THREADS)
  describe(`with DEPUTY_HTTP_THREADS=${threads}`, () => {
    const env = { DEPUTY_HTTP_THREADS: threads }
    for (const signal of ['SIGTERM', 'SIGINT'] as const)
      test(`${signal} under load exits with 0 in time, cuts off no request and keeps every answer`, async (t) => {
        // A caller that the machine pauses for longer than the service waits for idle connections finds its connection
        // closed.
        let cut = await cutRequests(t, signal, env)
        for (let attempt = 1; cut.length > 0 && attempt < ATTEMPTS; attempt += 1)
          cut = await cutRequests(t, signal, env)
        assert.deepEqual(cut, [])
      })

    test('while it drains, readiness is red and every response closes its connection', (t) =>
      refusesWhileItDrains(t, env))

    test('idle connections and unfinished requests do not delay the shutdown', async (t) => {
      // The program exits with another code when it cannot finish in time. It waits five of its ten seconds for the request,
      // so a pause of the machine spoils an attempt.
      const codes = [await exitCodeWithIdleClients(t, env)]
      while (codes.at(-1) !== 0 && codes.length < ATTEMPTS) codes.push(await exitCodeWithIdleClients(t, env))
      assert.equal(codes.at(-1), 0)
    })
  })

test('at level info, the log reports the start with the version, the signal and the end', async (t) => {
  const program = await aProgram(t, temporaryDirectory(t), { DEPUTY_LOG_LEVEL: 'info' })
  assert.equal(await program.stop(), 0)
  const lines = program
    .output()
    .split('\n')
    .filter((line) => line.startsWith('{'))
  const [started, stopping, stopped] = lines
    .map((line) => JSON.parse(line))
    .filter(({ msg }) => /^st/.test(msg))
  assert.deepEqual([started.msg, started.version, started.access], ['started', VERSION, 'open'])
  assert.equal(stopping.signal, 'SIGTERM')
  assert.equal(stopped.msg, 'stopped')
})

type Environment = Record<string, string>

/**
 * Stops a program under load, checks what it kept, and returns the failures of requests that it should have answered.
 */
async function cutRequests(t: TestContext, signal: NodeJS.Signals, env: Environment): Promise<unknown[]> {
  const directory = temporaryDirectory(t)
  const program = await aProgram(t, directory, env)
  const witness = oracle()
  const load = Promise.all(
    Array.from({ length: CALLERS }, () => witness.load(httpClient(t, program.url, 1))), // no caller stops by itself
  )
  await eventually('answers before the signal', () => witness.acknowledged() > 60)
  program.process.kill(signal)
  const failures = await load
  assert.equal(await program.stop(), 0) // it exits with another code if it can't finish in time

  const again = await aProgram(t, directory)
  const client = httpClient(t, again.url)
  await witness.retry(client)
  await witness.assertKept(client)
  witness.assertExactly(directory)
  await auditStore(directory)
  assert.ok(witness.acknowledged() > 50)
  return failures.filter((failure) => !isRefusedConnection(failure))
}

/** A new connection is refused, or reset if it was still waiting to be accepted. */
function isRefusedConnection(failure: unknown): boolean {
  const { code, is_first_use } = failure as NodeJS.ErrnoException & { is_first_use: boolean } // of httpClient
  return code === 'ECONNREFUSED' || (code === 'ECONNRESET' && is_first_use)
}

async function refusesWhileItDrains(t: TestContext, env: Environment): Promise<void> {
  const program = await aProgram(t, temporaryDirectory(t), env)
  const { port, host } = new URL(program.url)
  const socket = connect(Number(port), '127.0.0.1')
  t.after(() => {
    socket.destroy()
  })
  let received = ''
  socket.setEncoding('latin1')
  socket.on('data', (chunk) => {
    received += chunk
  })
  const answer = () => eventually('an answer', () => received.includes('\r\n\r\n') && received)
  const request = rawRequest('GET /readyz', [`Host: ${host}`]).replace('Connection: close\r\n', '')

  socket.write(request)
  assert.equal(statusOf(await answer()), 200)
  assert.doesNotMatch(received, /connection: close/i)
  received = ''
  // A connection with half a request is not idle: the service waits some seconds for the rest.
  socket.write(request.slice(0, -2))
  program.process.kill('SIGTERM')
  await eventually('the service takes no new connections', () => isRefused(Number(port)))
  socket.write(request.slice(-2))
  await eventually('the end of the connection', () => socket.readableEnded)
  assert.equal(statusOf(received), 503, received)
  assert.equal(codeOf(received), 'shutting_down')
  assert.match(received, /content-type: application\/problem\+json/i)
  assert.match(received, /retry-after: \d/i)
  assert.match(received, /connection: close/i)
  assert.equal(await program.stop(), 0)
}

function isRefused(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => resolve(true))
    socket.on('connect', () => {
      socket.destroy()
      resolve(false)
    })
  })
}

async function exitCodeWithIdleClients(t: TestContext, env: Environment): Promise<number | null> {
  const program = await aProgram(t, temporaryDirectory(t), env)
  const { port, host } = new URL(program.url)
  const idle = connect(Number(port), '127.0.0.1')
  const slow = connect(Number(port), '127.0.0.1')
  t.after(() => {
    idle.destroy()
    slow.destroy()
  })
  for (const socket of [idle, slow]) socket.on('error', () => {}) // they will be cut off, as they should
  slow.write(
    `POST /v1/vat/issue/l1 HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\n{`,
  )
  await once(slow, 'data') // the service waits for the body
  return program.stop()
}
