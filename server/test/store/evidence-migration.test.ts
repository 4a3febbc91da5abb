import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, test } from 'node:test'
import { aTestApp } from '@deputize/testing/a-test-app.ts'
import { anIssueRequest } from '@deputize/testing/an-issue-request.ts'
import { migrateDatabase } from '../../src/store/postgres/migrate-database.ts'
import { migrate } from '../../src/store/sqlite/migrate.ts'
import { aPostgres, look } from '../contract/a-postgres.ts'

const READ = { action: 'read', resource: 'calendar:events' }

/** Reverts 0006-ephemeral.sql. */
const UNDO_EPHEMERAL = `
  DROP VIEW passing;
  ALTER TABLE ephemeral RENAME TO passing;
  ALTER INDEX ephemeral_pkey RENAME TO passing_pkey;
  ALTER INDEX ephemeral_by_owner RENAME TO passing_by_owner;
  ALTER INDEX ephemeral_by_expiry RENAME TO passing_by_end;
  ALTER SEQUENCE ephemeral_added_seq RENAME TO passing_added_seq`

describe('records from before the evidence column', () => {
  test('become self_reported in SQLite', async (context) => {
    const service = await aTestApp(context)
    const { jti } = (await service.post('/v1/vat/issue/l1', anIssueRequest())).body
    await service.post('/v1/vat/record/action', { vat_jti: jti, ...READ, result: 'success' })
    await service.post('/v1/vat/authorize', { vat_jti: jti, ...READ })
    const db = new DatabaseSync(join(service.directory, 'deputy.db'))
    context.after(() => db.close())
    const rows = (sql: string) =>
      db
        .prepare(sql)
        .all()
        .map((row) => ({ ...row }))
    const before = rows('SELECT * FROM records')
    assert.equal(before.length, 2)
    db.exec('ALTER TABLE records DROP COLUMN evidence; PRAGMA user_version = 8')
    assert.ok(!('evidence' in (rows('SELECT * FROM records')[0] ?? {})))

    migrate(db)
    assert.deepEqual(rows('SELECT * FROM records'), before)
    assert.deepEqual(rows('SELECT DISTINCT evidence FROM records'), [{ evidence: 0 }])
    assert.throws(() => db.exec('UPDATE records SET evidence = 1 WHERE state = 1'), /never changes/)
  })

  test('become self_reported in PostgreSQL', async (context) => {
    const { database } = await aPostgres(context)
    const url = await database()
    await look(url, 'ALTER TABLE records DROP COLUMN evidence')
    await look(url, UNDO_EPHEMERAL)
    await look(url, 'DELETE FROM migrations WHERE number >= 5')
    await look(
      url,
      `INSERT INTO records (log_index, aar_id, token_key, action_key, resource_key, state, created_at_ms,
        spend_micro_usd, completed_after_revocation, over_budget) VALUES (1, 'aar_1', 1, 1, 1, 1, 0, 0, 0, 0)`,
    )
    assert.deepEqual((await migrateDatabase(url)).applied, ['0005-evidence.sql', '0006-ephemeral.sql'])
    assert.deepEqual(await look(url, 'SELECT aar_id, evidence FROM records'), [
      { aar_id: 'aar_1', evidence: 0 },
    ])
    await assert.rejects(look(url, 'UPDATE records SET evidence = 1'), /never changes/)
  })
})
