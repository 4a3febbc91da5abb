import {
  type ColumnType,
  columnOf,
  columnsOf,
  DATA_TABLES,
  type Dialect,
  TABLES,
  type TableName,
} from '../tables.ts'

/**
 * The state and progress of each webhook. The log doesn't cover them, but without them every webhook starts over, also
 * one that was disabled.
 */
const DELIVERY_TABLES = ['delivery_endpoints', 'deliveries'] as const

export function isDelivery(table: TableName): boolean {
  return DELIVERY_TABLES.some((name) => name === table)
}

/** The tables in a backup, in order. */
export const ARCHIVED_TABLES: readonly TableName[] = [...DELIVERY_TABLES, ...DATA_TABLES]

export interface ArchivedColumn {
  readonly name: string
  readonly type: ColumnType
}

/** A table as a backup describes it. A backup of an older version may have other columns. */
export interface ArchivedTable {
  readonly table: TableName
  readonly columns: readonly ArchivedColumn[]
}

/** Returns a table with the columns that every dialect has. Columns of a single dialect are derived from them. */
export function archivedTable(table: TableName): ArchivedTable {
  const columns = columnsOf(table).map((name) => ({ name, type: columnOf(table, name).type }))
  return { table, columns }
}

/** Selects the archived columns in key order, which is bytewise in both dialects. */
export function selectArchived({ table, columns }: ArchivedTable, dialect: Dialect): string {
  const list = columns.map(({ name }) => name).join(', ')
  const bytewise = (column: string) =>
    dialect === 'postgres' && columnOf(table, column).type === 'text' ? `${column} COLLATE "C"` : column
  return `SELECT ${list} FROM ${table} ORDER BY ${TABLES[table].key.map(bytewise).join(', ')}`
}
