import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { anIssueRequest } from '@deputize/testing/an-issue-request.ts'
import { type HttpClient, httpClient } from '@deputize/testing/http-client.ts'
import { aProgram } from '@deputize/testing/program.ts'
import { type TestScope, temporaryDirectory } from '@deputize/testing/scope.ts'
import { someNodes } from '@deputize/testing/some-nodes.ts'
import { isOnPostgres } from '@deputize/testing/test-stores.ts'

const BATCHES = 40
const ITEMS = 1_000
/** Room for all of them, so that none is refused and all of them wait. */
const ROOM = { DEPUTY_QUEUE_LIMIT: String(BATCHES * ITEMS * 2) }
/** Far less than the batches need together, on any machine that needs seconds for them. */
const SHARE = 0.5

const anAction = (vat_jti: string) => ({
  vat_jti,
  action: 'read',
  resource: 'calendar:events',
  result: 'success',
})

async function aToken(client: HttpClient): Promise<string> {
  const { status, body } = await client.post('/v1/vat/issue/l1', anIssueRequest())
  assert.equal(status, 200, JSON.stringify(body))
  return body.jti
}

/** A client of the service, and another one of the same node or of the other one. */
async function twoClients(t: TestScope): Promise<[HttpClient, HttpClient]> {
  if (isOnPostgres) {
    const { nodes } = await someNodes(t, 2, { env: ROOM })
    const [first, second] = nodes.map(({ client }) => client)
    assert.ok(first !== undefined && second !== undefined)
    return [first, second]
  }
  const program = await aProgram(t, temporaryDirectory(t), ROOM)
  return [httpClient(t, program.url), httpClient(t, program.url)]
}

describe('the kill switch', () => {
  test(`does not wait behind ${BATCHES} batches of ${ITEMS} records`, async (t) => {
    const [busy, urgent] = await twoClients(t)
    const [rogue, victim] = [await aToken(busy), await aToken(busy)]
    const items = Array.from({ length: ITEMS }, () => anAction(rogue))
    const started = performance.now()
    let answered = 0
    const batches = Array.from({ length: BATCHES }, async () => {
      const { status } = await busy.post('/v1/vat/record/batch', { items })
      answered += 1
      return status
    })
    assert.equal(await Promise.race(batches), 200)
    const sent = performance.now()
    const revoked = await urgent.post('/v1/vat/revoke', { vat_jti: victim, reason: 'now' })
    const took_ms = performance.now() - sent
    const left = BATCHES - answered
    assert.equal(revoked.status, 200, JSON.stringify(revoked.body))
    assert.deepEqual(new Set(await Promise.all(batches)), new Set([200]))
    const all_ms = performance.now() - started
    t.diagnostic(
      `revoked after ${Math.round(took_ms)} ms with ${left} batches waiting, of ${Math.round(all_ms)} ms`,
    )
    assert.ok(left > 0, 'the batches were over before')
    assert.ok(took_ms < all_ms * SHARE, `the revocation took ${took_ms} ms of ${all_ms} ms`)
  })

  test('is not refused by a full queue', async (t) => {
    const program = await aProgram(t, temporaryDirectory(t), { DEPUTY_QUEUE_LIMIT: '1' })
    const client = httpClient(t, program.url)
    const [rogue, victim] = [await aToken(client), await aToken(client)]
    const items = Array.from({ length: ITEMS }, () => anAction(rogue))
    const flood = Array.from({ length: BATCHES }, () => client.post('/v1/vat/record/batch', { items }))
    const stops = Array.from({ length: 20 }, () => client.post('/v1/vat/revoke', { vat_jti: victim }))
    for (const { status, body } of await Promise.all(stops)) assert.equal(status, 200, JSON.stringify(body))
    const statuses = (await Promise.all(flood)).map(({ status }) => status)
    assert.ok(statuses.includes(503), 'the queue was not full')
  })
})
