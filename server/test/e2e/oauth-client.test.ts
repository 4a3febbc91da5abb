import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { TOKEN_EXCHANGE, TOKEN_TYPE_ACCESS, TOKEN_TYPE_JWT } from '@deputize/protocol'
import { type AgentKey, deputy, newAgentKey } from '@deputize/sdk'
import { aKeyedDeployment } from '@deputize/testing/a-deployment.ts'
import { calculateJwkThumbprint, decodeJwt, exportJWK } from 'jose'
import * as oauth from 'oauth4webapi'
import { proofOf } from '../../../sdk/node/src/calls/agent-key.ts'

/** The program runs without TLS on this machine. */
const INSECURE = { [oauth.allowInsecureRequests]: true }
const CALENDAR = 'https://calendar.example'

describe('a stock OAuth client in keyed mode', async () => {
  const { operator, client, url, token } = await aKeyedDeployment({ after })
  const issuer = new URL(url)
  const discovered = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...INSECURE })
  const server = await oauth.processDiscoveryResponse(issuer, discovered)
  const anyone: oauth.Client = { client_id: 'calendar-bot' }

  /** A key pair of the client library, and a token that is bound to it. */
  async function aBoundToken() {
    const pair = await oauth.generateKeyPair('ES256', { extractable: true })
    const { kty, crv, x, y } = await exportJWK(pair.publicKey)
    const jwk = { kty, crv, x, y }
    const issued = await token({ agent_jwk: jwk })
    return {
      ...issued,
      pair,
      jkt: await calculateJwkThumbprint(jwk as Parameters<typeof calculateJwkThumbprint>[0]),
    }
  }

  /** Exchanges a token as the library documents it, and again if the service asks for a nonce. */
  async function exchange(
    subject_token: string,
    pair?: oauth.CryptoKeyPair,
    more: Record<string, string> = {},
  ) {
    const options = { ...(pair !== undefined && { DPoP: oauth.DPoP(anyone, pair) }), ...INSECURE }
    const request = () =>
      oauth.genericTokenEndpointRequest(
        server,
        anyone,
        oauth.None(),
        TOKEN_EXCHANGE,
        { subject_token, subject_token_type: TOKEN_TYPE_ACCESS, ...more },
        options,
      )
    const read = async () => oauth.processGenericTokenEndpointResponse(server, anyone, await request())
    return read().catch((error: unknown) => {
      if (oauth.isDPoPNonceError(error)) return read()
      throw error
    })
  }

  const errorOf = (call: Promise<unknown>) =>
    call.then(
      () => 'ok',
      (error: unknown) => {
        assert.ok(
          error instanceof oauth.ResponseBodyError || error instanceof oauth.WWWAuthenticateChallengeError,
          String(error),
        )
        return error instanceof oauth.ResponseBodyError ? error.error : 'invalid_client'
      },
    )

  async function aClient(role: 'developer' | 'resource_server' | 'auditor') {
    const { key, key_id } = await operator.createKey({
      name: role,
      role,
      ...(role === 'resource_server' && { audience: CALENDAR }),
    })
    return {
      as: { client_id: key_id },
      basic: oauth.ClientSecretBasic(key),
      post: oauth.ClientSecretPost(key),
    }
  }

  async function isActive(compact_jwt: string): Promise<unknown> {
    const { as, basic } = await aClient('auditor')
    const answer = await oauth.introspectionRequest(server, as, basic, compact_jwt, INSECURE)
    return (await oauth.processIntrospectionResponse(server, as, answer)).active
  }

  test('exchanges a token with a proof of its key, and the new token is bound to that key', async () => {
    const { compact_jwt, pair, jkt } = await aBoundToken()
    const answer = await exchange(compact_jwt, pair, {
      scope: 'read@calendar:events',
      resource: CALENDAR,
      requested_token_type: TOKEN_TYPE_ACCESS,
    })
    const { cnf, aud } = decodeJwt(answer.access_token)
    assert.deepEqual([cnf, aud], [{ jkt }, CALENDAR])
    assert.equal(answer.token_type, 'dpop')
    assert.equal(answer.issued_token_type, TOKEN_TYPE_ACCESS)
    assert.equal(answer.scope, 'read@calendar:events')
    const { jti: vat_jti } = decodeJwt(answer.access_token)
    const DPoP = oauth.DPoP(anyone, pair)
    const record = () =>
      oauth.protectedResourceRequest(
        answer.access_token,
        'POST',
        new URL('/v1/vat/record/action', url),
        new Headers({ 'content-type': 'application/json' }),
        JSON.stringify({ vat_jti, action: 'read', resource: 'calendar:events', result: 'success' }),
        { DPoP, ...INSECURE },
      )
    const recorded = await record().catch((error: unknown) => {
      if (oauth.isDPoPNonceError(error)) return record()
      throw error
    })
    assert.equal(recorded.status, 200)
  })

  test('gets no token without the key of the subject token, and OAuth errors for every refusal', async () => {
    const { compact_jwt, pair } = await aBoundToken()
    const stranger = await oauth.generateKeyPair('ES256', { extractable: true })
    const cases: [string, () => Promise<unknown>][] = [
      ['invalid_dpop_proof', () => exchange(compact_jwt, stranger)],
      ['invalid_dpop_proof', () => exchange(compact_jwt)],
      ['invalid_request', () => exchange('not.a.token', pair)],
      ['invalid_scope', () => exchange(compact_jwt, pair, { scope: 'pay@calendar:events' })],
      ['invalid_target', () => exchange(compact_jwt, pair, { resource: 'calendar' })],
      [
        'invalid_target',
        () => exchange(compact_jwt, pair, { resource: CALENDAR, audience: 'https://mail.example' }),
      ],
      ['invalid_request', () => exchange(compact_jwt, pair, { actor_token: compact_jwt })],
      ['invalid_request', () => exchange(compact_jwt, pair, { grant: 'x' })],
    ]
    for (const [wanted, call] of cases) assert.equal(await errorOf(call()), wanted)
  })

  test('exchanges for another agent, whose own token is the actor token', async () => {
    const subject = await aBoundToken()
    const key: AgentKey = await newAgentKey()
    const actor = await token({ agent_id: 'helper', agent_jwk: key.jwk })
    const answer = await exchange(subject.compact_jwt, subject.pair, {
      actor_token: actor.compact_jwt,
      actor_token_type: TOKEN_TYPE_JWT,
      scope: 'read@calendar:events',
    })
    const { sub, cnf, act } = decodeJwt(answer.access_token)
    assert.deepEqual([sub, cnf], ['agent:helper', actor.claims.cnf])
    assert.deepEqual(act, { sub: 'agent:calendar-bot' })
  })

  test('introspects with an API key as the client secret, but not without one', async () => {
    const { compact_jwt } = await aBoundToken()
    const { as, basic, post } = await aClient('resource_server')
    for (const auth of [basic, post]) {
      const answer = await oauth.introspectionRequest(server, as, auth, compact_jwt, INSECURE)
      const { active, token_type } = await oauth.processIntrospectionResponse(server, as, answer)
      assert.deepEqual([active, token_type], [true, 'DPoP'])
    }
    const refused = oauth.introspectionRequest(server, as, oauth.None(), compact_jwt, INSECURE)
    assert.equal((await refused).status, 401)
    const wrong = oauth.introspectionRequest(server, { client_id: 'other' }, basic, compact_jwt, INSECURE)
    assert.equal((await wrong).status, 401)
  })

  test('revokes with an API key, without an error for repeated and unknown tokens', async () => {
    const { compact_jwt } = await aBoundToken()
    const { as, basic, post } = await aClient('developer')
    for (const [jwt, auth] of [
      [compact_jwt, basic],
      [compact_jwt, post],
      ['unknown', basic],
    ] as const) {
      const answer = await oauth.revocationRequest(server, as, auth, jwt, INSECURE)
      assert.equal(await oauth.processRevocationResponse(answer), undefined)
    }
    assert.equal(await isActive(compact_jwt), false)
  })

  test('may not revoke as an auditor, nor with a wrong secret', async () => {
    const { compact_jwt } = await aBoundToken()
    const { as, basic } = await aClient('auditor')
    const revoke = async (auth: oauth.ClientAuth, who = as) =>
      oauth.processRevocationResponse(await oauth.revocationRequest(server, who, auth, compact_jwt, INSECURE))
    assert.equal(await errorOf(revoke(basic)), 'unauthorized_client')
    assert.equal(await errorOf(revoke(oauth.ClientSecretBasic('dk_wrong'))), 'invalid_client')
    assert.equal(await isActive(compact_jwt), true)
  })

  test('of an agent revokes its own token with a proof of its key, and not with another', async () => {
    const [key, stranger] = [await newAgentKey(), await newAgentKey()]
    const issued = await token({ agent_jwk: key.jwk })
    const revoke = async (holder: AgentKey) => {
      const send = async (nonce?: string) =>
        fetch(new URL('/oauth/revoke', url), {
          method: 'POST',
          headers: {
            'content-type': 'application/x-www-form-urlencoded',
            dpop: await proofOf(holder, {
              method: 'POST',
              url: `${url}/oauth/revoke`,
              nonce,
              compact_jwt: issued.compact_jwt,
            }),
          },
          body: new URLSearchParams({ token: issued.compact_jwt }),
        })
      const first = await send()
      const nonce = first.headers.get('dpop-nonce')
      return nonce === null ? first : send(nonce)
    }
    const refused = await revoke(stranger)
    assert.deepEqual(
      [refused.status, ((await refused.json()) as { error: string }).error],
      [400, 'invalid_dpop_proof'],
    )
    assert.equal((await revoke(key)).status, 200)
    assert.equal((await client.getToken({ jti: issued.jti })).status, 'revoked')
    assert.equal((await revoke(key)).status, 200) // it is already revoked
  })

  test('finds in the metadata what the endpoints accept', async () => {
    assert.equal(server.issuer, url)
    assert.deepEqual(server.grant_types_supported, [TOKEN_EXCHANGE])
    assert.deepEqual(server.token_endpoint_auth_methods_supported, ['none'])
    assert.equal(server.revocation_endpoint, `${url}/oauth/revoke`)
    assert.equal(server.introspection_endpoint, `${url}/v1/vat/introspect`)
    assert.ok(server.dpop_signing_alg_values_supported?.includes('ES256'))
    assert.equal((await deputy({ url }).getKeySet()).keys.length, 6)
  })
})
