import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { test } from 'node:test'
import { aTestApp } from '@deputize/testing/a-test-app.ts'
import { anActedEngine } from '@deputize/testing/an-acted-engine.ts'
import { eventually } from '@deputize/testing/eventually.ts'
import { codeOf, rawExchange, rawRequest, statusOf } from '@deputize/testing/raw-http.ts'
import { aCaptureSession, SESSIONS } from '../a-capture.ts'

const CAPTURE = 'POST /v1/vat/auth/capture'
const LARGE_BYTES = 9_437_184
/** 45 megabytes of one address hold no more bodies of this size. */
const MOST_LARGE = 5

const headersOf = (url: string, length: string) => [
  `Host: ${new URL(url).host}`,
  'Content-Type: application/json',
  length,
]
const LARGE = `Content-Length: ${LARGE_BYTES}`

test('recordings that are sent at once use up no more than their share of the memory, and nothing else waits for them', async (context) => {
  const app = await aTestApp(context, { engine: anActedEngine(), l3_passkey: 'optional' })
  const { session_id, nonce } = await aCaptureSession((path, body) => app.post(path, body), {
    purpose: 'enroll',
  })
  const url = await app.listen()

  /** A request whose body never comes to its end; the function gives up. */
  function begun(length: string): () => void {
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    context.after(() => void socket.destroy())
    socket.on('error', () => {}) // the service may hang up first
    socket.write(rawRequest(CAPTURE, headersOf(url, length)))
    return () => void socket.destroy()
  }
  const whole = (request: string, body: object) => {
    const text = JSON.stringify(body)
    const length = `Content-Length: ${Buffer.byteLength(text)}`
    return rawExchange(url, rawRequest(request, headersOf(url, length), text))
  }
  const frames = [{ t_ms: 0, jpeg: 'A'.repeat(2_000_000) }]
  const large = () => whole(CAPTURE, { session_id, nonce: 'another', step_id: 'st_1', frames })

  assert.equal(codeOf(await large()), 'nonce_mismatch')
  const giveUp = Array.from({ length: MOST_LARGE }, () => begun(LARGE))
  const refused = await eventually('a refusal', async () => {
    const answer = await large()
    return statusOf(answer) === 503 ? answer : undefined
  })
  assert.equal(codeOf(refused), 'engine_busy')
  assert.match(refused, /^retry-after: 1\r$/im)
  // A body of unknown length counts as the largest one.
  assert.equal(
    codeOf(
      await rawExchange(
        url,
        rawRequest(CAPTURE, headersOf(url, 'Transfer-Encoding: chunked'), '2\r\n{}\r\n0\r\n\r\n'),
      ),
    ),
    'engine_busy',
  )
  const cancelled = await whole(`POST ${SESSIONS}/${session_id}/cancel`, { nonce })
  assert.equal(statusOf(cancelled), 200, cancelled)
  const small = await whole(CAPTURE, { session_id, nonce: 'another' })
  assert.equal(codeOf(small), 'nonce_mismatch')

  for (const end of giveUp) end()
  await eventually('room for a recording', async () => codeOf(await large()) === 'nonce_mismatch')
})
