import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { tokenRef } from '@deputize/protocol'
import { ExpectedFailure } from '../../expected-failure.ts'
import { hasStore } from './has-store.ts'

const MIGRATIONS = new URL('../../../migrations/sqlite/', import.meta.url)

export function schemaVersion(db: DatabaseSync): number {
  return Number(db.prepare('PRAGMA user_version').get()?.user_version)
}

const NEWER = 'the data was written by a newer version of Deputy; use that version or a newer one'

function sqliteMigrations(): string[] {
  return readdirSync(MIGRATIONS)
    .filter((name) => name.endsWith('.sql'))
    .sort()
}

/**
 * Returns an address for reading that creates no files next to a store, which even a reader does unless the store is
 * declared immutable. If there is a write-ahead log, another process may be writing, so the file can't be declared so.
 */
function asItIs(file: string): URL | string {
  if (existsSync(`${file}-wal`)) return file
  const url = pathToFileURL(file)
  url.searchParams.set('immutable', '1')
  return url
}

/** Returns the migrations that the next start would apply to a store. Changes nothing. */
export function pendingInFile(file: string): string[] {
  if (!hasStore(dirname(file)))
    throw new ExpectedFailure(`There is no store at ${file}. A start would create it.`)
  const db = new DatabaseSync(asItIs(file), { readOnly: true })
  try {
    const applied = schemaVersion(db)
    const files = sqliteMigrations()
    if (applied > files.length) throw new ExpectedFailure(`${file}: ${NEWER}.`)
    return files.slice(applied)
  } finally {
    db.close()
  }
}

/**
 * Applies the numbered files that this store lacks, each in its own transaction. Forward only. A crash leaves the store
 * at the last committed file, and the next start continues from there. `last` stops at an earlier schema.
 */
export function migrate(db: DatabaseSync, last = Number.POSITIVE_INFINITY): void {
  const applied = schemaVersion(db)
  const files = sqliteMigrations()
  if (applied > files.length) throw new ExpectedFailure(`${NEWER.charAt(0).toUpperCase()}${NEWER.slice(1)}.`)
  // Migrations compare tokens with leaves, which name tokens by a digest.
  db.function('token_ref', { deterministic: true, directOnly: true }, (jti) => tokenRef(String(jti)))
  for (const [index, name] of files.entries()) {
    if (index < applied || index >= last) continue
    db.exec(
      `BEGIN IMMEDIATE; ${readFileSync(new URL(name, MIGRATIONS), 'utf8')} PRAGMA user_version = ${index + 1}; COMMIT;`,
    )
  }
}
