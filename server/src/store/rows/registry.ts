import { type KeptEntry, type Page, REGISTRY_KINDS, type RegistryEntry, type RegistryKind } from '../port.ts'
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
