import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { after, describe, test } from 'node:test'
import { anOpenDeployment } from '@deputize/testing/a-deployment.ts'
import { aReceiver } from '@deputize/testing/a-receiver.ts'
import { eventually } from '@deputize/testing/eventually.ts'
import { CLI } from '@deputize/testing/programs.ts'
import { Webhook } from 'standardwebhooks'
import { callerOf } from './run-deputy.ts'

const scope = { after }
const receiver = await aReceiver(scope)
const { url, token } = await anOpenDeployment(scope, { DEPUTY_OUTBOUND_ALLOW: receiver.host })
const { words, json } = callerOf(url)

describe('deputy webhooks', () => {
  test('creates, tests, repairs and removes a webhook', async () => {
    const created = await words(0, 'webhooks', 'create', receiver.url, '--events', 'token.issued')
    const [id = ''] = /whk_\w+/.exec(created) ?? []
    assert.match(created, /secret\s+whsec_/)
    assert.match(await words(0, 'webhooks', 'test', id), /result\s+delivered/)
    await token()
    await receiver.received(2)
    const [delivery] = await eventually('the delivery is listed', async () => {
      const { data } = await json(0, 'webhooks', 'deliveries', id)
      return data.length > 0 && data
    })
    assert.match(await words(0, 'webhooks', 'deliveries', id), /delivered/)
    assert.match(await words(0, 'webhooks', 'retry', id, delivery.event_id), /waiting/)
    await receiver.received(3)
    await words(0, 'webhooks', 'replay', id, '--from-index', '0')
    await receiver.received(4)
    assert.match(await words(0, 'webhooks', 'rotate', id), /secret\s+whsec_/)
    assert.match(await words(0, 'webhooks', 'enable', id), /status\s+enabled/)
    assert.match(await words(0, 'webhooks', 'show', id), /events\s+token\.issued/)
    assert.match(await words(0, 'webhooks'), new RegExp(id))
    receiver.answer = () => ({ status: 500 })
    assert.match(await words(4, 'webhooks', 'test', id), /not delivered/)
    receiver.answer = () => ({ status: 204 })
    assert.match(await words(0, 'webhooks', 'remove', id), /removed/)
    assert.match(await words(4, 'webhooks', 'show', id), /webhook_unknown/)
  })

  test('create refuses an address that is not public, and says why', async () => {
    assert.match(await words(2, 'webhooks', 'create', 'http://169.254.169.254/'), /DEPUTY_OUTBOUND_ALLOW/)
  })
})

test('deputy listen refuses a malformed secret, and does not repeat it', async () => {
  for (const secret of ['foo', 'whsec_', 'whsec_Zm9v', `whsec_${'*'.repeat(40)}`, `whpk_${'A'.repeat(44)}`]) {
    const said = await words(2, 'listen', '--forward-to', receiver.url, '--secret', secret)
    assert.match(said, /--secret must be whsec_ and the base64 of at least 24 bytes/)
    assert.ok(secret === 'whsec_' || !said.includes(secret))
  }
})

test('deputy listen forwards events to a program, signed with the secret that it prints', async (context) => {
  const child = spawn(process.execPath, [CLI, 'listen', '--forward-to', receiver.url, '--url', url])
  context.after(() => child.kill())
  let printed = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text
  })
  const secret = await eventually('the secret', () => /whsec_\S+/.exec(printed)?.[0])
  receiver.messages.length = 0
  const { jti } = await eventually('an event is forwarded', async () => {
    const issued = await token()
    return receiver.messages.length > 0 && issued
  })
  assert.ok(jti)
  const [message] = receiver.messages
  assert.ok(message)
  const headers = Object.fromEntries(
    ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => [
      name,
      String(message.headers[name]),
    ]),
  )
  const event = new Webhook(secret).verify(message.body, headers) as { type: string }
  assert.equal(event.type, 'token.issued')
  await eventually('a line for the event', () => /evt_\d+ {2}token\.issued {2}204/.test(printed))
})
