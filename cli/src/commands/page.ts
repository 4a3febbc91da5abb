import type { Screen } from '../terminal/screen.ts'
import { type Column, table } from '../terminal/table.ts'

interface Page<Entry> {
  readonly data: readonly Entry[]
  readonly next_cursor: string | null
}

/** One page of a list as a table, and how to get the next one. */
export function page<Entry>(
  { data, next_cursor }: Page<Entry>,
  noun: string,
  screen: Screen,
  columns: readonly Column<Entry>[],
): string {
  const rows = data.length === 0 ? `no ${noun}s\n` : table(columns, data, screen)
  return next_cursor === null ? rows : `${rows}More with --cursor ${next_cursor}\n`
}
