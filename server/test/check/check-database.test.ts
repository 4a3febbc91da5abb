import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { aTestApp } from '@deputize/testing/a-test-app.ts'
import { anIssueRequest } from '@deputize/testing/an-issue-request.ts'
import { temporaryDirectory } from '@deputize/testing/scope.ts'
import { checkDatabase, type DatabaseCheckOptions } from '../../src/check/check-data.ts'
import { postgresTables } from '../../src/store/postgres/store-tables.ts'
import { look } from '../contract/a-postgres.ts'
import { aRichDatabase } from './rich-store.ts'

const { directory, url, server } = await aRichDatabase({ after })

function check(changes: Partial<DatabaseCheckOptions> = {}) {
  return checkDatabase({
    url,
    data_dir: directory,
    checkpoint_file: join(directory, 'checkpoint'),
    master_key_file: undefined,
    ...changes,
  })
}

let copies = 0

/** Runs SQL on a copy of the database with triggers disabled. Resolves to the URL of the copy. */
async function aTamperedCopy(sql: string): Promise<string> {
  copies += 1
  await look(server.url(), `CREATE DATABASE tampered_${copies} TEMPLATE ${new URL(url).pathname.slice(1)}`)
  const copy = server.url(`tampered_${copies}`)
  await look(copy, `SET session_replication_role = replica; ${sql}`)
  return copy
}

/** Changes that are specific to PostgreSQL, each with the sentence that reports it. */
const TAMPERED: Readonly<Record<string, readonly [sql: string, table: string, sentence: RegExp]>> = {
  'a trigger was disabled': [
    'ALTER TABLE leaves DISABLE TRIGGER leaves_never_change',
    'schema',
    /^The trigger leaves_never_change of leaves differs from the one this version creates\.$/,
  ],
  'a trigger function was replaced': [
    'CREATE OR REPLACE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$',
    'schema',
    /^The function refuse_change\(\) differs from the one this version creates\.$/,
  ],
  'a trigger was added': [
    `CREATE FUNCTION mine() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
      CREATE TRIGGER mine BEFORE INSERT ON denials FOR EACH ROW EXECUTE FUNCTION mine()`,
    'schema',
    /^The trigger mine of denials does not belong to a Deputy store\.$/,
  ],
  'a rule discards inserts': [
    'CREATE RULE mine AS ON INSERT TO denials DO INSTEAD NOTHING',
    'schema',
    /^The rule mine of denials does not belong to a Deputy store\.$/,
  ],
  'an index is missing': [
    'DROP INDEX records_by_token',
    'schema',
    /^The index records_by_token is missing\.$/,
  ],
  'a constraint is missing': [
    'ALTER TABLE token_states DROP CONSTRAINT token_states_spent_micro_usd_check',
    'schema',
    /^The constraint token_states_spent_micro_usd_check of token_states is missing\.$/,
  ],
  'a table is no longer crash-safe': [
    'ALTER TABLE ratings SET UNLOGGED',
    'schema',
    /^The table ratings differs from the one this version creates\.$/,
  ],
  'a child table adds rows': [
    'CREATE SCHEMA other; CREATE TABLE other.more () INHERITS (records)',
    'schema',
    /^The table records differs from the one this version creates\.$/,
  ],
  'row level security may hide rows': [
    'ALTER TABLE records ENABLE ROW LEVEL SECURITY',
    'schema',
    /^The table records differs from the one this version creates\.$/,
  ],
  'a migration is missing from the list': [
    'DELETE FROM migrations WHERE number = (SELECT max(number) FROM migrations)',
    'schema',
    /^The list of applied migrations differs from that of this version\.$/,
  ],
  'a chain skips an ancestor': [
    'UPDATE tokens SET ancestors = ARRAY[token_key] WHERE parent_key IS NOT NULL',
    'tokens',
    /^Column ancestors of tokens 2 is "\[\\"2\\"\]", but the log implies "\[\\"1\\",\\"2\\"\]"\.$/,
  ],
  'keys would be assigned twice': [
    'UPDATE log_head SET last_human_key = last_human_key - 1',
    'log_head',
    /^Column last_human_key of log_head 1 is \d+, but the log implies \d+\.$/,
  ],
  'the batch number went back': [
    'UPDATE log_head SET batch = batch - 1',
    'log_head',
    /^The log head is at batch \d+, but batch \d+ was written\.$/,
  ],
  'nodes of a version that knows too little could write': [
    'UPDATE log_head SET oldest_schema = 15',
    'schema',
    /^The head of the log must be open to nodes from schema 16 on\.$/,
  ],
  'nodes could write that are older than every rule': [
    'DELETE FROM deferred_sums; UPDATE log_head SET oldest_schema = 11',
    'schema',
    /^The head of the log must be open to nodes from schema 12 on\.$/,
  ],
  'status list indexes would be assigned twice': [
    'UPDATE status_places SET next = 1',
    'status_places',
    /^The next index in the status list must be at least \d+: a token uses the one before it\.$/,
  ],
  'a session was prolonged': [
    'UPDATE ephemeral SET expires_at_ms = expires_at_ms + 1',
    'ephemeral',
    /was not written by this deployment, or was changed/,
  ],
  'the log head is missing': ['DELETE FROM log_head', 'log_head', /^The log head is missing\.$/],
}

