import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, request } from 'node:http'
import { after, describe, test } from 'node:test'
import { deputy, isDeputyError } from '@deputize/sdk'
import { anOpenDeployment } from '@deputize/testing/a-deployment.ts'
import { aTestApp } from '@deputize/testing/a-test-app.ts'
import { aTcpProxy } from '@deputize/testing/tcp-proxy.ts'

const { client, url, token } = await anOpenDeployment({ after })
const line = await aTcpProxy({ after }, url)

// In open mode the service accepts only its own host name, so the proxy passes that on.
const host = new URL(url).host
const throughLine = (options: { retries?: number; timeout_ms?: number } = {}) =>
  deputy({ url: line.through(url), fetch: named, ...options })

/** Uses node:http, because fetch does not let callers set the Host header. */
function named(...[input, init]: Parameters<typeof fetch>): Promise<Response> {
  return new Promise((resolve, reject) => {
    const headers = { ...Object.fromEntries(new Headers(init?.headers)), host }
    const call = request(
      String(input),
      { method: init?.method ?? 'GET', headers, agent: false },
      (answer) => {
        const chunks: Buffer[] = []
        answer.on('data', (chunk) => chunks.push(chunk))
        answer.on('error', reject)
        answer.on('end', () => {
          const known = Object.entries(answer.headers).flatMap(([name, value]) =>
            typeof value === 'string' ? [[name, value] as [string, string]] : [],
          )
          resolve(new Response(Buffer.concat(chunks), { status: answer.statusCode ?? 0, headers: known }))
        })
      },
    )
    call.on('error', reject)
    init?.signal?.addEventListener('abort', () => call.destroy(new Error('aborted')))
    call.end(init?.body)
  })
}

describe('on an unreliable connection', () => {
  test('a change whose response is lost is made once', async () => {
    const { jti, provenance_ref: ref } = await token({ constraints: { max_spend_usd: 1 } })
    const cut = line.cutAt('"recorded":true', 'down', 'before')
    const spend = {
      vat_jti: jti,
      action: 'write',
      resource: 'calendar:events',
      result: 'success',
      spend_usd: 0.75,
    }
    const { aar_id } = await throughLine().recordAction(spend)
    await cut
    assert.equal((await client.getProvenance({ ref })).total_records, 1)
    assert.equal((await client.getTokenBudget({ jti })).spent_usd, 0.75)
    assert.equal((await client.getRecord({ id: aar_id })).state, 'completed')
  })

  test('a change that never arrived is repeated', async () => {
    const { jti } = await token()
    const cut = line.cutAt('POST /v1/vat/revoke', 'up', 'within')
    assert.equal((await throughLine().revokeToken({ vat_jti: jti })).already_revoked, false)
    await cut
  })

  test('attempts are limited, and the last failure is reported', async () => {
    line.refuse(true)
    await assert.rejects(throughLine({ retries: 2 }).getHealth(), (error) =>
      isDeputyError(error, 'unreachable'),
    )
    line.refuse(false)
  })

  test('a call to a silent service times out', async () => {
    line.swallow(true)
    const begun_ms = Date.now()
    const call = throughLine({ retries: 0, timeout_ms: 300 }).getHealth()
    await assert.rejects(call, (error) => isDeputyError(error, 'timed_out'))
    assert.ok(Date.now() - begun_ms < 30_000)
    line.swallow(false)
  })

  test('a call without an idempotency key is not repeated', async () => {
    const { claims } = await token({ developer_email: 'erase@example.com' })
    const cut = line.cutAt('DELETE /v1/vat/humans', 'up', 'before')
    const call = throughLine().eraseHuman({ human_ref: claims.svc_human_ref })
    await assert.rejects(call, (error) => isDeputyError(error, 'unreachable'))
    await cut
  })
})

