import type { UpwardPage, UpwardRequest } from '../../port/pages.ts'
import type { Search } from '../../searches.ts'
import type { Database } from '../connect.ts'
import type { EntryTable } from './entries.ts'
import { boundsOf, entriesIn } from './pages.ts'

/** Reads pages from old to new, otherwise like `entryPage`. */
export async function upwardEntryPage<T extends { readonly log_index: number }>(
  database: Database,
  table: EntryTable<T>,
  search: Search | undefined,
  { limit, from, end }: UpwardRequest,
): Promise<UpwardPage<T>> {
  if (search === undefined) return { entries: [], from: undefined }
  const bounds = await boundsOf(database, table.name, search.range)
  const stretch = { low: Math.max(from, bounds.low), high: Math.min(end ?? bounds.high, bounds.high) }
  const { found, rest } = await entriesIn(database, table, search, { ...stretch, limit, order: 'ASC' })
  return { entries: found.slice(0, limit), from: found[limit]?.log_index ?? rest }
}
