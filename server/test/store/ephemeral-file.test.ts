import assert from 'node:assert/strict'
import { copyFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, describe, type TestContext, test } from 'node:test'
import { temporaryDirectory } from '@deputize/testing/scope.ts'
import { postgresEphemeral } from '../../src/store/postgres/ephemeral.ts'
import { sqliteEphemeral } from '../../src/store/sqlite/ephemeral.ts'
import { ephemeralFile } from '../../src/store/sqlite/ephemeral-file.ts'
import { aPool, aPostgres, look } from '../contract/a-postgres.ts'

/** The schema of the version that called the file `passing.db`. */
const OLD_SCHEMA = `
  PRAGMA journal_mode = WAL;
  CREATE TABLE passing (
    added INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL,
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    owner TEXT,
    expires_at_ms INTEGER NOT NULL,
    UNIQUE (kind, key)
  ) STRICT;
  CREATE INDEX passing_by_owner ON passing (owner, kind) WHERE owner IS NOT NULL;
  CREATE INDEX passing_by_end ON passing (expires_at_ms);
  PRAGMA user_version = 1;`

const LATER_MS = Date.now() + 3_600_000
const FILES = ['', '-wal', '-shm']

function entry(key: string) {
  return { key, value: '{}', owner: 'human_a', expires_at_ms: LATER_MS }
}

/** Creates an old file as a kill would leave it: its writes are only in the write-ahead log. */
function anOldFile(
  context: TestContext,
  directory: string,
  entries: readonly (readonly [kind: string, key: string])[],
): void {
  const written = join(temporaryDirectory(context), 'passing.db')
  const db = new DatabaseSync(written)
  db.exec(OLD_SCHEMA)
  const insert = db.prepare(
    `INSERT INTO passing (kind, key, value, owner, expires_at_ms) VALUES (?, ?, '{}', 'human_a', ?)`,
  )
  for (const [kind, key] of entries) insert.run(kind, key, LATER_MS)
  for (const suffix of FILES) copyFileSync(`${written}${suffix}`, join(directory, `passing.db${suffix}`))
  db.close()
}

async function sessionsIn(file: string): Promise<string[]> {
  const ephemeral = sqliteEphemeral(file, Date.now)
  const found = await ephemeral.ofOwner('session', 'human_a')
  await ephemeral.close()
  return found.map(({ key }) => key)
}

describe('a data directory of the version that wrote passing.db', () => {
  test('keeps its marks, even those in the write-ahead log, and ends its unsealed sessions', async (context) => {
    const directory = temporaryDirectory(context)
    anOldFile(context, directory, [
      ['proof', 'seen'],
      ['session', 'unsealed'],
      ['id_token', 'used'],
    ])
    const file = ephemeralFile(directory)
    assert.deepEqual(readdirSync(directory), ['ephemeral.db'])
    assert.deepEqual(await sessionsIn(file), [])
    assert.equal(ephemeralFile(directory), file)
    const ephemeral = sqliteEphemeral(file, Date.now)
    context.after(() => ephemeral.close())
    assert.equal(await ephemeral.add('proof', entry('seen')), false)
    assert.equal(await ephemeral.add('id_token', entry('used')), false)
  })

  test('of the previous version also ends unsealed sessions', async (context) => {
    const file = join(temporaryDirectory(context), 'ephemeral.db')
    const ephemeral = sqliteEphemeral(file, Date.now)
    await ephemeral.add('session', entry('unsealed'))
    await ephemeral.close()
    const db = new DatabaseSync(file)
    db.exec('PRAGMA user_version = 2')
    db.close()
    assert.deepEqual(await sessionsIn(file), [])
  })

  test('may contain a write-ahead log without a store file, which is ignored', async (context) => {
    const directory = temporaryDirectory(context)
    writeFileSync(join(directory, 'passing.db-wal'), 'left behind')
    assert.deepEqual(await sessionsIn(ephemeralFile(directory)), [])
  })

  test('is refused if the old file is not a database', (context) => {
    const directory = temporaryDirectory(context)
    writeFileSync(join(directory, 'passing.db'), 'hello'.repeat(1_000))
    assert.throws(() => ephemeralFile(directory), /passing\.db cannot be used: .*you may delete it/)
  })
})

