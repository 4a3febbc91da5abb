import assert from 'node:assert/strict'
import { test } from 'node:test'
import { codeOf, statusOf } from '@deputize/testing/raw-http.ts'
import { lineRequest, RawLine } from '@deputize/testing/raw-line.ts'
import { aKeyedApp, anAgent, dpop } from './a-keyed-app.ts'

const CONNECTIONS = 16
const PATH = '/v1/vat/authorize'

test('a proof is accepted once, whichever thread reads it', async (t) => {
  const app = await aKeyedApp(t, { http_threads: 3 })
  await app.operator.post('/v1/vat/tenants', { tenant_id: 'acme' })
  const developer = app.withKey(await app.key('acme', 'developer'))
  const { key, compact_jwt, jti } = await anAgent(app, developer)
  const url = await app.test.listen()
  const body = { vat_jti: jti, action: 'read', resource: 'calendar:events' }
  const lines = Array.from({ length: CONNECTIONS }, () => new RawLine(t, url))

  async function sendAll(proofOf: () => Record<string, string>): Promise<string[]> {
    return Promise.all(
      lines.map((line) => {
        const headers = Object.entries(proofOf()).map(([name, value]) => `${name}: ${value}`)
        line.write(lineRequest(url, `POST ${PATH}`, body, headers))
        return line.answer()
      }),
    )
  }
  const proof = () => dpop(key, 'POST', PATH, compact_jwt, app.test.clock(), { htu: `${url}${PATH}` })

  const fresh = await sendAll(proof)
  assert.deepEqual(fresh.map(statusOf), Array(CONNECTIONS).fill(200))
  const one = proof()
  const repeated = await sendAll(() => one)
  assert.equal(repeated.filter((answer) => statusOf(answer) === 200).length, 1)
  const others = repeated.filter((answer) => statusOf(answer) !== 200)
  assert.deepEqual(others.map(codeOf), Array(CONNECTIONS - 1).fill('credential_invalid'))
  for (const answer of others) assert.match(answer, /"reason":"proof_replayed"/)
})
