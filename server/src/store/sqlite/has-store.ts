import { accessSync, constants } from 'node:fs'
import { join } from 'node:path'
import { ExpectedFailure } from '../../expected-failure.ts'

/** The files of a deployment belong to another user. The message says what to do. */
export class ForeignDirectory extends ExpectedFailure {
  override readonly name = 'ForeignDirectory'
}

/**
 * Whether a data directory holds an embedded store. Throws if this user can't tell, rather than report that it doesn't.
 */
export function hasStore(data_dir: string): boolean {
  try {
    accessSync(join(data_dir, 'deputy.db'), constants.R_OK)
    return true
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'ENOENT' || code === 'ENOTDIR') return false
    throw new ForeignDirectory(
      `This user can't read ${data_dir} (${code}). Run the command as the user who runs the service, or as root.`,
      { cause: error },
    )
  }
}
