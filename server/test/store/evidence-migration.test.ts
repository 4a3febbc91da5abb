import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { describe, test } from 'node:test'
import { migrateDatabase } from '../../src/store/postgres/migrate-database.ts'
import { migrate } from '../../src/store/sqlite/migrate.ts'
import { aPostgres, look } from '../contract/a-postgres.ts'

/** The first migrations of a dialect: the schema of an earlier version. */
function migrationsOf(dialect: 'sqlite' | 'postgres', count: number) {
  const folder = new URL(`../../migrations/${dialect}/`, import.meta.url)
  return readdirSync(folder)
    .sort()
    .slice(0, count)
    .map((name) => ({ name, sql: readFileSync(new URL(name, folder), 'utf8') }))
}

const A_RECORD = `INSERT INTO records (log_index, aar_id, token_key, action_key, resource_key, state, created_at_ms,
  spend_micro_usd, completed_after_revocation, over_budget) VALUES (1, 'aar_1', 1, 1, 1, 1, 0, 0, 0, 0)`

describe('records from before the evidence column', () => {
  test('become self_reported in SQLite', (context) => {
    const db = new DatabaseSync(':memory:', { enableForeignKeyConstraints: false })
    context.after(() => db.close())
    const earlier = migrationsOf('sqlite', 8)
    for (const { sql } of earlier) db.exec(sql)
    db.exec(`PRAGMA user_version = ${earlier.length}; ${A_RECORD}`)
    migrate(db)
    assert.deepEqual(
      { ...db.prepare('SELECT aar_id, evidence FROM records').get() },
      { aar_id: 'aar_1', evidence: 0 },
    )
    assert.throws(() => db.exec('UPDATE records SET evidence = 1'), /never changes/)
  })

  test('become self_reported in PostgreSQL', async (context) => {
    const { server } = await aPostgres(context)
    await look(server.url(), 'CREATE DATABASE earlier')
    const url = server.url('earlier')
    await look(url, 'CREATE TABLE migrations (number BIGINT PRIMARY KEY, name TEXT NOT NULL)')
    for (const [index, { name, sql }] of migrationsOf('postgres', 4).entries()) {
      await look(url, sql)
      await look(url, 'INSERT INTO migrations (number, name) VALUES ($1, $2)', [index + 1, name])
    }
    await look(url, A_RECORD)
    assert.equal((await migrateDatabase(url)).applied[0], '0005-evidence.sql')
    assert.deepEqual(await look(url, 'SELECT aar_id, evidence FROM records'), [
      { aar_id: 'aar_1', evidence: 0 },
    ])
    await assert.rejects(look(url, 'UPDATE records SET evidence = 1'), /never changes/)
  })
})
