import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, describe, test } from 'node:test'
import { type Answer, aTestApp } from '@deputize/testing/a-test-app.ts'
import { anIssueRequest } from '@deputize/testing/an-issue-request.ts'
import { isOnPostgres } from '@deputize/testing/test-stores.ts'
import { apiKeyText, readApiKey } from '../../src/access/api-key.ts'
import { type Agent, aKeyedApp, anAgent, dpop } from './a-keyed-app.ts'

const ALGS = 'algs="EdDSA ES256"'
const PATH = '/v1/vat/policies'

const app = await aKeyedApp({ after })
await app.operator.post('/v1/vat/tenants', { tenant_id: 'strict' })
await app.operator.post('/v1/vat/tenants', { tenant_id: 'lax', allow_bearer: true })
const developer = app.withKey(await app.key('strict', 'developer'))
const agent = await anAgent(app, developer)
const other = await anAgent(app, developer)

/** The headers of a proof for GET PATH, with changes. */
function proofHeaders(changes: Record<string, unknown> = {}, by: Agent = agent): Record<string, string> {
  return dpop(by.key, 'GET', PATH, by.compact_jwt, app.test.clock(), changes)
}

const now_s = () => Math.floor(app.test.clock() / 1000)

function assertRefused({ status, headers, body }: Answer, reason: string, challenge: RegExp): void {
  assert.deepEqual([status, body.code, body.reason], [401, 'credential_invalid', reason])
  assert.match(String(headers['www-authenticate']), challenge)
  assert.ok(String(headers['www-authenticate']).includes(ALGS))
}

const BAD_PROOF = /^DPoP error="invalid_dpop_proof", error_description="[^"]+", algs=/
const BAD_TOKEN = /^DPoP error="invalid_token", error_description="[^"]+", algs=/
const BAD_KEY =
  /^Bearer error="invalid_token", error_description="The API key is unknown, deleted or expired; ask an operator for a new one", DPoP algs=/

