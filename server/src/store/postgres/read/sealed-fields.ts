import { type Opened, openField } from '../../rows/sealed-fields.ts'
import { bytes, type Row } from '../../values.ts'
import type { Place, Vault } from '../../vault.ts'

/**
 * Selects the data key that a sealed field names. It is read together with the field, so a person erased before the
 * query is erased in its result. A field names its key in the eight bytes after the first.
 */
export function wrappedKeyOf(field: string, name: string): string {
  const key_id = `('x' || encode(substring(${field} FROM 2 FOR 8), 'hex'))::bit(64)::bigint`
  return `(SELECT wrapped FROM data_keys WHERE data_key = ${key_id}) AS ${name}_wrapped`
}

/** Opens the sealed fields of a row with the keys that were read with them. Nothing is cached. */
export function openerOf(vault: Vault, row: Row, human_ref: string) {
  return (column: string, place: Place): Opened =>
    openField(vault, row[column], place, () => ({ human_ref, wrapped: bytes(row[`${column}_wrapped`]) }))
}
