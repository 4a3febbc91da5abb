import type { DatabaseSync } from 'node:sqlite'
import type {
  KeptEntry,
  Page,
  PageRequest,
  RegistryEntry,
  RegistryFilter,
  RegistryKind,
  RegistryName,
} from '../port.ts'
import { pageOf } from '../rows/page.ts'
import { keptEntries, registryEntryOf, registrySearch, registryValues } from '../rows/registry.ts'
import type { Row } from '../values.ts'
import type { People } from './people.ts'
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

/** Writes an entry as it is now, new, changed or removed. */
export function registryWriter(db: DatabaseSync, people: People): (entry: RegistryEntry) => void {
  const upsert = db.prepare(`
    INSERT INTO registry (kind, id, tenant_id, owner, document, log_index) VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET tenant_id = excluded.tenant_id, owner = excluded.owner, document = excluded.document,
      log_index = excluded.log_index`)
  return (entry) => void upsert.run(...registryValues(entry, people.seal))
}
