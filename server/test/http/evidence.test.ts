import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { aTestApp } from '@deputize/testing/a-test-app.ts'
import { anIssueRequest } from '@deputize/testing/an-issue-request.ts'
import { verifyProofPack } from '../../../protocol/src/verifier.ts'
import { aKeyedApp, anAgent, type Client } from './a-keyed-app.ts'
import { readCsv } from './read-csv.ts'

const AUDIENCE = 'https://calendar.example'
const READ = { action: 'read', resource: 'calendar:events' }
const MINUTE_MS = 60_000

/** An agent, the resource server that it calls, and a developer who may read everything. */
async function aKeyedCalendar(context: TestContext) {
  const app = await aKeyedApp(context)
  await app.operator.post('/v1/vat/tenants', { tenant_id: 'acme' })
  const developer = app.withKey(await app.key('acme', 'developer'))
  const agent = await anAgent(app, developer, { audience: AUDIENCE })
  const key = await app.key('acme', 'resource_server', { audience: AUDIENCE })
  const calendar = app.withHeaders(() => ({
    authorization: `Bearer ${key}`,
    'deputy-token': agent.compact_jwt,
  }))
  const ask = { vat_jti: agent.jti, ...READ }
  return { app, developer, agent: agent.client, calendar, ask, ref: agent.provenance_ref }
}

async function good(client: Client, path: string, body: unknown = {}) {
  const answer = await client.post(path, body)
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return answer.body
}

const evidenceOf = async (client: Client, aar_id: string) =>
  (await client.get(`/v1/vat/aar/${aar_id}`)).body.evidence

const DONE = { result: 'success' }
const OWN = 'self_reported'
const SEEN = 'observed'

