import assert from 'node:assert/strict'
import { createPrivateKey, hash, sign } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { inflateSync } from 'node:zlib'
import { signCompact, TOKEN_EXCHANGE, TOKEN_TYPE_JWT } from '@deputize/protocol'
import { type Answer, aTestApp, TEST_URL, type TestApp } from '@deputize/testing/a-test-app.ts'
import { anIssueRequest } from '@deputize/testing/an-issue-request.ts'
import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose'
import { LOCAL_CALLER } from '../../src/access/caller.ts'
import { callerOf } from '../some-callers.ts'

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const DELEGABLE = { actions: ['read', 'write', 'delegate'] }

async function issue(service: TestApp, changes: Record<string, unknown> = {}) {
  const { status, body } = await service.post(
    '/v1/vat/issue/l1',
    anIssueRequest({ ...DELEGABLE, ...changes }),
  )
  assert.equal(status, 200)
  return body
}

async function delegate(service: TestApp, vat_jti: string, changes: Record<string, unknown> = {}) {
  const { status, body } = await service.post('/v1/vat/delegate', {
    vat_jti,
    agent_id: 'summary-bot',
    actions: ['read', 'delegate'],
    ...changes,
  })
  assert.equal(status, 201)
  return body
}

const verify = async (service: TestApp, compact_jwt: string, audience?: string) =>
  (await service.post('/v1/vat/verify', { compact_jwt, ...(audience !== undefined && { audience }) })).body

const postForm = (service: TestApp, path: string, fields: Record<string, string> | string) =>
  service.post(path, typeof fields === 'string' ? fields : new URLSearchParams(fields).toString(), FORM)

const introspect = async (service: TestApp, token: string) =>
  (await postForm(service, '/v1/vat/introspect', { token })).body

function exchange(
  service: TestApp,
  subject_token: string,
  changes: Record<string, string> = {},
): Promise<Answer> {
  return postForm(service, '/oauth/token', {
    grant_type: TOKEN_EXCHANGE,
    subject_token,
    subject_token_type: TOKEN_TYPE_JWT,
    ...changes,
  })
}

/** Signs with the key of the running service, like an attacker who stole the key file. */
function thief({ directory }: TestApp) {
  const { keys } = JSON.parse(readFileSync(join(directory, 'keys.json'), 'utf8'))
  const { kid, x, d } = keys[0]
  const key = createPrivateKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x, d } })
  return (claims: object, typ = 'vat+jwt') =>
    signCompact({ alg: 'EdDSA', typ, kid }, claims, (data) => sign(null, data, key))
}

async function verified(service: TestApp, jwt: string, typ: string) {
  const { body: keySet } = await service.get('/.well-known/jwks.json')
  const { body: deployment } = await service.get('/.well-known/deputy.json')
  const { payload } = await jwtVerify(jwt, createLocalJWKSet(keySet), {
    issuer: deployment.issuer,
    typ,
    currentDate: new Date(service.clock()),
  })
  // biome-ignore lint/suspicious/noExplicitAny: the test asserts the shape
  return payload as any
}

const revocations = async (service: TestApp, since = 0) =>
  verified(service, (await service.get(`/v1/vat/revocations?since=${since}`)).body.jwt, 'revocations+jwt')

async function statusOf(service: TestApp, claims: { status: { status_list: { idx: number } } }) {
  service.clock.advance(5_000)
  const { body } = await service.get('/v1/vat/status-list')
  const { status_list } = await verified(service, body, 'statuslist+jwt')
  assert.equal(status_list.bits, 2)
  const list = inflateSync(Buffer.from(status_list.lst, 'base64url'))
  const { idx } = claims.status.status_list
  return ((list[idx >> 2] ?? assert.fail('the list has no such place')) >> ((idx & 3) * 2)) & 3
}

