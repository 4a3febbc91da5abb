import type { DatabaseSync } from 'node:sqlite'
import { bytes, text } from '../values.ts'
import { keyIdOf, type Place, type Vault } from '../vault.ts'

/** A field as it can be read now. */
export interface Opened {
  readonly text: string | undefined
  /** Something was there, and the key to it is destroyed. */
  readonly erased: boolean
}

/** Takes what the column holds: sealed bytes, or nothing. */
export type FieldOpener = (value: unknown, place: Place) => Opened

const NOTHING: Opened = { text: undefined, erased: false }
const ERASED: Opened = { text: undefined, erased: true }

/** Opens sealed fields. The key is looked up each time and nothing is remembered, so an erased person stays erased. */
export function fieldOpener(db: DatabaseSync, vault: Vault): FieldOpener {
  const keyById = db.prepare(`
    SELECT k.wrapped, h.human_ref FROM data_keys k JOIN humans h ON h.human_key = k.human_key WHERE k.data_key = ?`)

  return (value, place) => {
    if (value === null || value === undefined) return NOTHING
    const sealed = bytes(value)
    const key_id = keyIdOf(sealed)
    if (key_id === undefined) return { text: vault.deployment.open(place, sealed), erased: false }
    const row = keyById.get(key_id)
    const key = vault.unwrap(key_id, text(row?.human_ref), bytes(row?.wrapped))
    return key === undefined ? ERASED : { text: key.open(place, sealed), erased: false }
  }
}
