import { closeSync, fsyncSync, openSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { encodeFrontier } from '@deputize/protocol'
import { DELIVERIES_FILE, openDeliveriesFile } from '../sqlite/deliveries.ts'
import { migrate } from '../sqlite/migrate.ts'
import { createSchema } from '../sqlite/schema-drift.ts'
import { rowStatement } from '../sqlite/write/insertion.ts'
import { DATA_TABLES, type TableName } from '../tables.ts'
import type { Row } from '../values.ts'
import type { ArchivedHead } from './archive-source.ts'
import { type ArchivedTable, isDelivery } from './archived-tables.ts'

/** A new store that receives the rows of a backup. */
export interface FreshStore {
  /** Prepares for the rows of a table. */
  beginTable(table: ArchivedTable): Promise<void> | void
  insert(row: Row): Promise<void> | void
  /** Called after the last row. Ends the log where the backup's log ends. */
  finish(head: ArchivedHead): Promise<void> | void
  close(): Promise<void> | void
}

export interface FreshFileOptions {
  /** The store's file. It must not exist. */
  readonly file: string
  /** The directory for deliveries. If undefined, they are skipped. */
  readonly deliveries_directory: string | undefined
  /** The schema of the rows; by default the one of this version. `bringUpToDate` migrates an older one afterwards. */
  readonly schema?: number
  /** Tables whose rows are skipped. */
  readonly left_out?: readonly TableName[]
}

/** Fills a new file without a journal, so a crash before `finish` leaves an unusable file. */
export function freshFile(options: FreshFileOptions): FreshStore {
  const { file, deliveries_directory, schema, left_out = [] } = options
  const db = new DatabaseSync(file)
  db.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -65536;')
  createSchema(db, schema)
  for (const table of tablesIn(db)) db.exec(`DELETE FROM ${table}`) // the rows that a new store starts with
  const side =
    deliveries_directory === undefined
      ? undefined
      : openDeliveriesFile(`${deliveries_directory}/${DELIVERIES_FILE}`)
  const open = new Set<DatabaseSync>([db, ...(side === undefined ? [] : [side])])
  for (const each of open) each.exec('BEGIN')
  let insert: (row: Row) => void = () => undefined

  return {
    beginTable({ table, columns }) {
      const names = columns.map(({ name }) => name)
      const target = left_out.includes(table) ? undefined : isDelivery(table) ? side : db
      insert = target === undefined ? () => undefined : insertionOf(target, table, names)
    },
    insert: (row) => insert(row),
    finish({ frontier, last_ms }) {
      db.prepare('INSERT INTO log_head (only, frontier, last_ms) VALUES (1, ?, ?)').run(
        encodeFrontier(frontier),
        last_ms,
      )
      for (const each of open) each.exec('COMMIT')
    },
    close() {
      for (const each of open) each.close()
      synced(file)
    },
  }
}

/** Migrates a file that was filled with rows of an older schema. */
export function bringUpToDate(file: string): void {
  const db = new DatabaseSync(file)
  try {
    migrate(db)
  } finally {
    db.close()
  }
  synced(file)
}

/** Returns the tables that exist. An older schema may lack some. */
function tablesIn(db: DatabaseSync): readonly TableName[] {
  const found = db.prepare(`SELECT name FROM sqlite_master WHERE type = 'table'`).all()
  const names = new Set(found.map(({ name }) => name))
  return DATA_TABLES.filter((table) => names.has(table))
}

/** A backup of the same schema has the declared columns. SQLite rejects any others. */
function insertionOf(db: DatabaseSync, table: TableName, names: readonly string[]): (row: Row) => void {
  const marks = names.map(() => '?').join(', ')
  return rowStatement(db, `INSERT INTO ${table} (${names.join(', ')}) VALUES (${marks})`, names)
}

function synced(file: string): void {
  const descriptor = openSync(file, 'r+')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
