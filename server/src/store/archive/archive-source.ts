import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { decodeFrontier, type Frontier } from '@deputize/protocol'
import { type StoreTables, type TableRow, UnreadableStore } from '../port/store-tables.ts'
import { migrationFiles } from '../postgres/migration-files.ts'
import { postgresTables } from '../postgres/store-tables.ts'
import { openForReading } from '../sqlite/connect.ts'
import { DELIVERIES_FILE } from '../sqlite/deliveries.ts'
import { newestSchema } from '../sqlite/schema-drift.ts'
import { sqliteTables } from '../sqlite/store-tables.ts'
import type { Dialect, TableName } from '../tables.ts'
import { bytes, integer } from '../values.ts'
import { type ArchivedTable, isDelivery, selectArchived } from './archived-tables.ts'

/** A snapshot of a deployment's store. It doesn't show what a service writes meanwhile. */
export interface ArchiveSource {
  readonly dialect: Dialect
  /** How many migrations the store has seen. */
  readonly schema: number
  readonly head: ArchivedHead
  rows(table: ArchivedTable): AsyncIterable<TableRow>
  count(table: TableName): Promise<number>
  /** The newest checkpoint that the store keeps. */
  newestNote(): Promise<string | undefined>
  /** The encrypted keys of a database that nodes share. */
  sealedKeys(): Promise<{ readonly revision: number; readonly sealed: Uint8Array } | undefined>
  /** Rejects if the reads may not have seen a single snapshot. */
  close(): Promise<void>
}

/** The head of the log in the snapshot. */
export interface ArchivedHead {
  readonly frontier: Frontier
  readonly last_ms: number
}

/** Opens the store of a data directory. Opens its deliveries first, so that no webhook is ahead of the log. */
export async function openDirectorySource(
  data_dir: string,
  onLeftOut?: (refusal: Error) => void,
): Promise<ArchiveSource> {
  const deliveries = deliveriesOf(join(data_dir, DELIVERIES_FILE))
  try {
    const tables = sqliteTables(join(data_dir, 'deputy.db'), onLeftOut)
    const schema = integer((await onlyRow(tables, 'PRAGMA user_version'))?.user_version)
    return await sourceOf(tables, { dialect: 'sqlite', schema, newest: newestSchema().version, deliveries })
  } catch (error) {
    deliveries?.close()
    throw error
  }
}

/** Opens the store of a database that nodes share. */
export async function openDatabaseSource(url: string): Promise<ArchiveSource> {
  const tables = await postgresTables(url)
  const lacking = (await tables.formFaults()).find(({ name }) => name === 'deferred_sums')
  if (lacking !== undefined) {
    await tables.close()
    throw new UnreadableStore(lacking.sentence)
  }
  const schema = integer((await onlyRow(tables, 'SELECT max(number) AS number FROM migrations'))?.number)
  return sourceOf(tables, {
    dialect: 'postgres',
    schema,
    newest: migrationFiles().length,
    deliveries: undefined,
  })
}

interface SourceParts {
  readonly dialect: Dialect
  readonly schema: number
  readonly newest: number
  /** A data directory's deliveries, which are kept outside its store. */
  readonly deliveries: DatabaseSync | undefined
}

async function sourceOf(
  tables: StoreTables,
  { dialect, schema, newest, deliveries }: SourceParts,
): Promise<ArchiveSource> {
  if (schema !== newest) {
    await tables.close()
    throw new UnreadableStore(
      'The data was written by an older version of Deputy. Use the version of deputy that runs the service.',
    )
  }
  const isElsewhere = (table: TableName) => dialect === 'sqlite' && isDelivery(table)
  return {
    dialect,
    schema,
    head: await headOf(tables),
    rows(table) {
      const sql = selectArchived(table, dialect)
      return isElsewhere(table.table) ? sideRows(deliveries, sql) : tables.rows(sql)
    },
    async count(table) {
      const sql = `SELECT count(*) AS count FROM ${table}`
      const row = isElsewhere(table) ? deliveries?.prepare(sql).get() : await onlyRow(tables, sql)
      return integer(row?.count ?? 0)
    },
    async newestNote() {
      const row = await onlyRow(tables, 'SELECT note FROM checkpoints ORDER BY size DESC LIMIT 1')
      return row === undefined ? undefined : String(row.note)
    },
    async sealedKeys() {
      const row = await onlyRow(tables, 'SELECT revision, sealed FROM sealed_keys')
      return row && { revision: integer(row.revision), sealed: bytes(row.sealed) }
    },
    async close() {
      deliveries?.close()
      await tables.close()
    },
  }
}

/** Opens a connection that sees one snapshot of the deliveries. Returns undefined if there are none yet. */
function deliveriesOf(file: string): DatabaseSync | undefined {
  if (!existsSync(file)) return undefined
  const db = openForReading(file)
  db.exec('BEGIN; SELECT count(*) FROM delivery_endpoints;')
  return db
}

async function* sideRows(db: DatabaseSync | undefined, sql: string): AsyncGenerator<TableRow> {
  if (db !== undefined) for (const row of db.prepare(sql).iterate()) yield row
}

async function headOf(tables: StoreTables): Promise<ArchivedHead> {
  const row = await onlyRow(tables, 'SELECT frontier, last_ms FROM log_head')
  if (row === undefined) throw new UnreadableStore('The log is empty: there is nothing to back up yet.')
  return { frontier: decodeFrontier(bytes(row.frontier)), last_ms: integer(row.last_ms) }
}

async function onlyRow(tables: StoreTables, sql: string): Promise<TableRow | undefined> {
  for await (const row of tables.rows(sql)) return row
  return undefined
}
