import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, describe, test } from 'node:test'
import { type ActionRecord, deputy, newAgentKey } from '@deputize/sdk'
import { deputyGuard } from '@deputize/sdk/express'
import { aKeyedDeployment, anOpenDeployment } from '@deputize/testing/a-deployment.ts'
import { eventually } from '@deputize/testing/eventually.ts'
import { anApi, FRAMEWORKS, type Framework } from './an-api.ts'

const open = await anOpenDeployment({ after })
const keyed = await aKeyedDeployment({ after })
const sha256 = (data: string) => `sha256:${createHash('sha256').update(data).digest('hex')}`

const closedRecord = (provenance_ref: string): Promise<ActionRecord> =>
  eventually(
    'a completed record',
    async () => (await open.client.listRecords({ provenance_ref, state: 'completed' })).data[0],
  )

// Tests read responses without types; a wrong guess fails the test.
// biome-ignore lint/suspicious/noExplicitAny: the shape is what the test asserts
const bodyOf = (response: Response): Promise<any> => response.json()

const problemOf = async (response: Response) => {
  assert.equal(response.headers.get('content-type')?.split(';')[0], 'application/problem+json')
  const problem = await bodyOf(response)
  assert.equal(problem.status, response.status)
  assert.equal(problem.type, `/problems/${problem.code}`)
  return problem
}

/** Whether the service has sent a guard every revocation. */
async function areFetched(url: string): Promise<boolean> {
  const metrics = await (await fetch(`${url}/metrics`)).text()
  return ['getDeployment', 'getStatusList', 'listRevocations'].every((operation) =>
    metrics.includes(`_count{operation="${operation}",status="200"}`),
  )
}

/** Returns a `fetch` that holds completions until they are released. */
function held() {
  const asked = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const through: typeof fetch = async (input, init) => {
    if (String(input).endsWith('/complete')) {
      asked.resolve()
      await released.promise
    }
    return fetch(input, init)
  }
  return { fetch: through, asked: asked.promise, release: released.resolve }
}

