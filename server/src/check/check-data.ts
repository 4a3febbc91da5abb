import { join } from 'node:path'
import { type Checkpoint, type NoteKey, openCheckpoint } from '@deputize/protocol'
import { KeyFileError } from '../keys/key-document.ts'
import { type CheckingKeys, checkingKeys, readCheckingKeys } from '../keys/key-ring.ts'
import { readSharedKeys, type SealedKeys } from '../keys/shared-keys.ts'
import { openCheckpointFile } from '../log/checkpoint-file.ts'
import { isDamagedFile } from '../sqlite-code.ts'
import { UNSEALED_KINDS_SQL } from '../store/ephemeral.ts'
import { DamagedStore, type StoreTables, type TableRow, UnreadableStore } from '../store/port/store-tables.ts'
import { addressOf } from '../store/postgres/address.ts'
import { DatabaseRefused } from '../store/postgres/connect.ts'
import { postgresTables } from '../store/postgres/store-tables.ts'
import { readEphemeralRows } from '../store/sqlite/ephemeral-rows.ts'
import { ForeignDirectory, hasStore } from '../store/sqlite/has-store.ts'
import type { RecoveryListener } from '../store/sqlite/journal/replay.ts'
import { sqliteTables } from '../store/sqlite/store-tables.ts'
import { bytes, integer, text } from '../store/values.ts'
import { openVault } from '../store/vault.ts'
import { checkErasures, readDataKeys } from './data-keys.ts'
import { checkDerivedRows } from './derived-rows.ts'
import { checkEphemeralRows, type EphemeralSnapshots } from './ephemeral-rows.ts'
import { type Fault, type Findings, noFindings } from './findings.ts'
import { checkDeployment, checkReplays } from './kept-values.ts'
import { leafRows } from './leaf-rows.ts'
import { type LeafEntry, readLogEntries } from './log.ts'
import { type NamesInUse, namesInUse } from './names.ts'
import { applyLeaf, endReplay } from './replay/apply-leaf.ts'
import { type LeafEffects, newReplayState, type ReplayState } from './replay/expected.ts'
import { type SealedTexts, sealedTexts } from './sealed-texts.ts'
import { checkSharedTables } from './shared-tables.ts'

export interface CheckOptions extends RecoveryListener {
  readonly data_dir: string
  /** The last signed checkpoint, outside the store. */
  readonly checkpoint_file: string
  /** Called now and then with the number of leaves read. */
  onProgress?(leaves: number): void
}

export interface DatabaseCheckOptions extends CheckOptions {
  readonly url: string
  /** Undefined: `master.key` in the data directory. */
  readonly master_key_file: string | undefined
}

export interface CheckReport {
  readonly leaves: number
  /** The time of the newest leaf. 0 for an empty log. */
  readonly newest_ms: number
  /** How many of them the last checkpoint covers. The rest aren't signed yet. */
  readonly signed: number
  readonly faults: readonly Fault[]
  /** All faults, including those beyond the limit of `faults`. */
  readonly fault_count: number
  /**
   * Whether the tables were compared with the log. They can't be if a version before 0.1.0 began it: its entries lack what
   * the tables are recomputed from. Then only the log was rehashed.
   */
  readonly tables_compared: boolean
}

/** The check can't run. The message says what is missing. */
export class Uncheckable extends Error {
  override readonly name = 'Uncheckable'
}

/**
 * Recomputes everything in the data directory and compares. Only the last signed checkpoint is trusted: it fixes the
 * leaves, and everything else follows from the leaves. Changes nothing.
 */
export function checkData(options: CheckOptions): Promise<CheckReport> {
  const { data_dir } = options
  const file = join(data_dir, 'deputy.db')
  return checkable(async () => {
    if (!hasStore(data_dir))
      throw new Uncheckable(
        `There is no store in ${data_dir}. Name the data directory with --data, or the database of a node with --database.`,
      )
    const keys = readCheckingKeys(data_dir)
    return checkOpened(
      options,
      () => sqliteTables(file, options.onLeftOut),
      () => keys,
      () => readEphemeralRows(data_dir),
    )
  })
}

/** Like `checkData`, for a shared database. Any node's data directory supplies the checkpoint and the master key. */
export function checkDatabase(options: DatabaseCheckOptions): Promise<CheckReport> {
  const { url, data_dir, master_key_file = join(data_dir, 'master.key') } = options
  return checkable(() =>
    checkOpened(
      options,
      () => postgresTables(url),
      (tables) => sharedCheckingKeys(tables, `the database at ${addressOf(url)}`, master_key_file),
    ),
  )
}

