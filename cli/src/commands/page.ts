import type { Screen } from '../terminal/screen.ts'
import { type TableColumn, table } from '../terminal/table.ts'

interface ListPage<Entry> {
  readonly data: readonly Entry[]
  readonly next_cursor: string | null
}

/** One page of a list as a table, and the option that fetches the next page. */
export function pageTable<Entry>(
  { data, next_cursor }: ListPage<Entry>,
  nouns: string,
  screen: Screen,
  columns: readonly TableColumn<Entry>[],
): string {
  const rows = data.length === 0 ? `no ${nouns}\n` : table(columns, data, screen)
  return next_cursor === null ? rows : `${rows}Next page: --cursor ${next_cursor}\n`
}
