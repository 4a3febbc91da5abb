import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { aTestApp } from '@deputize/testing/a-test-app.ts'
import { anIssueRequest } from '@deputize/testing/an-issue-request.ts'
import { createLocalJWKSet, jwtVerify } from 'jose'

describe('tokens', () => {
  test('carry exactly the claims in the answer, with a signature that public tools verify', async (context) => {
    const service = await aTestApp(context)
    const { body } = await service.post(
      '/v1/vat/issue/l1',
      anIssueRequest({
        constraints: { max_spend_usd: 5, x_region: 'eu' },
        audience: 'https://api.example.com',
      }),
    )
    const keySet = (await service.get('/.well-known/jwks.json')).body
    const { payload, protectedHeader } = await jwtVerify(body.compact_jwt, createLocalJWKSet(keySet), {
      issuer: (await service.get('/.well-known/deputy.json')).body.issuer,
      audience: 'https://api.example.com',
      currentDate: new Date(service.clock()),
      typ: 'vat+jwt',
    })
    assert.deepEqual(payload, body.claims)
    assert.deepEqual([protectedHeader.alg, protectedHeader.kid], ['EdDSA', keySet.keys[0].kid])
    assert.deepEqual(payload.svc_constraints, { max_spend_usd: 5, x_region: 'eu' })
  })

  test('expire after a day by default, and after at most thirty days', async (context) => {
    const service = await aTestApp(context)
    const lifetime = async (changes: object) => {
      const { claims } = (await service.post('/v1/vat/issue/l1', anIssueRequest({ ...changes }))).body
      return claims.exp - claims.iat
    }
    assert.equal(await lifetime({}), 86_400)
    assert.equal(await lifetime({ expires_in: 60 }), 60)
    const tooLong = await service.post('/v1/vat/issue/l1', anIssueRequest({ expires_in: 2_592_001 }))
    assert.equal(tooLong.body.errors[0].pointer, '/expires_in')
  })

  test('apply the times of their constraints to nbf and exp', async (context) => {
    const service = await aTestApp(context)
    const issue = (constraints: object) => service.post('/v1/vat/issue/l1', anIssueRequest({ constraints }))
    const { claims, jti } = (
      await issue({ not_before: '2027-01-01T01:00:00Z', expires_at: '2027-01-01T02:00:00Z' })
    ).body
    assert.deepEqual([claims.nbf, claims.exp], [claims.iat + 3600, claims.iat + 7200])
    assert.equal((await service.get(`/v1/vat/tokens/${jti}`)).body.status, 'not_yet_valid')
    service.clock.advance(3_600_000)
    assert.equal((await service.get(`/v1/vat/tokens/${jti}`)).body.status, 'live')
    service.clock.advance(3_600_000)
    assert.equal((await service.get(`/v1/vat/tokens/${jti}`)).body.status, 'expired')
    const past = await issue({ expires_at: '2026-01-01T00:00:00Z' })
    assert.equal(past.body.errors[0].pointer, '/constraints/expires_at')
    const empty = await issue({ not_before: '2027-06-01T00:00:00Z' })
    assert.equal(empty.body.errors[0].pointer, '/constraints/not_before')
  })

  test('refuse an unknown constraint, and suggest similar or known ones', async (context) => {
    const service = await aTestApp(context)
    const { status, body } = await service.post(
      '/v1/vat/issue/l1',
      anIssueRequest({ constraints: { max_spend: 5 } }),
    )
    assert.deepEqual([status, body.errors[0].pointer], [400, '/constraints/max_spend'])
    assert.match(body.errors[0].detail, /max_spend_usd/)
  })

  test('are bound to a given agent key, and refuse a weak or private one', async (context) => {
    const service = await aTestApp(context)
    const issue = (agent_jwk: object) => service.post('/v1/vat/issue/l1', anIssueRequest({ agent_jwk }))
    const good = { kty: 'OKP', crv: 'Ed25519', x: 'ebVWLo_mVPlAeLES6KmLp5AfhTrmlb7X4OORC60ElmQ' }
    assert.match((await issue(good)).body.claims.cnf.jkt, /^[\w-]{43}$/)
    const weak = await issue({ ...good, x: 'AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA' })
    const secret = await issue({ ...good, d: 'AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA' })
    assert.deepEqual(
      [weak.body.errors[0].pointer, secret.body.errors[0].pointer],
      ['/agent_jwk', '/agent_jwk'],
    )
  })

  test('can be bound to a P-256 key that is a point on the curve', async (context) => {
    const service = await aTestApp(context)
    const issue = (agent_jwk: object) => service.post('/v1/vat/issue/l1', anIssueRequest({ agent_jwk }))
    const key = {
      kty: 'EC',
      crv: 'P-256',
      x: 'l8tFrhx-34tV3hRICRDY9zCkDlpBhF42UQUfWVAWBFs',
      y: '9VE4jf_Ok_o64zbTTlcuNJajHmt6v9TDVrU0CdvGRDA',
    }
    // The key and its thumbprint are from RFC 9449.
    assert.equal((await issue(key)).body.claims.cnf.jkt, '0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I')
    const elsewhere = await issue({ ...key, y: key.x })
    assert.deepEqual([elsewhere.status, elsewhere.body.errors[0].pointer], [400, '/agent_jwk'])
  })

  test('refuse a scope that would exceed the size limit of verifiers', async (context) => {
    const service = await aTestApp(context)
    const resources = Array.from({ length: 200 }, (_, i) => `files:${String(i).padStart(80, '0')}`)
    const { status, body } = await service.post('/v1/vat/issue/l1', anIssueRequest({ resources }))
    assert.deepEqual([status, body.code], [400, 'invalid_request'])
  })

  test('of the same person share a human_ref that does not reveal the address', async (context) => {
    const service = await aTestApp(context)
    const refOf = async (developer_email: string) =>
      (await service.post('/v1/vat/issue/l1', anIssueRequest({ developer_email }))).body.claims.svc_human_ref
    assert.equal(await refOf('Dev@Example.com'), await refOf('dev@example.com'))
    assert.notEqual(await refOf('dev@example.com'), await refOf('dev2@example.com'))
    assert.match(await refOf('dev@example.com'), /^sha256:[0-9a-f]{64}$/)
  })

  test('are revoked once, and a repeat succeeds', async (context) => {
    const service = await aTestApp(context)
    const { jti } = (await service.post('/v1/vat/issue/l1', anIssueRequest())).body
    const first = (await service.post('/v1/vat/revoke', { vat_jti: jti })).body
    service.clock.advance(5000)
    const second = (await service.post('/v1/vat/revoke', { vat_jti: jti })).body
    assert.deepEqual([first.revoked, first.already_revoked, first.revoked_count], [true, false, 1])
    assert.deepEqual(
      [second.revoked, second.already_revoked, second.revoked_at],
      [true, true, first.revoked_at],
    )
  })
})