async function sharedCheckingKeys(
  tables: StoreTables,
  place: string,
  master_key_file: string,
): Promise<CheckingKeys> {
  let found: SealedKeys | undefined
  for await (const row of tables.rows('SELECT revision, sealed FROM sealed_keys'))
    found = { revision: integer(row.revision), sealed: bytes(row.sealed) }
  return checkingKeys(readSharedKeys(found, place, master_key_file), place)
}

export interface CopyCheckOptions {
  /** A store that no service has open. */
  readonly file: string
  readonly keys: CheckingKeys
  /** The checkpoint that the copy must extend. */
  readonly note: string
  readonly onProgress?: CheckOptions['onProgress']
}

/** Like `checkData`, for a copy of a store whose keys aren't in a file. */
export function checkCopy({ file, keys, note, onProgress }: CopyCheckOptions): Promise<CheckReport> {
  return checkable(() =>
    checkOpened(
      { checkpoint_file: 'the backup', readNote: async () => note, onProgress },
      () => sqliteTables(file),
      () => keys,
      () => [],
    ),
  )
}

interface OpenedCheck extends Pick<CheckOptions, 'checkpoint_file'> {
  /** By default the checkpoint file is read. */
  readonly readNote?: () => Promise<string | undefined>
  readonly onProgress?: CheckOptions['onProgress']
}

async function checkOpened(
  { checkpoint_file, readNote = openCheckpointFile(checkpoint_file).read, onProgress }: OpenedCheck,
  open: () => StoreTables | Promise<StoreTables>,
  keysOf: (tables: StoreTables) => CheckingKeys | Promise<CheckingKeys>,
  /** Reads ephemeral data that is not part of the store's snapshot. */
  readEphemeral?: () => TableRow[],
): Promise<CheckReport> {
  const findings = noFindings()
  // Read before the store is opened: the snapshot, which is taken later, must contain everything that is signed by now.
  const note = await readNote()
  const ephemeral_before = readEphemeral?.()
  const tables = await open()
  const ephemeral = async (): Promise<EphemeralSnapshots> => {
    const after = readEphemeral?.() ?? (await sharedEphemeral(tables))
    return { before: ephemeral_before ?? after, after }
  }
  try {
    const keys = await keysOf(tables)
    const trusted = await trustedCheckpoint(note, keys.log, checkpoint_file, findings)
    const progress = { leaves: 0, newest_ms: 0, tables_compared: true }
    await checkStore({ tables, keys, trusted, findings, progress, onProgress, ephemeral }).catch((error) => {
      if (!(error instanceof DamagedStore)) throw error
      findings.add('pages', '', `The rest of the store can't be read: ${error.message}.`)
    })
    const signed = Math.min(trusted?.size ?? 0, progress.leaves)
    return { ...progress, signed, faults: findings.faults, fault_count: findings.count() }
  } finally {
    await tables.close()
  }
}

/** Errors that mean the check can't run or finish on this data. All other errors are bugs. */
const OBSTACLES = [KeyFileError, ForeignDirectory, UnreadableStore, DamagedStore, DatabaseRefused] as const

async function checkable<T>(check: () => Promise<T>): Promise<T> {
  try {
    return await check()
  } catch (error) {
    if (isDamagedFile(error))
      throw new Uncheckable(`The store is damaged and can't be read: ${error.message}.`, { cause: error })
    if (!OBSTACLES.some((kind) => error instanceof kind) || !(error instanceof Error)) throw error
    throw new Uncheckable(error.message, { cause: error })
  }
}

async function trustedCheckpoint(
  note: string | undefined,
  key: NoteKey,
  path: string,
  findings: Findings,
): Promise<Checkpoint | undefined> {
  if (note === undefined) {
    findings.add(
      'checkpoint',
      '',
      `The last signed checkpoint is missing: ${path} does not exist, so nothing outside the store vouches for it.`,
    )
    return undefined
  }
  try {
    return await openCheckpoint(note, key)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    findings.add('checkpoint', '', `The checkpoint in ${path} is not signed by the log: ${why}`)
    return undefined
  }
}

const PROGRESS_EVERY = 1_000

interface StoreCheck {
  readonly tables: StoreTables
  readonly keys: CheckingKeys
  readonly trusted: Checkpoint | undefined
  readonly findings: Findings
  readonly progress: { leaves: number; newest_ms: number; tables_compared: boolean }
  readonly onProgress: CheckOptions['onProgress']
  ephemeral(): Promise<EphemeralSnapshots>
}

