import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, test } from 'node:test'
import { newAgentKey } from '@deputize/sdk'
import { anOpenDeployment } from '@deputize/testing/a-deployment.ts'
import { eventually } from '@deputize/testing/eventually.ts'
import { proofOf } from '../src/calls/agent-key.ts'
import { anApi } from './an-api.ts'

/** Returns the response to a request with exactly this target. */
async function raw(url: string, target: string, headers: Record<string, string>): Promise<string> {
  const { hostname, port } = new URL(url)
  const lines = Object.entries({ host: hostname, connection: 'close', 'content-length': '0', ...headers })
  const socket = connect(Number(port), hostname)
  const head = lines.map(([name, value]) => `${name}: ${value}`).join('\r\n')
  socket.write(`POST ${target} HTTP/1.1\r\n${head}\r\n\r\n`)
  let text = ''
  socket.setEncoding('utf8').on('data', (part: string) => {
    text += part
  })
  await once(socket, 'close')
  return text
}

describe('a guard whose caller sends an absolute URL as the request target', { concurrency: true }, () => {
  for (const framework of ['Express', 'Fastify'] as const)
    test(`rejects a proof made for another host, on ${framework}`, async (t) => {
      const own = await anOpenDeployment(t)
      const agent_key = await newAgentKey()
      const { compact_jwt } = await own.token({ agent_jwk: agent_key.jwk })
      const api = await anApi(t, framework, { url: own.url, public_url: 'https://api.example.co' })
      const call = async (target: string, proven_url: string) => {
        const proof = await proofOf(agent_key, {
          method: 'POST',
          url: proven_url,
          compact_jwt,
          nonce: undefined,
        })
        const answer = await raw(api.url, target, { authorization: `DPoP ${compact_jwt}`, dpop: proof })
        return answer.split(' ')[1]
      }
      // In the first seconds, proofs need a nonce.
      const isTaken = async () => (await call('/events', 'https://api.example.co/events')) === '200'
      await eventually('the guard accepts a proof without a nonce', isTaken)
      // Appended to the public address, this would read https://api.example.com://x/events.
      const answered = await call('m://x/events', 'https://api.example.com//x/events')
      assert.notEqual(answered, '200')
      assert.equal(api.calls(), 1)
    })
})
