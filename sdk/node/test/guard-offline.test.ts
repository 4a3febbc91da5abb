import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type AgentKey, type IssuedToken, newAgentKey } from '@deputize/sdk'
import { aKeyedDeployment } from '@deputize/testing/a-deployment.ts'
import { eventually } from '@deputize/testing/eventually.ts'
import { proofOf } from '../src/calls/agent-key.ts'
import { type Api, anApi } from './an-api.ts'

const AUDIENCE = 'https://notes.example'

interface Presented {
  readonly token: IssuedToken
  readonly agent_key?: AgentKey
}

/** Returns the status with the reason or the ID of the record. */
async function call(api: Api, method: string, path: string, { token, agent_key }: Presented) {
  const { compact_jwt } = token
  const url = `${AUDIENCE}${path}`
  const headers =
    agent_key === undefined
      ? { authorization: `Bearer ${compact_jwt}` }
      : {
          authorization: `DPoP ${compact_jwt}`,
          dpop: await proofOf(agent_key, { method, url, compact_jwt, nonce: undefined }),
        }
  const response = await fetch(`${api.url}${path}`, { method, headers })
  const { code, reason, aar_id } = (await response.json()) as Record<string, unknown>
  return { status: response.status, code, reason, aar_id, retry_after: response.headers.get('retry-after') }
}

async function aGuardedDeployment(t: Parameters<typeof aKeyedDeployment>[0], isLenient: boolean) {
  const keyed = await aKeyedDeployment(t)
  const agent_key = await newAgentKey()
  const bound = { token: await keyed.token({ audience: AUDIENCE, agent_jwk: agent_key.jwk }), agent_key }
  // Allows unbound tokens only while one is issued.
  await keyed.operator.updateTenant({ tenant_id: 'default', allow_bearer: true })
  const unbound = { token: await keyed.token({ audience: AUDIENCE }) }
  await keyed.operator.updateTenant({ tenant_id: 'default', allow_bearer: false })
  const options = {
    url: keyed.url,
    key: await keyed.resourceServerKey(AUDIENCE),
    audience: AUDIENCE,
    retries: 0,
    ...(isLenient && { on_unavailable: 'allow_verified' as const }),
  }
  const api = await anApi(t, 'Hono', options)
  // In the first seconds, proofs need a nonce.
  await eventually('the guard accepts a proof', async () => {
    const { status } = await call(api, 'POST', '/events', bound)
    return status === 200 ? true : undefined
  })
  return { keyed, api, bound, unbound, options }
}

describe('a guard that decides without the service', { concurrency: true }, () => {
  test('accepts no unbound token in keyed mode, unless the API says that its tenant allows them', async (t) => {
    const { keyed, api, bound, unbound, options } = await aGuardedDeployment(t, true)
    const read = await call(api, 'GET', '/calendars/events', bound)
    assert.deepEqual([read.status, read.aar_id], [200, undefined])
    const refused = await call(api, 'GET', '/calendars/events', unbound)
    assert.deepEqual([refused.status, refused.reason], [401, 'bearer_refused'])
    const keyless = await anApi(t, 'Hono', { ...options, key: undefined })
    assert.equal((await call(keyless, 'GET', '/calendars/events', unbound)).status, 503)
    const trusting = await anApi(t, 'Hono', { ...options, key: undefined, allow_bearer: true })
    assert.equal((await call(trusting, 'GET', '/calendars/events', unbound)).status, 200)
    await keyed.program.kill()
    assert.equal((await call(api, 'POST', '/events', bound)).status, 200)
    assert.equal((await call(api, 'POST', '/events', unbound)).status, 503)
    assert.equal((await call(api, 'GET', '/calendars/events', unbound)).status, 503)
  })

  test('does not take a rate limit for an outage: nothing runs without a record', async (t) => {
    const { keyed, api, bound } = await aGuardedDeployment(t, true)
    await keyed.operator.updateTenant({ tenant_id: 'default', rate_limit: 1 })
    const calls = api.calls()
    const answers = [await call(api, 'POST', '/events', bound), await call(api, 'POST', '/events', bound)]
    for (const { status, aar_id, retry_after } of answers) {
      if (status === 200) assert.notEqual(aar_id, undefined)
      else assert.deepEqual([status, Number(retry_after) > 1], [503, true])
    }
    assert.equal(answers.at(-1)?.status, 503)
    assert.equal(api.calls() - calls, answers.filter(({ status }) => status === 200).length)
  })
})
