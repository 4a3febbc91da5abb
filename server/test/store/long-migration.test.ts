import assert from 'node:assert/strict'
import { test } from 'node:test'
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
