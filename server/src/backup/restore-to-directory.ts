import { existsSync, readdirSync, statSync } from 'node:fs'
import { chmod, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type CheckReport, checkCopy } from '../check/check-data.ts'
import { isUnfinishedRestore, RESTORE_DRAFT } from '../deployment/unfinished-restore.ts'
import type { KeyDocument } from '../keys/key-document.ts'
import { createKeyFile } from '../keys/key-file.ts'
import { checkingKeys } from '../keys/key-ring.ts'
import { openCheckpointFile } from '../log/checkpoint-file.ts'
import { bringUpToDate, freshFile } from '../store/archive/fresh-file.ts'
import { lockDataDirectory } from '../store/sqlite/directory-lock.ts'
import { sqliteReadStore } from '../store/sqlite/read/read-store.ts'
import { newestSchema } from '../store/sqlite/schema-drift.ts'
import { sqliteWriteStore } from '../store/sqlite/write/write-store.ts'
import type { BackupFile } from './backup-file.ts'
import type { Continuity } from './continuity.ts'
import { finishRestore, type RestoreSource } from './finish-restore.ts'
import { judgeContinuity } from './judge-continuity.ts'
import type { BackupManifest } from './manifest.ts'
import { schemaFor } from './restorable.ts'
import { fullDisk, type RestoreOptions, RestoreRefused, type RestoreReport } from './restore-options.ts'
import { unpack } from './unpack.ts'

/** Ignored in an otherwise empty directory: file systems and earlier attempts leave them. */
const LEFTOVERS: ReadonlySet<string> = new Set(['lost+found', 'deputy.lock'])

/**
 * Restores into a directory. The store gets its name after everything else but the keys, and the keys come last. A
 * crash before that leaves a draft of the store, or a store without keys, on which no service starts.
 */
export async function restoreToDirectory(
  options: RestoreOptions,
  data_dir: string,
  { backup, later }: RestoreSource,
): Promise<RestoreReport> {
  assertEmpty(data_dir)
  const { continuity, known } = await judgeContinuity(options, backup.manifest)
  const lock = lockDataDirectory(data_dir)
  await chmod(data_dir, 0o700) // it may have existed
  const file = join(data_dir, RESTORE_DRAFT)
  try {
    await openCheckpointFile(options.checkpoint_file).assertWritable() // it is written last
    const keys = await unpackFile(options, backup, { file, data_dir, continuity })
    const { instance, vault_key } = checkingKeys(keys, 'the backup')
    const check = await checkedCopy(options, backup.manifest, file, keys)
    const writer = sqliteWriteStore({ file, instance, vault_key, clock: Date.now })
    const finished = await finishRestore(options, { backup, later, keys, known, continuity }, writer, () =>
      sqliteReadStore(file, vault_key),
    )
    await rename(file, join(data_dir, 'deputy.db')) // a crash after this leaves a store without keys
    createKeyFile(data_dir, finished.keys)
    return { ...finished.report, manifest: backup.manifest, continuity, check, master_key: undefined }
  } catch (error) {
    for (const name of readdirSync(data_dir))
      if (!LEFTOVERS.has(name)) await rm(join(data_dir, name), { recursive: true })
    throw fullDisk(error, data_dir, 'another directory with --data') ?? error
  } finally {
    lock.release()
  }
}

function assertEmpty(data_dir: string): void {
  if (existsSync(data_dir) && !statSync(data_dir).isDirectory())
    throw new RestoreRefused(`${data_dir} is not a directory. Name a new or an empty directory with --data.`)
  const found = existsSync(data_dir) ? readdirSync(data_dir).filter((name) => !LEFTOVERS.has(name)) : []
  const [first] = found
  if (isUnfinishedRestore(data_dir))
    throw new RestoreRefused(
      `${data_dir} holds an interrupted restore. Empty the directory and try again, or choose another one.`,
    )
  if (first !== undefined)
    throw new RestoreRefused(
      `${data_dir} is not empty (it holds ${first}). A backup is restored into an empty directory only: choose another one.`,
    )
}

interface FileTarget {
  readonly file: string
  readonly data_dir: string
  readonly continuity: Continuity
}

async function unpackFile(
  { onProgress }: RestoreOptions,
  backup: BackupFile,
  { file, data_dir, continuity }: FileTarget,
): Promise<KeyDocument> {
  const schema = schemaFor(backup.manifest)
  const older = schema !== undefined && schema < newestSchema().version ? { schema } : undefined
  const left_out = continuity.continues ? [] : (['checkpoints'] as const) // those of the old log
  const { opening } = await unpack(
    backup,
    () => freshFile({ file, deliveries_directory: data_dir, left_out, ...older }),
    (done) => onProgress({ step: 'restore', done, total: undefined }),
  )
  if (older !== undefined) bringUpToDate(file)
  return opening.keys
}

function checkedCopy(
  { onProgress }: RestoreOptions,
  { log, checkpoint }: BackupManifest,
  file: string,
  keys: KeyDocument,
): Promise<CheckReport> {
  return checkCopy({
    file,
    keys: checkingKeys(keys, 'the backup'),
    note: checkpoint,
    onProgress: (done) => onProgress({ step: 'check', done, total: log.size }),
  })
}
