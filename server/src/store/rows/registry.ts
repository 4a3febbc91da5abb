import type { Page, PageRequest } from '../port/pages.ts'
import {
  type KeptEntry,
  REGISTRY_KINDS,
  type RegistryEntry,
  type RegistryFilter,
  type RegistryKind,
} from '../port/registry.ts'
import { rowReader } from '../row-reader.ts'
import type { RowOf } from '../tables.ts'
import type { Row } from '../values.ts'
import type { Place } from '../vault.ts'
import type { RowKeys } from './row-keys.ts'
import type { Opened } from './sealed-fields.ts'

const readEntry = rowReader('registry', ['id', 'tenant_id', 'owner', 'log_index'])

/** Reads a row of `registry`. The entry of an erased person reads like a removed one. */
export function registryEntryOf(row: Row, open: (sealed: unknown, place: Place) => Opened): RegistryEntry {
  const { id, tenant_id, owner, log_index } = readEntry(row)
  const named = { kind: kindOf(row.kind), id, tenant_id, owner: owner ?? undefined, log_index }
  return { ...named, document: open(row.document, registryPlace(named)).text }
}

/** Returns a row of `registry` for a new, changed or removed entry. */
export function registryRow(entry: RegistryEntry, keys: RowKeys): RowOf<'registry'> {
  const { kind, id, tenant_id, owner, document, log_index } = entry
  return {
    kind,
    id,
    tenant_id,
    owner: owner ?? null,
    document: document === undefined ? null : keys.seal(owner, registryPlace(entry), document),
    log_index,
  }
}

/** Binds a document to its tenant, owner and leaf, so that it can't be opened with different ones. */
export function registryPlace(entry: Omit<RegistryEntry, 'document'>): Place {
  const { kind, id, tenant_id, owner, log_index } = entry
  return { kind: 'registry.document', row: JSON.stringify([kind, id, tenant_id, owner ?? null, log_index]) }
}

/** Leaves out the entries that can no longer be read. */
export function keptEntries({ entries, before }: Page<RegistryEntry>): Page<KeptEntry> {
  return {
    entries: entries.flatMap(({ document, ...entry }) =>
      document === undefined ? [] : { ...entry, document },
    ),
    before,
  }
}

function kindOf(value: unknown): RegistryKind {
  const found = REGISTRY_KINDS.find((kind) => kind === value)
  if (found === undefined)
    throw new TypeError('the registry holds an entry of an unknown kind: the data is damaged')
  return found
}

/** Selects the entries of a page, newest change first, and one more to see whether another page follows. */
export function registrySearch(
  kind: RegistryKind,
  { tenant_id, owner }: RegistryFilter,
  { limit, before }: PageRequest,
) {
  return {
    sql: `WHERE document IS NOT NULL AND kind = ? AND log_index < ?
      ${tenant_id === undefined ? '' : 'AND tenant_id = ?'} ${owner === undefined ? '' : 'AND owner = ?'}
      ORDER BY log_index DESC LIMIT ?`,
    values: [
      kind,
      before ?? Number.MAX_SAFE_INTEGER,
      ...(tenant_id === undefined ? [] : [tenant_id]),
      ...(owner === undefined ? [] : [owner]),
      limit + 1,
    ],
  }
}
