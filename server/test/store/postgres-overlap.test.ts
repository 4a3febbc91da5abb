import assert from 'node:assert/strict'
import { after, describe, type TestContext, test } from 'node:test'
import { eventually } from '@deputize/testing/eventually.ts'
import type { Command } from '../../src/clerk/command.ts'
import type { WriteStore } from '../../src/store/port/write-store.ts'
import { openConnection } from '../../src/store/postgres/connect.ts'
import { knownSchema } from '../../src/store/postgres/migration-files.ts'
import { aPostgres, look } from '../contract/a-postgres.ts'
import { rootClaims } from '../root-claims.ts'
import { aPostgresWriter } from './a-postgres-writer.ts'
import { aRecord, aToken, decisionOf, ROOT, records, write } from './postgres-batches.ts'

const postgres = await aPostgres({ after })
const WAITING = `SELECT application_name AS name FROM pg_stat_activity
  WHERE wait_event_type = 'Lock' AND datname = current_database()`

/** Two nodes on a new database. `node` has issued a token and caches it. */
async function aCluster(context: TestContext) {
  const url = await postgres.database()
  const other = await aPostgresWriter(context, url, 'other')
  const node = await aPostgresWriter(context, url, 'node')
  await write(node, aToken(ROOT, 'someone', 0))
  await write(node, aRecord('warm'))
  return { url, node, other }
}

/** A record with its own idempotency key. */
function aKeyedRecord(suffix: string): Command {
  return { ...aRecord(suffix), replay: { key: suffix, fingerprint: 'f' } }
}

/** Begins a batch as the writing thread does, and counts how often it is judged. */
async function begin(node: WriteStore, command: Command) {
  let judged = 0
  const watched: WriteStore = {
    ...node,
    transact: (needs, judge, lane) =>
      node.transact(
        needs,
        (facts) => {
          judged += 1
          return judge(facts)
        },
        lane,
      ),
  }
  await node.room()
  const answer = write(watched, command)
  answer.catch(() => {}) // tests look at it later
  return { answer, judged: () => judged }
}

/** Begins a batch that waits for its commit, and the next one, which is judged meanwhile. */
async function beginTwo(node: WriteStore, url: string, ...commands: [Command, Command]) {
  const first = await begin(node, commands[0])
  await eventually('the first batch waits', () => isWaiting(url, 'node'))
  const second = await begin(node, commands[1])
  await eventually('the second batch is judged', async () => second.judged() > 0)
  return [first, second] as const
}

/** Keeps all nodes from committing, as a slow disk would. */
async function holdHead(context: TestContext, url: string) {
  const holder = await openConnection(url, 'holder', () => {})
  context.after(() => holder.end())
  await holder.query('BEGIN; SELECT 1 FROM log_head FOR UPDATE')
  return { release: () => holder.query('ROLLBACK') }
}

async function isWaiting(url: string, writer: string): Promise<boolean> {
  return (await look(url, WAITING)).some(({ name }) => name === `deputy writer ${writer} s${knownSchema()}`)
}

