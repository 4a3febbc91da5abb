import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { readVector } from '@deputize/testing/read-vector.ts'
import { verifyWebhook, WebhookRefused } from '../src/index.ts'

interface Message {
  readonly name: string
  readonly expect: string
  readonly headers: Record<string, string>
  readonly secrets: readonly string[]
  readonly body: string
}

const { now_s, tolerance_s, cases } = readVector<{ now_s: number; tolerance_s: number; cases: Message[] }>(
  'webhooks/messages.json',
)

async function answerTo({ headers, body, secrets }: Message): Promise<string> {
  try {
    await verifyWebhook({ body, headers, secret: secrets, tolerance_s, now_ms: now_s * 1000 })
    return 'accept'
  } catch (error) {
    if (error instanceof WebhookRefused) return error.code
    assert.ok(error instanceof TypeError, String(error))
    return 'malformed_secret'
  }
}

describe('verifyWebhook', () => {
  for (const message of cases)
    test(`${message.name}: ${message.expect}`, async () => {
      assert.equal(await answerTo(message), message.expect)
    })

  test('takes the headers of fetch and of Node, and the body as text or bytes', async () => {
    const [message] = cases
    assert.ok(message)
    const { headers, body, secrets } = message
    for (const given of [headers, new Headers(headers)])
      for (const bytes of [body, Buffer.from(body)]) {
        const verified = await verifyWebhook({
          body: bytes,
          headers: given,
          secret: secrets,
          now_ms: now_s * 1000,
        })
        assert.equal(verified.id, 'msg_1')
        assert.equal(verified.sent_at.getTime(), now_s * 1000)
        assert.ok(verified.event.type === 'token.revoked')
        assert.equal(verified.event.data.agent_id, 'agent:Zoë')
      }
  })

  test('reads the clock of this machine by default', async () => {
    const [message] = cases
    assert.ok(message)
    const { headers, body, secrets } = message
    const refused = verifyWebhook({ body, headers, secret: secrets })
    await assert.rejects(refused, (error) => error instanceof WebhookRefused && error.code === 'too_new')
  })
})
