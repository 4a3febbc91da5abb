import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Checkpoint, type NoteKey, openCheckpoint } from '@deputize/protocol'
import { KeyFileError } from '../keys/key-document.ts'
import { type CheckingKeys, checkingKeys, readCheckingKeys } from '../keys/key-ring.ts'
import { readSharedKeys, type SealedKeys } from '../keys/shared-keys.ts'
import { openCheckpointFile } from '../log/checkpoint-file.ts'
import { DamagedStore, type StoreTables, UnreadableStore } from '../store/port.ts'
import { addressOf } from '../store/postgres/address.ts'
import { DatabaseRefused } from '../store/postgres/connect.ts'
import { postgresTables } from '../store/postgres/store-tables.ts'
import { sqliteTables } from '../store/sqlite/store-tables.ts'
import { bytes, integer } from '../store/values.ts'
import { openVault } from '../store/vault.ts'
import { checkErasures, readDataKeys } from './data-keys.ts'
import { checkSummedRows } from './derived-rows.ts'
import { type Fault, type Findings, noFindings } from './findings.ts'
import { checkDeployment, checkReplays } from './kept-values.ts'
import { madeRows } from './leaf-rows.ts'
import { type Entry, readLog } from './log.ts'
import { type NamesInUse, namesInUse } from './names.ts'
import { endStory, tell } from './replay/apply-leaf.ts'
import { newStory, type Story, type Telling } from './replay/expected.ts'
import { type SealedWords, sealedWords } from './sealed-words.ts'
import { checkSharedTables } from './shared-tables.ts'

export interface CheckOptions {
  readonly data_dir: string
  /** The last signed checkpoint, apart from the store. */
  readonly checkpoint_file: string
  /** Told now and then how many leaves were read. */
  onProgress?(leaves: number): void
}

export interface DatabaseCheckOptions extends CheckOptions {
  readonly url: string
  /** Undefined: `master.key` in the data directory. */
  readonly master_key_file: string | undefined
}

export interface Report {
  readonly leaves: number
  /** How many of them the last checkpoint vouches for; the rest has not been signed yet. */
  readonly signed: number
  readonly faults: readonly Fault[]
  /** All faults, those included that were too many to keep. */
  readonly fault_count: number
}

/** There is nothing to check, or not with what is there. The message says what is missing. */
export class Uncheckable extends Error {
  override readonly name = 'Uncheckable'
}

/**
 * Recomputes everything that the data directory holds from what must be believed, and compares. Believed is the last
 * checkpoint that the log signed; from it follow the leaves, and from the leaves everything else. Changes nothing.
 */
export function checkData(options: CheckOptions): Promise<Report> {
  const { data_dir } = options
  const file = join(data_dir, 'deputy.db')
  return checkable(async () => {
    if (!existsSync(file)) throw new Uncheckable(`There is no store in ${data_dir}.`)
    const keys = readCheckingKeys(data_dir)
    return checkOpened(
      options,
      () => sqliteTables(file),
      () => keys,
    )
  })
}

/** As `checkData`, for a database that nodes share. The data directory is that of a node, for checkpoint and master key. */
export function checkDatabase(options: DatabaseCheckOptions): Promise<Report> {
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

async function checkOpened(
  { checkpoint_file, onProgress }: CheckOptions,
  open: () => StoreTables | Promise<StoreTables>,
  keysOf: (tables: StoreTables) => CheckingKeys | Promise<CheckingKeys>,
): Promise<Report> {
  const findings = noFindings()
  // Before the store is opened: what was signed by now must be in what is seen then.
  const note = await openCheckpointFile(checkpoint_file).read()
  const tables = await open()
  try {
    const keys = await keysOf(tables)
    const believed = await believedCheckpoint(note, keys.log, checkpoint_file, findings)
    const progress = { leaves: 0 }
    await checkStore({ tables, keys, believed, findings, progress, onProgress }).catch((error) => {
      if (!(error instanceof DamagedStore)) throw error
      findings.add('pages', '', `The store cannot be read to its end: ${error.message}.`)
    })
    const { leaves } = progress
    const signed = Math.min(believed?.size ?? 0, leaves)
    return { leaves, signed, faults: findings.faults, fault_count: findings.count() }
  } finally {
    await tables.close()
  }
}

/** Why a check did not come to its end, where that is nobody's mistake but that of what it found. */
const OBSTACLES = [KeyFileError, UnreadableStore, DamagedStore, DatabaseRefused] as const

async function checkable<T>(check: () => Promise<T>): Promise<T> {
  try {
    return await check()
  } catch (error) {
    if (!OBSTACLES.some((kind) => error instanceof kind) || !(error instanceof Error)) throw error
    throw new Uncheckable(error.message, { cause: error })
  }
}

async function believedCheckpoint(
  note: string | undefined,
  key: NoteKey,
  path: string,
  findings: Findings,
): Promise<Checkpoint | undefined> {
  if (note === undefined) {
    findings.add(
      'checkpoint',
      '',
      `The last signed checkpoint is missing: there is no ${path}, so nothing apart from the store vouches for it.`,
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
  readonly believed: Checkpoint | undefined
  readonly findings: Findings
  readonly progress: { leaves: number }
  readonly onProgress: CheckOptions['onProgress']
}

/** The list of all checks: the form of the store, its keys, the log with every row that a leaf made, then the sums. */
async function checkStore(check: StoreCheck): Promise<void> {
  const { tables, keys, findings } = check
  for (const { name, sentence } of await tables.formFaults()) findings.add('schema', name, sentence)
  const vault = openVault(keys.vault_key)
  const dataKeys = await readDataKeys(tables, vault, findings)
  const words = sealedWords(vault, dataKeys, findings)
  const story = newStory()
  const names = await namesInUse(tables, findings)
  await checkLog(check, story, words, names)
  await checkSummedRows({ tables, story, findings, words, names, deployment: vault.deployment })
  await names.check()
  checkErasures(dataKeys, story, findings)
  await checkReplays(tables, words, findings)
  await checkDeployment(tables, words, keys.instance, findings)
  if (tables.kind === 'shared') await checkSharedTables(tables, findings)
}

/** Follows the log from its first leaf to its last, and compares on the way. */
async function checkLog(
  check: StoreCheck,
  story: Story,
  words: SealedWords,
  names: NamesInUse,
): Promise<void> {
  const { tables, keys, believed, findings, progress, onProgress } = check
  const made = await madeRows({ tables, findings, words, names, story })
  const report = (log_index: number, { wrong }: Telling) => {
    for (const what of wrong) findings.add('leaves', log_index, `Leaf ${log_index} ${what}.`)
  }
  for await (const entry of readLog({ tables, key: keys.log, believed, findings })) {
    const claims = isOfToken(entry) ? await made.claimsAt(entry) : undefined
    const telling = tell(entry.leaf, entry, story, claims)
    report(entry.log_index, telling)
    await made.check(entry, telling)
    progress.leaves += 1
    if (progress.leaves % PROGRESS_EVERY === 0) onProgress?.(progress.leaves)
  }
  const ending = endStory(story)
  report(progress.leaves, ending)
  made.settle(ending)
  await made.end()
}

function isOfToken({ leaf }: Entry): boolean {
  return leaf.type === 'token.issued' || leaf.type === 'token.delegated' || leaf.type === 'token.renewed'
}

/** The address without user and password, for people to read. */
export { addressOf }