/** All checks in order: the schema, the keys, the log with the rows of each leaf, then the rows derived from all leaves. */
async function checkStore(check: StoreCheck): Promise<void> {
  const { tables, keys, findings } = check
  for (const { name, sentence } of await tables.formFaults()) findings.add('schema', name, sentence)
  if (await beginsEarly(tables)) return checkLogAlone(check)
  const vault = openVault(keys.vault_key)
  const dataKeys = await readDataKeys(tables, vault, findings)
  const texts = sealedTexts(vault, dataKeys, findings)
  const replay = newReplayState()
  const names = await namesInUse(tables, findings)
  await replayLog(check, replay, texts, names)
  await checkDerivedRows({ tables, replay, findings, texts, names, deployment: vault.deployment })
  await names.check()
  checkErasures(dataKeys, replay, findings)
  checkSigningKeys(keys, replay, findings)
  await checkReplays(tables, texts, findings)
  await checkDeployment(tables, texts, keys.instance, findings)
  if (tables.kind === 'shared') await checkSharedTables(tables, findings)
  checkEphemeralRows(await check.ephemeral(), replay, vault.deployment, findings)
}

/**
 * Whether the log begins with a version before 0.1.0, whose entries lack what the tables are recomputed from. The first
 * entry shows it.
 */
async function beginsEarly(tables: StoreTables): Promise<boolean> {
  for await (const row of tables.rows('SELECT leaf FROM leaves WHERE log_index = 0')) {
    const leaf = JSON.parse(text(row.leaf))
    return leaf.type === 'token.issued' && leaf.claims_hash === undefined
  }
  return false
}

/** Rehashes every leaf. */
async function checkLogAlone({ tables, keys, trusted, findings, progress }: StoreCheck): Promise<void> {
  progress.tables_compared = false
  for await (const { log_index, at_ms } of readLogEntries({ tables, key: keys.log, trusted, findings })) {
    progress.leaves = log_index + 1
    progress.newest_ms = at_ms
  }
}

/** On PostgreSQL, ephemeral data is in the same snapshot as the log. */
async function sharedEphemeral(tables: StoreTables): Promise<TableRow[]> {
  const rows: TableRow[] = []
  for await (const row of tables.rows(`SELECT * FROM ephemeral WHERE kind NOT IN (${UNSEALED_KINDS_SQL})`))
    rows.push(row)
  return rows
}

/** Reports withdrawn keys that are still trusted: an old copy of the key file would bring back a stolen key. */
function checkSigningKeys(
  { trusted_kids }: CheckingKeys,
  { withdrawn_keys }: ReplayState,
  findings: Findings,
): void {
  for (const [kid, log_index] of withdrawn_keys)
    if (trusted_kids.has(kid))
      findings.add(
        'keys',
        kid,
        `The signing key ${kid} is in use, although leaf ${log_index} withdraws it. Withdraw it again.`,
      )
}

/** Replays the log from the first leaf to the last, and compares the rows of each leaf as it goes. */
async function replayLog(
  check: StoreCheck,
  replay: ReplayState,
  texts: SealedTexts,
  names: NamesInUse,
): Promise<void> {
  const { tables, keys, trusted, findings, progress, onProgress } = check
  const rows = await leafRows({ tables, findings, texts, names, replay })
  const report = (log_index: number, { violations }: LeafEffects) => {
    for (const what of violations) findings.add('leaves', log_index, `Leaf ${log_index} ${what}.`)
  }
  for await (const entry of readLogEntries({ tables, key: keys.log, trusted, findings })) {
    const row = isOfToken(entry) ? await rows.tokenAt(entry) : undefined
    const effects = applyLeaf(entry.leaf, entry, replay, row)
    report(entry.log_index, effects)
    await rows.check(entry, effects)
    progress.leaves += 1
    progress.newest_ms = entry.at_ms
    if (progress.leaves % PROGRESS_EVERY === 0) onProgress?.(progress.leaves)
  }
  const ending = endReplay(replay)
  report(progress.leaves, ending)
  rows.settle(ending)
  await rows.end()
}

function isOfToken({ leaf }: LeafEntry): boolean {
  return leaf.type === 'token.issued' || leaf.type === 'token.delegated' || leaf.type === 'token.renewed'
}

/** The address without user and password, for messages. */
export { addressOf }
