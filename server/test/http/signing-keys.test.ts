import assert from 'node:assert/strict'
import { createPrivateKey, sign } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { newId, signCompact, TOKEN_EXCHANGE, TOKEN_TYPE_JWT } from '@deputize/protocol'
import { aTestApp, type TestApp } from '@deputize/testing/a-test-app.ts'
import { anIssueRequest } from '@deputize/testing/an-issue-request.ts'
import { decodeJwt, decodeProtectedHeader } from 'jose'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

async function issue(service: TestApp) {
  const { body } = await service.post(
    '/v1/vat/issue/l1',
    anIssueRequest({ actions: ['read', 'delegate'], expires_in: 86_400 }),
  )
  return body
}

const kidOf = ({ compact_jwt }: { compact_jwt: string }) => decodeProtectedHeader(compact_jwt).kid ?? ''

const verdict = async (service: TestApp, { compact_jwt }: { compact_jwt: string }) => {
  const { body } = await service.post('/v1/vat/verify', { compact_jwt })
  return body.valid ? 'valid' : body.reason
}

const authorize = async (service: TestApp, { jti }: { jti: string }) => {
  const { body } = await service.post('/v1/vat/authorize', {
    vat_jti: jti,
    action: 'read',
    resource: 'calendar:events',
  })
  return body.authorized === true ? 'authorized' : body.reason
}

const isoBefore = ({ clock }: TestApp, ms: number) => new Date(clock() - ms).toISOString()

const withdraw = (service: TestApp, kid: string, from: string, headers = {}) =>
  service.post(`/v1/vat/signing-keys/${kid}/withdraw`, { from, reason: 'The disk was copied.' }, headers)

const publishedKids = async (service: TestApp): Promise<string[]> =>
  (await service.get('/.well-known/jwks.json')).body.keys.map(({ kid }: { kid: string }) => kid)

/** Signs tokens with the active key, like a thief of the key file. */
function theft({ directory }: TestApp) {
  const { keys } = JSON.parse(readFileSync(join(directory, 'keys.json'), 'utf8'))
  const stolen = keys.find(
    (key: { purpose: string; d?: string; active_from?: string }) =>
      key.purpose === 'tokens' && key.active_from !== undefined && key.d !== undefined,
  )
  const { kid, x, d } = stolen
  const key = createPrivateKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x, d } })
  return (claims: object) =>
    signCompact({ alg: 'EdDSA', typ: 'vat+jwt', kid }, claims, (data) => sign(null, data, key))
}

