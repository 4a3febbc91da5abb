import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Checkpoint, type NoteKey, openCheckpoint } from '@deputy/protocol'
import { KeyFileError } from '../keys/key-document.ts'
import { type CheckingKeys, readCheckingKeys } from '../keys/key-ring.ts'
import { checkpointFile } from '../log/guard.ts'
import { DamagedStore, type StoreTables, UnreadableStore } from '../store/port.ts'
import { sqliteTables } from '../store/sqlite/tables.ts'
import { openVault } from '../store/vault.ts'
import { checkErasures, readDataKeys } from './data-keys.ts'
import { type Fault, type Findings, noFindings } from './findings.ts'
import { checkDeployment, checkReplays } from './kept-values.ts'
import { type Entry, readLog } from './log.ts'
import { madeRows } from './made-rows.ts'
import { type NamesInUse, namesInUse } from './names.ts'
import { type SealedWords, sealedWords } from './sealed-words.ts'
import { newStory, type Story, type Telling } from './story/story.ts'
import { endStory, tell } from './story/tell.ts'
import { checkSummedRows } from './summed-rows.ts'

export interface CheckOptions {
  readonly data_dir: string
  /** The last signed checkpoint, apart from the store. */
  readonly checkpoint_file: string
  /** Told now and then how many leaves were read. */
  onProgress?(leaves: number): void
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
export async function checkData({ data_dir, checkpoint_file, onProgress }: CheckOptions): Promise<Report> {
  const file = join(data_dir, 'deputy.db')
  if (!existsSync(file)) throw new Uncheckable(`There is no store in ${data_dir}.`)
  const findings = noFindings()
  const keys = checkable(() => readCheckingKeys(data_dir))
  // Before the store is opened: what was signed by now must be in what is seen then.
  const note = await checkpointFile(checkpoint_file).read()
  const tables = checkable(() => sqliteTables(file))
  try {
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
    await tables.close().catch(rethrown)
  }
}

function checkable<T>(open: () => T): T {
  try {
    return open()
  } catch (error) {
    return rethrown(error)
  }
}

function rethrown(error: unknown): never {
  if (error instanceof KeyFileError || error instanceof UnreadableStore)
    throw new Uncheckable(error.message, { cause: error })
  throw error
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
