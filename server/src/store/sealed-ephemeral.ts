import type { EphemeralEntry, EphemeralKind, EphemeralStore } from './ephemeral.ts'
import { type DataKey, openVault, type Place, SealError } from './vault.ts'

/**
 * Wraps ephemeral data so that only the holder of the vault key can write values. Each value is bound to its kind, key,
 * owner and expiry, so a row that was inserted, copied or extended in the database reads as absent and is reported.
 */
export function sealedEphemeral(
  store: EphemeralStore,
  vault_key: Uint8Array,
  onForeign: (cause: SealError) => void,
): EphemeralStore {
  const key = openVault(vault_key).deployment
  /** The sealed values of entries that were read. No two seals are equal, so they show whether an entry has changed. */
  const read = new WeakMap<EphemeralEntry, string>()

  function opened(kind: EphemeralKind, entry: EphemeralEntry | undefined): EphemeralEntry | undefined {
    if (entry === undefined) return undefined
    try {
      const found = { ...entry, value: openEphemeral(key, kind, entry) }
      read.set(found, entry.value)
      return found
    } catch (error) {
      if (!(error instanceof SealError)) throw error
      onForeign(error)
      return undefined
    }
  }

  const sealed = (kind: EphemeralKind, entry: EphemeralEntry): EphemeralEntry => ({
    ...entry,
    value: Buffer.from(key.seal(placeOf(kind, entry), entry.value)).toString('base64url'),
  })

  return {
    ...store,
    add: (kind, entry) => store.add(kind, sealed(kind, entry)),
    replace: (kind, entry, known) =>
      store.replace(kind, sealed(kind, entry), known && { ...known, value: read.get(known) ?? '' }),
    get: async (kind, name) => opened(kind, await store.get(kind, name)),
    take: async (kind, name) => opened(kind, await store.take(kind, name)),
    async ofOwner(kind, owner) {
      const entries = await store.ofOwner(kind, owner)
      return entries.flatMap((entry) => opened(kind, entry) ?? [])
    },
  }
}

/** Returns the value of a stored entry. Throws a SealError if this deployment did not write it in this very row. */
export function openEphemeral(key: DataKey, kind: string, entry: EphemeralEntry): string {
  return key.open(placeOf(kind, entry), Buffer.from(entry.value, 'base64url'))
}

function placeOf(kind: string, { key, owner, expires_at_ms }: EphemeralEntry): Place {
  return { kind: 'ephemeral', row: JSON.stringify([kind, key, owner ?? null, expires_at_ms]) }
}