describe('verify', () => {
  test('accepts a delegated token and returns its chain', async (context) => {
    const service = await aTestApp(context)
    const root = await issue(service)
    const child = await delegate(service, root.jti)
    const answer = await verify(service, child.compact_jwt)
    assert.equal(answer.valid, true)
    assert.equal(answer.reason, undefined)
    assert.deepEqual(answer.claims, child.claims)
    assert.deepEqual(
      answer.chain.map(({ jti, status }: { jti: string; status: string }) => [jti, status]),
      [
        [child.jti, 'live'],
        [root.jti, 'live'],
      ],
    )
  })

  test('rejects, with the reason, a broken or foreign token and one for another audience', async (context) => {
    const service = await aTestApp(context)
    const other = await aTestApp(context)
    const { compact_jwt, claims } = await issue(service, { audience: 'https://a.example' })
    const [head, body] = compact_jwt.split('.')
    const forged = await thief(service)({ ...claims, sub: 'agent:other' })
    const cases: [string, string][] = [
      ['malformed', 'x'],
      ['malformed', `${compact_jwt}=`],
      ['bad_signature', `${head}.${body}.${forged.split('.')[2]}`],
      ['unknown_key', (await issue(other)).compact_jwt],
      ['wrong_issuer', await thief(service)({ ...claims, iss: 'urn:other' })],
      ['wrong_type', await thief(service)(claims, 'at+jwt')],
      ['lifetime_too_long', await thief(service)({ ...claims, exp: claims.iat + 2_592_001 })],
    ]
    for (const [reason, token] of cases) {
      const answer = await verify(service, token)
      assert.deepEqual(answer, { valid: false, reason, chain: [] })
      assert.deepEqual(await introspect(service, token), { active: false })
      const { status, body } = await exchange(service, token)
      assert.deepEqual([status, body.error], [400, 'invalid_request'], reason)
    }
    assert.equal((await verify(service, compact_jwt, 'https://a.example')).valid, true)
    assert.equal((await verify(service, compact_jwt, 'https://b.example')).reason, 'wrong_audience')
  })

  test('rejects a token that the real key signed but the log does not contain', async (context) => {
    const service = await aTestApp(context)
    const { claims } = await issue(service)
    const signWith = thief(service)
    const unknown = await signWith({ ...claims, jti: 'vat_root_never_issued' })
    const widened = await signWith({ ...claims, svc_scope: { resources: ['bank:*'], actions: ['pay'] } })
    for (const token of [unknown, widened]) {
      assert.deepEqual(await verify(service, token), { valid: false, reason: 'not_issued', chain: [] })
      assert.deepEqual(await introspect(service, token), { active: false })
      assert.equal((await exchange(service, token)).body.error, 'invalid_request')
    }
  })

  test('depends on the times and on every mark on the chain', async (context) => {
    const service = await aTestApp(context)
    const reasonOf = async (token: string) => (await verify(service, token)).reason
    const short = await issue(service, { expires_in: 60 })
    const root = await issue(service, { developer_email: 'second@example.com' })
    const child = await delegate(service, root.jti)
    await service.post(`/v1/vat/tokens/${root.jti}/suspend`)
    assert.equal(await reasonOf(child.compact_jwt), 'token_suspended')
    await service.post(`/v1/vat/tokens/${root.jti}/resume`)
    assert.equal(await reasonOf(child.compact_jwt), undefined)
    await service.post('/v1/vat/agents/calendar-bot/suspend')
    assert.equal(await reasonOf(child.compact_jwt), 'agent_suspended')
    await service.post('/v1/vat/agents/calendar-bot/resume')
    await service.post('/v1/vat/revoke', { vat_jti: root.jti })
    const answer = await verify(service, child.compact_jwt)
    assert.deepEqual(
      [answer.valid, answer.reason, answer.chain[0].status],
      [false, 'token_revoked', 'revoked'],
    )
    assert.deepEqual(await introspect(service, child.compact_jwt), { active: false })
    assert.match(
      (await exchange(service, child.compact_jwt)).body.error_description,
      /not valid: token_revoked/,
    )
    service.clock.advance(60_000)
    assert.equal(await reasonOf(short.compact_jwt), 'expired')
  })
})

