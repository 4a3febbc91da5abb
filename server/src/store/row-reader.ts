import { type ColumnOf, type ColumnType, columnOf, columnsOf, type RowOf, type TableName } from './tables.ts'
import type { Row } from './values.ts'

const HOLDS: Readonly<Record<ColumnType, (value: unknown) => boolean>> = {
  integer: (value) => typeof value === 'number',
  sum: (value) => typeof value === 'number',
  small: (value) => typeof value === 'number',
  flag: (value) => value === 0 || value === 1,
  text: (value) => typeof value === 'string',
  json: (value) => typeof value === 'string',
  bytes: (value) => value instanceof Uint8Array,
  keys: (value) => Array.isArray(value),
}

/**
 * Returns a function that gives a driver's row its type. The row is checked, not copied, so joined columns stay. Throws
 * a TypeError for a value that the declaration of its column doesn't allow.
 */
export function rowReader<T extends TableName, C extends ColumnOf<T> = ColumnOf<T>>(
  table: T,
  columns: readonly C[] = columnsOf(table) as readonly C[], // without a list C is every column
): (row: Row) => Pick<RowOf<T>, C> & Row {
  const wanted = columns.map((name) => {
    const { type, nullable = false } = columnOf(table, name)
    return { name, type, holds: HOLDS[type], nullable }
  })
  return (row) => {
    for (const { name, type, holds, nullable } of wanted) {
      const value = row[name]
      if (value === null ? !nullable : !holds(value))
        throw new TypeError(`${table}.${name} holds ${typeof value} instead of ${type}: the data is damaged`)
    }
    return row as Pick<RowOf<T>, C> & Row // every column was checked against its declaration
  }
}
