import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { encodeBase64, openCheckpoint, rootOf, vkeyOf } from '@deputize/protocol'
import { checkCopy } from '../check/check-data.ts'
import type { Fault } from '../check/findings.ts'
import { noteBackup } from '../deployment/last-backup.ts'
import { assertNotMoved } from '../deployment/moved.ts'
import { ExpectedFailure } from '../expected-failure.ts'
import type { KeyDocument } from '../keys/key-document.ts'
import { readKeyFile } from '../keys/key-file.ts'
import { checkingKeys } from '../keys/key-ring.ts'
import { readSharedKeys } from '../keys/shared-keys.ts'
import { openCheckpointFile } from '../log/checkpoint-file.ts'
import { makeDirectory } from '../make-directory.ts'
import {
  type ArchiveSource,
  openDatabaseSource,
  openDirectorySource,
} from '../store/archive/archive-source.ts'
import { ARCHIVED_TABLES } from '../store/archive/archived-tables.ts'
import { freshFile } from '../store/archive/fresh-file.ts'
import { addressOf } from '../store/postgres/address.ts'
import { hasStore } from '../store/sqlite/has-store.ts'
import type { RecoveryListener } from '../store/sqlite/journal/replay.ts'
import { VERSION } from '../version.ts'
import { archiveLines, type TableDigests } from './archive.ts'
import {
  assertFree,
  BackupRefused,
  openBackupFile,
  publish,
  type Sealing,
  writeBackupFile,
} from './backup-file.ts'
import { foundNoSpace } from './found-no-space.ts'
import type { BackupManifest } from './manifest.ts'
import { unpack } from './unpack.ts'

/** Where a deployment is stored. */
export type DeploymentPlace =
  | { readonly data_dir: string }
  | { readonly url: string; readonly data_dir: string; readonly master_key_file: string }

export interface BackupProgress {
  readonly step: 'write' | 'read back' | 'check'
  readonly done: number
  readonly total: number
}

export interface BackupOptions extends Sealing, RecoveryListener {
  readonly place: DeploymentPlace
  /** The file to write. It must not exist. */
  readonly to: string
  /** The last signed checkpoint, outside the store. If there is none, the newest one in the store is used. */
  readonly checkpoint_file: string
  /**
   * The directory in which the backup is restored for its check, and removed again. Needs as much space as the store.
   */
  readonly scratch: string
  /** Whether to check the whole content, or only read it back. */
  readonly checks_content: boolean
  onProgress(progress: BackupProgress): void
}

export interface BackupReport {
  readonly file: string
  readonly bytes: number
  readonly manifest: BackupManifest
  readonly rows: number
  readonly tables: TableDigests
  /** Whether the content was checked as `deputy check` does. */
  readonly checked: boolean
  /** Whether that compared the tables with the log. It can't if a version before 0.1.0 began the log. */
  readonly tables_compared: boolean
}

/** The data has faults, so the backup would, too. */
export class BackupFaulty extends ExpectedFailure {
  override readonly name = 'BackupFaulty'

  constructor(fault_count: number, faults: readonly Fault[]) {
    const [first] = faults
    super(
      `The backup was not kept: its check found ${fault_count} faults, the first one: ${first?.sentence} Run deputy check on the deployment. If its data is faulty and you need a copy nevertheless, use --no-check.`,
    )
  }
}

const LEAST_PASSPHRASE = 12

/**
 * Writes a snapshot of a deployment to one file, while its service may run. The file gets its name only after it was
 * read back and, with `checks_content`, restored and checked, so a file under that name can be restored.
 */
export async function backUp(options: BackupOptions): Promise<BackupReport> {
  const { to, passphrase, scratch } = options
  assertFree(to)
  if (passphrase.length < LEAST_PASSPHRASE)
    throw new BackupRefused(
      `DEPUTY_BACKUP_PASSPHRASE must have at least ${LEAST_PASSPHRASE} characters: anyone who guesses it has all keys of the deployment.`,
    )
  makePlace(to)
  const draft = `${to}.partial` // a crash leaves it; the next attempt replaces it
  await rm(draft, { force: true }) // not overwritten: it could be open to others, or lead elsewhere
  const work = await mkdtemp(join(scratch, `${basename(to)}.check-`)).catch(refuseAt(scratch, '--scratch'))
  try {
    const written = await writeState(options, draft)
    const found = await verified(options, { ...written, draft, work }).catch(refuseFull(scratch, '--scratch'))
    await publish(draft, to)
    const { bytes, manifest, rows } = written
    noteBackup(options.place.data_dir, manifest.created_at)
    return { file: to, bytes, manifest, rows, ...found, checked: options.checks_content }
  } finally {
    await rm(work, { recursive: true, force: true })
    await rm(draft, { force: true })
  }
}

