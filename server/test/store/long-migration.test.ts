import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, test } from 'node:test'
import { aDatabase, command } from '@deputize/testing/a-database.ts'
import { eventually } from '@deputize/testing/eventually.ts'
import { aProgram } from '@deputize/testing/program.ts'
import { CLI } from '@deputize/testing/programs.ts'
import { type TestScope, temporaryDirectory } from '@deputize/testing/scope.ts'
import { openConnection } from '../../src/store/postgres/connect.ts'
import { LOCKS } from '../../src/store/postgres/locks.ts'
import { migrateDatabase } from '../../src/store/postgres/migrate-database.ts'
import { olderDatabase } from './older-schema.ts'

/** Longer than any other statement may take. */
const SECONDS = 13
const SLOW_INDEXES = `
  CREATE FUNCTION build_slowly() RETURNS event_trigger LANGUAGE plpgsql AS
    'BEGIN PERFORM pg_sleep(${SECONDS}); END';
  CREATE EVENT TRIGGER slow_indexes ON ddl_command_start WHEN TAG IN ('CREATE INDEX') EXECUTE FUNCTION build_slowly()`

test('a migration may take longer than other statements, and other nodes wait for it', async (context) => {
  const database = await olderDatabase(context, 16)
  await database.query(SLOW_INDEXES)
  const applied = await Promise.all([database.migrate(), database.migrate()])
  assert.deepEqual(applied.flat(), ['0017-denials-in-a-row.sql'])
})

test('nothing waits for another node that migrates if it lacks no migration itself', {
  timeout: 60_000,
}, async (context) => {
  const url = await aDatabase(context)
  await migrateDatabase(url)
  const newer = await openConnection(url, 'test', () => {})
  context.after(() => newer.end())
  await newer.query('SELECT pg_advisory_lock($1)', [LOCKS.migrate])
  assert.deepEqual((await migrateDatabase(url)).applied, [])
})

describe('a wait for another node that migrates is reported once, with the connection to look at', {
  timeout: 240_000,
}, () => {
  /** A database without tables, and a connection that holds the lock of the migrations. */
  async function aLockedDatabase(scope: TestScope) {
    const url = await aDatabase(scope)
    const other = await openConnection(url, 'other', () => {})
    scope.after(() => other.end())
    const { rows } = await other.query('SELECT pg_backend_pid() AS pid, pg_advisory_lock($1)', [
      LOCKS.migrate,
    ])
    return {
      url,
      backend_pid: Number(rows[0]?.pid),
      release: () => other.query('SELECT pg_advisory_unlock_all()'),
    }
  }

  test('by a start', async (context) => {
    const { url, backend_pid, release } = await aLockedDatabase(context)
    const starting = aProgram(context, temporaryDirectory(context), {
      DEPUTY_DATABASE_URL: url,
      DEPUTY_UNSAFE_DATABASE: 'I_MAY_LOSE_DATA',
    })
    await eventually('the start waits again after its report', async () => {
      const again = `SELECT 1 FROM pg_stat_activity WHERE wait_event = 'advisory' AND pid <> ${backend_pid}
        AND datname = current_database() AND query_start > backend_start + interval '3 s'`
      return (await command(url, again)).length > 0
    })
    await release()
    const output = (await starting).output()
    const [line = '{}', ...more] = output
      .split('\n')
      .filter((one) => /start waits for another node/.test(one))
    assert.deepEqual(more, [])
    const { level, backend_pid: told, connection } = JSON.parse(line)
    assert.deepEqual([level, told, connection], [40, backend_pid, 'deputy other'], output)
  })

  test('by a command', async (context) => {
    const { url, backend_pid, release } = await aLockedDatabase(context)
    const child = spawn(process.execPath, [CLI, 'migrate', '--database', url])
    context.after(() => child.kill('SIGKILL'))
    const ended = once(child, 'close')
    let told = ''
    let printed = ''
    child.stdout.on('data', (chunk) => {
      printed += chunk
    })
    child.stderr.on('data', (chunk) => {
      told += chunk
    })
    await eventually('the report', () => told.includes('\n'))
    assert.match(told, new RegExp(`another connection .*: deputy other.*, backend ${backend_pid}\\.\n$`))
    await release()
    assert.deepEqual(await ended, [0, null])
    assert.match(printed, /is now up to date/)
    assert.equal(told.split('\n').length, 2)
  })
})
