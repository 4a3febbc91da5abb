import { randomUUID } from 'node:crypto'
import { createReadStream, existsSync, readdirSync } from 'node:fs'
import { chmod, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import {
  AuthorityError,
  type Checkpoint,
  checkpointText,
  openCheckpoint,
  readVkey,
  rootOf,
  signatureLine,
  signedNote,
  vkeyOf,
} from '@deputize/protocol'
import { type CheckReport, checkCopy, checkDatabase } from '../check/check-data.ts'
import { submitDirectly } from '../clerk/submit-directly.ts'
import { ExpectedFailure } from '../expected-failure.ts'
import { type KeyDocument, withNewLog, withRestore } from '../keys/key-document.ts'
import { createKeyFile } from '../keys/key-file.ts'
import { checkingKeys, keyRing } from '../keys/key-ring.ts'
import { masterKeyAt } from '../keys/master-key.ts'
import { FIRST_REVISION, sealDocument } from '../keys/shared-keys.ts'
import { withdrawnKeys } from '../keys/signing-keys.ts'
import { openCheckpointFile } from '../log/checkpoint-file.ts'
import { logTree } from '../log/tree.ts'
import { makeDirectory } from '../make-directory.ts'
import { freshDatabase } from '../store/archive/fresh-database.ts'
import { bringUpToDate, freshFile } from '../store/archive/fresh-file.ts'
import type { WriteStore } from '../store/port/write-store.ts'
import type { LogReader, ReadStore } from '../store/port.ts'
import { addressOf, connectAtStart } from '../store/postgres/address.ts'
import { assertDurable, primaryPool } from '../store/postgres/connect.ts'
import { migrate } from '../store/postgres/migrate.ts'
import { migrationFiles } from '../store/postgres/migration-files.ts'
import { postgresReadStore } from '../store/postgres/read-store.ts'
import { postgresWriteStore } from '../store/postgres/write-store.ts'
import { lockDataDirectory } from '../store/sqlite/directory-lock.ts'
import { sqliteReadStore } from '../store/sqlite/read-store.ts'
import { newestSchema } from '../store/sqlite/schema-drift.ts'
import { sqliteWriteStore } from '../store/sqlite/write-store.ts'
import { jsonLines } from './archive.ts'
import { type BackupFile, openBackupFile } from './backup-file.ts'
import { type Continuity, continuityOf, nextOrigin } from './continuity.ts'
import { type LaterStops, laterStops, readEvent } from './later-stops.ts'
import type { BackupManifest } from './manifest.ts'
import { unpack } from './unpack.ts'

/** Where a deployment is restored to. Both are empty; the directory of a node may hold its master key. */
export type RestoreTarget =
  | { readonly data_dir: string }
  | {
      readonly url: string
      readonly data_dir: string
      /** Undefined: `master.key` in the data directory, created if it is missing. */
      readonly master_key_file: string | undefined
      readonly allow_unsafe: boolean
    }

export interface RestoreProgress {
  readonly step: 'restore' | 'check' | 're-apply'
  readonly done: number
  readonly total: number | undefined
}

export interface RestoreOptions {
  readonly from: string
  readonly passphrase: string
  readonly target: RestoreTarget
  /** Where the restored deployment keeps its checkpoint. One that is there already is taken for the newest known. */
  readonly checkpoint_file: string
  /** Checkpoints that others kept: of a witness, or the checkpoint file of the lost deployment. */
  readonly known_notes: readonly string[]
  /** Restore although entries of the log are known to be lost. */
  readonly accepts_loss: boolean
  /** The name of a new log, if one begins. Undefined: it follows from the old name. */
  readonly log_origin: string | undefined
  /** Events of the lost deployment, one for each line. Stops among them are re-applied. */
  readonly events_file: string | undefined
  onProgress(progress: RestoreProgress): void
}

export interface RestoreReport {
  readonly manifest: BackupManifest
  readonly continuity: Continuity
  /** The log of the restored deployment. */
  readonly log: { readonly origin: string; readonly vkey: string; readonly size: number }
  readonly reapplied: ReapplyReport | undefined
  /** API keys that work as they did at the backup, also those that were deleted or rotated since. */
  readonly api_keys: number
  readonly check: CheckReport
  /** The checkpoint file that was there, under its new name. */
  readonly kept_checkpoint: string | undefined
  /** Of a database. Every node needs a copy. */
  readonly master_key: string | undefined
}

export interface ReapplyReport {
  readonly applied: number
  /** Stops of what the backup does not hold: it began later. */
  readonly unknown: number
  readonly by_hand: LaterStops['by_hand']
}

/** The backup can't be restored there, or not without an explicit decision. The message says what to do. */
export class RestoreRefused extends ExpectedFailure {
  override readonly name = 'RestoreRefused'
  /** Whether published entries would be lost, which the operator has to accept. */
  readonly is_loss: boolean

  constructor(message: string, is_loss = false) {
    super(message)
    this.is_loss = is_loss
  }
}

/** Restores a backup into an empty directory or database. */
export async function restore(options: RestoreOptions): Promise<RestoreReport> {
  const { from, passphrase, target } = options
  const backup = await openBackupFile(from, passphrase)
  assertRestorable(backup.manifest, 'url' in target)
  return 'url' in target
    ? restoreToDatabase(options, target, backup)
    : restoreToDirectory(options, target.data_dir, backup)
}

/** The schema of SQLite that has the columns of a backup of PostgreSQL, by its number of migrations. 11 is the first one. */
const LIKE_POSTGRES: Readonly<Record<number, number>> = { 11: 14, 12: 15, 13: 16, 14: 16, 15: 17 }

/** The first schema of SQLite that has the tables and columns of this version. Later ones added indexes. */
const SAME_COLUMNS_SINCE = 15

/** The schema of SQLite that takes the rows of a backup. */
export function schemaFor({ store, schema }: Pick<BackupManifest, 'store' | 'schema'>): number | undefined {
  if (store === 'sqlite') return schema
  return schema === migrationFiles().length ? newestSchema().version : LIKE_POSTGRES[schema]
}

/** The tables of a backup are those of the version that made it. */
function assertRestorable(manifest: BackupManifest, intoDatabase: boolean): void {
  const { store, schema, version, created_at } = manifest
  const newest = { sqlite: newestSchema().version, postgres: migrationFiles().length }[store]
  const columns = schemaFor(manifest)
  if (schema > newest || columns === undefined)
    throw new RestoreRefused(`The backup was made by version ${version}. Use that version or a newer one.`)
  if (intoDatabase && columns < SAME_COLUMNS_SINCE)
    throw new RestoreRefused(
      `The backup was made by version ${version}, which had other tables. Restore it into a data directory, then move it to the database with \`deputy move\`.`,
    )
  if (Date.parse(created_at) > Date.now())
    throw new RestoreRefused(
      `The backup is from ${created_at}, which is later than the clock of this machine says. Correct the clock.`,
    )
}

/** Ignored in an empty directory: file systems and earlier attempts leave them. */
const LEFTOVERS: ReadonlySet<string> = new Set(['lost+found', 'deputy.lock'])
const DRAFT = 'deputy.db.restoring'

/**
 * The store gets its name after everything else but the keys, and the keys come last. A crash before leaves a directory
 * without a store, or a store without keys, on which no service starts.
 */
async function restoreToDirectory(
  options: RestoreOptions,
  data_dir: string,
  backup: BackupFile,
): Promise<RestoreReport> {
  assertEmpty(data_dir)
  const { continuity, known } = await judgeContinuity(options, backup.manifest)
  const lock = lockDataDirectory(data_dir)
  await chmod(data_dir, 0o700) // it may have existed
  const file = join(data_dir, DRAFT)
  try {
    const keys = await unpackFile(options, backup, { file, data_dir, continuity })
    const { instance, vault_key } = checkingKeys(keys, 'the backup')
    const check = await checkedCopy(options, backup.manifest, file, keys)
    const writer = sqliteWriteStore({ file, instance, vault_key, clock: Date.now })
    const finished = await finish(options, { backup, keys, known, continuity }, writer, () =>
      sqliteReadStore(file, vault_key),
    )
    await rename(file, join(data_dir, 'deputy.db')) // a crash after this leaves a store without keys
    createKeyFile(data_dir, finished.keys)
    return { ...finished.report, manifest: backup.manifest, continuity, check, master_key: undefined }
  } catch (error) {
    for (const name of readdirSync(data_dir)) if (!LEFTOVERS.has(name)) await rm(join(data_dir, name))
    throw error
  } finally {
    lock.release()
  }
}

function assertEmpty(data_dir: string): void {
  const found = existsSync(data_dir) ? readdirSync(data_dir).filter((name) => !LEFTOVERS.has(name)) : []
  const [first] = found
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

/** What is known of the log from outside the backup, and what that means for the restored one. */
async function judgeContinuity(
  { checkpoint_file, known_notes, accepts_loss }: RestoreOptions,
  { log, created_at, checkpoint }: BackupManifest,
): Promise<{ readonly continuity: Continuity; readonly known: readonly Checkpoint[] }> {
  const here = await openCheckpointFile(checkpoint_file).read()
  const key = readVkey(log.vkey)
  const notes = [...known_notes, ...(here === undefined ? [] : [here])]
  const known = await Promise.all(notes.map((note) => openCheckpoint(note, key).catch(foreign(log.origin))))
  const { size: signed_size } = await openCheckpoint(checkpoint, key)
  const continuity = continuityOf({ log_size: log.size, signed_size }, known)
  const { newest_size } = continuity
  if (newest_size !== undefined && !accepts_loss)
    throw new RestoreRefused(
      `The backup of ${created_at} holds ${log.size} log entries, but a checkpoint over ${newest_size} was published: ${newest_size - log.size} entries would be lost, and revocations among them undone. Look for a newer copy. If there is none, repeat the command with --accept-loss.`,
      true,
    )
  return { continuity, known }
}

function foreign(origin: string): (error: Error) => never {
  return (error) => {
    throw new RestoreRefused(
      `A checkpoint that was named, or is in the checkpoint file, is not one of the log ${origin} (${error.message}). Leave it out, or move it away.`,
    )
  }
}

interface Restoring {
  readonly backup: BackupFile
  readonly keys: KeyDocument
  readonly known: readonly Checkpoint[]
  readonly continuity: Continuity
}

type FinishReport = Pick<RestoreReport, 'log' | 'reapplied' | 'api_keys' | 'kept_checkpoint'>

/** Marks the restore in the log, re-applies stops, and signs the result. Closes the store. */
async function finish(
  options: RestoreOptions,
  { backup: { manifest }, keys: found, known, continuity }: Restoring,
  writer: WriteStore,
  openReader: () => ReadStore,
): Promise<{ readonly keys: KeyDocument; readonly report: FinishReport }> {
  const reader = openReader()
  try {
    await assertHolds(reader.log, known, manifest.log.size)
    const { origin, size } = manifest.log
    const named = options.log_origin === origin ? undefined : options.log_origin
    const restored = withRestore(found, size)
    let keys = continuity.continues ? restored : withNewLog(restored, named ?? nextOrigin(origin))
    const submit = submitDirectly(writer)
    await submit({ kind: 'restored', backed_up_at: manifest.created_at, origin, ...continuity })
    let reapplied: ReapplyReport | undefined
    if (options.events_file !== undefined) {
      const later = await readLaterStops(options.events_file, size)
      const done = await reapply(later, keys, submit, options)
      keys = done.keys
      reapplied = done.report
    }
    const log = await signed(options, keys, reader.log)
    return { keys, report: { ...log, reapplied, api_keys: await apiKeyCount(reader) } }
  } finally {
    await reader.close()
    await writer.close()
  }
}

async function apiKeyCount({ registry }: ReadStore): Promise<number> {
  let count = 0
  for (let before: number | undefined; ; ) {
    const page = await registry.list('api_key', {}, { limit: 500, before })
    count += page.entries.length
    if (page.before === undefined) return count
    before = page.before
  }
}

/** The backup must hold the entries that others have seen signed, not other ones. */
async function assertHolds(reader: LogReader, known: readonly Checkpoint[], log_size: number): Promise<void> {
  const tree = logTree(reader)
  for (const { size, root } of known) {
    if (size > log_size || Buffer.compare(await tree.rootAt(size), root) === 0) continue
    throw new RestoreRefused(
      `The first ${size} log entries of the backup are not those that were signed. It is a backup of another history: use another one.`,
    )
  }
}

async function readLaterStops(path: string, from_index: number): Promise<LaterStops> {
  const later = laterStops(from_index)
  let line_number = 0
  for await (const line of jsonLines(createReadStream(path))) {
    line_number += 1
    if (line.trim() === '') continue
    const event = readEvent(line)
    if (event === undefined)
      throw new RestoreRefused(
        `Line ${line_number} of ${path} is not an event. Give one event of JSON for each line, as deputy tail --json prints them.`,
      )
    later.add(event)
  }
  return later.end()
}

async function reapply(
  { stops, by_hand }: LaterStops,
  found: KeyDocument,
  submit: ReturnType<typeof submitDirectly>,
  { onProgress }: RestoreOptions,
): Promise<{ readonly keys: KeyDocument; readonly report: ReapplyReport }> {
  let keys = found
  let applied = 0
  let unknown = 0
  for (const { command } of stops) {
    try {
      if (command.kind === 'key_withdrawn') {
        const { kid, from } = command
        if (!keys.keys.some((key) => key.kid === kid)) throw new AuthorityError('key_unknown')
        keys = withdrawnKeys(keys, kid, Date.parse(from), Date.now())
      }
      await submit(command, 'stop')
      applied += 1
    } catch (error) {
      if (!(error instanceof AuthorityError)) throw error
      unknown += 1
    }
    onProgress({ step: 're-apply', done: applied + unknown, total: stops.length })
  }
  return { keys, report: { applied, unknown, by_hand } }
}

/** Signs the restored log, so that an older copy of it is noticed from now on. */
async function signed(
  { checkpoint_file }: RestoreOptions,
  keys: KeyDocument,
  reader: LogReader,
): Promise<Pick<RestoreReport, 'log' | 'kept_checkpoint'>> {
  const storage = { place: 'the backup', newer: async () => undefined, replace: async () => undefined }
  const { log } = keyRing({ document: keys, revision: 0 }, storage, Date.now)
  const head = await reader.head()
  const text = checkpointText({ origin: log.key.name, size: head.size, root: rootOf(head) })
  const kept_checkpoint = existsSync(checkpoint_file)
    ? `${checkpoint_file}.before-restore-${new Date().toISOString().replaceAll(/\D/g, '')}`
    : undefined
  if (kept_checkpoint !== undefined) await rename(checkpoint_file, kept_checkpoint)
  await openCheckpointFile(checkpoint_file).write(
    signedNote(text, [await signatureLine(text, log.key, log.sign)]),
  )
  return { log: { origin: log.key.name, vkey: vkeyOf(log.key), size: head.size }, kept_checkpoint }
}

/**
 * Until the last step the database has no keys, so no node starts on it. A crash leaves a database that is neither empty
 * nor a deployment; empty it and restore again.
 */
async function restoreToDatabase(
  options: RestoreOptions,
  target: Extract<RestoreTarget, { url: string }>,
  backup: BackupFile,
): Promise<RestoreReport> {
  const { url, data_dir, allow_unsafe } = target
  const { manifest } = backup
  if (existsSync(join(data_dir, 'deputy.db')))
    throw new RestoreRefused(`${data_dir} holds a deployment. Choose another data directory for the node.`)
  const { continuity, known } = await judgeContinuity(options, manifest)
  makeDirectory(data_dir)
  await chmod(data_dir, 0o700) // it may have existed
  const master_key = target.master_key_file ?? join(data_dir, 'master.key')
  const master = masterKeyAt(master_key, target.master_key_file !== undefined)
  const client = await connectAtStart(url, 'restore')
  try {
    await assertDurable(client, allow_unsafe)
    await migrate(client)
    const database = freshDatabase(client, continuity.continues ? [] : ['checkpoints'])
    await assertVacant(database, url)
    await database.begin(`restore of ${manifest.log.origin} ${manifest.created_at}`)
    const { opening } = await unpack(
      backup,
      () => database,
      (done) => options.onProgress({ step: 'restore', done, total: undefined }),
    )
    const { instance, vault_key } = checkingKeys(opening.keys, 'the backup')
    const writer = await postgresWriteStore({
      url,
      instance,
      vault_key,
      clock: Date.now,
      writer_id: randomUUID(),
      allow_unsafe,
    })
    const restoring = { backup, keys: opening.keys, known, continuity }
    const { keys, report } = await finish(options, restoring, writer, () =>
      postgresReadStore(primaryPool(url, 'restore', 2), vault_key),
    )
    await database.handOver(sealDocument(master, keys, FIRST_REVISION))
    const check = await checkDatabase({
      url,
      data_dir,
      master_key_file: master_key,
      checkpoint_file: options.checkpoint_file,
      onProgress: (done) => options.onProgress({ step: 'check', done, total: report.log.size }),
    })
    return { ...report, manifest, continuity, check, master_key }
  } finally {
    await client.end()
  }
}

async function assertVacant(database: ReturnType<typeof freshDatabase>, url: string): Promise<void> {
  const address = addressOf(url)
  if (!(await database.lock()))
    throw new RestoreRefused(`Another command is filling the database at ${address}.`)
  const { is_empty, moving } = await database.occupation()
  if (is_empty) return
  throw new RestoreRefused(
    moving === undefined
      ? `The database at ${address} is not empty. A backup is restored into an empty one only: choose another one.`
      : `The database at ${address} holds an unfinished restore or move. Empty it and try again.`,
  )
}
