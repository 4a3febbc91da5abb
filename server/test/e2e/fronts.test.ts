import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, describe, test } from 'node:test'
import { anIssueRequest } from '@deputize/testing/an-issue-request.ts'
import { eventually } from '@deputize/testing/eventually.ts'
import { httpClient } from '@deputize/testing/http-client.ts'
import { aProgram, type Program, refusedStart } from '@deputize/testing/program.ts'
import { statusOf } from '@deputize/testing/raw-http.ts'
import { lineRequest, RawLine } from '@deputize/testing/raw-line.ts'
import { temporaryDirectory } from '@deputize/testing/scope.ts'
import { auditStore, logSize } from './audit-store.ts'

const FRONTS = { DEPUTY_HTTP_THREADS: '3' }
/** Enough connections to reach each of three threads, however the system spreads them. */
const CONNECTIONS = 24

const actionOf = (vat_jti: string) => ({
  vat_jti,
  action: 'read',
  resource: 'calendar:events',
  result: 'success',
})

/** An answer without the parts that differ each time. */
function comparable(answer: string, url: string): object {
  const [head = '', body = ''] = answer.split('\r\n\r\n')
  const [status, ...headers] = head.split('\r\n')
  const lines = headers
    .map((line) => line.replace(/^[^:]+/, (name) => name.toLowerCase()))
    .map((line) => line.replace(/^(date|x-request-id|content-length): .*/, '$1').replace(/;[rt]=\d+/g, ''))
  const said = body
    .replaceAll(new URL(url).host, 'host')
    .replaceAll(/\d{4}-\d{2}-\d{2}T[\d:.]+Z/g, 'time')
    .replaceAll(/(req_|aar_|prov_|sha256:)\w+/g, '$1')
  return { status, headers: lines.sort(), body: said }
}

const directory = temporaryDirectory({ after })
const program = await aProgram({ after }, directory, FRONTS)
const { url } = program
const client = httpClient({ after }, url)
const { body: token } = await client.post('/v1/vat/issue/l1', anIssueRequest())