describe('a withdrawn signing key', () => {
  test('leaves the key set at once, and the next key signs', async (context) => {
    const service = await aTestApp(context)
    const before = await issue(service)
    const { data } = (await service.get('/v1/vat/signing-keys')).body
    const next = data.find(
      (key: { purpose: string; status: string }) => key.purpose === 'tokens' && key.status === 'next',
    )
    const { status, body } = await withdraw(service, kidOf(before), isoBefore(service, 0))
    assert.equal(status, 200)
    assert.deepEqual([body.kid, body.active_kid, body.already_withdrawn], [kidOf(before), next.kid, false])
    assert.equal((await publishedKids(service)).includes(kidOf(before)), false)
    assert.equal(kidOf(await issue(service)), next.kid)
    const listed = (await service.get('/v1/vat/signing-keys')).body.data.at(-1)
    assert.deepEqual([listed.kid, listed.status], [kidOf(before), 'withdrawn'])
    assert.doesNotMatch(JSON.stringify(listed), /"d"/)
  })

  test('voids everything that it signed since the given time, and nothing earlier', async (context) => {
    const service = await aTestApp(context)
    const early = await issue(service)
    service.clock.advance(HOUR_MS)
    const late = await issue(service)
    const child = (
      await service.post('/v1/vat/delegate', { vat_jti: late.jti, agent_id: 'b', actions: ['read'] })
    ).body
    service.clock.advance(HOUR_MS)
    const { body } = await withdraw(service, kidOf(early), isoBefore(service, HOUR_MS + MINUTE_MS))
    assert.equal(body.revoked_count, 2)
    assert.deepEqual(
      [await verdict(service, early), await authorize(service, early)],
      ['valid', 'authorized'],
    )
    for (const token of [late, child]) {
      assert.deepEqual(
        [await verdict(service, token), await authorize(service, token)],
        ['withdrawn_key', 'token_revoked'],
      )
      const form = { 'content-type': 'application/x-www-form-urlencoded' }
      const introspected = await service.post('/v1/vat/introspect', `token=${token.compact_jwt}`, form)
      assert.deepEqual(introspected.body, { active: false })
      const exchanged = await service.post(
        '/oauth/token',
        new URLSearchParams({
          grant_type: TOKEN_EXCHANGE,
          subject_token: token.compact_jwt,
          subject_token_type: TOKEN_TYPE_JWT,
        }).toString(),
        form,
      )
      assert.equal(exchanged.status, 400)
      const renewed = await service.post('/v1/vat/renew', { vat_jti: token.jti, expires_in: 60 })
      assert.equal(renewed.body.code, 'token_not_live')
    }
    assert.equal((await service.post('/v1/vat/delegate', { vat_jti: late.jti, agent_id: 'c' })).status, 403)
  })

  test('lets the holder of an earlier token renew it with the new key', async (context) => {
    const service = await aTestApp(context)
    const early = await issue(service)
    service.clock.advance(HOUR_MS)
    const { body } = await withdraw(service, kidOf(early), isoBefore(service, MINUTE_MS))
    const renewed = await service.post('/v1/vat/renew', { vat_jti: early.jti, expires_in: 3_600 })
    assert.equal(renewed.status, 201)
    assert.equal(kidOf(renewed.body), body.active_kid)
    assert.deepEqual(
      [await verdict(service, renewed.body), await authorize(service, renewed.body)],
      ['valid', 'authorized'],
    )
  })

  test('voids a renewal that it signed, and not the earlier token that was renewed', async (context) => {
    const service = await aTestApp(context)
    const early = await issue(service)
    service.clock.advance(HOUR_MS)
    const renew = () => service.post('/v1/vat/renew', { vat_jti: early.jti, expires_in: 7_200 })
    const late = (await renew()).body
    const { body } = await withdraw(service, kidOf(late), isoBefore(service, MINUTE_MS))
    assert.equal(body.revoked_count, 1)
    assert.deepEqual(
      [await authorize(service, late), await authorize(service, early)],
      ['token_revoked', 'authorized'],
    )
    assert.equal((await renew()).status, 201)
  })

  test('is useless for a thief: forged tokens are rejected whatever date they carry', async (context) => {
    const service = await aTestApp(context)
    const honest = await issue(service)
    const forge = theft(service)
    const { iat, exp, ...claims } = decodeJwt(honest.compact_jwt)
    const jti = newId('root_token', service.clock())
    const forged = await Promise.all(
      [-3_600, 0, 60].map((shift) =>
        forge({ ...claims, jti, svc_root_jti: jti, iat: Number(iat) + shift, exp }),
      ),
    )
    service.clock.advance(HOUR_MS)
    await withdraw(service, kidOf(honest), isoBefore(service, HOUR_MS))
    const reasons = await Promise.all(forged.map((compact_jwt) => verdict(service, { compact_jwt })))
    assert.deepEqual(reasons, ['not_issued', 'withdrawn_key', 'withdrawn_key'])
  })

  test('is named in the log, the revocation feed and the status list', async (context) => {
    const service = await aTestApp(context)
    const kid = kidOf(await issue(service))
    const from = isoBefore(service, 0)
    const { body } = await withdraw(service, kid, from)
    const leaf = JSON.parse((await service.leafTexts())[body.log_index] ?? '')
    assert.deepEqual([leaf.type, leaf.kid, leaf.from], ['key.withdrawn', kid, from])
    assert.equal(JSON.stringify(leaf).includes('disk'), false)
    const feed = (await service.get('/v1/vat/revocations')).body.jwt
    const list = (await service.get('/v1/vat/status-list')).body
    const { entries } = decodeJwt(feed) as { entries: { kind: string }[] }
    const entry = entries.find(({ kind }) => kind === 'withdrawn')
    assert.deepEqual(entry, { log_index: body.log_index, at: leaf.at, kind: 'withdrawn', kid, from })
    assert.deepEqual(decodeJwt(list).withdrawn_keys, [{ kid, from }])
  })

  test('can be withdrawn again, which may extend the withdrawal but never shortens it', async (context) => {
    const service = await aTestApp(context)
    const early = await issue(service)
    service.clock.advance(HOUR_MS)
    const kid = kidOf(early)
    const first = await withdraw(service, kid, isoBefore(service, 0))
    assert.deepEqual([first.body.revoked_count, await verdict(service, early)], [0, 'valid'])
    const second = await withdraw(service, kid, isoBefore(service, 2 * HOUR_MS))
    assert.deepEqual(
      [second.body.already_withdrawn, second.body.revoked_count, await verdict(service, early)],
      [true, 1, 'withdrawn_key'],
    )
    const third = await withdraw(service, kid, isoBefore(service, 0))
    assert.equal(third.body.withdrawn_from, second.body.withdrawn_from)
  })

  test('must be known, and withdrawn from a time in the past', async (context) => {
    const service = await aTestApp(context)
    assert.equal((await withdraw(service, 'nope', isoBefore(service, 0))).body.code, 'signing_key_unknown')
    const kid = kidOf(await issue(service))
    assert.equal((await withdraw(service, kid, isoBefore(service, -1_000))).body.code, 'invalid_request')
    assert.equal((await publishedKids(service)).includes(kid), true)
  })
})

describe('the signing keys', () => {
  test('sign for one purpose each', async (context) => {
    const service = await aTestApp(context)
    const token = await issue(service)
    const feed = (await service.get('/v1/vat/revocations')).body.jwt
    const list = (await service.get('/v1/vat/status-list')).body
    const { keys } = (await service.get('/.well-known/jwks.json')).body
    const purposes = [token.compact_jwt, list, feed].map(
      (jwt) => keys.find(({ kid }: { kid: string }) => kid === decodeProtectedHeader(jwt).kid).purpose,
    )
    assert.deepEqual(purposes, ['tokens', 'status_lists', 'statements'])
  })

  test('are published before they sign, and are not rotated before every verifier can have them', async (context) => {
    const service = await aTestApp(context)
    const rotate = () => service.post('/v1/vat/signing-keys/rotate')
    const before = await publishedKids(service)
    const first = await rotate()
    assert.ok(before.includes(first.body.kid))
    assert.equal(kidOf(await issue(service)), first.body.kid)
    const soon = await rotate()
    assert.deepEqual([soon.status, soon.body.code], [409, 'rotation_too_soon'])
    const published = await publishedKids(service)
    service.clock.advance(Date.parse(soon.body.ready_at) - service.clock())
    const second = await rotate()
    assert.equal(second.status, 201)
    assert.ok(published.includes(second.body.kid))
  })
})
