import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import {
  DamagedStore,
  type FormFault,
  type StoreTables,
  type TableRow,
  UnreadableStore,
} from '../port/store-tables.ts'
import { sumsFault } from '../rows/sums.ts'
import { text } from '../values.ts'
import { openForReading } from './connect.ts'
import { DirectoryInUse, lockDataDirectory } from './directory-lock.ts'
import { hasJournal } from './journal/journal-files.ts'
import { recoverJournal } from './journal/replay.ts'
import { schemaVersion } from './migrate.ts'
import { newestSchema, schemaFaults } from './schema-drift.ts'
import { showDeferredSums } from './write/deferred-sums.ts'

/**
 * Opens a store file to read all of it in one transaction. While a service has it open, its write-ahead log exists and
 * is read, too. Otherwise the file is opened as immutable, which leaves nothing behind and works on read-only media;
 * closing verifies that it did not change. The only change made before that is the recovery of a journal that a crash
 * left; `onLeftOut` is called with the reason if the last batch of the journal is left out.
 */
export function sqliteTables(file: string, onLeftOut: (refusal: Error) => void = () => {}): StoreTables {
  const refusal = recoverUnused(file)
  if (refusal !== undefined) onLeftOut(refusal)
  const isInUse = existsSync(`${file}-wal`)
  const before = isInUse ? undefined : stampOf(file)
  const db = opened(file, isInUse)
  try {
    db.exec('BEGIN')
    assertVersion(db)
  } catch (error) {
    db.close()
    throw error instanceof UnreadableStore ? error : unreadable(file, error)
  }
  const faultsOfSums = sumFaults(db)
  return {
    kind: 'embedded',
    rows: (sql) => rowsOf(db, sql),
    formFaults: async () => [...schemaFaults(db), ...pageFaults(db), ...faultsOfSums],
    async close() {
      db.close()
      if (before !== undefined && (existsSync(`${file}-wal`) || stampOf(file) !== before))
        throw new UnreadableStore('A service opened the store meanwhile. Try again.')
    },
  }
}

/** Finishes what a crash interrupted, as the next start would. Returns why the last batch was left out, if it was. */
function recoverUnused(file: string): Error | undefined {
  if (!hasJournal(file)) return undefined
  let lock: ReturnType<typeof lockDataDirectory>
  try {
    lock = lockDataDirectory(dirname(file))
  } catch (error) {
    if (error instanceof DirectoryInUse) return undefined // a service uses the store, and its journal is in order
    throw error
  }
  try {
    const db = new DatabaseSync(file)
    try {
      return recoverJournal(db, file)
    } finally {
      db.close()
    }
  } catch (error) {
    throw unreadable(file, error)
  } finally {
    lock.release()
  }
}

async function* rowsOf(db: DatabaseSync, sql: string): AsyncGenerator<TableRow> {
  try {
    for (const row of db.prepare(sql).iterate()) yield row
  } catch (error) {
    throw damaged(error)
  }
}

function damaged(cause: unknown): DamagedStore {
  return new DamagedStore(cause instanceof Error ? cause.message : String(cause), { cause })
}

function opened(file: string, isInUse: boolean): DatabaseSync {
  try {
    if (isInUse) return openForReading(file)
    const url = pathToFileURL(file)
    url.searchParams.set('immutable', '1')
    return new DatabaseSync(url, { readOnly: true })
  } catch (error) {
    throw unreadable(file, error)
  }
}

function unreadable(file: string, cause: unknown): UnreadableStore {
  const why = cause instanceof Error ? cause.message : String(cause)
  return new UnreadableStore(`${file} cannot be read: ${why}.`, { cause })
}

/** Returns the size, the time, and the header with its change counter. Every write changes at least one of them. */
function stampOf(file: string): string {
  const { size, mtimeMs } = statSync(file)
  return `${size} ${mtimeMs} ${headerOf(file).toString('hex')}`
}

function headerOf(file: string): Buffer {
  const header = Buffer.alloc(100)
  const descriptor = openSync(file, 'r')
  try {
    readSync(descriptor, header, 0, header.length, 0)
  } finally {
    closeSync(descriptor)
  }
  return header
}

function assertVersion(db: DatabaseSync): void {
  const [here, { version: newest }] = [schemaVersion(db), newestSchema()]
  if (here > newest)
    throw new UnreadableStore(
      'The data was written by a newer version of Deputy. Use that version or a newer one.',
    )
  if (here < newest && schemaFaults(db).length > 1)
    throw new UnreadableStore(
      'The data was written by an older version of Deputy. Start the service once to bring it up to date, then try again.',
    )
}

/** Shows deferred sums in their tables. If that fails, the tables are read as they are. */
function sumFaults(db: DatabaseSync): FormFault[] {
  db.exec('PRAGMA query_only = OFF; SAVEPOINT sums') // the file is read-only, and the copies are temporary
  try {
    showDeferredSums(db)
    return []
  } catch (error) {
    db.exec('ROLLBACK TO sums')
    return [sumsFault(error)]
  }
}

/** Damage may be so severe that the search for it fails. */
function pageFaults(db: DatabaseSync): FormFault[] {
  return pageProblems(db).map((problem) => ({
    name: 'pages',
    sentence: `The pages of the file are damaged: ${problem}.`,
  }))
}

function pageProblems(db: DatabaseSync): string[] {
  try {
    const rows = db.prepare('PRAGMA integrity_check').all()
    return rows.map((row) => text(row.integrity_check)).filter((problem) => problem !== 'ok')
  } catch (error) {
    return [damaged(error).message]
  }
}