describe('if an older version ran again after the upgrade', () => {
  test('its file wins, so no ended session returns', async (context) => {
    const directory = temporaryDirectory(context)
    const ephemeral = sqliteEphemeral(ephemeralFile(directory), Date.now)
    await ephemeral.add('session', entry('ended meanwhile'))
    await ephemeral.add('proof', entry('seen'))
    const crashed = temporaryDirectory(context)
    for (const suffix of FILES)
      copyFileSync(join(directory, `ephemeral.db${suffix}`), join(crashed, `ephemeral.db${suffix}`))
    await ephemeral.close()
    for (const [name, both] of Object.entries({ 'orderly end': directory, crash: crashed })) {
      anOldFile(context, both, [['session', 'newest']])
      const file = ephemeralFile(both)
      assert.deepEqual(readdirSync(both), ['ephemeral.db'], name)
      assert.deepEqual(await sessionsIn(file), [], name)
    }
  })

  test('a proof that was already seen is still refused', async (context) => {
    const directory = temporaryDirectory(context)
    const first = sqliteEphemeral(ephemeralFile(directory), Date.now)
    await first.add('proof', entry('seen'))
    await first.add('id_token', entry('used'))
    await first.close()
    anOldFile(context, directory, [['proof', 'seen later']])
    const second = sqliteEphemeral(ephemeralFile(directory), Date.now)
    context.after(() => second.close())
    for (const key of ['seen', 'seen later']) assert.equal(await second.add('proof', entry(key)), false)
    assert.equal(await second.add('id_token', entry('used')), false)
  })
})

/** The statements of the version that called the table `passing`. */
const OLD_STATEMENTS = {
  add: `
    INSERT INTO passing (kind, key, value, owner, expires_at_ms)
    SELECT one.* FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[]) AS one
    ON CONFLICT (kind, key) DO UPDATE SET value = excluded.value, owner = excluded.owner,
      expires_at_ms = excluded.expires_at_ms, added = excluded.added WHERE passing.expires_at_ms <= $6
    RETURNING kind, key`,
  replace: `
    WITH quickly AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true))
    UPDATE passing SET value = $3, owner = $4, expires_at_ms = $5 FROM quickly
    WHERE kind = $1 AND key = $2 AND expires_at_ms > $6`,
  take: 'DELETE FROM passing WHERE kind = $1 AND key = $2 AND expires_at_ms > $3 RETURNING *',
  endOwner: 'DELETE FROM passing WHERE owner = $1 AND key IS DISTINCT FROM $2 AND expires_at_ms > $3',
  sweep: `
    DELETE FROM passing WHERE ctid = ANY(ARRAY(
      SELECT ctid FROM passing WHERE expires_at_ms <= $1 LIMIT $2 FOR UPDATE SKIP LOCKED
    ))`,
}

test('during a rolling upgrade, nodes of both versions share one table', async (context) => {
  const postgres = await aPostgres({ after })
  const url = await postgres.database()
  const pool = aPool(url)
  context.after(() => pool.end())
  const node = postgresEphemeral(pool, Date.now)
  const now_ms = Date.now()
  const addOld = (key: string, expires_at_ms = LATER_MS) =>
    look(url, OLD_STATEMENTS.add, [['session'], [key], ['{}'], ['human_a'], [expires_at_ms], now_ms])

  assert.equal((await addOld('a')).length, 1)
  assert.equal((await addOld('a')).length, 0, 'a key is added twice')
  assert.equal(await node.add('session', entry('a')), false)
  assert.equal(await node.add('session', entry('b')), true)
  assert.equal((await addOld('b')).length, 0)
  assert.equal((await addOld('old', now_ms - 1)).length, 1)
  assert.equal((await addOld('old')).length, 1, 'an expired entry does not make room')

  await look(url, OLD_STATEMENTS.replace, ['session', 'b', '{"n":1}', 'human_a', LATER_MS, now_ms])
  assert.equal((await node.get('session', 'b'))?.value, '{"n":1}')
  const owned = await node.ofOwner('session', 'human_a')
  assert.deepEqual(
    owned.map(({ key }) => key),
    ['old', 'b', 'a'],
  )

  assert.equal((await look(url, OLD_STATEMENTS.take, ['session', 'a', now_ms])).length, 1)
  assert.equal(await node.take('session', 'a'), undefined)
  await addOld('expired', now_ms - 1)
  await look(url, OLD_STATEMENTS.sweep, [now_ms, 1_000])
  assert.deepEqual(await look(url, `SELECT key FROM ephemeral ORDER BY key`), [{ key: 'b' }, { key: 'old' }])
  await look(url, OLD_STATEMENTS.endOwner, ['human_a', null, now_ms])
  assert.deepEqual(await node.ofOwner('session', 'human_a'), [])
})
