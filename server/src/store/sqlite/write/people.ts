import type { DatabaseSync } from 'node:sqlite'
import type { DigestKind, KnownPerson } from '../../port/write-store.ts'
import { bytes, integer, optionalInteger } from '../../values.ts'
import { type DataKey, type Place, type Vault, WRAPPED_BYTES } from '../../vault.ts'
import type { InternedKeys } from './row-keys.ts'

const REMEMBERED_KEYS = 10_000

/** The data keys of people, for the writing connection. */
export interface People {
  known(human_ref: string): KnownPerson | undefined
  /** Without a person, the deployment's key is used. */
  digest(human_ref: string | undefined, kind: DigestKind, text: string): string
  seal(human_ref: string | undefined, place: Place, text: string): Uint8Array
  stamp(place: Place, text: string): Uint8Array
  destroyKey(human_ref: string, now_ms: number): void
  /** Drops the cache. Call it after a transaction was rolled back. */
  forget(): void
}

export function people(db: DatabaseSync, vault: Vault, keys: InternedKeys): People {
  const byRef = db.prepare(`
    SELECT h.human_key, h.erased_at_ms, h.data_key, k.wrapped FROM humans h
    LEFT JOIN data_keys k ON k.data_key = h.data_key WHERE h.human_ref = ?`)
  const lastKey = db.prepare('SELECT coalesce(max(data_key), 0) AS last FROM data_keys')
  const insertKey = db.prepare('INSERT INTO data_keys (data_key, human_key, wrapped) VALUES (?, ?, ?)')
  const setKey = db.prepare('UPDATE humans SET data_key = ? WHERE human_key = ?')
  const overwriteKey = db.prepare(`
    UPDATE data_keys SET wrapped = zeroblob(${WRAPPED_BYTES})
    WHERE data_key = (SELECT data_key FROM humans WHERE human_key = ?)`)
  const markErased = db.prepare('UPDATE humans SET data_key = NULL, erased_at_ms = ? WHERE human_key = ?')
  const endHabits = db.prepare('DELETE FROM approval_habits WHERE human_key = ?')
  const remembered = new Map<string, DataKey>()

  function keyOf(human_ref: string | undefined): DataKey {
    if (human_ref === undefined) return vault.deployment
    let key = remembered.get(human_ref)
    if (key === undefined) {
      if (remembered.size >= REMEMBERED_KEYS) remembered.clear()
      key = storedKey(human_ref) ?? makeKey(human_ref)
      remembered.set(human_ref, key)
    }
    return key
  }

  function storedKey(human_ref: string): DataKey | undefined {
    const row = byRef.get(human_ref)
    const key_id = optionalInteger(row?.data_key)
    return key_id === undefined ? undefined : vault.unwrap(key_id, human_ref, bytes(row?.wrapped))
  }

  function makeKey(human_ref: string): DataKey {
    const human_key = keys.human(human_ref)
    const key_id = integer(lastKey.get()?.last) + 1
    const { key, wrapped } = vault.make(key_id, human_ref)
    insertKey.run(key_id, human_key, wrapped)
    setKey.run(key_id, human_key)
    return key
  }

  return {
    known(human_ref) {
      const row = byRef.get(human_ref)
      return row && { erased_at_ms: optionalInteger(row.erased_at_ms), has_data: row.data_key !== null }
    },
    digest: (human_ref, kind, text) => keyOf(human_ref).digest(kind, text),
    seal: (human_ref, place, text) => keyOf(human_ref).seal(place, text),
    stamp: (place, text) => vault.deployment.stamp(place, text),
    destroyKey(human_ref, now_ms) {
      const human_key = keys.human(human_ref)
      overwriteKey.run(human_key)
      markErased.run(now_ms, human_key)
      endHabits.run(human_key)
      remembered.delete(human_ref)
    },
    forget: () => remembered.clear(),
  }
}