describe('threads that speak HTTP', () => {
  test('answer exactly as one thread does, down to the last header', async (t) => {
    const alone = await aProgram(t, temporaryDirectory(t), { DEPUTY_HTTP_THREADS: '1' })
    const other = (await httpClient(t, alone.url).post('/v1/vat/issue/l1', anIssueRequest())).body
    const asked = async (
      { url }: Program,
      { jti, provenance_ref }: { jti: string; provenance_ref: string },
    ) => {
      const line = new RawLine(t, url)
      const answers: object[] = []
      const large = { ...actionOf(jti), metadata: { text: 'x'.repeat(40_000) } }
      for (const bytes of [
        lineRequest(url, 'POST /v1/vat/record/action', actionOf(jti)),
        lineRequest(url, 'POST /v1/vat/record/action', actionOf('vat_root_0')),
        lineRequest(url, 'POST /v1/vat/record/action', { ...actionOf(jti), extra: 1 }),
        lineRequest(url, 'POST /v1/vat/record/action', large),
        lineRequest(url, 'POST /v1/vat/record/action', actionOf(jti), ['X-Forwarded-For: 10.0.0.1']),
        lineRequest(url, 'POST /v1/vat/record/action', actionOf(jti), [
          'Idempotency-Key: a',
          'Idempotency-Key: b',
        ]),
        lineRequest(url, `GET /v1/vat/aar/provenance/${provenance_ref}`),
        lineRequest(url, 'GET /healthz'),
        lineRequest(url, 'GET /nowhere'),
        lineRequest(url, 'PUT /healthz'),
        lineRequest(url, 'POST /v1/vat/authorize', {
          vat_jti: jti,
          action: 'read',
          resource: 'calendar:events',
        }),
        lineRequest(url, 'POST /v1/vat/record/action', actionOf(jti), ['Host: attacker.example']),
        // Only the server of the main thread can tell where this one ends.
        lineRequest(url, 'POST /v1/vat/record/action', undefined, ['Transfer-Encoding: chunked']) +
          '2\r\n{}\r\n0\r\n\r\n',
        lineRequest(url, 'POST /v1/vat/record/action', actionOf(jti)),
        'GET / HTTP/9.9\r\n\r\n',
      ]) {
        line.write(bytes)
        answers.push(comparable(await line.answer(), url))
      }
      await eventually('the end of the connection', () => line.socket.readableEnded)
      return answers
    }
    assert.deepEqual(await asked(program, token), await asked(alone, other))
  })

  test('answer requests that arrive together in order, and one that arrives in pieces', async (t) => {
    const line = new RawLine(t, url)
    const call = lineRequest(url, 'POST /v1/vat/record/action', actionOf(token.jti))
    const together = [call, lineRequest(url, 'GET /healthz'), call, lineRequest(url, 'GET /nowhere'), call]
    line.write(together.join(''))
    const statuses: number[] = []
    for (const _ of together) statuses.push(statusOf(await line.answer()))
    assert.deepEqual(statuses, [200, 200, 200, 404, 200])
    const shown = () => client.get('/v1/vat/aar?limit=1') // then the files contain everything acknowledged
    await shown()
    const before = logSize(directory)
    line.write(call.slice(0, -5))
    await client.get('/healthz') // the first piece arrives before this is answered
    line.write(call.slice(-5))
    assert.equal(statusOf(await line.answer()), 200)
    await shown()
    assert.equal(logSize(directory), before + 1)
  })

  test('share one rate limit', async (t) => {
    const limit = 30
    const narrow = await aProgram(t, temporaryDirectory(t), { ...FRONTS, DEPUTY_RATE_LIMIT: String(limit) })
    const round = async () => {
      const lines = Array.from({ length: CONNECTIONS }, () => new RawLine(t, narrow.url))
      const answers = await Promise.all(
        lines.map(async (line) => {
          const own: string[] = []
          for (let call = 0; call < 2; call += 1) {
            line.write(lineRequest(narrow.url, 'GET /v1/vat/reputation/calendar-bot'))
            own.push(await line.answer())
          }
          return own
        }),
      )
      const all = answers.flat()
      const windows = new Set(all.map((answer) => Number(/r=\d+;t=(\d+)/.exec(answer)?.[1]) > 30))
      return { windows, allowed: all.filter((answer) => statusOf(answer) !== 429).length }
    }
    // If a minute ends in the middle of a round, two limits apply.
    const first = await round()
    const { allowed } = first.windows.size === 1 ? first : await round()
    assert.ok(allowed === limit, `${allowed} of ${CONNECTIONS * 2} calls were allowed`)
  })

  test('share one connection limit', async (t) => {
    const narrow = await aProgram(t, temporaryDirectory(t), { ...FRONTS, DEPUTY_CONNECTION_LIMIT: '5' })
    const lines = Array.from({ length: CONNECTIONS }, () => new RawLine(t, narrow.url))
    await eventually(
      'five connections are left',
      () => lines.filter(({ socket }) => socket.destroyed || socket.readableEnded).length === CONNECTIONS - 5,
    )
    const left = lines.find(({ socket }) => !socket.destroyed && !socket.readableEnded)
    left?.write(lineRequest(narrow.url, 'GET /healthz'))
    assert.equal(statusOf((await left?.answer()) ?? ''), 200)
  })

  test('forward a stream of events', async (t) => {
    const line = new RawLine(t, url)
    let received = ''
    line.socket.on('data', (text) => {
      received += text
    })
    line.write(lineRequest(url, 'GET /v1/vat/events', undefined, ['Accept: text/event-stream']))
    await eventually('the stream is open', () => /content-type: text\/event-stream/i.test(received))
    await client.post('/v1/vat/record/action', actionOf(token.jti))
    await eventually('an event', () => /data: .*aar_/.test(received))
  })

  test('refuse to start on a port in use', async (t) => {
    const { port } = new URL(url)
    const second = await refusedStart(temporaryDirectory(t), { ...FRONTS, PORT: port })
    assert.match(second.output, new RegExp(`Port ${port} on 127.0.0.1 is in use`))
    assert.equal(second.code, 78)
  })

  test('answer the requests in progress when the service stops, and lose nothing acknowledged', async (t) => {
    const own = temporaryDirectory(t)
    const stopped = await aProgram(t, own, FRONTS)
    const { jti } = (await httpClient(t, stopped.url).post('/v1/vat/issue/l1', anIssueRequest())).body
    let acknowledged = 0
    const callers = Array.from({ length: CONNECTIONS }, async () => {
      const line = new RawLine(t, stopped.url)
      for (;;) {
        line.write(lineRequest(stopped.url, 'POST /v1/vat/record/action', actionOf(jti)))
        const answer = await Promise.race([line.answer(), once(line.socket, 'close').then(() => 'closed')])
        if (answer === 'closed') return
        assert.equal(statusOf(answer), 200, answer)
        acknowledged += 1
        if (/connection: close/i.test(answer)) return
      }
    })
    await eventually('answers before the signal', () => acknowledged > 100)
    stopped.process.kill('SIGTERM')
    await Promise.all(callers)
    assert.equal(await stopped.stop(), 0)
    assert.ok(logSize(own) >= acknowledged + 1)
    await auditStore(own)
  })
})
