import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { deputy } from '@deputize/sdk'
import { aKeyedDeployment } from '@deputize/testing/a-deployment.ts'
import { anApi } from './an-api.ts'

describe('a guard in a service with several tenants', () => {
  test('decides locally only for tokens of its own tenant', async (t) => {
    const keyed = await aKeyedDeployment(t)
    const audience = 'https://notes.example'
    const made = await keyed.operator.createTenant({ tenant_id: 'other', allow_bearer: true })
    const { key } = await keyed.operator.createKey({
      name: 'o',
      role: 'developer',
      tenant_id: made.tenant_id,
    })
    const intruder = await deputy({ url: keyed.url, key }).issueL1({
      developer_email: 'dev@example.com',
      agent_id: 'calendar-bot',
      resources: ['calendar:events'],
      actions: ['read', 'write'],
      audience,
    })
    await keyed.operator.updateTenant({ tenant_id: 'default', allow_bearer: true })
    const own = await keyed.token({ audience })
    const options = { url: keyed.url, audience, timeout_ms: 1_000, retries: 0, allow_bearer: true }
    const isDown = { now: false }
    const cut: typeof fetch = (input, init) =>
      isDown.now && init?.method === 'POST' ? Promise.reject(new Error('cut')) : fetch(input, init)
    const keyless = await anApi(t, 'Hono', options)
    const withKey = await anApi(t, 'Hono', {
      ...options,
      key: await keyed.resourceServerKey(audience),
      fetch: cut,
      on_unavailable: 'allow_verified',
    })
    const read = async (api: { url: string }, { compact_jwt }: { compact_jwt: string }) => {
      const headers = { authorization: `Bearer ${compact_jwt}` }
      const response = await fetch(`${api.url}/calendars/events`, { headers })
      const { code, reason, aar_id } = (await response.json()) as Record<string, unknown>
      return [response.status, code ?? typeof aar_id, reason]
    }
    assert.deepEqual(await read(keyless, own), [200, 'undefined', undefined])
    assert.deepEqual(await read(keyless, intruder), [503, 'authority_unavailable', undefined])
    // It learns its tenant from the first token that the service decides about for its key.
    assert.deepEqual(await read(withKey, intruder), [403, 'not_allowed', 'not_yours'])
    const foreign = { headers: { authorization: `Bearer ${intruder.compact_jwt}` } }
    const said = (await (await fetch(`${withKey.url}/calendars/events`, foreign)).json()) as {
      detail: string
    }
    assert.match(said.detail, /^The token was issued for another tenant or audience\. Ask the person/)
    assert.deepEqual(await read(withKey, own), [200, 'string', undefined])
    assert.deepEqual(await read(withKey, own), [200, 'undefined', undefined])
    assert.deepEqual(await read(withKey, intruder), [403, 'not_allowed', 'not_yours'])
    await keyed.operator.updateTenant({ tenant_id: 'default', allow_bearer: false })
    const events = { method: 'POST', headers: { authorization: `Bearer ${own.compact_jwt}` } }
    const refused = await fetch(`${withKey.url}/events`, events)
    const { code, reason } = (await refused.json()) as Record<string, unknown>
    assert.deepEqual([refused.status, code, reason], [401, 'credential_invalid', 'bearer_refused'])
    isDown.now = true
    assert.deepEqual(await read(withKey, own), [200, 'undefined', undefined])
    assert.deepEqual(await read(withKey, intruder), [503, 'authority_unavailable', undefined])
  })
})
