import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import {
  append,
  decodeFrontier,
  emptyFrontier,
  encodeFrontier,
  type Frontier,
  leafHash,
} from '@deputize/protocol'
import { LAST_KEYS } from '../rows/last-keys.ts'
import { openForReading } from '../sqlite/connect.ts'
import { bytes, integer, type Row, text } from '../values.ts'
import { TABLES, type Table } from './tables.ts'

/** An embedded store that nobody writes to any more. */
export interface Source {
  /** The columns of a table as the database has them. */
  columns(table: Table): readonly string[]
  count(table: Table): number
  /** The next rows in the order of the table, above the one given. */
  page(table: Table, after: Row | undefined, limit: number): Row[]
  head(): { readonly frontier: Frontier; readonly last_ms: number }
  /** The largest keys that were given out, and the first place in the status list that is free. */
  lastKeys(): Row
  close(): void
}

export function openSource(file: string): Source {
  const db = openForReading(file)
  return {
    columns: (table) => columnsOf(db, table),
    count: (table) => integer(db.prepare(`SELECT count(*) AS count FROM ${table}`).get()?.count),
    page(table, after, limit) {
      const key = TABLES[table].join(', ')
      const marks = TABLES[table].map(() => '?').join(', ')
      const above = after === undefined ? '' : `WHERE (${key}) > (${marks})`
      const values = after === undefined ? [] : TABLES[table].map((column) => sqlValue(after[column]))
      const rows = db.prepare(`SELECT * FROM ${table} ${above} ORDER BY ${key} LIMIT ?`).all(...values, limit)
      return table === 'tokens' ? rows.map(withAncestors) : rows
    },
    head() {
      const row = db.prepare('SELECT frontier, last_ms FROM log_head').get()
      if (row === undefined) return { frontier: emptyFrontier(), last_ms: 0 }
      return { frontier: decodeFrontier(bytes(row.frontier)), last_ms: integer(row.last_ms) }
    },
    lastKeys: () => db.prepare(LAST_KEYS).get() ?? {},
    close: () => db.close(),
  }
}

function columnsOf(db: DatabaseSync, table: Table): string[] {
  const columns = db.prepare(`SELECT name FROM pragma_table_info('${table}')`).all()
  const names = columns.map(({ name }) => text(name))
  return table === 'tokens' ? [...names, 'ancestors'] : names
}

function sqlValue(value: unknown): SQLInputValue {
  return typeof value === 'number' ? value : text(value)
}

/** A path is the keys from the root to the token itself, eight bytes each. */
function withAncestors(row: Row): Row {
  const path = Buffer.from(bytes(row.path))
  const ancestors = Array.from({ length: path.length / 8 }, (_, index) =>
    Number(path.readBigUInt64BE(index * 8)),
  )
  return { ...row, ancestors }
}

/** The source is damaged and must not be carried on. The message says what is wrong. */
export class SourceDamaged extends Error {
  override readonly name = 'SourceDamaged'
}

/** Hashes every leaf of the log anew, and refuses a log that does not add up to its head. */
export function assertSound(source: Source, at_a_time: number): void {
  const frontier = emptyFrontier()
  let last: Row | undefined
  for (;;) {
    const rows = source.page('leaves', last, at_a_time)
    for (const row of rows) {
      const hash = leafHash(text(row.leaf))
      if (row.log_index !== frontier.size || Buffer.compare(hash, bytes(row.leaf_hash)) !== 0)
        throw new SourceDamaged(
          `Entry ${frontier.size} of the log is not what its hash says. Restore a backup.`,
        )
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
