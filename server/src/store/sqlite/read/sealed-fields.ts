import type { DatabaseSync } from 'node:sqlite'
import { type Opened, openField } from '../../rows/sealed-fields.ts'
import { bytes, text } from '../../values.ts'
import type { Place, Vault } from '../../vault.ts'

/** Opens the value of a column: sealed bytes or null. */
export type FieldOpener = (value: unknown, place: Place) => Opened

/** Opens sealed fields. The key is looked up each time and never cached, so an erased person stays erased. */
export function fieldOpener(db: DatabaseSync, vault: Vault): FieldOpener {
  const keyById = db.prepare(`
    SELECT k.wrapped, h.human_ref FROM data_keys k JOIN humans h ON h.human_key = k.human_key WHERE k.data_key = ?`)

  return (value, place) =>
    openField(vault, value, place, (key_id) => {
      const row = keyById.get(key_id)
      return { human_ref: text(row?.human_ref), wrapped: bytes(row?.wrapped) }
    })
}