for (const framework of Object.keys(FRAMEWORKS) as Framework[])
  describe(`the guard for ${framework}`, async () => {
    const api = await anApi({ after }, framework, { url: open.url })
    const call = (path: string, compact_jwt: string, method = 'POST') =>
      fetch(`${api.url}${path}`, { method, headers: { authorization: `Bearer ${compact_jwt}` } })

    test('admits an allowed request and records its response', async () => {
      const token = await open.token({ constraints: { max_spend_usd: 1 } })
      const response = await call('/events', token.compact_jwt)
      const text = await response.text()
      assert.equal(response.status, 200, text)
      assert.equal(JSON.parse(text).agent_id, 'agent:calendar-bot')
      const record = await closedRecord(token.provenance_ref)
      assert.equal(record.aar_id, JSON.parse(text).aar_id)
      assert.deepEqual([record.result, record.spend_usd, record.result_hash], ['success', 0.3, sha256(text)])
    })

    test('refuses a request outside the scope, with the reasons, and the handler never runs', async () => {
      const before = api.calls()
      const token = await open.token({ actions: ['read'] })
      const problem = await problemOf(await call('/events', token.compact_jwt))
      assert.deepEqual(
        [problem.status, problem.code, problem.reasons],
        [403, 'not_allowed', ['action_not_in_scope']],
      )
      assert.equal((await open.client.getDenial({ id: problem.denial_id })).action, 'write')
      const other = await problemOf(await call('/calendars/private', token.compact_jwt, 'GET'))
      assert.deepEqual([other.status, other.reasons], [403, ['resource_not_in_scope']])
      assert.equal(api.calls(), before)
    })

    test('refuses missing and malformed tokens, and tokens of another service', async () => {
      const before = api.calls()
      const stranger = await keyed.token({ agent_jwk: (await newAgentKey()).jwk })
      const headers = [
        {},
        { authorization: 'Basic abc' },
        { authorization: 'Bearer a.b.c' },
        { authorization: `Bearer ${(await open.token()).jti}` },
        { authorization: `Bearer ${stranger.compact_jwt}` },
      ]
      const answers = await Promise.all(
        headers.map((headers) => fetch(`${api.url}/events`, { method: 'POST', headers: { ...headers } })),
      )
      const problems = await Promise.all(answers.map(problemOf))
      assert.deepEqual(
        problems.map(({ status, code, reason }) => [status, code, reason]),
        [
          [401, 'credential_required', undefined],
          [401, 'credential_invalid', 'credential_malformed'],
          [401, 'credential_invalid', 'malformed'],
          [401, 'credential_invalid', 'malformed'],
          [401, 'credential_invalid', 'unknown_key'],
        ],
      )
      assert.equal(problems[3]?.detail, "This is the token's ID. Send its compact_jwt.")
      for (const answer of answers) assert.match(answer.headers.get('www-authenticate') ?? '', /DPoP/)
      assert.equal(api.calls(), before)
    })

    test('completes the record with error if the handler throws or returns an error status', async () => {
      const thrown = await open.token()
      assert.equal((await call('/fails', thrown.compact_jwt)).status, 500)
      assert.equal((await closedRecord(thrown.provenance_ref)).result, 'error')
      const missing = await open.token()
      assert.equal((await call('/missing', missing.compact_jwt, 'GET')).status, 404)
      assert.equal((await closedRecord(missing.provenance_ref)).result, 'error')
    })

    test('completes an action whose token was revoked during a slow handler, and refuses the next', async () => {
      const token = await open.token()
      const before = api.calls()
      const slow = call('/slow', token.compact_jwt)
      await eventually('the call reaches the API', async () => (api.calls() > before ? true : undefined))
      await open.client.revokeToken({ vat_jti: token.jti })
      api.release()
      assert.deepEqual(await (await slow).json(), { slow: true })
      const record = await closedRecord(token.provenance_ref)
      assert.deepEqual([record.result, record.completed_after_revocation], ['success', true])
      const problem = await problemOf(await call('/events', token.compact_jwt))
      assert.deepEqual([problem.status, problem.reasons], [403, ['token_revoked']])
    })

    test('records the real outcome of a slow handler whose caller has disconnected', async () => {
      const token = await open.token()
      const before = api.calls()
      const ending = new AbortController()
      const slow = fetch(`${api.url}/slow`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token.compact_jwt}` },
        signal: ending.signal,
      })
      await eventually('the call reaches the API', async () => (api.calls() > before ? true : undefined))
      ending.abort()
      await assert.rejects(slow)
      const { data } = await open.client.listRecords({ provenance_ref: token.provenance_ref })
      assert.equal(data[0]?.state, 'pending')
      api.release()
      assert.equal((await closedRecord(token.provenance_ref)).result, 'success')
    })

    test('is the cause of what the handler does', async () => {
      const token = await open.token()
      const { outer, inner } = await bodyOf(await call('/nested', token.compact_jwt, 'GET'))
      assert.equal((await open.client.getRecord({ id: inner })).parent_aar_id, outer)
    })

    test('responds before the record is completed', async () => {
      const way = held()
      const other = await anApi({ after }, framework, { url: open.url, fetch: way.fetch })
      const { compact_jwt, provenance_ref } = await open.token()
      const headers = { authorization: `Bearer ${compact_jwt}` }
      const response = await fetch(`${other.url}/events`, { method: 'POST', headers })
      assert.equal((await bodyOf(response)).agent_id, 'agent:calendar-bot')
      assert.equal((await open.client.listRecords({ provenance_ref })).data[0]?.state, 'pending')
      way.release()
      assert.equal((await closedRecord(provenance_ref)).result, 'success')
    })

    test('hashes a streamed response', async () => {
      const token = await open.token()
      assert.equal(await (await call('/lines', token.compact_jwt, 'GET')).text(), 'one\ntwo\nthree\n')
      assert.equal((await closedRecord(token.provenance_ref)).result_hash, sha256('one\ntwo\nthree\n'))
    })

    test('decides reads offline without a record, but asks the service about tokens with limits', async () => {
      const token = await open.token()
      const here = await bodyOf(await call('/calendars/events', token.compact_jwt, 'GET'))
      assert.deepEqual([here.agent_id, here.aar_id], ['agent:calendar-bot', undefined])
      const untouched = await call('/calendars/events', token.compact_jwt, 'GET')
      assert.equal(untouched.headers.get('content-length'), String((await untouched.text()).length))
      const limited = await open.token({ constraints: { max_actions: 1 } })
      const asked = await bodyOf(await call('/calendars/events', limited.compact_jwt, 'GET'))
      assert.match(asked.aar_id, /^aar_/)
      const problem = await problemOf(await call('/calendars/events', limited.compact_jwt, 'GET'))
      assert.deepEqual(problem.reasons, ['action_limit'])
    })

    test('says what a denial is about and what would help', async () => {
      const poor = await open.token({ constraints: { max_spend_usd: 0.5 } })
      const problem = await problemOf(await call('/events', poor.compact_jwt))
      assert.match(
        problem.detail,
        /^The token does not allow this: budget_exceeded \(limit: max_spend_usd, remaining_usd: 0\.5\)\. .+ Ask for less, or ask the person who granted the token for a larger budget\./,
      )
      assert.deepEqual(problem.details, [
        { reason: 'budget_exceeded', limit: 'max_spend_usd', remaining_usd: 0.5 },
      ])
      const narrow = await open.token({ actions: ['write'] })
      const offline = await problemOf(await call('/calendars/events', narrow.compact_jwt, 'GET'))
      assert.match(
        offline.detail,
        /: action_not_in_scope\. .+ Ask the person who granted it for a token that/,
      )
      assert.equal(offline.details, undefined)
      const unnamed = await problemOf(await call('/calendars/a%20b', narrow.compact_jwt, 'GET'))
      assert.deepEqual([unnamed.status, unnamed.reasons], [403, ['resource_not_in_scope']])
    })

    test('returns the approval ID and accepts the approval', async () => {
      const token = await open.token({ constraints: { require_approval: { actions: ['write'] } } })
      const problem = await problemOf(await call('/events', token.compact_jwt))
      assert.deepEqual([problem.status, problem.reason], [403, 'approval_required'])
      const way = `GET /v1/vat/approvals/${problem.approval_id} of the authority service shows when it is approved. Then send the same request again with the header Deputy-Approval: ${problem.approval_id}.`
      assert.ok(problem.detail.endsWith(`A person must approve this action first. ${way}`), problem.detail)
      await open.client.approve({ id: problem.approval_id })
      const again = await fetch(`${api.url}/events`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token.compact_jwt}`, 'deputy-approval': problem.approval_id },
      })
      assert.equal(again.status, 200, await again.text())
    })

    test('refuses requests while the service is down, unless allow_verified applies', async (t) => {
      const own = await anOpenDeployment(t)
      const options = { url: own.url, retries: 0, timeout_ms: 20_000 }
      const strict = await anApi(t, framework, options)
      const lenient = await anApi(t, framework, { ...options, on_unavailable: 'allow_verified' })
      const token = await own.token()
      const limited = await own.token({ constraints: { max_spend_usd: 1 } })
      const post = (api: { url: string }, { compact_jwt } = token) =>
        fetch(`${api.url}/events`, { method: 'POST', headers: { authorization: `Bearer ${compact_jwt}` } })
      for (const api of [strict, lenient]) assert.equal((await post(api)).status, 200)
      await eventually('the lenient one has fetched the revocations', () => areFetched(own.url))
      await own.program.kill()
      const problem = await problemOf(await post(strict))
      assert.deepEqual([problem.status, problem.code], [503, 'authority_unavailable'])
      assert.equal(strict.calls(), 1)
      const allowed = await post(lenient)
      assert.equal(allowed.status, 200)
      assert.equal((await bodyOf(allowed)).aar_id, undefined)
      assert.equal((await post(lenient, limited)).status, 503)
    })

    test('accepts only tokens for this API in keyed mode, with a proof that works once', async (t) => {
      const audience = `https://calendar-${framework.toLowerCase()}.example`
      const key = await keyed.resourceServerKey(audience)
      const guarded = await anApi(t, framework, { url: keyed.url, key, audience, public_url: audience })
      const agent_key = await newAgentKey()
      const bound = { agent_jwk: agent_key.jwk, audience }
      const token = await keyed.token(bound)
      const proofs: string[] = []
      // The agent calls the public URL of the API; the connection goes to this machine.
      const toApi: typeof fetch = (input, init) => {
        const { pathname } = new URL(String(input))
        proofs.push(new Headers(init?.headers).get('dpop') ?? '')
        return fetch(`${guarded.url}${pathname}`, init)
      }
      const me = deputy({ url: keyed.url, fetch: toApi }).withAuthority(token, { agent_key })
      const response = await me.fetch(`${audience}/events`, { method: 'POST' })
      assert.equal(response.status, 200, await response.clone().text())
      const { aar_id } = await bodyOf(response)
      const record = await eventually('the action record', async () => {
        const seen = await keyed.client.getRecord({ id: aar_id })
        return seen.state === 'completed' ? seen : undefined
      })
      assert.deepEqual([record.result, record.evidence], ['success', 'observed'])

      const authorization = `DPoP ${token.compact_jwt}`
      const shown = (path: string, headers: Record<string, string>) =>
        fetch(`${guarded.url}${path}`, { method: 'POST', headers }).then(problemOf)
      const replayed = await shown('/events', { authorization, dpop: proofs.at(-1) ?? '' })
      assert.deepEqual([replayed.status, replayed.reason], [401, 'proof_replayed'])
      const moved = await shown('/slow', { authorization, dpop: proofs.at(-1) ?? '' })
      assert.deepEqual([moved.status, moved.reason], [401, 'other_url'])
      const bare = await shown('/events', { authorization: `Bearer ${token.compact_jwt}` })
      assert.deepEqual([bare.status, bare.code], [401, 'credential_invalid'])
      const elsewhere = await keyed.token({ ...bound, audience: 'https://mail.example' })
      const other = await shown('/events', { authorization: `DPoP ${elsewhere.compact_jwt}`, dpop: 'x' })
      assert.deepEqual([other.status, other.reason], [401, 'wrong_audience'])
    })
  })

