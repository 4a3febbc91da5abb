import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { ExpectedFailure } from '../expected-failure.ts'

/** The store while it is being restored. It gets its name at the end. */
export const RESTORE_DRAFT = 'deputy.db.restoring'

class UnfinishedRestore extends ExpectedFailure {
  override readonly name = 'UnfinishedRestore'
}

/** Whether a restore into the directory runs or was interrupted. */
export function isUnfinishedRestore(data_dir: string): boolean {
  return existsSync(join(data_dir, RESTORE_DRAFT))
}

/** Throws if a restore was interrupted. The service would otherwise begin a new, empty deployment. */
export function assertRestoreFinished(data_dir: string): void {
  if (!isUnfinishedRestore(data_dir)) return
  throw new UnfinishedRestore(
    `${data_dir} holds an interrupted restore (${RESTORE_DRAFT}). Empty the directory, then run deputy restore again.`,
  )
}
