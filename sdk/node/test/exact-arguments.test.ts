import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { governed } from '@deputize/sdk/openai-agents'
import { anOpenDeployment } from '@deputize/testing/a-deployment.ts'

const { client, token } = await anOpenDeployment({ after })

test('a tool that reads JSON text does not run if a number in it would be rounded for the decision', async () => {
  const { compact_jwt, provenance_ref } = await token({ actions: ['call'], resources: ['tool:pay'] })
  const texts: string[] = []
  const invoke = async (_context: unknown, text: string) => {
    texts.push(text)
    return 'paid'
  }
  const [pay] = governed([{ type: 'function', name: 'pay', invoke }], client.withAuthority(compact_jwt))
  assert.ok(pay)
  const told = String(await pay.invoke({}, '{"to":12345678901234567}'))
  assert.match(told, /Send it as a string/)
  assert.deepEqual(texts, [])
  assert.equal(await pay.invoke({}, '{"to":"12345678901234567","usd":1.50}'), 'paid')
  assert.equal((await client.listRecords({ provenance_ref })).data.length, 1)
})