describe('the evidence of a record', () => {
  test('is self_reported in open mode, whatever the caller presents', async (context) => {
    const service = await aTestApp(context)
    const { jti, compact_jwt } = (await service.post('/v1/vat/issue/l1', anIssueRequest())).body
    const shown = { 'deputy-token': compact_jwt }
    const answer = await service.post('/v1/vat/record/action', { vat_jti: jti, ...READ, ...DONE }, shown)
    const record = (await service.get(`/v1/vat/aar/${answer.body.aar_id}`)).body
    assert.equal(record.evidence, OWN)
  })

  test('is observed when a resource server records the action, alone or in a batch', async (context) => {
    const { agent, calendar, developer, ask } = await aKeyedCalendar(context)
    for (const [client, word] of [
      [agent, OWN],
      [calendar, SEEN],
    ] as const) {
      const recorded = await good(client, '/v1/vat/record/action', { ...ask, ...DONE })
      const pending = await good(client, '/v1/vat/authorize', ask)
      const many = await good(client, '/v1/vat/record/batch', { items: [{ ...ask, ...DONE }] })
      const asked = await good(client, '/v1/vat/authorize/batch', { items: [ask] })
      const ids = [recorded.aar_id, pending.aar_id, many.items[0].answer.aar_id, asked.items[0].answer.aar_id]
      for (const aar_id of ids) assert.equal(await evidenceOf(developer, aar_id), word)
    }
  })

  test('depends on the caller who completes the action', async (context) => {
    const { app, agent, calendar, developer, ask } = await aKeyedCalendar(context)
    const cases = [
      [agent, agent, OWN],
      [agent, calendar, SEEN],
      [calendar, calendar, SEEN],
    ] as const
    for (const [asks, ends, word] of cases)
      for (const [how, body] of [
        ['complete', DONE],
        ['cancel', {}],
      ] as const) {
        const { aar_id } = await good(asks, '/v1/vat/authorize', ask)
        const ended = await good(ends, `/v1/vat/aar/${aar_id}/${how}`, body)
        assert.deepEqual([ended.evidence, await evidenceOf(developer, aar_id)], [word, word])
      }
    const { aar_id } = await good(calendar, '/v1/vat/authorize', ask)
    app.test.clock.advance(16 * MINUTE_MS)
    await app.test.sweep()
    const expired = (await developer.get(`/v1/vat/aar/${aar_id}`)).body
    assert.deepEqual([expired.state, expired.evidence], ['expired', SEEN])
  })

  test('cannot be changed by an agent: only the resource server that opened a record can close it', async (context) => {
    const { app, calendar, developer } = await aKeyedCalendar(context)
    const constraints = { max_spend_usd: 1 }
    const { jti, compact_jwt, client } = await anAgent(app, developer, { audience: AUDIENCE, constraints })
    const paid = { vat_jti: jti, ...READ, spend_usd: 1 }
    const shown = { 'deputy-token': compact_jwt }
    const { aar_id } = (await calendar.post('/v1/vat/authorize', paid, shown)).body
    for (const [how, body] of [
      ['complete', { ...DONE, spend_usd: 0 }],
      ['cancel', {}],
    ] as const) {
      const refused = await client.post(`/v1/vat/aar/${aar_id}/${how}`, body)
      assert.deepEqual([refused.status, refused.body.code], [404, 'record_unknown'])
    }
    const again = (await calendar.post('/v1/vat/authorize', paid, shown)).body
    assert.deepEqual(again.reasons, ['budget_exceeded'])
    const ended = await good(calendar, `/v1/vat/aar/${aar_id}/complete`, DONE)
    assert.deepEqual([ended.evidence, ended.spend_usd], [SEEN, 1])
  })

  test("doesn't change when another caller repeats the completion", async (context) => {
    const { agent, calendar, developer, ask } = await aKeyedCalendar(context)
    const { aar_id } = await good(agent, '/v1/vat/authorize', ask)
    await good(agent, `/v1/vat/aar/${aar_id}/complete`, DONE)
    const again = await good(calendar, `/v1/vat/aar/${aar_id}/complete`, DONE)
    assert.deepEqual([again.evidence, await evidenceOf(developer, aar_id)], [OWN, OWN])
  })

  test('cannot be set by a caller, and only the audience of a token can present it', async (context) => {
    const { app, agent, calendar, ask } = await aKeyedCalendar(context)
    const pending = await good(agent, '/v1/vat/authorize', ask)
    for (const client of [agent, calendar])
      for (const [path, body] of [
        ['/v1/vat/record/action', { ...ask, ...DONE }],
        ['/v1/vat/authorize', ask],
        [`/v1/vat/aar/${pending.aar_id}/complete`, DONE],
      ] as const) {
        const refused = await client.post(path, { ...body, evidence: SEEN })
        assert.deepEqual([refused.status, refused.body.code], [400, 'invalid_request'])
      }
    const key = await app.key('acme', 'resource_server', { audience: 'https://mail.example' })
    const stranger = app.withKey(key)
    const { aar_id } = pending
    const told = await stranger.post(`/v1/vat/aar/${aar_id}/complete`, DONE)
    assert.deepEqual([told.status, told.body.code], [404, 'record_unknown'])
    const recorded = await stranger.post('/v1/vat/record/action', { ...ask, ...DONE })
    assert.deepEqual([recorded.status, recorded.body.code], [403, 'not_yours'])
  })

  test('filters lists and appears in every export', async (context) => {
    const { agent, calendar, developer, ask, ref } = await aKeyedCalendar(context)
    const own = (await good(agent, '/v1/vat/record/action', { ...ask, ...DONE })).aar_id
    const seen = (await good(calendar, '/v1/vat/record/action', { ...ask, ...DONE })).aar_id
    for (const [word, ids] of [
      [OWN, [own]],
      [SEEN, [seen]],
      ['countersigned', []],
    ] as const)
      for (const list of [
        '/v1/vat/aar?',
        `/v1/vat/aar/provenance/${ref}/records?`,
        `/v1/vat/aar/provenance/${ref}/records?order=oldest&`,
      ]) {
        const { body } = await developer.get(`${list}evidence=${word}`)
        const found = body.data.map(({ aar_id }: { aar_id: string }) => aar_id)
        assert.deepEqual(found, ids, `${list} ${word}`)
      }
    const refused = await developer.get('/v1/vat/aar?evidence=sworn')
    assert.deepEqual([refused.status, refused.body.code], [400, 'invalid_request'])

    const exported = async (format: string): Promise<string> =>
      (await developer.get(`/v1/vat/aar/provenance/${ref}/export?format=${format}`)).body
    const [header = [], ...rows] = readCsv(await exported('csv'))
    assert.deepEqual(
      rows.map((row) => row[header.indexOf('evidence')]),
      [OWN, SEEN],
    )
    const pack = (await exported('proof-pack')).trimEnd().split('\n')
    assert.equal((await verifyProofPack(linesOf(pack), {})).records, 2)
    const forged = pack.map((line) => line.replace(`"evidence":"${OWN}"`, `"evidence":"${SEEN}"`))
    assert.notDeepEqual(forged, pack)
    await assert.rejects(verifyProofPack(linesOf(forged), {}), { fault: 'record_untold' })
  })

  test('does not affect the displayed reputation, and decides the gate score', async (context) => {
    const { app, calendar, developer, ask } = await aKeyedCalendar(context)
    const other = await anAgent(app, developer, { agent_id: 'other-bot', audience: AUDIENCE })
    for (const result of ['success', 'error']) {
      await good(calendar, '/v1/vat/record/action', { ...ask, result })
      await good(other.client, '/v1/vat/record/action', { ...ask, vat_jti: other.jti, result })
    }
    const scoresOf = async (agent_id: string) => {
      const { status, body } = await developer.get(`/v1/vat/reputation/${agent_id}`)
      assert.equal(status, 200, JSON.stringify(body))
      const { agent_id: _, gate_score, ...shown } = body
      return { gate_score, shown }
    }
    const observed = await scoresOf('calendar-bot')
    const reported = await scoresOf('other-bot')
    assert.deepEqual(observed.shown, reported.shown)
    assert.equal(reported.gate_score, 0)
    assert.equal(observed.gate_score, observed.shown.execution_interval.low)
  })
})

async function* linesOf(lines: readonly string[]) {
  yield* lines
}
