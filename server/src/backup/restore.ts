import { openBackupFile } from './backup-file.ts'
import { assertRestorable } from './restorable.ts'
import type { RestoreOptions, RestoreReport } from './restore-options.ts'
import { restoreToDatabase } from './restore-to-database.ts'
import { restoreToDirectory } from './restore-to-directory.ts'

/** Restores a backup into an empty directory or database. */
export async function restore(options: RestoreOptions): Promise<RestoreReport> {
  const { from, passphrase, target } = options
  const backup = await openBackupFile(from, passphrase)
  assertRestorable(backup.manifest, 'url' in target)
  return 'url' in target
    ? restoreToDatabase(options, target, backup)
    : restoreToDirectory(options, target.data_dir, backup)
}
