import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { ExpectedFailure } from '../../expected-failure.ts'
import { makeDirectory } from '../../make-directory.ts'
import { isBusy } from '../../sqlite-code.ts'

/**
 * Makes this process the only owner of a data directory. The operating system holds the lock for the open file, so the
 * lock ends with the process and never becomes stale after a crash.
 */
export function lockDataDirectory(directory: string): { release(): void } {
  makeDirectory(directory)
  const db = new DatabaseSync(join(directory, 'deputy.lock'))
  try {
    // No journal file, because it would need space, and a full disk must not look like a second process.
    db.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE;')
  } catch (cause) {
    db.close()
    if (!isBusy(cause)) throw cause
    throw new DirectoryInUse(directory, cause)
  }
  return { release: () => db.close() }
}

export class DirectoryInUse extends ExpectedFailure {
  override readonly name = 'DirectoryInUse'

  constructor(directory: string, cause: unknown) {
    super(`another Deputy is using ${directory}. Stop that process first, or name another directory.`, {
      cause,
    })
  }
}
