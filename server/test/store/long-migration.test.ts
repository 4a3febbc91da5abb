import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aDatabase } from '@deputize/testing/a-database.ts'
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