test('a POST is repeated after a proxy lost the answer, but PATCH and DELETE are not', async () => {
  const methods: unknown[] = []
  const proxied: typeof fetch = async (_, init) => {
    methods.push(init?.method)
    return new Response('<h1>Bad gateway</h1>', { status: 502 })
  }
  const client = deputy({ url, fetch: proxied, retries: 1 })
  await assert.rejects(client.updateAgent({ agent_id: 'a', owner: 'me' }))
  await assert.rejects(client.deleteWebhook({ webhook_id: 'wh_1' }))
  await assert.rejects(client.revokeToken({ vat_jti: 'x' }))
  assert.deepEqual(methods, ['PATCH', 'DELETE', 'POST', 'POST'])
})

test('by default, the attempts of a call take longer than the service needs to restart', async () => {
  let attempts = 0
  const away: typeof fetch = async () => {
    attempts += 1
    throw new Error('connection refused')
  }
  const begun_ms = Date.now()
  await assert.rejects(deputy({ url, fetch: away }).getHealth(), (error) =>
    isDeputyError(error, 'unreachable'),
  )
  assert.equal(attempts, 7)
  assert.ok(Date.now() - begun_ms >= 3_000)
})

test('a timeout counts as two failures', async () => {
  let attempts = 0
  const silent: typeof fetch = (_, init) =>
    new Promise((_, reject) => {
      attempts += 1
      init?.signal?.addEventListener('abort', () => reject(new Error('aborted')))
    })
  const late = deputy({ url, fetch: silent, timeout_ms: 10, retries: 3 }).getHealth()
  await assert.rejects(late, (error) => isDeputyError(error, 'timed_out'))
  assert.equal(attempts, 3)
})

describe('a service that asks to try later', () => {
  test('is called again after the given time', async (t) => {
    const { listen } = await aTestApp(t, { rate_limit: 2 })
    const limited = deputy({ url: await listen(), retries: 0 })
    const answers = await Promise.allSettled(Array.from({ length: 5 }, () => limited.listTokens()))
    const refused = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason] : []))
    assert.ok(refused.length > 0)
    for (const error of refused)
      assert.ok(isDeputyError(error, 'rate_limited') && (error.retry_after_s ?? 0) >= 1)
  })

  test('gets the same idempotency key each time, and at most 30 seconds of waiting', async (t) => {
    const keys: unknown[] = []
    const waits = ['1', '0', '3600']
    const server = createServer((call, answer) => {
      keys.push(call.headers['idempotency-key'])
      answer.writeHead(503, {
        'retry-after': waits[keys.length - 1],
        'content-type': 'application/problem+json',
      })
      answer.end(JSON.stringify({ code: 'overloaded', status: 503, detail: 'Later.' }))
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    t.after(() => server.close())
    const address = server.address()
    const port = typeof address === 'object' ? address?.port : undefined
    const begun_ms = Date.now()
    const busy = deputy({ url: `http://127.0.0.1:${port}`, retries: 5 })
    await assert.rejects(busy.revokeToken({ vat_jti: 'x' }), (error) => isDeputyError(error, 'overloaded'))
    assert.equal(keys.length, 3)
    assert.equal(new Set(keys).size, 1)
    assert.match(String(keys[0]), /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    const made_ms = Number.parseInt(String(keys[0]).replace('-', '').slice(0, 12), 16)
    assert.ok(made_ms >= begun_ms && made_ms <= Date.now())
    assert.ok(Date.now() - begun_ms >= 1_000)
  })
})

test('a redirect is not followed and has the code unexpected_answer', async (t) => {
  const elsewhere: unknown[] = []
  const server = createServer((call, answer) => {
    if (call.url === '/elsewhere') elsewhere.push(call.headers.authorization)
    answer.writeHead(307, { location: '/elsewhere' }).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  const moved = deputy({ url: `http://127.0.0.1:${port}`, key: 'dk_secret' })
  await assert.rejects(
    moved.listTokens(),
    (error) => isDeputyError(error, 'unexpected_answer') && error.status === 307,
  )
  assert.deepEqual(elsewhere, [])
})
