import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { test } from 'node:test'
import { aTestApp } from '@deputize/testing/a-test-app.ts'
import { anActedEngine } from '@deputize/testing/an-acted-engine.ts'
import { eventually } from '@deputize/testing/eventually.ts'
import { codeOf, rawExchange, rawRequest, statusOf } from '@deputize/testing/raw-http.ts'
import { aCaptureSession } from '../a-capture.ts'

const CAPTURE = 'POST /v1/vat/auth/capture'
const LARGE_BYTES = 9_437_184
/** The 45 megabytes of an address hold at most this many bodies of that size. */
const MOST_LARGE = 5

const headersOf = (url: string, length: string) => [
  `Host: ${new URL(url).host}`,
  'Content-Type: application/json',
  length,
]
const LARGE = `Content-Length: ${LARGE_BYTES}`

test('concurrent recordings use at most their share of memory, and nothing else waits for them', async (context) => {
  const app = await aTestApp(context, { engine: anActedEngine(), l3_passkey: 'optional' })
  const { session_id } = await aCaptureSession((path, body) => app.post(path, body), {
    purpose: 'enroll',
  })
  const url = await app.listen()

  /** Starts a request whose body never ends. The returned function aborts it. */
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

  /** A body of unknown length counts as one of the maximum size. */
  const chunked = () => {
    const headers = headersOf(url, 'Transfer-Encoding: chunked')
    return rawExchange(url, rawRequest(CAPTURE, headers, '2\r\n{}\r\n0\r\n\r\n'))
  }
  const small = () => whole(CAPTURE, { session_id, nonce: 'another' })

  /** The answers to other calls while one address sends as much as it may. Aborts its requests afterwards. */
  async function answersMeanwhile() {
    const giveUp = Array.from({ length: MOST_LARGE }, () => begun(LARGE))
    try {
      return { refused: await Promise.all([large(), chunked()]), small: await small() }
    } finally {
      for (const end of giveUp) end()
    }
  }

  assert.equal(codeOf(await large()), 'nonce_mismatch')
  const meanwhile = await eventually('refusals', async () => {
    const answers = await answersMeanwhile()
    return answers.refused.every((answer) => statusOf(answer) === 503) ? answers : undefined
  })
  for (const answer of meanwhile.refused) {
    assert.equal(codeOf(answer), 'engine_busy')
    assert.match(answer, /^retry-after: 1\r$/im)
  }
  assert.equal(codeOf(meanwhile.small), 'nonce_mismatch')
  await eventually('room for a recording', async () => codeOf(await large()) === 'nonce_mismatch')
})
