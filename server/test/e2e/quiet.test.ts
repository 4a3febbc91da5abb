import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aReceiver } from '@deputize/testing/a-receiver.ts'
import { anIssueRequest } from '@deputize/testing/an-issue-request.ts'
import { httpClient } from '@deputize/testing/http-client.ts'
import { aProgram } from '@deputize/testing/program.ts'
import { temporaryDirectory } from '@deputize/testing/scope.ts'

/** So many that a service that isn't quiet would have sent webhooks long before the last call is answered. */
const CALLS = 100

test('a quiet service sends no webhooks, and the next start that is not quiet sends all of them', async (t) => {
  const receiver = await aReceiver(t)
  const directory = temporaryDirectory(t)
  const env = { DEPUTY_OUTBOUND_ALLOW: receiver.host }
  const quiet = await aProgram(t, directory, { ...env, DEPUTY_QUIET: 'on' })
  const { post } = httpClient(t, quiet.url)
  const made = await post('/v1/vat/webhooks', { url: receiver.url, events: ['token.issued'] })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  for (let n = 0; n < CALLS; n++) assert.equal((await post('/v1/vat/issue/l1', anIssueRequest())).status, 200)
  assert.equal(await quiet.stop(), 0)
  assert.equal(receiver.messages.length, 0)

  await aProgram(t, directory, env)
  await receiver.received(CALLS)
})