describe('the check of a database reports the row when', () => {
  for (const [name, [sql, table, sentence]] of Object.entries(TAMPERED)) {
    test(name, async () => {
      const { faults } = await check({ url: await aTamperedCopy(sql) })
      assert.ok(
        faults.some((fault) => fault.table === table && sentence.test(fault.sentence)),
        JSON.stringify(faults.slice(0, 5), undefined, 2),
      )
    })
  }
})

describe('the check of a database', () => {
  test('changes nothing and leaves nothing behind', async () => {
    const state = `SELECT (SELECT count(*) FROM pg_class) AS objects, (SELECT count(*) FROM pg_namespace) AS schemas,
      (SELECT xmin FROM log_head) AS head`
    const before = await look(url, state)
    assert.deepEqual((await check()).faults, [])
    assert.deepEqual(await look(url, state), before)
  })

  test('ignores storage settings, extensions and other schemas', async () => {
    const copy = await aTamperedCopy(
      'ALTER TABLE records SET (fillfactor = 90); CREATE EXTENSION amcheck; CREATE SCHEMA mine; CREATE TABLE mine.notes ()',
    )
    assert.deepEqual((await check({ url: copy })).faults, [])
  })

  test('reports a table that is missing', async () => {
    const gone = await check({ url: await aTamperedCopy('DROP TABLE denials') })
    assert.ok(gone.faults.some(({ sentence }) => /^The table denials is missing\.$/.test(sentence)))
    assert.match(String(gone.faults.at(-1)?.sentence), /^The rest of the store can't be read: /)
  })

  test('makes an erasure fail until the check ends, because its snapshot still holds the key', async (context) => {
    await look(server.url(), 'CREATE DATABASE erasing TEMPLATE pattern')
    const service = await aTestApp(context, { database_url: server.url('erasing') })
    const { claims } = (await service.post('/v1/vat/issue/l1', anIssueRequest({ purpose: 'mine' }))).body
    const tables = await postgresTables(server.url('erasing'))
    for await (const { wrapped } of tables.rows('SELECT wrapped FROM data_keys')) assert.ok(wrapped)
    const path = `/v1/vat/humans/${claims.svc_human_ref}`
    const early = await service.delete(path)
    await tables.close()
    assert.deepEqual([early.status, early.body.code], [503, 'storage_unavailable'])
    assert.equal((await service.delete(path)).status, 200)
  })

  test('refuses a database without a readable store and keys', async (context) => {
    const elsewhere = temporaryDirectory(context)
    await assert.rejects(check({ master_key_file: join(elsewhere, 'none') }), {
      name: 'Uncheckable',
      message: /the master key is missing/,
    })
    const foreign = join(elsewhere, 'master.key')
    writeFileSync(foreign, randomBytes(32).toString('base64url'), { mode: 0o600 })
    await assert.rejects(check({ master_key_file: foreign }), {
      name: 'Uncheckable',
      message: /does not open the keys/,
    })
    rmSync(foreign)
    await look(server.url(), 'CREATE DATABASE nothing')
    await assert.rejects(check({ url: server.url('nothing') }), {
      name: 'Uncheckable',
      message: /^The database at 127\.0\.0\.1:\d+\/nothing does not contain a store\.$/,
    })
    await assert.rejects(check({ url: server.url('nowhere') }), { name: 'Uncheckable', message: /nowhere/ })
    await assert.rejects(check({ url: 'postgres://deputy@127.0.0.1:1/deputy' }), {
      name: 'Uncheckable',
      message: /cannot be reached/,
    })
    const newer = await aTamperedCopy(`INSERT INTO migrations VALUES (999, '0999-later.sql')`)
    await assert.rejects(check({ url: newer }), { name: 'Uncheckable', message: /newer version/ })
    const older = await aTamperedCopy('DELETE FROM migrations WHERE number > 1; DROP TABLE sealed_keys')
    await assert.rejects(check({ url: older }), { name: 'Uncheckable', message: /older version/ })
    const keyless = await aTamperedCopy('DELETE FROM sealed_keys')
    await assert.rejects(check({ url: keyless }), {
      name: 'Uncheckable',
      message: /not the keys that belong/,
    })
  })
})