describe('introspection', () => {
  test('returns the claims of an active token in the form of RFC 7662', async (context) => {
    const service = await aTestApp(context)
    const { jti } = await issue(service)
    const { compact_jwt, claims } = await delegate(service, jti)
    const { status, headers, body } = await postForm(service, '/v1/vat/introspect', {
      token: compact_jwt,
      token_type_hint: 'access_token',
    })
    assert.deepEqual([status, headers['cache-control']], [200, 'no-store'])
    const { active, scope, client_id, token_type, ...rest } = body
    assert.deepEqual([active, client_id, token_type], [true, claims.sub, 'Bearer'])
    assert.equal(scope, 'read@calendar:events read@email:read delegate@calendar:events delegate@email:read')
    assert.deepEqual(rest, claims)
    assert.equal(rest.act.sub, 'agent:calendar-bot')
  })

  test('accepts only a form, with each known parameter once', async (context) => {
    const service = await aTestApp(context)
    const { compact_jwt: token } = await issue(service)
    const json = await service.post('/v1/vat/introspect', { token })
    assert.deepEqual([json.status, json.body.error], [415, 'invalid_request'])
    for (const type of ['application/json', 'text/plain']) {
      const headers = { 'content-type': type }
      const { body } = await service.post('/v1/vat/introspect', '{}', headers)
      assert.equal(
        body.error_description,
        'Send the header Content-Type: application/x-www-form-urlencoded.',
        type,
      )
    }
    for (const path of ['/v1/vat/issue/l1', '/v1/vat/verify', '/v1/vat/signing-keys/rotate']) {
      const { status, body } = await postForm(service, path, { token })
      assert.deepEqual([status, body.code], [415, 'unsupported_media_type'], path)
    }
    for (const form of [
      `token=${token}&token=${token}`,
      `token=${token}&__proto__=x`,
      `token=${token}&unknown=x`,
      'token=',
      'token',
      '',
      'token=%zz',
      'token=%ff',
      Array.from({ length: 33 }, (_, index) => `p${index}=1`).join('&'),
    ]) {
      const { status, body } = await postForm(service, '/v1/vat/introspect', form)
      assert.deepEqual([status, body.error], [400, 'invalid_request'], form.slice(0, 40))
    }
    const { body } = await postForm(service, '/v1/vat/introspect', `token=${token}&token_type_hint=`)
    assert.equal(body.active, true)
  })
})

describe('token exchange', () => {
  test('issues a narrower token that verifies', async (context) => {
    const service = await aTestApp(context)
    const parent = await issue(service)
    const { status, headers, body } = await exchange(service, parent.compact_jwt, {
      scope: 'read@calendar:events',
      agent_id: 'summary-bot',
      audience: 'https://api.example.com',
      expires_in: '120',
    })
    assert.deepEqual([status, headers['cache-control']], [200, 'no-store'])
    const { access_token, ...rest } = body
    assert.deepEqual(rest, {
      issued_token_type: TOKEN_TYPE_JWT,
      token_type: 'Bearer',
      expires_in: 120,
      scope: 'read@calendar:events',
    })
    const claims = await verified(service, access_token, 'vat+jwt')
    assert.deepEqual(
      [claims.sub, claims.act, claims.aud, claims.svc_parent_jti],
      ['agent:summary-bot', { sub: 'agent:calendar-bot' }, 'https://api.example.com', parent.jti],
    )
    assert.equal((await verify(service, access_token, 'https://api.example.com')).valid, true)
  })

  test('inherits omitted members, for the same agent', async (context) => {
    const service = await aTestApp(context)
    const { compact_jwt } = await issue(service)
    const { body } = await exchange(service, compact_jwt, { client_id: 'a-library' })
    const claims = decodeJwt(body.access_token)
    assert.equal(claims.sub, 'agent:calendar-bot')
    assert.deepEqual(claims.svc_scope, {
      resources: ['calendar:events', 'email:read'],
      actions: ['read', 'write'],
    })
  })

  test('refuses with OAuth errors, and issues no token', async (context) => {
    const service = await aTestApp(context)
    const { compact_jwt } = await issue(service, { audience: 'https://a.example' })
    const leaf = await issue(service, { actions: ['read'] })
    const cases: [string, Promise<Answer>][] = [
      ['unsupported_grant_type', exchange(service, compact_jwt, { grant_type: 'client_credentials' })],
      ['unsupported_grant_type', postForm(service, '/oauth/token', 'grant_type=authorization_code&code=x')],
      ['invalid_request', postForm(service, '/oauth/token', 'code=x')],
      ['invalid_request', exchange(service, compact_jwt, { subject_token_type: 'urn:x' })],
      ['invalid_request', exchange(service, compact_jwt, { requested_token_type: 'urn:x' })],
      ['invalid_request', exchange(service, compact_jwt, { unknown: 'x' })],
      ['invalid_request', exchange(service, compact_jwt, { expires_in: 'soon' })],
      ['invalid_request', exchange(service, compact_jwt, { expires_in: '2592000' })],
      ['invalid_request', exchange(service, compact_jwt, { agent_id: 'agent:"x"' })],
      ['invalid_request', exchange(service, leaf.compact_jwt)],
      ['invalid_request', postForm(service, '/oauth/token', `grant_type=a&grant_type=b`)],
      ['invalid_scope', exchange(service, compact_jwt, { scope: 'pay@calendar:events' })],
      ['invalid_scope', exchange(service, compact_jwt, { scope: 'read@calendar:*' })],
      ['invalid_scope', exchange(service, compact_jwt, { scope: 'read' })],
      ['invalid_scope', exchange(service, compact_jwt, { scope: '@calendar:events' })],
      ['invalid_scope', exchange(service, compact_jwt, { scope: ' ' })],
      ['invalid_target', exchange(service, compact_jwt, { audience: 'https://b.example' })],
    ]
    for (const [error, answer] of cases) {
      const { status, headers, body } = await answer
      assert.deepEqual([status, body.error], [400, error], body.error_description)
      assert.deepEqual(Object.keys(body), ['error', 'error_description'])
      assert.match(body.error_description, /^[\x20\x21\x23-\x5b\x5d-\x7e]+$/)
      assert.equal(headers['cache-control'], 'no-store')
    }
    assert.equal((await service.get('/v1/vat/tokens')).body.data.length, 2)
    assert.equal((await service.post('/oauth/token', { grant_type: TOKEN_EXCHANGE })).status, 415)
  })

  test('can be repeated safely with one Idempotency-Key', async (context) => {
    const service = await aTestApp(context)
    const { compact_jwt } = await issue(service)
    const form = new URLSearchParams({
      grant_type: TOKEN_EXCHANGE,
      subject_token: compact_jwt,
      subject_token_type: TOKEN_TYPE_JWT,
    }).toString()
    const call = () => service.post('/oauth/token', form, { ...FORM, 'idempotency-key': 'once' })
    const [first, second] = [await call(), await call()]
    assert.equal(second.headers['idempotency-replayed'], 'true')
    assert.equal(first.body.access_token, second.body.access_token)
  })
})

