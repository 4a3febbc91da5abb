import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { openKeyRing } from '../src/keys/key-ring.ts'
import { fieldOpener } from '../src/store/sqlite/read/sealed-fields.ts'
import { openVault, type Place } from '../src/store/vault.ts'

/**
 * Returns the content of sealed fields, opened with the keys of the directory. The query must select each field as
 * `sealed`, and the ID of its row as `row`.
 */
export function openedWords(directory: string, kind: Place['kind'], sql: string): string[] {
  const { vault_key } = openKeyRing(directory, Date.now(), false)
  const db = new DatabaseSync(join(directory, 'deputy.db'), { readOnly: true, timeout: 60_000 })
  try {
    const open = fieldOpener(db, openVault(vault_key))
    return db
      .prepare(sql)
      .all()
      .map(({ row, sealed }) => String(open(sealed, { kind, row: String(row) }).text))
  } finally {
    db.close()
  }
}
