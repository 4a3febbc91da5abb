import {
  type KeptEntry,
  type Page,
  type PageRequest,
  REGISTRY_KINDS,
  type RegistryEntry,
  type RegistryFilter,
  type RegistryKind,
} from '../port.ts'
import { integer, optionalText, type Row, text } from '../values.ts'
import type { Place } from '../vault.ts'
import type { Opened } from './sealed-fields.ts'
import type { Written } from './written.ts'

/** A row of `registry` in the order of its columns. */
export function registryValues(
  entry: RegistryEntry,
  seal: (owner: string | undefined, place: Place, text: string) => Uint8Array,
): Written[] {
  const { kind, id, tenant_id, owner, document, log_index } = entry
  const sealed = document === undefined ? null : seal(owner, registryPlace(entry), document)
  return [kind, id, tenant_id, owner ?? null, sealed, log_index]
}

/** A row of `registry`. That of somebody who was erased reads as one that was removed. */
export function registryEntryOf(row: Row, open: (sealed: unknown, place: Place) => Opened): RegistryEntry {
  const named = {
    kind: kindOf(row.kind),
    id: text(row.id),
    tenant_id: text(row.tenant_id),
    owner: optionalText(row.owner),
    log_index: integer(row.log_index),
  }
  return { ...named, document: open(row.document, registryPlace(named)).text }
}

/** A document is opened only beside the very tenant, owner and leaf that it was entered with. */
export function registryPlace(entry: Omit<RegistryEntry, 'document'>): Place {
  const { kind, id, tenant_id, owner, log_index } = entry
  return { kind: 'registry.document', row: JSON.stringify([kind, id, tenant_id, owner ?? null, log_index]) }
}

/** A page without those that cannot be read any more. */
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
  if (found === undefined) throw new TypeError('the registry holds an entry of a kind that there is not')
  return found
}

/** Which entries a list asks for, the newest change first. One more than fits on the page shows whether there are more. */
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
