import { bytes } from '../values.ts'

/** Rows for one table, on their way into a statement as one array for each column. */
export interface Columns {
  /** The columns with their types, in the order of the values of a row. */
  readonly columns: Readonly<Record<string, ColumnType>>
}

export type ColumnType = 'bigint' | 'smallint' | 'text' | 'bytea' | 'boolean'

/** A part of a larger statement: `sql` writes the rows that `from` stands for. */
export interface Part extends Columns {
  readonly name: string
  sql(from: string): string
}

/** `unnest($5::bigint[], $6::text[]) AS u (log_index, leaf)` for parameters that begin at `first`. */
function source({ columns }: Columns, first: number): string {
  const arrays = Object.values(columns).map((type, index) => `$${first + index}::${type}[]`)
  return `unnest(${arrays.join(', ')}) AS u (${Object.keys(columns).join(', ')})`
}

/** The columns of a part as a list for INSERT. */
export function columnList({ columns }: Columns): string {
  return Object.keys(columns).join(', ')
}

/** The parts as common table expressions. Their parameters follow on `before` others. */
export function partsSql(parts: readonly Part[], before: number): string[] {
  let first = before + 1
  return parts.map((part) => {
    const sql = `${part.name} AS (${part.sql(`head CROSS JOIN ${source(part, first)}`)})`
    first += Object.keys(part.columns).length
    return sql
  })
}

/**
 * Turns rows into the arrays that `partsSql` expects, one for each column, as the texts that the database reads. The
 * driver could write them too, but looks at every value to find out what it is; here the column says so.
 */
export function columnArrays(part: Columns, rows: readonly (readonly unknown[])[]): string[] {
  return Object.values(part.columns).map((type, index) => {
    const write = WRITE[type]
    const items = rows.map((row) => {
      const value = row[index]
      return value === null || value === undefined ? 'NULL' : write(value)
    })
    return `{${items.join(',')}}`
  })
}

const plain = (value: unknown): string => String(value)

/** How a value stands in an array. */
const WRITE: Readonly<Record<ColumnType, (value: unknown) => string>> = {
  bigint: plain,
  smallint: plain,
  boolean: plain,
  text: (value) => `"${plain(value).replaceAll(/["\\]/g, '\\$&')}"`,
  bytea: (value) => `"\\\\x${Buffer.from(bytes(value)).toString('hex')}"`,
}
