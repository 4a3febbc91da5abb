import type { DatabaseSync } from 'node:sqlite'
import type { Page, PageRequest } from '../../port/pages.ts'
import type {
  KeptEntry,
  RegistryEntry,
  RegistryFilter,
  RegistryKind,
  RegistryName,
} from '../../port/registry.ts'
import { pageOf } from '../../rows/page.ts'
import { keptEntries, registryEntryOf, registrySearch } from '../../rows/registry.ts'
import type { Row } from '../../values.ts'
import type { FieldOpener } from './sealed-fields.ts'

export function registryReader(db: DatabaseSync, open: FieldOpener) {
  const byName = db.prepare('SELECT * FROM registry WHERE kind = ? AND id = ?')
  const entryOf = (row: Row) => registryEntryOf(row, open)

  return {
    entry({ kind, id }: RegistryName): RegistryEntry | undefined {
      const row = byName.get(kind, id)
      return row && entryOf(row)
    },
    list(kind: RegistryKind, filter: RegistryFilter, page: PageRequest): Page<KeptEntry> {
      const { sql, values } = registrySearch(kind, filter, page)
      const rows = db.prepare(`SELECT * FROM registry ${sql}`).all(...values)
      return keptEntries(pageOf(rows, page.limit, entryOf, 'log_index'))
    },
  }
}