describe('a proof of possession', () => {
  test('admits the holder of the token, whatever the query string', async () => {
    assert.equal((await app.anonymous.get(PATH, proofHeaders())).status, 200)
    const list = `/v1/vat/tokens/${agent.jti}/descendants`
    const headers = dpop(agent.key, 'GET', list, agent.compact_jwt, app.test.clock())
    assert.equal((await app.anonymous.get(`${list}?limit=5`, headers)).status, 200)
  })

  for (const [name, { headers, reason }] of Object.entries<{
    headers: () => Record<string, string>
    reason: string
  }>({
    'for another method': { headers: () => proofHeaders({ htm: 'POST' }), reason: 'other_method' },
    'for another path': {
      headers: () => proofHeaders({ htu: 'http://localhost/v1/vat/tokens' }),
      reason: 'other_url',
    },
    'for another host': {
      headers: () => proofHeaders({ htu: `http://attacker.example${PATH}` }),
      reason: 'other_url',
    },
    'for another scheme': {
      headers: () => proofHeaders({ htu: `https://localhost${PATH}` }),
      reason: 'other_url',
    },
    'for another port': {
      headers: () => proofHeaders({ htu: `http://localhost:8080${PATH}` }),
      reason: 'other_url',
    },
    'of another token': {
      headers: () => ({ ...proofHeaders(), authorization: proofHeaders({}, other).authorization ?? '' }),
      reason: 'other_key',
    },
    'with the hash of another token': {
      headers: () => proofHeaders({ ath: 'A'.repeat(43) }),
      reason: 'other_token',
    },
    'without the hash of its token': {
      headers: () => proofHeaders({ ath: undefined }),
      reason: 'missing_ath',
    },
    'that is stale': { headers: () => proofHeaders({ iat: now_s() - 61 }), reason: 'too_old' },
    'that was made in the future': {
      headers: () => proofHeaders({ iat: now_s() + 6 }),
      reason: 'in_the_future',
    },
    'with another key': {
      headers: () => dpop(other.key, 'GET', PATH, agent.compact_jwt, app.test.clock()),
      reason: 'other_key',
    },
    'that names the right key and was signed with another': {
      headers: () =>
        dpop(
          { jwk: agent.key.jwk, private_key: other.key.private_key },
          'GET',
          PATH,
          agent.compact_jwt,
          app.test.clock(),
        ),
      reason: 'bad_signature',
    },
    'without an id': { headers: () => proofHeaders({ jti: '' }), reason: 'bad_jti' },
    'that is no JWT': { headers: () => ({ ...proofHeaders(), dpop: 'none' }), reason: 'malformed' },
  }))
    test(`${name} is refused`, async () => {
      assertRefused(await app.anonymous.get(PATH, headers()), reason, BAD_PROOF)
    })

  test('is accepted once: a replay is refused until the proof is too old', async () => {
    const headers = proofHeaders()
    assert.equal((await app.anonymous.get(PATH, headers)).status, 200)
    assertRefused(await app.anonymous.get(PATH, headers), 'proof_replayed', BAD_PROOF)
    app.test.clock.advance(59_000)
    assertRefused(await app.anonymous.get(PATH, headers), 'proof_replayed', BAD_PROOF)
    app.test.clock.advance(2_000)
    assertRefused(await app.anonymous.get(PATH, headers), 'too_old', BAD_PROOF)
  })

  test('is accepted once among 32 concurrent calls', async () => {
    const headers = proofHeaders()
    const answers = await Promise.all(Array.from({ length: 32 }, () => app.anonymous.get(PATH, headers)))
    assert.equal(answers.filter(({ status }) => status === 200).length, 1)
    assert.equal(answers.filter(({ body }) => body.reason === 'proof_replayed').length, 31)
    app.test.clock.advance(60_000)
  })

  test('is required when it is missing and when the token is sent as Bearer', async () => {
    const { authorization = '', dpop: proof = '' } = proofHeaders()
    const bearer = `Bearer ${agent.compact_jwt}`
    for (const headers of [
      { authorization },
      { authorization: bearer },
      { authorization: bearer, dpop: proof },
    ])
      assertRefused(await app.anonymous.get(PATH, headers), 'proof_required', BAD_TOKEN)
  })

  test('is refused if it is sent twice', async () => {
    const { authorization = '', dpop: proof = '' } = proofHeaders()
    const { statusCode, body } = await app.test.app.inject({
      url: PATH,
      headers: { authorization, dpop: [proof, proof] },
    })
    assert.ok(statusCode === 400 || statusCode === 401, body)
  })

  test('is refused when the replay memory is full, never accepted twice', async (context) => {
    const small = await aKeyedApp(context, { proof_limit: 10 })
    const { client } = await anAgent(small, small.withKey(await small.key('default', 'developer')))
    const answers: Answer[] = []
    for (let n = 0; n < 7; n++) answers.push(await client.get(PATH))
    const statuses = answers.map(({ status }) => status)
    if (isOnPostgres) return assert.deepEqual(statuses, Array(7).fill(200)) // nodes share their replay memory in the database
    // One agent can use half of the memory. The rest is for others.
    assert.deepEqual(statuses, [200, 200, 200, 200, 200, 503, 503])
    assert.deepEqual([answers[5]?.body.code, answers[5]?.headers['retry-after']], ['overloaded', '1'])
    small.test.clock.advance(62_000)
    assert.equal((await client.get(PATH)).status, 200)
  })

  test('made in the second in which the service started needs a nonce, which the answer provides', async (context) => {
    const young = await aKeyedApp(context, {}, 0)
    const { clock } = young.test
    const fresh = await anAgent(young, young.withKey(await young.key('default', 'developer')))
    const first = await fresh.client.get(PATH)
    if (isOnPostgres) return assert.equal(first.status, 200) // the shared replay memory outlives each node
    assertRefused(first, 'made_before_start', /^DPoP error="use_dpop_nonce"/)
    const nonce = String(first.headers['dpop-nonce'])
    const withNonce = (nonce: string) => dpop(fresh.key, 'GET', PATH, fresh.compact_jwt, clock(), { nonce })
    assert.equal((await young.anonymous.get(PATH, withNonce(nonce))).status, 200)
    const made_up = await young.anonymous.get(PATH, withNonce('A'.repeat(43)))
    assertRefused(made_up, 'unknown_nonce', /^DPoP error="use_dpop_nonce"/)
    for (let n = 0; n < 70; n++) assert.equal((await fresh.client.get(PATH)).status, 401, 'never 429')
    clock.advance(6_000)
    assert.equal((await fresh.client.get(PATH)).status, 200)
  })

  test('may have the nonce of any node of the deployment', async (context) => {
    const second = await aTestApp(context, { node_of: app.test, access: 'keyed' })
    const atSecond = (nonce: string) =>
      second.app.inject({ method: 'GET', url: PATH, headers: proofHeaders({ nonce }) })
    const stale = await app.anonymous.get(PATH, proofHeaders({ nonce: 'of an earlier service' }))
    assertRefused(stale, 'unknown_nonce', /^DPoP error="use_dpop_nonce"/)
    const { statusCode } = await atSecond(String(stale.headers['dpop-nonce']))
    // An embedded service has no other nodes: what it accepts was made after it started.
    assert.equal(statusCode, isOnPostgres ? 200 : 401)
  })
})

