import {
  type ColumnType,
  columnOf,
  columnsOf,
  DATA_TABLES,
  type Dialect,
  TABLES,
  type TableName,
} from '../tables.ts'

/** Which events each webhook still gets. The log does not cover it, but without it every webhook starts again. */
export const DELIVERY_TABLES = ['delivery_endpoints', 'deliveries'] as const

/** The tables of a deployment that a backup holds, in the order in which it holds them. */
export const ARCHIVED_TABLES: readonly TableName[] = [...DELIVERY_TABLES, ...DATA_TABLES]

export interface ArchivedColumn {
  readonly name: string
  readonly type: ColumnType
}

/** A table as a backup names it. A backup of an older version may have other columns. */
export interface ArchivedTable {
  readonly table: TableName
  readonly columns: readonly ArchivedColumn[]
}

/** The columns that every dialect has. Those of one dialect follow from them. */
export function archivedTable(table: TableName): ArchivedTable {
  const columns = columnsOf(table).map((name) => ({ name, type: columnOf(table, name).type }))
  return { table, columns }
}

/** Selects the archived columns in the order of the key, which is the same in both dialects: that of the bytes. */
export function selectArchived({ table, columns }: ArchivedTable, dialect: Dialect): string {
  const list = columns.map(({ name }) => name).join(', ')
  const bytewise = (column: string) =>
    dialect === 'postgres' && columnOf(table, column).type === 'text' ? `${column} COLLATE "C"` : column
  return `SELECT ${list} FROM ${table} ORDER BY ${TABLES[table].key.map(bytewise).join(', ')}`
}
