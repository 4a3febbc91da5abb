import { isDeepStrictEqual } from 'node:util'
import { ExpectedFailure } from '../../expected-failure.ts'
import { ARCHIVED_TABLES } from '../archive/archived-tables.ts'
import { columnsIn, type Dialect, type TableName } from '../tables.ts'
import type { Row } from '../values.ts'
import type { Source } from './source.ts'
import type { Target } from './target.ts'

const ROWS_AT_A_TIME = 1_000

export interface MoveProgress {
  readonly step: 'copy' | 'compare'
  readonly table: TableName
  readonly done: number
  readonly total: number
}

/** The copy differs from the original. */
export class CopyDiffers extends ExpectedFailure {
  override readonly name = 'CopyDiffers'
}

/** Copies every table in key order, so an interrupted copy continues after the last row it wrote. */
export async function copyTables(
  source: Source,
  target: Target,
  onProgress: (progress: MoveProgress) => void,
): Promise<void> {
  for (const table of ARCHIVED_TABLES) {
    assertDeclared(table, 'sqlite', source.columns(table))
    assertDeclared(table, 'postgres', await target.columns(table))
    const total = source.count(table)
    let done = await target.count(table)
    let last = await target.last(table)
    for (;;) {
      onProgress({ step: 'copy', table, done, total })
      const rows = source.page(table, last, ROWS_AT_A_TIME)
      if (rows.length === 0) break
      await target.insert(table, rows)
      done += rows.length
      last = rows.at(-1)
    }
  }
}

/** Throws if the columns aren't the declared ones. An undeclared column would be left behind. */
function assertDeclared(table: TableName, dialect: Dialect, found: readonly string[]): void {
  if (isDeepStrictEqual(found.toSorted(), columnsIn(table, dialect).toSorted())) return
  const place = dialect === 'sqlite' ? 'embedded store' : 'database'
  throw new CopyDiffers(`The table ${table} of the ${place} doesn't have the columns of this version.`)
}

/** Compares both sides, row by row and value by value. */
export async function compareTables(
  source: Source,
  target: Target,
  onProgress: (progress: MoveProgress) => void,
): Promise<void> {
  for (const table of ARCHIVED_TABLES) {
    const total = source.count(table)
    let last: Row | undefined
    let done = 0
    for (;;) {
      onProgress({ step: 'compare', table, done, total })
      const rows = source.page(table, last, ROWS_AT_A_TIME)
      const copies = await target.page(table, last, ROWS_AT_A_TIME)
      assertSameRows(table, rows, copies)
      done += rows.length
      last = rows.at(-1)
      if (last === undefined) break
    }
  }
}

function assertSameRows(table: TableName, rows: readonly Row[], copies: readonly Row[]): void {
  const isSame =
    rows.length === copies.length && rows.every((row, index) => isSameRow(row, copies[index] ?? {}))
  if (!isSame)
    throw new CopyDiffers(
      `The table ${table} in the database differs from the one in the embedded store. Empty the database and move again.`,
    )
}

function isSameRow(row: Row, copy: Row): boolean {
  return isDeepStrictEqual(plain(row), plain(copy))
}

/** Makes rows of both drivers comparable. They differ in the class of bytes and in the type of keys in lists. */
function plain(row: Row): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      value instanceof Uint8Array ? Buffer.from(value).toString('hex') : listed(value),
    ]),
  )
}

function listed(value: unknown): unknown {
  return Array.isArray(value) ? value.map(Number) : value
}
