import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import {
  append,
  decodeFrontier,
  emptyFrontier,
  encodeFrontier,
  type Frontier,
  leafHash,
} from '@deputize/protocol'
import { ExpectedFailure } from '../../expected-failure.ts'
import { isDelivery } from '../archive/archived-tables.ts'
import { keysInPath } from '../paths.ts'
import { LAST_KEYS } from '../rows/last-keys.ts'
import { openForReading } from '../sqlite/connect.ts'
import { columnsIn, type DataTable, type DialectRow, type RowOf, TABLES, type TableName } from '../tables.ts'
import { bytes, integer, type Row, text } from '../values.ts'

/** An embedded store that is no longer written to. */
export interface Source {
  /** The columns that a table of the store has. */
  columns(table: TableName): readonly string[]
  count(table: TableName): number
  /** The next rows in key order, with the columns that only the database has. */
  page(table: TableName, after: Row | undefined, limit: number): Row[]
  head(): { readonly frontier: Frontier; readonly last_ms: number }
  /** Whether deferred sums still have to be added to their tables. */
  hasDeferred(): boolean
  /** The largest keys that were handed out, and the first free place in the status list. */
  lastKeys(): Row
  close(): void
}

/** Opens the store and the deliveries, which have a file of their own. */
export function openSource(file: string, deliveries_file: string): Source {
  const db = openForReading(file)
  const deliveries = openForReading(deliveries_file)
  const holding = (table: TableName) => (isDelivery(table) ? deliveries : db)
  return {
    columns: (table) => columnsOf(holding(table), table),
    count: (table) => integer(holding(table).prepare(`SELECT count(*) AS count FROM ${table}`).get()?.count),
    page(table, after, limit) {
      const { key } = TABLES[table]
      const marks = key.map(() => '?').join(', ')
      const above = after === undefined ? '' : `WHERE (${key.join(', ')}) > (${marks})`
      const values = after === undefined ? [] : key.map((column) => sqlValue(after[column]))
      const columns = columnsIn(table, 'sqlite').join(', ')
      const rows = holding(table)
        .prepare(`SELECT ${columns} FROM ${table} ${above} ORDER BY ${key.join(', ')} LIMIT ?`)
        .all(...values, limit)
      const added = DATABASE_COLUMNS[table]
      return added === undefined ? rows : rows.map((row) => ({ ...row, ...added(row) }))
    },
    head() {
      const row = db.prepare('SELECT frontier, last_ms FROM log_head').get()
      if (row === undefined) return { frontier: emptyFrontier(), last_ms: 0 }
      return { frontier: decodeFrontier(bytes(row.frontier)), last_ms: integer(row.last_ms) }
    },
    hasDeferred: () => db.prepare('SELECT 1 FROM deferred_sums LIMIT 1').get() !== undefined,
    lastKeys: () => db.prepare(LAST_KEYS).get() ?? {},
    close() {
      deliveries.close()
      db.close()
    },
  }
}

function columnsOf(db: DatabaseSync, table: TableName): string[] {
  const columns = db.prepare('SELECT name FROM pragma_table_info(?)').all(table)
  return columns.map(({ name }) => text(name))
}

function sqlValue(value: unknown): SQLInputValue {
  return typeof value === 'number' ? value : text(value)
}

/** The columns that only the database has. */
type DatabaseOnly<T extends DataTable> = Omit<DialectRow<T, 'postgres'>, keyof RowOf<T>>
type TablesWithMore = { [T in DataTable]: keyof DatabaseOnly<T> extends never ? never : T }[DataTable]

/** Derives the columns that only the database has. The type requires an entry for every such table. */
export const DATABASE_COLUMNS: { readonly [T in TablesWithMore]: (row: Row) => DatabaseOnly<T> } & {
  readonly [T in TableName]?: (row: Row) => object
} = {
  tokens: ({ path }) => ({ ancestors: keysInPath(bytes(path)) }),
}

/** The source is damaged and must not be moved. The message says what is wrong. */
export class SourceDamaged extends ExpectedFailure {
  override readonly name = 'SourceDamaged'
}

/**
 * Recomputes every leaf hash. Throws if the log doesn't match its head, or if deferred sums aren't in their tables,
 * since only the tables are copied.
 */
export function assertSound(source: Source, at_a_time: number): void {
  if (source.hasDeferred())
    throw new SourceDamaged(
      'The store could not add up its counters. Free some space on its disk and try again.',
    )
  const frontier = emptyFrontier()
  let last: Row | undefined
  for (;;) {
    const rows = source.page('leaves', last, at_a_time)
    for (const row of rows) {
      const hash = leafHash(text(row.leaf))
      if (row.log_index !== frontier.size || Buffer.compare(hash, bytes(row.leaf_hash)) !== 0)
        throw new SourceDamaged(`Entry ${frontier.size} of the log doesn't match its hash. Restore a backup.`)
      append(frontier, hash)
    }
    last = rows.at(-1)
    if (last === undefined) break
  }
  const kept = source.head().frontier
  if (Buffer.compare(encodeFrontier(frontier), encodeFrontier(kept)) !== 0)
    throw new SourceDamaged(
      `The log holds ${frontier.size} entries, but they do not add up to its head over ${kept.size}. Restore a backup.`,
    )
}
