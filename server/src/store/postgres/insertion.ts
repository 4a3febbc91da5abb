import { types } from 'pg'
import { bytes, integer, text } from '../values.ts'

/** Rows for one table, on their way into a statement as one array for each column. */
export interface Columns {
  /** The columns with their types, in the order of the values of a row. */
  readonly columns: Readonly<Record<string, ColumnType>>
}

export type ColumnType = 'bigint' | 'smallint' | 'text' | 'bytea'

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
 * Turns rows into the arrays that `partsSql` expects, one for each column, in the binary form of the database: nothing is
 * escaped here or parsed there, which for the long texts of leaves is most of the work.
 */
export function columnArrays(part: Columns, rows: readonly (readonly unknown[])[]): Buffer[] {
  return Object.values(part.columns).map((type, index) =>
    arrayOf(
      type,
      rows.map((row) => row[index]),
    ),
  )
}

const LENGTH_BYTES = 4
const ABSENT = -1

/** One dimension that counts from 1; then each element after its length. */
function arrayOf(type: ColumnType, values: readonly unknown[]): Buffer {
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

/** How values of a type stand in an array: the number of the type, and the bytes that a value takes. */
interface Element {
  readonly oid: number
  size(value: unknown): number
  write(array: Buffer, value: unknown, at: number): void
}

const ELEMENTS: Readonly<Record<ColumnType, Element>> = {
  bigint: {
    oid: types.builtins.INT8,
    size: () => 8,
    write(array, value, at) {
      const number = safeInteger(value)
      array.writeInt32BE(Math.floor(number / 2 ** 32), at)
      array.writeUInt32BE(number >>> 0, at + 4)
    },
  },
  smallint: {
    oid: types.builtins.INT2,
    size: () => 2,
    write: (array, value, at) => void array.writeInt16BE(safeInteger(value), at),
  },
  text: {
    oid: types.builtins.TEXT,
    size: (value) => Buffer.byteLength(text(value)),
    write: (array, value, at) => void array.write(text(value), at),
  },
  bytea: {
    oid: types.builtins.BYTEA,
    size: (value) => bytes(value).length,
    write: (array, value, at) => array.set(bytes(value), at),
  },
}

function safeInteger(value: unknown): number {
  if (Number.isSafeInteger(value)) return integer(value)
  throw new TypeError('a value that is no safe integer cannot be kept')
}
