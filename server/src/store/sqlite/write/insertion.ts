import type { DatabaseSync } from 'node:sqlite'
import { listed } from '../../sql-text.ts'
import { columnsIn, type DialectRow, type TableName } from '../../tables.ts'
import { laterRun } from '../journal/recorded-statements.ts'

/** A value that the driver takes. SQLite has no column of type `keys`. */
type Input = string | number | null | Uint8Array

/** Prepares an INSERT of whole rows. */
export function insertion<T extends TableName>(
  db: DatabaseSync,
  table: T,
  conflict = '',
): (row: DialectRow<T, 'sqlite'>) => void {
  const columns = columnsIn(table, 'sqlite')
  return rowStatement(db, `${insertSql(table, columns)} ${conflict}`, columns)
}

/** Returns an INSERT with a question mark for each of these columns. */
export function insertSql(table: TableName, columns: readonly string[]): string {
  return `INSERT INTO ${table} (${listed(columns)}) VALUES (${columns.map(() => '?').join(', ')})`
}

/** Prepares a statement with one question mark for each of these columns, in their order. */
export function rowStatement<C extends string>(
  db: DatabaseSync,
  sql: string,
  columns: readonly C[],
): (row: { readonly [K in C]: unknown }) => void {
  const run = laterRun(db.prepare(sql))
  const values: Input[] = columns.map(() => null) // reused for each row: this is the hottest path of the store
  return (row) => {
    let position = 0
    for (const column of columns) {
      values[position] = row[column] as Input // rows come from the declaration, whose values the driver takes
      position += 1
    }
    run(...values)
  }
}