describe('a batch on PostgreSQL', () => {
  test('is judged while the previous one is being committed, and follows it in the log', async (context) => {
    const { url, node } = await aCluster(context)
    const head = await holdHead(context, url)
    const [first, second] = await beginTwo(node, url, aRecord('first', 'a new name'), aRecord('second'))
    const third = begin(node, aRecord('third')) // waits for room
    assert.deepEqual(await records(url), ['aar_warm: success'], 'nothing is committed yet')
    await head.release()
    await Promise.all([first.answer, second.answer, (await third).answer])
    assert.deepEqual([first.judged(), second.judged()], [1, 1])
    assert.deepEqual(await records(url), [
      'aar_warm: success',
      'aar_first: a new name',
      'aar_second: success',
      'aar_third: success',
    ])
  })

  test('is judged again if another node commits before the previous one', async (context) => {
    const { url, node, other } = await aCluster(context)
    const head = await holdHead(context, url)
    const theirs = write(other, aRecord('theirs', 'a name of theirs'))
    await eventually('the other node waits', () => isWaiting(url, 'other'))
    const [first, second] = await beginTwo(node, url, aRecord('first', 'a new name'), aRecord('second'))
    await head.release()
    await Promise.all([theirs, first.answer, second.answer])
    assert.ok(first.judged() > 1 && second.judged() > 1)
    assert.deepEqual(await records(url), [
      'aar_warm: success',
      'aar_theirs: a name of theirs',
      'aar_first: a new name',
      'aar_second: success',
    ])
  })

  test('is judged again even if the one before it turns out to change nothing', async (context) => {
    const { url, node, other } = await aCluster(context)
    const head = await holdHead(context, url)
    const rating = { kind: 'rate', aar_id: 'aar_warm', note: undefined, rater_assurance: 'L1' } as const
    // The batch of the other node gets the number that the second batch of this node expects.
    const revoked = write(
      other,
      { ...rating, rating: 'flagged' },
      { kind: 'revoke', vat_jti: ROOT, reason: undefined },
    )
    await eventually('the other node waits', () => isWaiting(url, 'other'))
    const [first, second] = await beginTwo(node, url, { ...rating, rating: 'approved' }, aRecord('second'))
    await head.release()
    await revoked
    const refused = await first.answer
    assert.ok(refused !== undefined && 'refusal' in refused)
    assert.equal(decisionOf(await second.answer), false, 'the token was revoked before')
  })

  test('with a new idempotency key is judged while the previous one is being committed', async (context) => {
    const { url, node } = await aCluster(context)
    const head = await holdHead(context, url)
    const [first, second] = await beginTwo(node, url, aKeyedRecord('first'), aKeyedRecord('second'))
    await head.release()
    await Promise.all([first.answer, second.answer])
    assert.deepEqual([first.judged(), second.judged()], [1, 1])
    assert.deepEqual(await records(url), ['aar_warm: success', 'aar_first: success', 'aar_second: success'])
  })

  test('with a repeated key is judged again, and after that looks for stored answers first', async (context) => {
    const { url, node } = await aCluster(context)
    const replay = { key: 'once', fingerprint: 'the same' }
    await write(node, { ...aRecord('first'), replay })
    const again = await begin(node, { ...aRecord('again'), replay })
    const repeated = await again.answer
    assert.ok(repeated !== undefined && 'replayed' in repeated && repeated.replayed)
    assert.equal(again.judged(), 2)
    const once = await begin(node, { ...aRecord('again'), replay })
    assert.deepEqual(await once.answer, repeated)
    assert.equal(once.judged(), 1)
    assert.equal(decisionOf(await write(node, aKeyedRecord('third'))), true)
    assert.deepEqual(await records(url), ['aar_warm: success', 'aar_first: success', 'aar_third: success'])
  })

  test('still reads stored answers first after one that can no longer be decrypted', async (context) => {
    const { node } = await aCluster(context)
    const rating = {
      kind: 'rate',
      aar_id: 'aar_warm',
      rating: 'approved',
      note: 'n',
      rater_assurance: 'L1',
    } as const
    const repeated: Command = { ...rating, replay: { key: 'once', fingerprint: 'f' } }
    await write(node, repeated)
    await write(node, { kind: 'erase_human', human_ref: rootClaims(ROOT, 'someone', 0).svc_human_ref })
    for (const times of [2, 1]) {
      const again = await begin(node, repeated)
      const answer = await again.answer
      assert.ok(answer !== undefined && 'refusal' in answer)
      assert.deepEqual([answer.refusal.code, again.judged()], ['rating_immutable', times])
    }
  })

  test('gets the stored answer even if it could not be judged as a new request', async (context) => {
    const { url, node } = await aCluster(context)
    const replay = { key: 'once', fingerprint: 'f' }
    const done = await write(node, { ...aRecord('first'), replay })
    const picky: WriteStore = {
      ...node,
      transact: (needs, judge) =>
        node.transact(needs, (facts) => {
          if (facts.replay('once') === undefined) throw new Error('a bug that only new requests meet')
          return judge(facts)
        }),
    }
    const repeated = await write(picky, { ...aRecord('again'), replay })
    assert.deepEqual(repeated, { ...JSON.parse(JSON.stringify(done)), replayed: true })
    assert.deepEqual(await records(url), ['aar_warm: success', 'aar_first: success'])
  })

  test('finds stored answers by key, even if few existed when its statement was planned', async (context) => {
    const { url, node: earlier } = await aCluster(context)
    await write(earlier, aKeyedRecord('first'))
    await look(url, 'ANALYZE replays')
    const scans = async () => {
      const sql = `SELECT seq_scan, idx_scan FROM pg_stat_user_tables WHERE relname = 'replays'`
      const [row] = await look(url, sql)
      return { whole: Number(row?.seq_scan), by_key: Number(row?.idx_scan) }
    }
    const before = await scans()
    const node = await aPostgresWriter(context, url, 'later')
    let written = 0
    // A connection reports its scans about once a second.
    await eventually('the scans are counted', async () => {
      await write(node, aKeyedRecord(`later ${written++}`))
      const { whole, by_key } = await scans()
      return whole + by_key > before.whole + before.by_key
    })
    assert.equal((await scans()).whole, before.whole)
  })

  test('gets the stored answer if it repeats the previous one', async (context) => {
    const { url, node } = await aCluster(context)
    const replay = { key: 'once', fingerprint: 'the same' }
    const head = await holdHead(context, url)
    const first = await begin(node, { ...aRecord('first'), replay })
    await eventually('the first batch waits', () => isWaiting(url, 'node'))
    const second = await begin(node, { ...aRecord('second'), replay })
    await head.release()
    const [done, repeated] = [await first.answer, await second.answer]
    assert.deepEqual(repeated, { ...JSON.parse(JSON.stringify(done)), replayed: true })
    assert.deepEqual(await records(url), ['aar_warm: success', 'aar_first: success'])
  })

  test('is judged again in its turn if it could not be judged ahead', async (context) => {
    const { url, node } = await aCluster(context)
    const head = await holdHead(context, url)
    const first = await begin(node, aRecord('first'))
    await eventually('the first batch waits', () => isWaiting(url, 'node'))
    let attempts = 0
    const failing: WriteStore = {
      ...node,
      transact: (needs, judge) =>
        node.transact(needs, (facts) => {
          attempts += 1
          const judged = judge(facts)
          if (attempts === 1) throw new Error('not now')
          return judged
        }),
    }
    const second = write(failing, aRecord('second', 'a new name'))
    await eventually('the second batch has failed once', async () => attempts === 1)
    await head.release()
    await Promise.all([first.answer, second])
    assert.equal(attempts, 2)
    assert.deepEqual(await records(url), [
      'aar_warm: success',
      'aar_first: success',
      'aar_second: a new name',
    ])
  })

  test('is written if the connection breaks while the previous one is being committed', async (context) => {
    const { url, node } = await aCluster(context)
    const head = await holdHead(context, url)
    const [first, second] = await beginTwo(
      node,
      url,
      aRecord('first', 'a name that is not stored'),
      aRecord('second'),
    )
    await look(
      url,
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'deputy writer node %'",
    )
    await head.release()
    await assert.rejects(first.answer, /the batch was not committed/)
    assert.equal(decisionOf(await second.answer), true)
    await write(node, aRecord('third', 'another name'))
    await write(node, aRecord('first', 'a name that is not stored'))
    assert.deepEqual(await records(url), [
      'aar_warm: success',
      'aar_second: success',
      'aar_third: another name',
      'aar_first: a name that is not stored',
    ])
  })
})

test('a batch on PostgreSQL that changes nothing leaves no person behind', async (context) => {
  const { url, node } = await aCluster(context)
  await write(node, { kind: 'refuse_tokens', human_ref: 'sha256:stranger', refuses: false })
  await write(node, aToken('vat_root_2', 'stranger', 1))
  await write(node, aToken('vat_root_3', 'newcomer', 2))
  const rows = await look(
    url,
    'SELECT jti, human_ref FROM tokens LEFT JOIN humans USING (human_key) ORDER BY token_key',
  )
  assert.deepEqual(rows, [
    { jti: 'vat_root_1', human_ref: 'sha256:someone' },
    { jti: 'vat_root_2', human_ref: 'sha256:stranger' },
    { jti: 'vat_root_3', human_ref: 'sha256:newcomer' },
  ])
})
