import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, describe, type TestContext, test } from 'node:test'
import { temporaryDirectory } from '@deputize/testing/scope.ts'
import { rowReader } from '../../src/store/row-reader.ts'
import { sqliteDeliveries } from '../../src/store/sqlite/deliveries.ts'
import { sqliteEphemeral } from '../../src/store/sqlite/ephemeral.ts'
import { sqliteWriteStore } from '../../src/store/sqlite/write/write-store.ts'
import {
  columnOf,
  columnsIn,
  type Dialect,
  STORED_AS,
  TABLE_NAMES,
  TABLES,
  type TableName,
} from '../../src/store/tables.ts'
import { integer, type Row, text } from '../../src/store/values.ts'
import { aPostgres, look } from '../contract/a-postgres.ts'

interface ColumnShape {
  readonly name: string
  readonly type: string | undefined
  readonly nullable: boolean
}

interface TableShape {
  readonly columns: readonly ColumnShape[]
  readonly key: readonly string[]
}

function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  return a.name < b.name ? -1 : 1
}

/** The declaration of a table in one dialect. */
function declared(table: TableName, dialect: Dialect): TableShape {
  const columns = columnsIn(table, dialect).map((name) => {
    const { type, nullable = false } = columnOf(table, name)
    return { name, type: STORED_AS[type][dialect], nullable }
  })
  return { columns: columns.sort(byName), key: keyIn(table, dialect) }
}

/** The key of the head is the only column whose name differs between dialects. */
function keyIn(table: TableName, dialect: Dialect): readonly string[] {
  if (table === 'log_head') return dialect === 'sqlite' ? ['only'] : ['single']
  if (table === 'ephemeral' && dialect === 'sqlite') return ['added'] // kind and key are also unique
  return TABLES[table].key
}

function fileOf(table: TableName): string {
  const declaration = TABLES[table]
  return 'file' in declaration ? declaration.file : 'deputy.db'
}

function sqliteShapes(file: string): Map<string, TableShape> {
  const db = new DatabaseSync(file, { readOnly: true })
  const names = db.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`)
  const shapes = names.all().map(({ name }): [string, TableShape] => {
    const rows = db.prepare('SELECT name, type, "notnull", pk FROM pragma_table_info(?)').all(text(name))
    return [text(name), sqliteShape(rows)]
  })
  db.close()
  return new Map(shapes)
}

function sqliteShape(rows: readonly Row[]): TableShape {
  const keyed = rows.filter(({ pk }) => integer(pk) > 0).sort((a, b) => integer(a.pk) - integer(b.pk))
  const columns = rows.map((row) => ({
    name: text(row.name),
    type: text(row.type),
    // A column of the primary key cannot be null in a STRICT table, even if the pragma says otherwise.
    nullable: row.notnull === 0 && row.pk === 0,
  }))
  return { columns: columns.sort(byName), key: keyed.map(({ name }) => text(name)) }
}

function emptyStore(context: TestContext): string {
  const directory = temporaryDirectory(context)
  const file = join(directory, 'deputy.db')
  sqliteWriteStore({ file, instance: 'test', vault_key: new Uint8Array(32), clock: Date.now }).close()
  return directory
}

describe('the declaration of the tables', () => {
  test('matches the schema of the SQLite migrations', async (context) => {
    const directory = emptyStore(context)
    await sqliteEphemeral(join(directory, 'ephemeral.db'), Date.now).close()
    await sqliteDeliveries(join(directory, 'deliveries.db'), new Uint8Array(32)).close()
    for (const file of ['deputy.db', 'ephemeral.db', 'deliveries.db']) {
      const wanted = TABLE_NAMES.filter((table) => fileOf(table) === file)
      assert.deepEqual(
        sqliteShapes(join(directory, file)),
        new Map(wanted.sort().map((table) => [table, declared(table, 'sqlite')])),
      )
    }
  })

  test('matches the schema of the PostgreSQL migrations', async () => {
    const postgres = await aPostgres({ after })
    const url = await postgres.database()
    const columns = await look(
      url,
      `SELECT c.relname::text AS table_name, a.attname::text AS name, format_type(a.atttypid, a.atttypmod) AS type,
        NOT a.attnotnull AS nullable
      FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
      WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r'`,
    )
    const keys = await look(
      url,
      `SELECT i.indrelid::regclass::text AS table_name, a.attname::text AS name
      FROM pg_index i CROSS JOIN LATERAL unnest(i.indkey) WITH ORDINALITY AS k(number, position)
        JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.number
      WHERE i.indisprimary AND i.indrelid::regclass::text NOT LIKE 'pg_%' ORDER BY i.indrelid, k.position`,
    )
    const found = new Map<string, TableShape>()
    for (const [table, rows] of Map.groupBy(columns, ({ table_name }) => text(table_name))) {
      const shapes = rows.map(({ name, type, nullable }) => ({
        name: text(name),
        type: text(type),
        nullable: nullable === true,
      }))
      const key = keys.filter(({ table_name }) => table_name === table).map(({ name }) => text(name))
      found.set(table, { columns: shapes.sort(byName), key })
    }
    const shared = TABLE_NAMES.filter((table) => !('only' in TABLES[table]))
    const wanted = shared.map((table) => [table, declared(table, 'postgres')] as const)
    assert.deepEqual(found, new Map(wanted))
  })
})

describe('a row', () => {
  const read = rowReader('ratings', ['rating', 'rater_assurance', 'note'])

  test('keeps columns that a query joined', () => {
    const row = { rating: 1, rater_assurance: 'L1', note: null, aar_id: 'aar_1' }
    assert.equal(read(row), row)
  })

  test('with a value of the wrong type is refused with the column name', () => {
    const damaged = [
      { rating: '1', rater_assurance: 'L1', note: null },
      { rating: 1, rater_assurance: null, note: null },
      { rating: 1, rater_assurance: 'L1', note: 'text' },
      { rating: 1, rater_assurance: 'L1' },
    ]
    for (const row of damaged) assert.throws(() => read(row), /^TypeError: ratings\.\w+ holds/)
  })
})
