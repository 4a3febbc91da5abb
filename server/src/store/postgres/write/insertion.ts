import { types } from 'pg'
import { columnOf, columnsIn, type DialectRow, STORED_AS, type TableName } from '../../tables.ts'
import { bytes, integer, text } from '../../values.ts'

/** A column that is sent to a statement as an array of its values. */
export interface SourceColumn {
  readonly name: string
  readonly type: ElementType
}

/** How PostgreSQL stores the elements of an array. */
export type ElementType = (typeof STORED_AS)[keyof typeof STORED_AS]['postgres']

/** A part of a larger statement: `sql` writes the rows of `from`. */
export interface Part<Row> {
  readonly columns: readonly SourceColumn[]
  sql(from: string): string
  /** The rows as the arrays that `partsSql` expects. */
  arrays(rows: readonly Row[]): Buffer[]
}

type Column<T extends TableName> = keyof DialectRow<T, 'postgres'> & string

/** Returns a part that takes columns of a table and writes them with hand-written SQL. */
export function partOf<T extends TableName, C extends Column<T>>(
  table: T,
  columns: readonly C[],
  sql: (from: string) => string,
): Part<Pick<DialectRow<T, 'postgres'>, C>> {
  const sources = columns.map((name) => ({ name, type: STORED_AS[columnOf(table, name).type].postgres }))
  return { columns: sources, sql, arrays: (rows) => columnArrays(sources, rows) }
}

/** Returns a part that inserts whole rows. */
export function insertion<T extends TableName>(table: T, conflict = ''): Part<DialectRow<T, 'postgres'>> {
  return partialInsertion(table, columnsIn(table, 'postgres'), conflict)
}

/** Returns a part that inserts some columns; the others get their defaults. */
export function partialInsertion<T extends TableName, C extends Column<T>>(
  table: T,
  columns: readonly C[],
  conflict = '',
): Part<Pick<DialectRow<T, 'postgres'>, C>> {
  const values = columns.map((name) =>
    columnOf(table, name).type === 'keys' ? `u.${name}::bigint[]` : `u.${name}`,
  )
  return partOf(
    table,
    columns,
    (from) =>
      `INSERT INTO ${table} (${columns.join(', ')}) SELECT ${values.join(', ')} FROM ${from} ${conflict}`,
  )
}

/** Returns `unnest($5::bigint[], $6::text[]) AS u (log_index, leaf)` for parameters that begin at `first`. */
function source(columns: readonly SourceColumn[], first: number): string {
  const arrays = columns.map(({ type }, index) => `$${first + index}::${ELEMENTS[type].sent_as}[]`)
  return `unnest(${arrays.join(', ')}) AS u (${columns.map(({ name }) => name).join(', ')})`
}

/** Returns the parts as common table expressions. Their parameters follow the first `before`. */
export function partsSql(parts: readonly (readonly [string, Part<never>])[], before: number): string[] {
  let first = before + 1
  return parts.map(([name, part]) => {
    const sql = `${name} AS (${part.sql(`head CROSS JOIN ${source(part.columns, first)}`)})`
    first += part.columns.length
    return sql
  })
}

/**
 * Converts rows to one array per column, in the binary format of the database. Nothing is escaped here or parsed there,
 * which would be most of the work for the long texts of leaves.
 */
export function columnArrays(
  columns: readonly SourceColumn[],
  rows: readonly Readonly<Record<string, unknown>>[],
): Buffer[] {
  return columns.map(({ name, type }) =>
    arrayOf(
      type,
      rows.map((row) => row[name]),
    ),
  )
}

const LENGTH_BYTES = 4
const ABSENT = -1

/** Encodes one dimension with lower bound 1, then each element after its length. */
function arrayOf(type: ElementType, values: readonly unknown[]): Buffer {
  const { oid, size, write } = ELEMENTS[type]
  const sizes = values.map((value) => (value === null || value === undefined ? ABSENT : size(value)))
  const header = [1, sizes.includes(ABSENT) ? 1 : 0, oid, values.length, 1]
  const room = sizes.reduce((sum, one) => sum + LENGTH_BYTES + Math.max(one, 0), header.length * LENGTH_BYTES)
  const array = Buffer.allocUnsafe(room)
  let at = 0
  for (const word of header) at = array.writeInt32BE(word, at)
  for (const [index, length] of sizes.entries()) {
    at = array.writeInt32BE(length, at)
    if (length === ABSENT) continue
    write(array, values[index], at)
    at += length
  }
  return array
}

/** How an array encodes values of a type: the type of its elements, and the bytes of each. */
interface Element {
  readonly oid: number
  readonly sent_as: string
  size(value: unknown): number
  write(array: Buffer, value: unknown, at: number): void
}

const ELEMENTS: Readonly<Record<ElementType, Element>> = {
  bigint: {
    oid: types.builtins.INT8,
    sent_as: 'bigint',
    size: () => 8,
    write(array, value, at) {
      const number = safeInteger(value)
      array.writeInt32BE(Math.floor(number / 2 ** 32), at)
      array.writeUInt32BE(number >>> 0, at + 4)
    },
  },
  smallint: {
    oid: types.builtins.INT2,
    sent_as: 'smallint',
    size: () => 2,
    write: (array, value, at) => void array.writeInt16BE(safeInteger(value), at),
  },
  text: {
    oid: types.builtins.TEXT,
    sent_as: 'text',
    size: (value) => Buffer.byteLength(text(value)),
    write: (array, value, at) => void array.write(text(value), at),
  },
  // `unnest` would flatten an array of arrays, so each list is sent as the text of an array.
  'bigint[]': {
    oid: types.builtins.TEXT,
    sent_as: 'text',
    size: (value) => listText(value).length,
    write: (array, value, at) => void array.write(listText(value), at),
  },
  bytea: {
    oid: types.builtins.BYTEA,
    sent_as: 'bytea',
    size: (value) => bytes(value).length,
    write: (array, value, at) => array.set(bytes(value), at),
  },
}

function listText(value: unknown): string {
  if (!Array.isArray(value)) throw new TypeError('a list of keys is missing')
  return `{${value.map(safeInteger).join(',')}}`
}

function safeInteger(value: unknown): number {
  if (Number.isSafeInteger(value)) return integer(value)
  throw new TypeError('only safe integers can be stored')
}
