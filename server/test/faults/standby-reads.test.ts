import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { command } from '@deputize/testing/a-database.ts'
import { anIssueRequest } from '@deputize/testing/an-issue-request.ts'
import { eventually } from '@deputize/testing/eventually.ts'
import { someNodes } from '@deputize/testing/some-nodes.ts'
import { checkDatabase } from '../../src/check/check-data.ts'
import { aReplicatedPostgres } from './a-replicated-postgres.ts'

const WRITES = 25
const PATIENCE_MS = 60_000

const postgres = await aReplicatedPostgres({ after })
await postgres.follow(false)
const primary = postgres.primary().url()
const standby = postgres.standby().url()
const { nodes, env } = await someNodes({ after }, 1, {
  url: primary,
  env: { DEPUTY_REPLICA_URL: standby, DEPUTY_LOG_LEVEL: 'silent' },
})
const [node] = nodes
assert.ok(node !== undefined)
const { client, directory } = node
const { jti, provenance_ref } = (await client.post('/v1/vat/issue/l1', anIssueRequest())).body

async function aRecord(): Promise<string> {
  const { status, body } = await client.post('/v1/vat/record/action', {
    vat_jti: jti,
    action: 'read',
    resource: 'calendar:events',
    result: 'success',
  })
  assert.equal(status, 200, JSON.stringify(body))
  return body.aar_id
}

async function listed(): Promise<string[]> {
  const { status, body } = await client.get('/v1/vat/aar?limit=10')
  assert.equal(status, 200, JSON.stringify(body))
  return body.data.map(({ aar_id }: { aar_id: string }) => aar_id)
}

/** When a node last queried this server for a list of records, or 0 if its last query was a different one. */
async function asked_ms(url: string): Promise<number> {
  const [row] = await command(
    url,
    `SELECT coalesce(max(extract(epoch FROM query_start) * 1000), 0)::float8 AS asked_ms FROM pg_stat_activity
      WHERE application_name = 'deputy reading' AND query LIKE '%FROM records%'`,
  )
  return Number(row?.asked_ms)
}

/** Lists until the standby is queried, and resolves to its answer. */
async function listedByStandby(): Promise<string[]> {
  const look = async () => {
    const before = await asked_ms(standby)
    const ids = await listed()
    return (await asked_ms(standby)) > before && ids
  }
  return eventually('the standby answers', look, PATIENCE_MS)
}

const replay = (what: 'pause' | 'resume') => command(standby, `SELECT pg_wal_replay_${what}()`)

describe('a node with a real standby', () => {
  test('lists from the standby, and reads single records from the primary', async () => {
    const aar_id = await aRecord()
    assert.equal((await listedByStandby())[0], aar_id)
    const before = await asked_ms(standby)
    assert.equal((await client.get(`/v1/vat/aar/${aar_id}`)).body.aar_id, aar_id)
    assert.ok((await asked_ms(standby)) <= before)
  })

  test(`shows each of ${WRITES} writes as soon as it is acknowledged`, async () => {
    for (let n = 0; n < WRITES; n += 1) {
      const aar_id = await aRecord()
      assert.equal((await listed())[0], aar_id)
      const [agent] = (await client.get('/v1/vat/agents')).body.data
      assert.equal(agent.total_actions, n + 2, 'with the record of the test before')
    }
  })

  test('answers from the primary while the standby lags, and from the standby once it has caught up', async () => {
    await listedByStandby()
    await replay('pause')
    try {
      for (let n = 0; n < WRITES; n += 1) {
        const before = await asked_ms(standby)
        const aar_id = await aRecord()
        assert.equal((await listed())[0], aar_id, 'the standby answered without having it')
        assert.ok((await asked_ms(standby)) <= before)
      }
      const path = `/v1/vat/aar/provenance/${provenance_ref}/export?format=csv`
      const lines = String((await client.get(path)).body)
        .trim()
        .split('\n')
      assert.ok(lines.length > WRITES, 'an export lacks what the standby lacks')
      const metrics = String((await client.get('/metrics')).body)
      const gauge = (name: string) => Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(metrics)?.[1])
      assert.ok(
        gauge('deputy_log_entries') - gauge('deputy_replica_entries') >= WRITES,
        'metrics hide the lag',
      )
      assert.equal(gauge('deputy_database_waiting_reads'), 0)
    } finally {
      await replay('resume')
    }
    assert.equal((await listedByStandby()).length, 10)
  })

  test("can't be checked on its standby, which may be behind", async () => {
    const options = { data_dir: directory, checkpoint_file: `${directory}/checkpoint` }
    const master_key_file = env.DEPUTY_MASTER_KEY_FILE
    await assert.rejects(checkDatabase({ ...options, url: standby, master_key_file }), {
      name: 'Uncheckable',
      message: /is a standby, which may lag behind\. Use the address of the primary\.$/,
    })
    assert.deepEqual((await checkDatabase({ ...options, url: primary, master_key_file })).faults, [])
  })

  test('answers from the primary when the standby is killed', async () => {
    await listedByStandby()
    await postgres.standby().kill()
    for (let n = 0; n < WRITES; n += 1) {
      const aar_id = await aRecord()
      assert.equal((await listed())[0], aar_id)
    }
    assert.equal((await client.get('/readyz')).status, 200)
  })
})
