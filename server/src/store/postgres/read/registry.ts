import type { RegistryReader } from '../../port/registry.ts'
import { pageOf } from '../../rows/page.ts'
import { keptEntries, registryEntryOf, registrySearch } from '../../rows/registry.ts'
import { columnsIn } from '../../tables.ts'
import { optionalText, type Row } from '../../values.ts'
import type { Place, Vault } from '../../vault.ts'
import type { Database } from '../connect.ts'
import { keyedRead, rowsOf } from './reading.ts'
import { openerOf, wrappedKeyOf } from './sealed-fields.ts'

const ENTRIES = `SELECT ${columnsIn('registry', 'postgres').join(', ')}, ${wrappedKeyOf('document', 'document')} FROM registry`
const ENTRY = keyedRead('registry_entry', `${ENTRIES} WHERE kind = ? AND id = ?`)

export function registryReader(database: Database, vault: Vault): RegistryReader {
  function entryOf(row: Row) {
    const open = openerOf(vault, row, optionalText(row.owner) ?? '')
    return registryEntryOf(row, (_, place: Place) => open('document', place))
  }

  return {
    async entry(kind, id) {
      const [row] = await ENTRY(database, kind, id)
      return row && entryOf(row)
    },
    async list(kind, filter, page) {
      const { sql, values } = registrySearch(kind, filter, page)
      const rows = await rowsOf(database, `${ENTRIES} ${sql}`, ...values)
      return keptEntries(pageOf(rows, page.limit, entryOf, 'log_index'))
    },
  }
}
