import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { aDatabase } from '@deputize/testing/a-database.ts'
import { openConnection } from '../../server/src/store/postgres/connect.ts'
import { migrate } from '../../server/src/store/postgres/migrate.ts'

/** Stand-ins for the functions of Citus. They only check that the named tables and functions exist. */
const STAND_INS = `
  CREATE FUNCTION create_distributed_table(
    table_name regclass, distribution_column text, distribution_type text DEFAULT 'hash',
    colocate_with text DEFAULT 'default', shard_count int DEFAULT NULL
  ) RETURNS void LANGUAGE sql AS '';
  CREATE FUNCTION create_reference_table(table_name regclass) RETURNS void LANGUAGE sql AS '';
  CREATE FUNCTION create_distributed_function(
    name regprocedure, distribution_arg_name text, colocate_with text DEFAULT 'default'
  ) RETURNS void LANGUAGE sql AS ''`

const UNIQUE_WITHOUT_LANE = `
  SELECT c.relname AS "table" FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
  WHERE i.indisunique AND c.relnamespace = 'public'::regnamespace AND NOT EXISTS (
    SELECT 1 FROM pg_attribute a WHERE a.attrelid = i.indrelid AND a.attname = 'lane' AND a.attnum = i.indkey[0]
  ) ORDER BY 1`

/** Runs on plain PostgreSQL: it only keeps the page in step with the schema. */
test('the schema of lanes applies to the current schema, and only reference tables are unique without a lane', async (t) => {
  const client = await openConnection(await aDatabase(t), 'test', () => {})
  try {
    await migrate(client)
    await client.query(STAND_INS)
    await client.query(readFileSync(new URL('../citus/distribute.sql', import.meta.url), 'utf8'))
    const { rows } = await client.query<{ table: string }>(UNIQUE_WITHOUT_LANE)
    assert.deepEqual(
      rows.map(({ table }) => table),
      [
        'anchors',
        'deliveries',
        'delivery_endpoints',
        'deployment',
        'ephemeral',
        'lane_checkpoints',
        'migrations',
        'registry',
        'sealed_keys',
        'status_places',
        'vouch_scores',
        'vouches',
        'vouches',
        'vouches',
      ],
    )
  } finally {
    await client.end()
  }
})
