import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { after, describe, test } from 'node:test'
import type { DeputyEvent } from '@deputize/protocol'
import { aTestApp } from '@deputize/testing/a-test-app.ts'
import { aKeyedApp, aPerson, type Client } from './a-keyed-app.ts'

const app = await aKeyedApp({ after })
const { operator, withKey, key, test: service } = app
await operator.post('/v1/vat/tenants', { tenant_id: 'acme' })
const text = await key('acme', 'operator')
const acme = withKey(text)
const key_id = text.split('_')[1] ?? ''

const refOf = (id: string) => `sha256:${hash('sha256', id)}`
type RegistryEvent = Extract<DeputyEvent, { type: 'registry.changed' }>

async function newestChange(client: Client = acme): Promise<RegistryEvent['data']> {
  const { body } = await client.get('/v1/vat/events?last=20&type=registry.changed')
  return body.data.at(-1).data
}

async function made(answer: ReturnType<Client['post']>): Promise<Record<string, string>> {
  const { status, body } = await answer
  assert.ok(status < 300, JSON.stringify(body))
  return body
}

describe('who changed an entry of the registry', () => {
  test('is the key of the call, by the hash of its ID, for everything that operators manage', async () => {
    const changes: Readonly<Record<string, () => Promise<Record<string, string>>>> = {
      api_key: () => made(acme.post('/v1/vat/keys', { name: 'n', role: 'auditor' })),
      webhook: () => made(acme.post('/v1/vat/webhooks', { url: 'https://hooks.example.com/deputy' })),
      tenant: () => made(acme.call('PATCH', '/v1/vat/tenants/acme', { name: 'Acme' })),
      notifications: () => made(acme.call('PUT', '/v1/vat/notifications', { time_zone: 'Europe/Berlin' })),
      tenant_channel: () =>
        made(
          acme.post('/v1/vat/notifications/channels', {
            kind: 'slack',
            url: 'https://hooks.slack.com/services/T0/B0/s',
          }),
        ),
      alert_rule: () =>
        made(
          acme.post('/v1/vat/alerts/rules', {
            name: 'r',
            condition: { kind: 'chain', deeper_than: 0 },
            effect: 'notify',
          }),
        ),
      ssf_stream: () =>
        made(
          acme.post('/v1/vat/ssf/streams', {
            aud: 'https://gateway.example',
            delivery: { method: 'urn:ietf:rfc:8936' },
          }),
        ),
      key_session: () => made(app.anonymous.post('/v1/vat/auth/sign-in/key', { key: text })),
    }
    for (const [kind, change] of Object.entries(changes)) {
      await change()
      const data = await newestChange()
      assert.deepEqual([data.kind, data.removed, data.by], [kind, false, `key:${refOf(key_id)}`])
    }
  })

  test('is named in the event of a removal, with the entry, even after the key was deleted', async () => {
    const other = await key('acme', 'operator')
    const other_id = other.split('_')[1] ?? ''
    const { key_id: made_id = '' } = await made(
      withKey(other).post('/v1/vat/keys', { name: 'n', role: 'auditor' }),
    )
    await made(withKey(other).call('DELETE', `/v1/vat/keys/${made_id}`))
    await made(acme.call('DELETE', `/v1/vat/keys/${other_id}`))
    const { body } = await acme.get('/v1/vat/events?last=2&type=registry.changed')
    assert.deepEqual(
      body.data.map(({ data }: RegistryEvent) => data),
      [
        {
          kind: 'api_key',
          entry_ref: refOf(made_id),
          removed: true,
          by: `key:${refOf(other_id)}`,
        },
        { kind: 'api_key', entry_ref: refOf(other_id), removed: true, by: `key:${refOf(key_id)}` },
      ],
    )
    assert.ok(!JSON.stringify(await service.leafTexts()).includes(key_id))
  })

  test('is the person for their own entries', async () => {
    const { client, human_ref } = await aPerson(app, 'acme', refOf('ada'))
    await made(client.call('PUT', '/v1/vat/notifications', { time_zone: 'Europe/Berlin' }))
    const { kind, by } = await newestChange()
    assert.deepEqual([kind, by], ['notifications', `human:${human_ref}`])
  })

  test('is unknown in open mode, where callers have no name', async (t) => {
    const open = await aTestApp(t)
    await open.post('/v1/vat/webhooks', { url: 'https://hooks.example.com/deputy' })
    const leaf = JSON.parse((await open.leafTexts()).at(-1) ?? '{}')
    assert.deepEqual([leaf.type, leaf.kind, 'by' in leaf], ['registry.changed', 'webhook', false])
  })
})
