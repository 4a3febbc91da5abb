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

/** Turns rows into the arrays that `partsSql` expects, one for each column. */
export function columnArrays(part: Columns, rows: readonly (readonly unknown[])[]): unknown[][] {
  return Object.keys(part.columns).map((_, index) => rows.map((row) => row[index] ?? null))
}