describe('metadata', () => {
  test('contains working URLs for OAuth clients, and can be cached', async (context) => {
    const service = await aTestApp(context)
    const { headers, body } = await service.get('/.well-known/oauth-authorization-server')
    assert.equal(headers['cache-control'], 'public, max-age=300')
    assert.equal(body.issuer, (await service.get('/.well-known/deputy.json')).body.issuer)
    assert.deepEqual(body.grant_types_supported, [TOKEN_EXCHANGE])
    const keySet = await service.get(new URL(body.jwks_uri).pathname)
    assert.deepEqual([keySet.status, keySet.headers['cache-control']], [200, 'public, max-age=60'])
    const { compact_jwt: token } = await issue(service)
    const { pathname } = new URL(body.introspection_endpoint)
    assert.equal((await postForm(service, pathname, { token })).body.active, true)
    assert.equal(new URL(body.token_endpoint).pathname, '/oauth/token')
  })
})

describe('the issuer in open mode', () => {
  test('is a URL from which RFC 8414 derives the URL of the metadata', async (context) => {
    const service = await aTestApp(context)
    const { issuer } = (await service.get('/.well-known/deputy.json')).body
    const { pathname } = new URL(issuer)
    const { status, headers, body } = await service.get(`/.well-known/oauth-authorization-server${pathname}`)
    assert.deepEqual([status, headers['cache-control']], [200, 'public, max-age=300'])
    assert.equal(body.issuer, issuer)
    assert.deepEqual(body, (await service.get('/.well-known/oauth-authorization-server')).body)
    assert.equal((await issue(service)).claims.iss, issuer)
  })

  test('accepts tokens with the URN and the relative status list of early versions', async (context) => {
    const service = await aTestApp(context)
    const issuer = `urn:deputy:open:${service.context.keys.instance}`
    const early = { context: { ...service.context, issuer, public_url: () => '' } }
    const issued = await callerOf(early, LOCAL_CALLER)('issueL1', {
      body: anIssueRequest(DELEGABLE) as never, // a valid body
    })
    const { iss, status } = issued.claims
    assert.deepEqual([iss, status?.status_list.uri], [issuer, '/v1/vat/status-list'])
    assert.equal((await verify(service, issued.compact_jwt)).valid, true)
    assert.equal((await introspect(service, issued.compact_jwt)).active, true)
    assert.equal((await exchange(service, issued.compact_jwt)).status, 200)
    const child = await delegate(service, issued.jti)
    assert.equal((await verify(service, child.compact_jwt)).valid, true)
  })

  test('contains the address, and a token from another port stays valid', async (context) => {
    const service = await aTestApp(context)
    const elsewhere = {
      context: { ...service.context, issuer: service.context.issuer.replace('localhost', '127.0.0.1:9') },
    }
    const issued = await callerOf(elsewhere, LOCAL_CALLER)('issueL1', {
      body: anIssueRequest(DELEGABLE) as never, // a valid body
    })
    assert.notEqual(issued.claims.iss, service.context.issuer)
    assert.equal((await verify(service, issued.compact_jwt)).valid, true)
  })
})