describe('the key of an agent', () => {
  const { keys } = JSON.parse(
    readFileSync(
      new URL('../../../vectors/cctv-ed25519/low-order-public-keys.json', import.meta.url),
      'utf8',
    ),
  ) as { keys: { key_hex: string }[] }

  test('is refused at issue when it is a weak key', async () => {
    assert.ok(keys.length >= 14)
    const size = await app.test.logSize()
    for (const { key_hex } of keys) {
      const agent_jwk = { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(key_hex, 'hex').toString('base64url') }
      const { status, body } = await developer.post('/v1/vat/issue/l1', anIssueRequest({ agent_jwk }))
      assert.deepEqual([status, body.errors?.[0].pointer], [400, '/agent_jwk'], key_hex)
    }
    assert.equal(await app.test.logSize(), size)
  })

  test('is refused at issue when it is a private key', async () => {
    const agent_jwk = agent.key.private_key.export({ format: 'jwk' })
    const { status, body } = await developer.post('/v1/vat/issue/l1', anIssueRequest({ agent_jwk }))
    assert.deepEqual([status, body.errors[0].pointer], [400, '/agent_jwk'])
    assert.ok(!JSON.stringify(body).includes(String(agent_jwk.d)))
  })
})

describe('a token that is not bound to a key', async () => {
  const lax = app.withKey(await app.key('lax', 'developer'))
  const issue = async (client: typeof lax) =>
    String((await client.post('/v1/vat/issue/l1', anIssueRequest())).body.compact_jwt)
  const taken = await issue(lax)

  test('is issued and accepted as Bearer only if the tenant allows it', async () => {
    assert.equal((await app.anonymous.get(PATH, { authorization: `Bearer ${taken}` })).status, 200)
    const { status, body } = await developer.post('/v1/vat/issue/l1', anIssueRequest())
    assert.deepEqual([status, body.code], [403, 'key_required'])
  })

  test('is refused as soon as the tenant disallows it', async () => {
    await app.operator.call('PATCH', '/v1/vat/tenants/lax', { allow_bearer: false })
    const answer = await app.anonymous.get(PATH, { authorization: `Bearer ${taken}` })
    assertRefused(answer, 'bearer_refused', BAD_TOKEN)
    await app.operator.call('PATCH', '/v1/vat/tenants/lax', { allow_bearer: true })
    assert.equal((await app.anonymous.get(PATH, { authorization: `Bearer ${taken}` })).status, 200)
  })

  test('is refused with a proof of any key', async () => {
    const headers = dpop(agent.key, 'GET', PATH, taken, app.test.clock())
    assertRefused(await app.anonymous.get(PATH, headers), 'token_not_bound', BAD_TOKEN)
  })

  test('does not weaken tokens that are bound to one', async () => {
    const bound = await anAgent(app, lax)
    const answer = await app.anonymous.get(PATH, { authorization: `Bearer ${bound.compact_jwt}` })
    assertRefused(answer, 'proof_required', BAD_TOKEN)
  })
})

