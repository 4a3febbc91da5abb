import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { eventually } from '@deputize/testing/eventually.ts'
import { httpClient } from '@deputize/testing/http-client.ts'
import { aProgram } from '@deputize/testing/program.ts'
import { codeOf, rawRequest, statusOf } from '@deputize/testing/raw-http.ts'
import { temporaryDirectory } from '@deputize/testing/scope.ts'
import { auditStore } from './audit-store.ts'
import { oracle } from './oracle.ts'

const CALLERS = 16
const PATIENCE_MS = 10_000

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  test(`${signal} under load ends with 0 in time, cuts no request and keeps every answer`, async (t) => {
    const directory = temporaryDirectory(t)
    const program = await aProgram(t, directory)
    const witness = oracle()
    const load = Promise.all(
      Array.from({ length: CALLERS }, () => witness.load(httpClient(t, program.url, 1))), // no caller stops by itself
    )
    await eventually('answers before the signal', () => witness.acknowledged() > 60)
    const started = performance.now()
    program.process.kill(signal)
    const failures = await load
    const code = await program.stop()
    assert.equal(code, 0)
    assert.ok(performance.now() - started < PATIENCE_MS)
    // No accepted request goes unanswered. A new connection is refused, or reset if it was still waiting to be accepted.
    for (const failure of failures) {
      const { code: reason, is_first_use } = failure as NodeJS.ErrnoException & { is_first_use: boolean } // of httpClient
      assert.ok(reason === 'ECONNREFUSED' || (reason === 'ECONNRESET' && is_first_use), String(failure))
    }

    const again = await aProgram(t, directory)
    const client = httpClient(t, again.url)
    await witness.retry(client)
    await witness.assertKept(client)
    witness.assertExactly(directory)
    await auditStore(directory)
    assert.ok(witness.acknowledged() > 50)
  })
}

test('while it drains, readiness is red and every response closes its connection', async (t) => {
  const program = await aProgram(t, temporaryDirectory(t))
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
  const answered = async (answers: number) => {
    while (received.split('HTTP/1.1 ').length <= answers && !socket.destroyed) await sleep(2)
  }
  const request = rawRequest('GET /readyz', [`Host: ${host}`]).replace('Connection: close\r\n', '')

  socket.write(request)
  await answered(1)
  assert.equal(statusOf(received), 200)
  assert.doesNotMatch(received, /connection: close/i)
  received = ''
  program.process.kill('SIGTERM')
  await sleep(50)
  socket.write(request)
  await answered(1)
  assert.equal(statusOf(received), 503, received)
  assert.equal(codeOf(received), 'shutting_down')
  assert.match(received, /content-type: application\/problem\+json/i)
  assert.match(received, /retry-after: \d/i)
  assert.match(received, /connection: close/i)
  assert.equal(await program.stop(), 0)
})

test('idle connections and unfinished requests do not delay the shutdown', async (t) => {
  const program = await aProgram(t, temporaryDirectory(t))
  const { port, host } = new URL(program.url)
  const idle = connect(Number(port), '127.0.0.1')
  const slow = connect(Number(port), '127.0.0.1')
  t.after(() => {
    idle.destroy()
    slow.destroy()
  })
  for (const socket of [idle, slow]) socket.on('error', () => {}) // it will be cut, and rightly so
  slow.write(
    `POST /v1/vat/issue/l1 HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`,
  )
  await sleep(100)
  const started = performance.now()
  const code = await program.stop()
  assert.ok(performance.now() - started < PATIENCE_MS, 'it took too long')
  assert.equal(code, 0)
})
