import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { describe, test } from 'node:test'
import { migrateDatabase } from '../../src/store/postgres/migrate-database.ts'
import { migrate } from '../../src/store/sqlite/migrate.ts'
import { aPostgres, look } from '../contract/a-postgres.ts'

/** The migrations before the one that binds habits. They create the schema of the previous version. */
function earlierMigrations(dialect: 'sqlite' | 'postgres') {
  const folder = new URL(`../../migrations/${dialect}/`, import.meta.url)
  return readdirSync(folder)
    .sort()
    .filter((name) => name < (dialect === 'sqlite' ? '0010' : '0007'))
    .map((name) => ({ name, sql: readFileSync(new URL(name, folder), 'utf8') }))
}

const A_TOKEN = (
  path: string,
  ancestors: string,
) => `INSERT INTO tokens (token_key, jti, parent_key, root_key, agent_key,
  workflow_key, human_key, level, log_index, issued_at_ms, jwt_hash, claims, path, expires_at_ms, tenant_key${ancestors === '' ? '' : ', ancestors'})
  VALUES (7, 'vat_sub_1', 5, 5, 1, 1, 3, 1, 2, 0, 'h', '{}', ${path}, 9, 1${ancestors})`
const AN_APPROVAL = `INSERT INTO approvals (log_index, approval_id, token_key, action_key, resource_key,
  spend_micro_usd, binding, state, created_at_ms, expires_at_ms) VALUES (4, 'apr_1', 7, 1, 1, 0, 'b', 0, 0, 9)`
const A_HABIT = `INSERT INTO approval_habits (agent_key, human_key, action_key, resource_key, approvals,
  auto_approvals, last_human_ms) VALUES (1, 3, 1, 1, 5, 2, 0)`
const APPROVAL = 'SELECT approval_id, root_key, human_key, shape, approvers FROM approvals'
const MIGRATED = { approval_id: 'apr_1', root_key: 5, human_key: 3, shape: null, approvers: null }

describe('approvals and habits of the previous version', () => {
  test('are migrated in SQLite: approvals keep their root and person, and habits end', (context) => {
    const db = new DatabaseSync(':memory:', { enableForeignKeyConstraints: false })
    context.after(() => db.close())
    const earlier = earlierMigrations('sqlite')
    for (const { sql } of earlier) db.exec(sql)
    db.exec(`PRAGMA user_version = ${earlier.length}; ${A_TOKEN("x'05'", '')}; ${AN_APPROVAL}; ${A_HABIT}`)
    migrate(db)
    assert.deepEqual({ ...db.prepare(APPROVAL).get() }, MIGRATED)
    assert.deepEqual(db.prepare('SELECT * FROM approval_habits').all(), [])
  })

  test('are migrated in PostgreSQL: approvals keep their root and person, and habits end', async (context) => {
    const { server } = await aPostgres(context)
    await look(server.url(), 'CREATE DATABASE before_habits')
    const url = server.url('before_habits')
    await look(url, 'CREATE TABLE migrations (number BIGINT PRIMARY KEY, name TEXT NOT NULL)')
    for (const [index, { name, sql }] of earlierMigrations('postgres').entries()) {
      await look(url, sql)
      await look(url, 'INSERT INTO migrations (number, name) VALUES ($1, $2)', [index + 1, name])
    }
    for (const sql of [A_TOKEN("'\\x05'", ", '{5,7}'"), AN_APPROVAL, A_HABIT]) await look(url, sql)
    await migrateDatabase(url)
    assert.deepEqual(await look(url, APPROVAL), [MIGRATED])
    assert.deepEqual(await look(url, 'SELECT * FROM approval_habits'), [])
  })
})