function makePlace(to: string): void {
  try {
    makeDirectory(dirname(to))
  } catch (cause) {
    refuseAt(to, '--to')(cause)
  }
}

/** Refuses the place if it has no space left. Other errors pass. */
function refuseFull(path: string, option: string): (cause: unknown) => never {
  return (cause) => {
    if (foundNoSpace(cause)) refuseAt(path, option)(cause)
    throw cause
  }
}

function refuseAt(path: string, option: string): (cause: unknown) => never {
  return (cause) => {
    throw new BackupRefused(
      `Nothing can be written at ${path}: ${cause instanceof Error ? cause.message : cause}. Choose another place with ${option}.`,
      { cause },
    )
  }
}

interface WrittenState {
  readonly bytes: number
  readonly manifest: BackupManifest
  readonly rows: number
  readonly keys: KeyDocument
}

async function writeState(options: BackupOptions, draft: string): Promise<WrittenState> {
  const { place, checkpoint_file, onProgress } = options
  // Read first: what was signed by now must be in the snapshot that is taken next.
  const signed = await openCheckpointFile(checkpoint_file).read()
  const source = await openSource(options)
  try {
    const keys = await keysOf(place, source)
    const manifest = await manifestOf(source, keys, signed ?? (await source.newestNote()))
    let rows = 0
    for (const table of ARCHIVED_TABLES) rows += await source.count(table)
    const lines = archiveLines(source, keys, (done) => onProgress({ step: 'write', done, total: rows }))
    const bytes = await writeBackupFile(draft, manifest, lines, options).catch(refuseFull(options.to, '--to'))
    return { bytes, manifest, rows, keys }
  } finally {
    await source.close()
  }
}

function openSource({ place, onLeftOut }: BackupOptions): Promise<ArchiveSource> {
  if ('url' in place) return openDatabaseSource(place.url)
  if (!hasStore(place.data_dir))
    throw new BackupRefused(
      existsSync(join(place.data_dir, 'master.key'))
        ? `${place.data_dir} is the directory of a node, and its data is in a database. Name the database with --database.`
        : `There is no deployment in ${place.data_dir}. Name its data directory with --data.`,
    )
  assertNotMoved(place.data_dir)
  return openDirectorySource(place.data_dir, onLeftOut)
}

/**
 * Reads the keys after the store's snapshot is taken, so no row needs a key that is missing. A key that was rotated in
 * between is newer than the log says, which the log allows.
 */
async function keysOf(place: DeploymentPlace, source: ArchiveSource): Promise<KeyDocument> {
  if (!('url' in place)) return readKeyFile(place.data_dir).document
  const name = `the database at ${addressOf(place.url)}`
  return readSharedKeys(await source.sealedKeys(), name, place.master_key_file)
}

async function manifestOf(
  { dialect, schema, head: { frontier } }: ArchiveSource,
  keys: KeyDocument,
  note: string | undefined,
): Promise<BackupManifest> {
  const { log } = checkingKeys(keys, 'the keys of the deployment')
  if (note === undefined)
    throw new BackupRefused('The log was never signed. Start the service for a moment, then back it up.')
  const { size } = await openCheckpoint(note, log)
  if (size > frontier.size)
    throw new BackupRefused(
      `The store holds ${frontier.size} log entries, but a checkpoint over ${size} was signed: this is an older copy. Run deputy check.`,
    )
  return {
    version: VERSION,
    created_at: new Date().toISOString(),
    store: dialect,
    schema,
    log: { origin: log.name, vkey: vkeyOf(log), size: frontier.size, root: encodeBase64(rootOf(frontier)) },
    checkpoint: note,
  }
}

/** Reads the file back, and restores and checks its content. */
async function verified(
  { passphrase, checks_content, onProgress }: BackupOptions,
  { draft, work, rows, keys, manifest }: WrittenState & { readonly draft: string; readonly work: string },
): Promise<Pick<BackupReport, 'tables' | 'tables_compared'>> {
  const file = join(work, 'deputy.db')
  const { tables } = await unpack(
    await openBackupFile(draft, passphrase),
    () => (checks_content ? freshFile({ file, deliveries_directory: undefined }) : undefined),
    (done) => onProgress({ step: 'read back', done, total: rows }),
  )
  if (!checks_content) return { tables, tables_compared: false }
  const { faults, fault_count, tables_compared } = await checkCopy({
    file,
    keys: checkingKeys(keys, 'the keys of the deployment'),
    note: manifest.checkpoint,
    onProgress: (done) => onProgress({ step: 'check', done, total: manifest.log.size }),
  })
  if (fault_count > 0) throw new BackupFaulty(fault_count, faults)
  return { tables, tables_compared }
}
