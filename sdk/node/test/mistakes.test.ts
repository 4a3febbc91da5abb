import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import {
  type AgentKey,
  deputy,
  newAgentKey,
  type RunOptions,
  type TokenLike,
  verifyToken,
} from '@deputize/sdk'
import { deputyGuard } from '@deputize/sdk/express'
import { anOpenDeployment } from '@deputize/testing/a-deployment.ts'

const { client, url, token } = await anOpenDeployment({ after })

/** What a program without types hands over. */
const untyped = <T>(value: unknown) => value as T // the point of these tests

describe('a mistake is told before anything is done', () => {
  test('an address that is none is named', () => {
    for (const wrong of ['127.0.0.1:8420', 'localhost:8420', '', undefined, 'ftp://example.com'])
      assert.throws(
        () => deputy({ url: untyped(wrong) }),
        /^TypeError: url has to be the address of the service/,
      )
  })

  test('options that are none, or no object at all, are refused by name', async () => {
    assert.throws(() => deputy(untyped(undefined)), /^TypeError: The options have to be an object/)
    assert.throws(() => deputy(untyped(url)), /^TypeError: The options have to be an object/)
    assert.throws(() => deputy(untyped({ url, timeout: 3 })), /There is no option timeout; there are url,/)
    assert.throws(() => deputyGuard(untyped({ url, audiences: 'a' })), /There is no option audiences/)
    await assert.rejects(verifyToken('a.b.c', untyped(undefined)), /The options have to be an object/)
    await assert.rejects(
      verifyToken('a.b.c', untyped({ url, audiance: 'https://calendar.example' })),
      /There is no option audiance/,
    )
    const agent = client.withAuthority(await token())
    const misspelled = untyped<RunOptions>({ spend: 3 })
    await assert.rejects(
      agent.run('read', 'calendar:events', () => 1, misspelled),
      /There is no option spend; there are spend_usd/,
    )
    assert.throws(() => client.withAuthority('a.b.c', untyped({ key: 1 })), /There is no option key/)
  })

  test('a token that is missing or not awaited is no token', () => {
    assert.throws(() => client.withAuthority(untyped<TokenLike>(token())), /await the call that issues it/)
    for (const wrong of [undefined, null, '', {}])
      assert.throws(
        () => client.withAuthority(untyped(wrong)),
        /The token has to be what an issue call answered/,
      )
  })

  test('work that is no function leaves no record', async () => {
    const issued = await token()
    const agent = client.withAuthority(issued)
    await assert.rejects(agent.run('read', 'calendar:events', untyped(undefined)), /has to be a function/)
    const { data } = await client.listRecords({ provenance_ref: issued.provenance_ref })
    assert.deepEqual(data, [])
  })

  test('a key that cannot sign is refused, and never taken for a service that is away', async () => {
    const agent_key = await newAgentKey()
    const issued = await token({ agent_jwk: agent_key.jwk })
    const wrong = untyped<AgentKey>(agent_key.jwk)
    assert.throws(
      () => client.withAuthority(issued, { agent_key: wrong }),
      /newAgentKey\(\) or importAgentKey/,
    )
    assert.throws(
      () => deputy({ url, token: issued.compact_jwt, agent_key: wrong }),
      /newAgentKey\(\) or importAgentKey/,
    )
    const broken = {
      ...agent_key,
      sign: () => Promise.reject(new RangeError('the key store is locked')),
    }
    const agent = client.withAuthority(issued, { agent_key: broken })
    await assert.rejects(
      agent.run('read', 'calendar:events', () => 1),
      /^RangeError: the key store is locked/,
    )
  })

  test('an id proves nothing, so it goes with no key', async () => {
    const { jti } = await token()
    const agent_key = await newAgentKey()
    assert.throws(
      () => client.withAuthority(jti, { agent_key }),
      /the token itself is needed \(compact_jwt\)/,
    )
  })
})

describe('a service that is away', () => {
  test('is told with its address and the reason', async () => {
    const call = deputy({ url: 'http://127.0.0.1:9', retries: 0 }).getHealth()
    await assert.rejects(call, /Is it running\? Looked for at http:\/\/127\.0\.0\.1:9 \(.*\)\.$/)
  })
})
