import { openBackupFile } from './backup-file.ts'
import { readLaterStops } from './read-later-stops.ts'
import { assertRestorable } from './restorable.ts'
import type { RestoreOptions, RestoreReport } from './restore-options.ts'
import { restoreToDatabase } from './restore-to-database.ts'
import { restoreToDirectory } from './restore-to-directory.ts'

/** Restores a backup into an empty directory or database. */
export async function restore(options: RestoreOptions): Promise<RestoreReport> {
  const { from, passphrase, target, events_file } = options
  const backup = await openBackupFile(from, passphrase)
  assertRestorable(backup.manifest, 'url' in target)
  // Before anything is written: a database that a failed restore has begun to fill must be emptied by hand.
  const later =
    events_file === undefined ? undefined : await readLaterStops(events_file, backup.manifest.log.size)
  return 'url' in target
    ? restoreToDatabase(options, target, { backup, later })
    : restoreToDirectory(options, target.data_dir, { backup, later })
}