describe('a guard', () => {
  test('rejects a cost that is not an amount when the route is declared', () => {
    const authority = deputyGuard({ url: open.url })
    for (const spend_usd of [Number.NaN, Infinity, -1])
      assert.throws(() => authority('read', 'calendar:events', { spend_usd }), TypeError)
  })

  test('needs an audience in keyed mode', async (t) => {
    await assert.rejects(anApi(t, 'Express', { url: keyed.url, key: 'dk_x' }), TypeError)
  })

  test('returns 503 if its own key is rejected', async (t) => {
    const audience = 'https://files.example'
    const api = await anApi(t, 'Hono', { url: keyed.url, key: 'dk_wrong', audience })
    await keyed.operator.updateTenant({ tenant_id: 'default', allow_bearer: true })
    const { compact_jwt } = await keyed.token({ audience })
    await keyed.operator.updateTenant({ tenant_id: 'default', allow_bearer: false })
    const answer = await fetch(`${api.url}/events`, {
      method: 'POST',
      headers: { authorization: `Bearer ${compact_jwt}` },
    })
    assert.equal((await problemOf(answer)).code, 'authority_unavailable')
  })

  test('calls on_incomplete if a record cannot be completed', async (t) => {
    const own = await anOpenDeployment(t)
    const lost: string[] = []
    const api = await anApi(t, 'Fastify', {
      url: own.url,
      retries: 0,
      on_incomplete: (_error, aar_id) => lost.push(aar_id),
    })
    const { compact_jwt } = await own.token()
    const slow = fetch(`${api.url}/slow`, {
      method: 'POST',
      headers: { authorization: `Bearer ${compact_jwt}` },
    })
    await eventually('the call reaches the API', async () => (api.calls() > 0 ? true : undefined))
    await own.program.kill()
    api.release()
    assert.equal((await slow).status, 200)
    assert.match((await eventually('the lost record', async () => lost[0])) ?? '', /^aar_/)
  })
})

test('in a function that may freeze after its response, the response waits for the completion', async (t) => {
  t.after(() => delete process.env.AWS_LAMBDA_FUNCTION_NAME)
  process.env.AWS_LAMBDA_FUNCTION_NAME = 'calendar'
  const way = held()
  const api = await anApi(t, 'Hono', { url: open.url, fetch: way.fetch })
  const { compact_jwt } = await open.token()
  let isOver = false
  const response = await fetch(`${api.url}/events`, {
    method: 'POST',
    headers: { authorization: `Bearer ${compact_jwt}` },
  })
  const body = response.text().finally(() => {
    isOver = true
  })
  await way.asked
  await open.client.getDeployment() // enough time for a response that does not wait
  assert.equal(isOver, false)
  way.release()
  const { aar_id } = JSON.parse(await body)
  assert.equal((await open.client.getRecord({ id: aar_id })).state, 'completed')
})
