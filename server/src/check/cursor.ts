import type { TableRow } from '../store/port/store-tables.ts'

/** Reads rows in the order of an integer key, in step with the log. */
export interface Cursor {
  /** The key of the next row, or infinity after the last one. */
  next(): number
  /** The row with this key. Skipped rows are strays. Keys must grow from call to call. */
  take(key: number): Promise<TableRow | undefined>
  /** Reports all remaining rows as strays. */
  end(): Promise<void>
}

export async function cursorOver(
  rows: AsyncIterable<TableRow>,
  key: string,
  onStray: (row: TableRow) => void,
): Promise<Cursor> {
  const iterator = rows[Symbol.asyncIterator]()
  let row: TableRow | undefined
  let next = Number.POSITIVE_INFINITY

  async function advance(): Promise<void> {
    const step = await iterator.next()
    row = step.done === true ? undefined : step.value
    next = row === undefined ? Number.POSITIVE_INFINITY : Number(row[key])
  }

  async function skipTo(wanted: number): Promise<void> {
    while (row !== undefined && next < wanted) {
      onStray(row)
      await advance()
    }
  }

  await advance()
  return {
    next: () => next,
    async take(wanted) {
      if (next < wanted) await skipTo(wanted)
      if (next !== wanted) return undefined
      const found = row
      await advance()
      return found
    },
    end: () => skipTo(Number.POSITIVE_INFINITY),
  }
}
