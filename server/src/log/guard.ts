import { mkdir, open, readFile, rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type NoteKey, openCheckpoint } from '@deputize/protocol'
import type { LogReader } from '../store/port.ts'
import type { LogTree } from './tree.ts'

/**
 * The last signed checkpoint, in a file apart from the store. Whoever puts an older copy of the store in its place is
 * found out at the next start.
 */
export interface Guard {
  readonly path: string
  read(): Promise<string | undefined>
  /** Resolves when the note would survive the loss of power. A crash leaves the old note or the new one. */
  write(note: string): Promise<void>
}

export function checkpointFile(path: string): Guard {
  return {
    path,
    async read() {
      try {
        return await readFile(path, 'utf8')
      } catch (error) {
        if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
        throw error
      }
    },
    async write(note) {
      const directory = dirname(path)
      await mkdir(directory, { recursive: true, mode: 0o700 })
      const draft = `${path}.new`
      await synced(draft, 'w', note)
      await rename(draft, path)
      if (process.platform !== 'win32') await synced(directory, 'r')
    },
  }
}

async function synced(path: string, flags: string, content?: string): Promise<void> {
  const file = await open(path, flags, 0o600)
  try {
    if (content !== undefined) await file.writeFile(content)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** The store holds less than was signed, or something else. The message says what to do. */
export class RolledBackError extends Error {
  override readonly name = 'RolledBackError'
}

/** Refuses a log that does not begin with what was signed last. */
export async function assertExtends(
  guard: Guard,
  key: NoteKey,
  reader: LogReader,
  tree: LogTree,
): Promise<void> {
  const note = await guard.read()
  if (note === undefined) return // a deployment that never signed anything
  const signed = await signedBefore(note, key, guard.path)
  const { size } = await reader.head()
  if (size < signed.size)
    throw new RolledBackError(
      `The store holds ${size} entries of the log, but a checkpoint over ${signed.size} was signed: this is an older copy. Put the newest copy of the data back. If it is lost for good, move ${guard.path} away to go on from here; everybody who kept a later checkpoint will see that history is missing.`,
    )
  if (Buffer.compare(await tree.rootAt(signed.size), signed.root) !== 0)
    throw new RolledBackError(
      `The first ${signed.size} entries of the log are not those over which the checkpoint in ${guard.path} was signed: the data was changed. Run deputy check to see where, and restore the data from a backup.`,
    )
}

async function signedBefore(note: string, key: NoteKey, path: string) {
  try {
    return await openCheckpoint(note, key)
  } catch (error) {
    throw new RolledBackError(
      `${path} is not a checkpoint of this log (${error instanceof Error ? error.message : error}). Restore it, or move it away if it does not belong here.`,
    )
  }
}
