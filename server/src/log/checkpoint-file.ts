import { randomBytes } from 'node:crypto'
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { type NoteKey, openCheckpoint } from '@deputize/protocol'
import { ExpectedFailure } from '../expected-failure.ts'
import { makeDirectory } from '../make-directory.ts'
import type { LogReader } from '../store/port/log-reader.ts'
import { isFullDisk } from '../store/sqlite/reserve.ts'
import type { LogTree } from './tree.ts'

/** The last signed checkpoint, in a file outside the store. It reveals an older copy of the store at the next start. */
export interface CheckpointFile {
  readonly path: string
  read(): Promise<string | undefined>
  /** Resolves when the note is durable. A crash leaves the old note or the new one, never a part. */
  write(note: string): Promise<void>
  /** Rejects with what to do if no note can be written here. Removes drafts left by crashes. */
  assertWritable(): Promise<void>
}

const DRAFT_KEPT_MS = 60 * 60_000
/** The end of a draft's name, after the name of the file and a dot. */
const DRAFT_END = /^[0-9a-f]{16}\.new$/

export function openCheckpointFile(path: string): CheckpointFile {
  // A unique name: nodes that share a directory by mistake must not write to each other's draft.
  const draft = `${path}.${randomBytes(8).toString('hex')}.new`
  return {
    path,
    async read() {
      try {
        return await readFile(path, 'utf8')
      } catch (error) {
        if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
        throw new CheckpointFileError(path, 'read', error)
      }
    },
    async write(note) {
      const directory = dirname(path)
      await mkdir(directory, { recursive: true, mode: 0o700 })
      try {
        await synced(draft, 'w', note) // a crash here leaves the old note, and a draft that a later start removes
        await rename(draft, path) // a crash here leaves the old note or the new one
      } catch (error) {
        await rm(draft, { force: true })
        throw error
      }
      if (process.platform !== 'win32') await synced(directory, 'r')
    },
    async assertWritable() {
      try {
        makeDirectory(dirname(path))
        const file = await open(draft, 'a', 0o600)
        await file.close()
        await rm(draft)
        await removeOldDrafts(path).catch(() => {}) // the directory may be writable but not listable
      } catch (error) {
        if (isFullDisk(error)) return // the service starts on a full disk, and signs when there is space again
        throw new CheckpointFileError(path, 'written', error)
      }
    },
  }
}

/** Removes old drafts. A newer one may be of another node that shares the directory by mistake. Failures do no harm. */
async function removeOldDrafts(path: string): Promise<void> {
  const directory = dirname(path)
  const start = `${basename(path)}.`
  for (const name of await readdir(directory)) {
    if (!name.startsWith(start) || !DRAFT_END.test(name.slice(start.length))) continue
    const draft = join(directory, name)
    const found = await stat(draft).catch(() => undefined)
    if (found !== undefined && Date.now() - found.mtimeMs > DRAFT_KEPT_MS) await rm(draft).catch(() => {})
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

/** The checkpoint file can't be used. The message says why and what to do. */
class CheckpointFileError extends ExpectedFailure {
  override readonly name = 'CheckpointFileError'

  constructor(path: string, use: 'read' | 'written', cause: unknown) {
    const loss = use === 'written' ? ', so no checkpoint would be published' : ''
    super(
      `The checkpoint file ${path} can't be ${use} (${cause instanceof Error ? cause.message : cause})${loss}. Let this user read and write there, or set DEPUTY_CHECKPOINT_FILE to another path.`,
      { cause },
    )
  }
}

/** Whether the store has signed checkpoints, but the file is gone. For a single process: a new node has no file yet. */
export async function hasLostFile(file: CheckpointFile, log: LogReader): Promise<boolean> {
  return (await file.read()) === undefined && (await log.lastCheckpoint()) !== undefined
}

/** The store lacks signed entries or holds different ones. The message says what to do. */
export class RolledBackError extends ExpectedFailure {
  override readonly name = 'RolledBackError'
}

/** Throws if the log doesn't extend the last signed checkpoint. */
export async function assertExtends(
  file: CheckpointFile,
  key: NoteKey,
  reader: LogReader,
  tree: LogTree,
): Promise<void> {
  const note = await file.read()
  if (note === undefined) return // nothing was ever signed
  const signed = await signedCheckpoint(note, key, file.path)
  const { size } = await reader.head()
  if (size < signed.size)
    throw new RolledBackError(
      `The store holds ${size} log entries, but a checkpoint over ${signed.size} was signed, so this is an older copy. Restore the newest copy of the data. If that copy is lost, move ${file.path} away to continue from here; everyone who kept a later checkpoint will see that history is missing.`,
    )
  if (Buffer.compare(await tree.rootAt(signed.size), signed.root) !== 0)
    throw new RolledBackError(
      `The first ${signed.size} log entries do not match the checkpoint in ${file.path}: the data was changed. Run deputy check to see where, and restore the data from a backup.`,
    )
}

async function signedCheckpoint(note: string, key: NoteKey, path: string) {
  try {
    return await openCheckpoint(note, key)
  } catch (error) {
    throw new RolledBackError(
      `${path} is not a checkpoint of this log (${error instanceof Error ? error.message : error}). Restore it, or move it away if it belongs to another deployment.`,
    )
  }
}