describe('key rotation', () => {
  test('signs new tokens with the new key, and tokens of the old key stay valid', async (context) => {
    const service = await aTestApp(context)
    const before = await issue(service)
    const { status, body } = await service.post('/v1/vat/signing-keys/rotate')
    const after = await issue(service)
    assert.equal(status, 201)
    assert.equal(decodeProtectedHeader(after.compact_jwt).kid, body.kid)
    assert.notEqual(decodeProtectedHeader(before.compact_jwt).kid, body.kid)
    for (const { compact_jwt } of [before, after]) {
      assert.equal((await verify(service, compact_jwt)).valid, true)
      await verified(service, compact_jwt, 'vat+jwt')
    }
    const { data } = (await service.get('/v1/vat/signing-keys')).body
    const signing = data.filter(({ purpose }: { purpose: string }) => purpose === 'tokens')
    assert.deepEqual(
      signing.map(({ status }: { status: string }) => status),
      ['active', 'next', 'retired'],
    )
    assert.deepEqual(
      [signing[0].kid, signing[2].kid],
      [body.kid, decodeProtectedHeader(before.compact_jwt).kid],
    )
    assert.equal(signing[2].published_until, '2027-01-31T00:00:00.000Z')
    assert.doesNotMatch(JSON.stringify(data), /"d"/)
  })

  test('is logged, and happens once per Idempotency-Key', async (context) => {
    const service = await aTestApp(context)
    const rotate = () => service.post('/v1/vat/signing-keys/rotate', undefined, { 'idempotency-key': 'once' })
    const [first, second] = [await rotate(), await rotate()]
    assert.deepEqual(first.body, second.body)
    const { data } = (await service.get('/v1/vat/signing-keys')).body
    assert.deepEqual([data.length, data[0].kid], [9, first.body.kid])
    const { type, kid } = JSON.parse((await service.leafTexts())[first.body.log_index] ?? '')
    assert.deepEqual([type, kid], ['key.rotated', first.body.kid])
  })
})

describe('the revocation feed', () => {
  test('lists every revocation and suspension since a log index, signed', async (context) => {
    const service = await aTestApp(context)
    const root = await issue(service)
    await service.post('/v1/vat/record/action', {
      vat_jti: root.jti,
      action: 'read',
      resource: 'calendar:events',
      result: 'success',
    })
    await service.post(`/v1/vat/tokens/${root.jti}/suspend`)
    await service.post(`/v1/vat/tokens/${root.jti}/resume`)
    await service.post('/v1/vat/revoke', { vat_jti: root.jti, reason: '"type":"token.revoked","v":1}' })
    const half = await revocations(service)
    assert.deepEqual([half.since, half.until, half.has_more], [0, 5, false])
    const token = `sha256:${hash('sha256', root.jti)}`
    const at = '2027-01-01T00:00:00.000Z'
    assert.deepEqual(half.entries, [
      { log_index: 2, at, kind: 'suspended', token },
      { log_index: 3, at, kind: 'resumed', token },
      { log_index: 4, at, kind: 'revoked', token },
    ])
    await service.post('/v1/vat/agents/calendar-bot/suspend')
    await service.post('/v1/vat/agents/calendar-bot/resume')
    await service.post('/v1/vat/revoke/agent', { agent_id: 'calendar-bot' })
    const human_ref = root.claims.svc_human_ref
    await service.post('/v1/vat/revoke/human', { human_ref })
    const agent_id = 'agent:calendar-bot'
    assert.deepEqual((await revocations(service, half.until)).entries, [
      { log_index: 5, at, kind: 'suspended', agent_id },
      { log_index: 6, at, kind: 'resumed', agent_id },
      { log_index: 7, at, kind: 'revoked', agent_id, below: 7 },
      { log_index: 8, at, kind: 'revoked', human_ref, below: 8 },
    ])
    assert.deepEqual((await revocations(service, 9)).entries, [])
    const beyond = await service.get('/v1/vat/revocations?since=10')
    assert.deepEqual([beyond.status, beyond.body.errors[0].pointer], [400, '?since'])
  })

  test('never contains a token id, and has pages of a thousand entries', async (context) => {
    const service = await aTestApp(context)
    const { jti } = await issue(service)
    const flips = Array.from({ length: 1_100 }, (_, index) => (index % 2 === 0 ? 'suspend' : 'resume'))
    for (const flip of flips) await service.post(`/v1/vat/tokens/${jti}/${flip}`)
    const first = await revocations(service)
    assert.deepEqual([first.entries.length, first.has_more, first.until], [1_000, true, 1_001])
    assert.ok(!JSON.stringify(first).includes(jti))
    const second = await revocations(service, first.until)
    assert.deepEqual([second.entries.length, second.has_more, second.until], [100, false, 1_101])
  })
})

