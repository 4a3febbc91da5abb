import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { sqliteWriteStore } from '../server/src/store/sqlite/write/write-store.ts'

let bytes: Buffer | undefined

/**
 * Writes an SQLite store that has every migration and belongs to no deployment yet. Migrating is most of the cost of
 * opening a new store, so a test process does it only once.
 */
export function writeEmptyStore(file: string): void {
  bytes ??= migratedStore()
  writeFileSync(file, bytes, { flag: 'wx', mode: 0o600 })
}

function migratedStore(): Buffer {
  const directory = mkdtempSync(join(tmpdir(), 'deputy-'))
  const file = join(directory, 'deputy.db')
  try {
    sqliteWriteStore({ file, instance: '', vault_key: new Uint8Array(32), clock: Date.now }).close()
    const db = new DatabaseSync(file)
    db.exec(`DELETE FROM deployment WHERE name IN ('instance', 'vault')`)
    db.close()
    return readFileSync(file)
  } finally {
    rmSync(directory, { recursive: true })
  }
}