describe('an API key', async () => {
  const text = await app.key('strict', 'developer')
  const { key_id, secret } = readApiKey(text) ?? assert.fail('no key')
  const turned = (one: string) => `${one.startsWith('A') ? 'B' : 'A'}${one.slice(1)}`
  const wrong = {
    'with a wrong secret': apiKeyText({ key_id, secret: turned(secret) }),
    'with a wrong checksum': `${text.slice(0, -6)}${turned(text.slice(-6))}`,
    'with an unknown id': apiKeyText({ key_id: '00000000', secret }),
    'cut short': text.slice(0, -1),
    'of no form at all': 'dk_',
  }

  test('is accepted for the operations of its role', async () => {
    assert.equal((await app.withKey(text).get('/v1/vat/tokens')).status, 200)
  })

  test('that is wrong is refused with the same answer, whatever the fault', async () => {
    const answers = []
    for (const [name, key] of Object.entries(wrong)) {
      const answer = await app.withKey(key).get('/v1/vat/tokens', { 'x-request-id': 'same' })
      assertRefused(answer, 'key_refused', BAD_KEY)
      answers.push([name, answer] as const)
    }
    const [, first] = answers[0] ?? assert.fail()
    for (const [name, { body, headers }] of answers) {
      assert.deepEqual(body, first.body, name)
      const { date: _, ...rest } = headers
      const { date: __, ...wanted } = first.headers
      assert.deepEqual(rest, wanted, name)
    }
  })

  test('with another scheme, sent twice or with extra text is refused', async () => {
    for (const authorization of [
      `DPoP ${text}`,
      `Basic ${text}`,
      text,
      `Bearer ${text} x`,
      `Bearer ${text}, Bearer ${text}`,
      'Bearer',
      'Bearer ',
    ]) {
      const { status, body, headers } = await app.anonymous.get('/v1/vat/tokens', { authorization })
      assert.deepEqual([status, body.code], [401, 'credential_invalid'], authorization)
      assert.match(String(headers['www-authenticate']), /error="(invalid_request|invalid_token)"/)
    }
  })

  test('in the URL or the body is not a credential', async () => {
    const { status, body } = await app.anonymous.get(`/v1/vat/tokens?access_token=${text}`)
    assert.deepEqual([status, body.code], [401, 'credential_required'])
  })

  test('is requested with both schemes and no error code if it is missing', async () => {
    const { status, body, headers } = await app.anonymous.get('/v1/vat/tokens')
    assert.deepEqual([status, body.code], [401, 'credential_required'])
    assert.equal(headers['www-authenticate'], `DPoP ${ALGS}, Bearer`)
  })
})

describe('a session', () => {
  test('that is unknown or sent twice is refused', async () => {
    const secret = 'A'.repeat(43)
    const ended = await app.anonymous.get('/v1/vat/tokens', { cookie: `deputy_session=${secret}` })
    assert.deepEqual([ended.status, ended.body.reason], [401, 'session_ended'])
    assert.equal(ended.headers['www-authenticate'], `DPoP ${ALGS}, Bearer`)
    const twice = await app.anonymous.get('/v1/vat/tokens', {
      cookie: `deputy_session=${secret}; deputy_session=${secret}`,
    })
    assert.deepEqual([twice.status, twice.body.code], [401, 'credential_required'])
  })
})
