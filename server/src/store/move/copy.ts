import { isDeepStrictEqual } from 'node:util'
import type { Row } from '../values.ts'
import type { Source } from './source.ts'
import { TABLE_NAMES, type Table } from './tables.ts'
import type { Target } from './target.ts'

const ROWS_AT_A_TIME = 1_000

export interface Progress {
  readonly step: 'copy' | 'compare'
  readonly table: Table
  readonly done: number
  readonly total: number
}

/** What came out is not what went in. */
export class CopyDiffers extends Error {
  override readonly name = 'CopyDiffers'
}

/** Copies every table, each from where an earlier attempt ended: rows go in ascending order, so what is there is a beginning. */
export async function copyTables(
  source: Source,
  target: Target,
  onProgress: (progress: Progress) => void,
): Promise<void> {
  for (const table of TABLE_NAMES) {
    const columns = source.columns(table)
    assertSameColumns(table, columns, await target.columns(table))
    const total = source.count(table)
    let done = await target.count(table)
    let last = await target.last(table)
    for (;;) {
      onProgress({ step: 'copy', table, done, total })
      const rows = source.page(table, last, ROWS_AT_A_TIME)
      if (rows.length === 0) break
      await target.insert(table, columns, rows)
      done += rows.length
      last = rows.at(-1)
    }
  }
}

function assertSameColumns(table: Table, columns: readonly string[], there: readonly string[]): void {
  if (isDeepStrictEqual(columns.toSorted(), there.toSorted())) return
  throw new CopyDiffers(`The table ${table} has other columns in the database than in the embedded store.`)
}

/** Reads both sides, row by row and value by value. */
export async function compareTables(
  source: Source,
  target: Target,
  onProgress: (progress: Progress) => void,
): Promise<void> {
  for (const table of TABLE_NAMES) {
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

function assertSameRows(table: Table, rows: readonly Row[], copies: readonly Row[]): void {
  const isSame =
    rows.length === copies.length && rows.every((row, index) => isSameRow(row, copies[index] ?? {}))
  if (!isSame)
    throw new CopyDiffers(
      `The table ${table} in the database is not the one in the embedded store. Empty the database and move again.`,
    )
}

function isSameRow(row: Row, copy: Row): boolean {
  return isDeepStrictEqual(plain(row), plain(copy))
}

/** Both drivers give the same values, except that bytes come in different classes and big lists as texts. */
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
