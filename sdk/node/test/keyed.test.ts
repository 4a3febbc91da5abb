import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { deputy, importAgentKey, isDeputyError, newAgentKey } from '@deputize/sdk'
import { aKeyedDeployment } from '@deputize/testing/a-deployment.ts'

const { client: developer, operator, url, token } = await aKeyedDeployment({ after })

describe('in keyed mode', () => {
  test('calls need a credential, and an API key allows what its role may do', async () => {
    await assert.rejects(deputy({ url }).listTokens(), (error) => isDeputyError(error, 'credential_required'))
    await assert.rejects(deputy({ url, key: 'dk_wrong' }).listTokens(), (error) =>
      isDeputyError(error, 'credential_invalid'),
    )
    assert.ok(Array.isArray((await developer.listTokens()).data))
    await assert.rejects(
      developer.listSigningKeys({}).then(() => developer.createKey({ name: 'x', role: 'auditor' })),
      (error) => isDeputyError(error, 'role_not_allowed'),
    )
  })

  for (const alg of ['EdDSA', 'ES256'] as const)
    test(`an agent with an ${alg} key acts, delegates and completes, each call with its own proof`, async () => {
      const agent_key = await newAgentKey({ alg })
      const issued = await token({ agent_jwk: agent_key.jwk })
      assert.equal(issued.claims.cnf?.jkt, agent_key.jkt)
      const me = deputy({ url }).withAuthority(issued, { agent_key })
      assert.equal(await me.run('read', 'calendar:events', () => 'seen'), 'seen')
      const sub_key = await newAgentKey({ alg })
      const child = await me.delegate({ agent_id: 'sub', agent_key: sub_key })
      assert.equal(await child.run('write', 'calendar:events', () => 'done'), 'done')
      const { data } = await developer.listRecords({
        provenance_ref: issued.provenance_ref,
        state: 'completed',
      })
      assert.deepEqual(data.map(({ action }) => action).sort(), ['read', 'write'])
    })

  test('a token that an agent delegates to itself is used with its key', async () => {
    const agent_key = await newAgentKey()
    const issued = await token({ agent_jwk: agent_key.jwk })
    const agent_id = issued.claims.sub.slice('agent:'.length)
    const me = deputy({ url }).withAuthority(issued, { agent_key })
    const narrow = await me.delegate({ agent_id, actions: ['read', 'delegate'] })
    const narrower = await narrow.delegate({ agent_id, actions: ['read'], agent_jwk: agent_key.jwk })
    for (const agent of [narrow, narrower])
      assert.equal(await agent.run('read', 'calendar:events', () => 'seen'), 'seen')
    const { jwk: agent_jwk } = await newAgentKey() // only the sub-agent has the key
    const other = await narrow.delegate({ agent_id: 'sub-of-itself', actions: ['read'], agent_jwk })
    await assert.rejects(
      other.run('read', 'calendar:events', () => assert.fail()),
      (error) => isDeputyError(error, 'credential_invalid'),
    )
  })

  test('the client uses the nonce of a service that has just started', async (t) => {
    const young = await aKeyedDeployment(t)
    const agent_key = await newAgentKey()
    const { compact_jwt, jti } = await young.token({ agent_jwk: agent_key.jwk })
    const statuses: number[] = []
    const watched: typeof fetch = async (...request) => {
      const response = await fetch(...request)
      statuses.push(response.status)
      return response
    }
    const agent = deputy({ url: young.url, token: compact_jwt, agent_key, fetch: watched, retries: 0 })
    assert.equal((await agent.getToken({ jti })).status, 'live')
    assert.deepEqual(statuses, [401, 200])
  })

  test('a bound token is useless without its key', async () => {
    const issued = await token({ agent_jwk: (await newAgentKey()).jwk })
    const ask = (me = deputy({ url }).withAuthority(issued)) =>
      me.run('read', 'calendar:events', () => assert.fail())
    await assert.rejects(ask(), (error) => isDeputyError(error, 'credential_invalid'))
    const other = deputy({ url }).withAuthority(issued, { agent_key: await newAgentKey() })
    await assert.rejects(ask(other), (error) => isDeputyError(error, 'credential_invalid'))
  })

  test('an agent cannot rate itself', async () => {
    const agent_key = await newAgentKey()
    const me = deputy({ url }).withAuthority(await token({ agent_jwk: agent_key.jwk }), { agent_key })
    const id = await me.run('read', 'calendar:events', ({ aar_id }) => aar_id)
    await assert.rejects(me.client.rateRecord({ id, rating: 'approved' }), (error) =>
      isDeputyError(error, 'role_not_allowed'),
    )
    assert.equal((await operator.getRecord({ id })).rating, undefined)
  })
})

describe('an agent key', () => {
  for (const alg of ['EdDSA', 'ES256'] as const)
    test(`for ${alg} is the same after it is exported and imported`, async () => {
      const key = await newAgentKey({ alg })
      const again = await importAgentKey(JSON.parse(JSON.stringify(await key.exportJwk())))
      assert.deepEqual([again.alg, again.jkt, again.jwk], [alg, key.jkt, key.jwk])
      const issued = await token({ agent_jwk: key.jwk })
      const me = deputy({ url }).withAuthority(issued, { agent_key: again })
      assert.equal(await me.run('read', 'calendar:events', () => 1), 1)
    })

  test('is Ed25519 where supported, and can be non-extractable', async () => {
    const key = await newAgentKey({ extractable: false })
    assert.equal(key.alg, 'EdDSA')
    await assert.rejects(key.exportJwk())
    assert.deepEqual(Object.keys(key.jwk), ['kty', 'crv', 'x'])
  })
})
