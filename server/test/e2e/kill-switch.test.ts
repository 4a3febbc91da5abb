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
/** Room for all batches, so that none is refused and all wait. */
const ROOM = { DEPUTY_QUEUE_LIMIT: String(BATCHES * ITEMS * 2) }
/** The revocation must be logged before this share of the records, although all of them were sent before it. */
const SHARE = 0.75
const ATTEMPTS = 4

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

async function logSize(client: HttpClient): Promise<number> {
  return (await client.get('/v1/vat/log/entries?limit=1')).body.size
}

/** The index of the first revocation in the log from `start` on. */
async function revocationIndex(client: HttpClient, start: number): Promise<number> {
  const { body } = await client.get(`/v1/vat/log/entries?limit=1000&start=${start}`)
  const entries: { index: number; leaf: string }[] = body.data
  const found = entries.find(({ leaf }) => JSON.parse(leaf).type === 'token.revoked')
  if (found !== undefined) return found.index
  assert.ok(body.has_more, 'the revocation is not in the log')
  return revocationIndex(client, body.next_start)
}

/** Two clients of the service. On PostgreSQL, they use different nodes. */
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
    const rogue = await aToken(busy)
    const items = Array.from({ length: ITEMS }, () => anAction(rogue))

    /** Revokes a token while the batches wait, and returns how many records came before the revocation. */
    async function recordsBefore(): Promise<number> {
      const victim = await aToken(busy)
      const start = await logSize(busy)
      const batches = Array.from({ length: BATCHES }, () => busy.post('/v1/vat/record/batch', { items }))
      assert.equal((await Promise.race(batches)).status, 200)
      const revoked = await urgent.post('/v1/vat/revoke', { vat_jti: victim, reason: 'now' })
      assert.equal(revoked.status, 200, JSON.stringify(revoked.body))
      for (const { status } of await Promise.all(batches)) assert.equal(status, 200)
      return (await revocationIndex(busy, start)) - start
    }

    // The log keeps the order, so the speed of the machine doesn't matter. The batches can only be over if this process
    // pauses before it sends the revocation.
    const attempts = [await recordsBefore()]
    while (attempts.length < ATTEMPTS && Number(attempts.at(-1)) >= BATCHES * ITEMS * SHARE)
      attempts.push(await recordsBefore())
    t.diagnostic(`revoked after ${attempts.join(', ')} of ${BATCHES * ITEMS} records`)
    assert.ok(
      Number(attempts.at(-1)) < BATCHES * ITEMS * SHARE,
      `it came after ${attempts.join(', ')} records`,
    )
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