describe('the status list', () => {
  test('shows a revoked or suspended token with all its descendants', async (context) => {
    const service = await aTestApp(context)
    const root = await issue(service)
    const child = await delegate(service, root.jti)
    const sibling = await delegate(service, root.jti, { agent_id: 'other-bot' })
    const grandchild = await delegate(service, child.jti, { agent_id: 'third-bot' })
    const all = async () =>
      [
        await statusOf(service, root.claims),
        await statusOf(service, child.claims),
        await statusOf(service, sibling.claims),
        await statusOf(service, grandchild.claims),
      ].join('')
    assert.equal(await all(), '0000')
    await service.post(`/v1/vat/tokens/${root.jti}/suspend`)
    assert.equal(await all(), '2222')
    await service.post('/v1/vat/revoke', { vat_jti: child.jti })
    assert.equal(await all(), '2121')
    await service.post(`/v1/vat/tokens/${root.jti}/resume`)
    assert.equal(await all(), '0101')
    await service.post('/v1/vat/agents/other-bot/suspend')
    assert.equal(await all(), '0121')
    await service.post('/v1/vat/revoke/human', { human_ref: root.claims.svc_human_ref })
    assert.equal(await all(), '1111')
    assert.equal(await statusOf(service, (await issue(service)).claims), 0)
  })

  test('shows tokens revoked with their agent, but not later tokens of the agent', async (context) => {
    const service = await aTestApp(context)
    const early = await issue(service)
    const below = await delegate(service, early.jti)
    await service.post('/v1/vat/revoke/agent', { agent_id: 'calendar-bot' })
    const late = await issue(service)
    assert.equal(await statusOf(service, early.claims), 1)
    assert.equal(await statusOf(service, below.claims), 1)
    assert.equal(await statusOf(service, late.claims), 0)
  })

  test('is valid for a minute, names its own URL, and is refreshed after five seconds', async (context) => {
    const service = await aTestApp(context)
    const { claims, jti } = await issue(service)
    const { status, headers, body } = await service.get('/v1/vat/status-list')
    assert.deepEqual([status, headers['content-type']], [200, 'application/statuslist+jwt'])
    const list = await verified(service, body, 'statuslist+jwt')
    assert.equal(list.sub, `${TEST_URL}/v1/vat/status-list`)
    assert.deepEqual([list.sub, list.exp - list.iat, list.ttl], [claims.status.status_list.uri, 60, 60])
    await service.post('/v1/vat/revoke', { vat_jti: jti })
    assert.equal((await service.get('/v1/vat/status-list')).body, body)
    assert.equal(await statusOf(service, claims), 1)
  })
})

describe('a statement of the service', () => {
  test('is never accepted as a token', async (context) => {
    const service = await aTestApp(context)
    await issue(service)
    const feed = (await service.get('/v1/vat/revocations')).body.jwt
    const list = (await service.get('/v1/vat/status-list')).body
    for (const statement of [feed, list]) {
      assert.deepEqual(await verify(service, statement), { valid: false, reason: 'wrong_type', chain: [] })
      assert.deepEqual(await introspect(service, statement), { active: false })
      assert.equal((await exchange(service, statement)).body.error, 'invalid_request')
    }
  })
})
