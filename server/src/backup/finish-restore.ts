import {
  AuthorityError,
  type Checkpoint,
  checkpointText,
  rootOf,
  signatureLine,
  signedNote,
  vkeyOf,
} from '@deputize/protocol'
import { submitDirectly } from '../clerk/submit-directly.ts'
import { type KeyDocument, withNewLog, withRestore } from '../keys/key-document.ts'
import { keyRing } from '../keys/key-ring.ts'
import { withdrawnKeys } from '../keys/signing-keys.ts'
import { openCheckpointFile } from '../log/checkpoint-file.ts'
import { logTree } from '../log/tree.ts'
import type { LogReader } from '../store/port/log-reader.ts'
import type { WriteStore } from '../store/port/write-store.ts'
import type { ReadStore } from '../store/port.ts'
import type { BackupFile } from './backup-file.ts'
import { type Continuity, nextOrigin } from './continuity.ts'
import type { LaterStops } from './later-stops.ts'
import {
  fullDisk,
  type ReapplyReport,
  type RestoreOptions,
  RestoreRefused,
  type RestoreReport,
} from './restore-options.ts'

/** What is restored. */
export interface RestoreSource {
  readonly backup: BackupFile
  /** What was stopped after the backup. Undefined if no events were given. */
  readonly later: LaterStops | undefined
}

interface Restoring extends RestoreSource {
  readonly keys: KeyDocument
  readonly known: readonly Checkpoint[]
  readonly continuity: Continuity
}

type FinishReport = Pick<RestoreReport, 'log' | 'reapplied' | 'api_keys' | 'kept_checkpoint'>

/** Marks the restore in the log, re-applies stops, and signs the result. Closes the store. */
export async function finishRestore(
  options: RestoreOptions,
  { backup: { manifest }, later, keys: found, known, continuity }: Restoring,
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
    if (later !== undefined) {
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

/** Throws unless the backup holds the entries that others have seen signed. */
async function assertHolds(reader: LogReader, known: readonly Checkpoint[], log_size: number): Promise<void> {
  const tree = logTree(reader)
  for (const { size, root } of known) {
    if (size > log_size || Buffer.compare(await tree.rootAt(size), root) === 0) continue
    throw new RestoreRefused(
      `The first ${size} log entries of the backup are not those that were signed. It is a backup of another history: use another one.`,
    )
  }
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

/** Signs the restored log, so that an older copy of it is detected from now on. */
async function signed(
  { checkpoint_file }: RestoreOptions,
  keys: KeyDocument,
  reader: LogReader,
): Promise<Pick<RestoreReport, 'log' | 'kept_checkpoint'>> {
  const storage = { place: 'the backup', newer: async () => undefined, replace: async () => undefined }
  const { log } = keyRing({ document: keys, revision: 0 }, storage, Date.now)
  const head = await reader.head()
  const text = checkpointText({ origin: log.key.name, size: head.size, root: rootOf(head) })
  const note = signedNote(text, [await signatureLine(text, log.key, log.sign)])
  const kept_checkpoint = await replaceCheckpoint(checkpoint_file, note).catch((error) => {
    throw fullDisk(error, checkpoint_file, 'another checkpoint file with --checkpoint') ?? error
  })
  return { log: { origin: log.key.name, vkey: vkeyOf(log.key), size: head.size }, kept_checkpoint }
}

/**
 * Puts the checkpoint of the restored log in place, and returns where a copy of the previous one is, if there was one.
 * The file is never absent in between: without it, another attempt wouldn't know what was published.
 */
async function replaceCheckpoint(path: string, note: string): Promise<string | undefined> {
  const file = openCheckpointFile(path)
  const previous = await file.read()
  if (previous === undefined) {
    await file.write(note)
    return undefined
  }
  const copy = `${path}.before-restore-${new Date().toISOString().replaceAll(/\D/g, '')}`
  await openCheckpointFile(copy).write(previous) // a crash here leaves the previous checkpoint, and maybe a draft
  await file.write(note) // a crash here leaves the copy, and the previous checkpoint or the new one in its place
  return copy
}
