import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { after, test } from 'node:test'
import { newWebhookKeys } from '@deputize/protocol'
import { aReceiver } from '@deputize/testing/a-receiver.ts'
import { aTestApp } from '@deputize/testing/a-test-app.ts'
import { anIssueRequest } from '@deputize/testing/an-issue-request.ts'
import { eventually } from '@deputize/testing/eventually.ts'
import type { WebhookDocument } from '../../src/events/webhooks/webhook-document.ts'

const ENDPOINTS = 1_000
const EVENTS = 2

/** A listener that accepts connections and never answers. */
async function aSilentListener(): Promise<{ port: number; connections: () => number }> {
  let connections = 0
  const server = createServer((socket) => {
    connections += 1
    socket.on('error', () => {})
  })
  const port = await new Promise<number>((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      resolve(typeof address === 'object' && address !== null ? address.port : 0)
    })
  })
  after(() => server.close())
  return { port, connections: () => connections }
}

test('of 1,000 endpoints one never answers and one refuses, and all others get every event', async () => {
  const scope = { after }
  const receiver = await aReceiver(scope)
  const silent = await aSilentListener()
  const service = await aTestApp(scope, {
    outbound_allow: `${receiver.host},127.0.0.1:${silent.port},127.0.0.1:1`,
  })
  const document: WebhookDocument = {
    url: receiver.url,
    events: ['token.issued'],
    format: 'deputy',
    signature: 'v1',
    keys: [newWebhookKeys('v1')],
    role: 'local',
    since: ENDPOINTS,
    created_at: new Date(service.clock()).toISOString(),
    created_by: 'local',
  }
  const urls = [`http://127.0.0.1:${silent.port}/`, 'http://127.0.0.1:1/']
  const entries = Array.from({ length: ENDPOINTS }, (_, number) => ({
    id: `whk_${number}`,
    url: urls[number] ?? receiver.url.replace('/hook', `/${number}`),
  }))
  await Promise.all(
    entries.map(({ id, url }) =>
      service.submit({
        kind: 'register',
        entry_kind: 'webhook',
        id,
        tenant_id: 'default',
        owner: undefined,
        document: JSON.stringify({ ...document, url }),
        expects: 'absent',
      }),
    ),
  )
  service.startDeliveries()
  for (let count = 0; count < EVENTS; count++) await service.post('/v1/vat/issue/l1', anIssueRequest())
  const wanted = (ENDPOINTS - urls.length) * EVENTS
  await eventually(
    'every other endpoint gets every event',
    () => receiver.messages.length >= wanted && silent.connections() > 0,
    110_000,
  )
  const counts = new Map<string, Set<unknown>>()
  for (const { path, headers } of receiver.messages)
    counts.set(path, (counts.get(path) ?? new Set()).add(headers['webhook-id']))
  assert.equal(counts.size, ENDPOINTS - urls.length)
  assert.ok([...counts.values()].every((ids) => ids.size === EVENTS))
})
