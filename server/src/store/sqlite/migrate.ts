import { readdirSync, readFileSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { tokenRef } from '@deputize/protocol'

const MIGRATIONS = new URL('../../../migrations/sqlite/', import.meta.url)

export function schemaVersion(db: DatabaseSync): number {
  return Number(db.prepare('PRAGMA user_version').get()?.user_version)
}

/**
 * Applies the numbered files that this store has not seen, each in a transaction of its own. Forward only. A crash leaves
 * the store at the last file that was committed; the next start goes on from there.
 */
export function migrate(db: DatabaseSync): void {
  const applied = schemaVersion(db)
  const files = readdirSync(MIGRATIONS)
    .filter((name) => name.endsWith('.sql'))
    .sort()
  if (applied > files.length)
    throw new Error('the data was written by a newer version of Deputy; use that version or a newer one')
  // Migrations compare tokens with leaves, which name them by a digest.
  db.function('token_ref', { deterministic: true, directOnly: true }, (jti) => tokenRef(String(jti)))
  for (const [index, name] of files.entries()) {
    if (index < applied) continue
    db.exec(
      `BEGIN IMMEDIATE; ${readFileSync(new URL(name, MIGRATIONS), 'utf8')} PRAGMA user_version = ${index + 1}; COMMIT;`,
    )
  }
}
