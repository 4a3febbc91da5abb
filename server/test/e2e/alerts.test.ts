import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { anIssueRequest } from '@deputize/testing/an-issue-request.ts'
import { eventually } from '@deputize/testing/eventually.ts'
import { type HttpClient, httpClient } from '@deputize/testing/http-client.ts'
import { nextMinute } from '@deputize/testing/next-minute.ts'
import { okBody } from '@deputize/testing/ok-body.ts'
import { aProgram } from '@deputize/testing/program.ts'
import { temporaryDirectory } from '@deputize/testing/scope.ts'
import { someNodes } from '@deputize/testing/some-nodes.ts'

/** Creates a rule on the first node, gets the agent denied on every node, and waits until it is suspended. */
async function denyUntilSuspended(clients: readonly HttpClient[]): Promise<void> {
  const [first] = clients
  assert.ok(first !== undefined)
  const condition = { kind: 'denials', more_than: 15, within_minutes: 10 }
  // One window for the whole test: windows of a week begin on Thursdays at midnight.
  const rule = { name: 'Burst', condition, effect: 'suspend', window_minutes: 10_080 }
  await okBody(first.post('/v1/vat/alerts/rules', rule))
  await nextMinute()
  const { jti: vat_jti } = await okBody(
    first.post('/v1/vat/issue/l1', anIssueRequest({ agent_id: 'burst-bot' })),
  )
  const denied = { vat_jti, action: 'sell', resource: 'bank:account', result: 'success' }
  for (let time = 0; time < 20; time += 1)
    for (const client of clients) await client.post('/v1/vat/record/action', denied)
  await eventually(
    'the alert suspends the agent',
    async () => (await okBody(first.get('/v1/vat/agents/burst-bot'))).suspended === true,
  )
}

async function assertFiredOnce(client: HttpClient): Promise<void> {
  const { data } = await okBody(client.get('/v1/vat/log/entries?limit=200'))
  const types = data.map(({ leaf }: { leaf: string }) => JSON.parse(leaf).type)
  assert.equal(types.filter((type: string) => type === 'alert.fired').length, 1)
  assert.equal(types.filter((type: string) => type === 'agent.suspended').length, 1)
}

describe('an agent that is denied twenty times is suspended once by its rule', () => {
  test('in the embedded store', async () => {
    const scope = { after }
    const { url } = await aProgram(scope, temporaryDirectory(scope))
    const client = httpClient(scope, url)
    await denyUntilSuspended([client])
    await assertFiredOnce(client)
  })

  test('on two nodes of one database', async () => {
    const { nodes } = await someNodes({ after }, 2)
    const clients = nodes.map(({ client }) => client)
    await denyUntilSuspended(clients)
    for (const client of clients) await assertFiredOnce(client)
  })
})
