import { type Opened, openField } from '../rows/sealed-fields.ts'
import { bytes, type Row } from '../values.ts'
import type { Place, Vault } from '../vault.ts'

/**
 * The data key that a sealed field names, as it is kept now: it is read together with the field, so that whoever was
 * erased before the question is erased in the answer. A field names its key in eight bytes after the first.
 */
export function wrappedKeyOf(field: string, name: string): string {
  const key_id = `('x' || encode(substring(${field} FROM 2 FOR 8), 'hex'))::bit(64)::bigint`
  return `(SELECT wrapped FROM data_keys WHERE data_key = ${key_id}) AS ${name}_wrapped`
}

/** Opens the sealed fields of one row with the keys that stand beside them. Nothing is remembered. */
export function openerOf(vault: Vault, row: Row, human_ref: string) {
  return (column: string, place: Place): Opened =>
    openField(vault, row[column], place, () => ({ human_ref, wrapped: bytes(row[`${column}_wrapped`]) }))
}
