/** The checks of the page. Each returns a finding to display. */
import {
  type Audit,
  type AuditProgress,
  auditLog,
  type ByteSource,
  encodeBase64,
  isArchive,
  KeptError,
  LogFault,
  type NoteKey,
  type ReadFile,
  readVkey,
  type SoundAuditPack,
  type SoundFile,
  UnknownFileError,
  verifyAuditPack,
  verifyProofFile,
  vkeyOf,
} from '@deputize/protocol/verifier'
import { pin, recall, remember } from './memory.ts'

export interface Finding {
  readonly outcome: 'sound' | 'fault' | 'unchecked'
  readonly sentence: string
  readonly facts: readonly (readonly [string, string])[]
  /** The signed checkpoints that prove the fault. */
  readonly notes: readonly string[]
}

const ENTRY_LABELS = { created: 'Created', completed: 'Completed', rated: 'Rated' } as const

/** The check could not run. The message is shown. */
class Unchecked extends Error {}

/** The service shows this file only with a credential. */
class Withheld extends Unchecked {}

/**
 * In keyed mode the content of entries needs the key of an operator or auditor. Everyone else checks the public hashes,
 * which also reveal a rewritten log.
 */
export async function checkLog(
  onProgress: (progress: AuditProgress) => void,
  api_key: string | undefined,
): Promise<Finding> {
  return await findingOf(async () => {
    const memory = recall()
    const named = await namedKey()
    if (memory !== undefined) assertSameKey(named, memory.key)
    else pin(named)
    const key = memory?.key ?? named
    const read = reader(api_key)
    const options = { read, log: key, kept: memory?.kept, onProgress }
    let hashes_only = false
    const audit = await auditLog(options).catch((error: unknown) => {
      if (!(error instanceof Withheld) || api_key !== undefined) throw error
      hashes_only = true
      return auditLog({ ...options, hashes_only })
    })
    remember(key, audit)
    return soundLog(audit, key, memory?.kept === undefined, hashes_only)
  })
}

export async function checkFile(file: File): Promise<Finding> {
  return await findingOf(async () => {
    const start = new Uint8Array(await file.slice(0, 4).arrayBuffer())
    if (isArchive(start)) {
      const sound = await verifyAuditPack(sourceOf(file), {})
      return soundAuditPack(sound, file.name, isPinned(sound.vkey))
    }
    const sound = await verifyProofFile(chunksOf(file), {})
    return soundFile(sound, file.name, isPinned(sound.vkey))
  })
}

/** Whether this browser has pinned the key of the file. Throws a LogFault if it has pinned another one for its log. */
function isPinned(vkey: string): boolean {
  const own = readVkey(vkey)
  const pinned = recall()?.key
  if (pinned === undefined || pinned.name !== own.name) return false
  assertSameKey(own, pinned)
  return true
}

function sourceOf(file: File): ByteSource {
  return { size: file.size, read: (start, end) => chunksOf(file.slice(start, end)) }
}

async function findingOf(check: () => Promise<Finding>): Promise<Finding> {
  try {
    await assertEd25519()
    return await check()
  } catch (error) {
    if (error instanceof LogFault)
      return {
        outcome: 'fault',
        sentence: error.message,
        facts: [['Code', error.fault]],
        notes: error.notes.length > 1 ? error.notes : [],
      }
    return { outcome: 'unchecked', sentence: sentenceOf(error), facts: [], notes: [] }
  }
}

function sentenceOf(error: unknown): string {
  if (error instanceof Unchecked || error instanceof KeptError || error instanceof UnknownFileError)
    return error.message
  if (error instanceof TypeError) return 'The service is unreachable.'
  return `Unexpected error: ${error instanceof Error ? error.message : error}`
}

/** Throws if Ed25519 isn't available, as in older browsers and on pages served over plain http. */
async function assertEd25519(): Promise<void> {
  const isSupported = await crypto.subtle
    ?.generateKey('Ed25519', false, ['sign', 'verify'])
    .then(() => true)
    .catch(() => false)
  if (!isSupported)
    throw new Unchecked(
      'This browser does not support Ed25519 signatures on this page. Use a current browser and https.',
    )
}

async function namedKey(): Promise<NoteKey> {
  const bytes = await reader(undefined)('.well-known/deputy.json')
  try {
    return readVkey(JSON.parse(new TextDecoder().decode(bytes)).log.vkey)
  } catch {
    throw new Unchecked('This service does not publish a log key.')
  }
}

function assertSameKey(named: NoteKey, pinned: NoteKey): void {
  if (named.name !== pinned.name)
    throw new LogFault('origin_changed', `The log is named ${named.name}, but ${pinned.name} is pinned.`)
  if (vkeyOf(named) !== vkeyOf(pinned))
    throw new LogFault('key_changed', `The log has key ${named.id}, but ${pinned.id} is pinned.`)
}

function reader(api_key: string | undefined): ReadFile {
  const headers = api_key === undefined ? {} : { authorization: `Bearer ${api_key}` }
  return async (path) => {
    // Cached answers would not show the current state of the service.
    const answer = await fetch(`/${path}`, { headers, redirect: 'error', cache: 'no-cache' })
    if (answer.status === 404 || answer.status === 410) return undefined
    if (answer.status === 401 || answer.status === 403) throw new Withheld(withheldText(api_key))
    if (!answer.ok) throw new Unchecked(`The service answered ${path} with HTTP ${answer.status}.`)
    return new Uint8Array(await answer.arrayBuffer())
  }
}

function withheldText(api_key: string | undefined): string {
  return api_key === undefined
    ? 'The service shows the entries of its log only with a key.'
    : 'The service does not accept this key. Use the key of an operator or auditor of the tenant "default".'
}

async function* chunksOf(file: Blob): AsyncGenerator<Uint8Array> {
  const reader = file.stream().getReader()
  for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value
}

function soundLog(
  { checkpoint, newly_seen, ...audit }: Audit,
  key: NoteKey,
  isFirst: boolean,
  hashes_only: boolean,
): Finding {
  const size = formatCount(checkpoint.size)
  const what = hashes_only ? `The hashes of all ${size} entries` : `All ${size} entries`
  const unread = hashes_only
    ? ' The entries themselves were not read: this service shows them only to operators and auditors. Sign in as one, or enter a key, to check them as well.'
    : ''
  return {
    outcome: 'sound',
    sentence: isFirst
      ? `${what} match the signed log. This was the first contact: compare the key below with the one that the operator publishes elsewhere. This browser has pinned it.${unread}`
      : `${what} match the signed log, ${formatCount(newly_seen)} of them new. Nothing has changed since the last check.${unread}`,
    facts: [
      ['Log', checkpoint.origin],
      ['Entries', size],
      ...(audit.first_at === undefined ? [] : [['Times', timesText(audit.first_at, audit.last_at)] as const]),
      ['Root', encodeBase64(checkpoint.root)],
      ['Key', vkeyOf(key)],
    ],
    notes: [],
  }
}

function soundFile(sound: SoundFile, name: string, isPinned: boolean): Finding {
  const { checkpoint, vkey } = sound
  const what = sound.kind === 'pack' ? 'proof pack' : 'receipt'
  return {
    outcome: 'sound',
    sentence: isPinned
      ? `Every entry of the ${what} ${name} is in the log signed by the pinned key of this service.`
      : `The ${what} ${name} is consistent. No key is pinned for its log: compare the key below with the one that the operator publishes.`,
    facts: [
      sound.kind === 'pack' ? ['Workflow', sound.provenance_ref] : ['Record', sound.aar_id],
      ...(sound.kind === 'pack'
        ? ([
            ['Contains', `${formatCount(sound.entries)} entries, ${formatCount(sound.records)} records`],
          ] as const)
        : sound.entries.map(
            ({ kind, index, entry }) => [ENTRY_LABELS[kind], `${entry.at}, entry ${index}`] as const,
          )),
      ['Log', `${checkpoint.origin}, ${formatCount(checkpoint.size)} entries`],
      ['Key', vkey],
    ],
    notes: [],
  }
}

function soundAuditPack(
  { manifest, checkpoint, vkey, verdict: { totals, witnesses } }: SoundAuditPack,
  name: string,
  isOfPinnedKey: boolean,
): Finding {
  const decided = Object.entries(totals.decisions).filter(([, count]) => count > 0)
  const words = decided.map(([word, count]) => `${formatCount(count)} ${word.replaceAll('_', ' ')}`)
  return {
    outcome: 'sound',
    sentence: isOfPinnedKey
      ? `Everything in the audit pack ${name} that follows from the log is as the log says, and the log is signed by the pinned key of this service.`
      : `The audit pack ${name} is consistent. No key is pinned for its log: compare the key below with the one that the operator publishes.`,
    facts: [
      ['Workflows', formatCount(totals.workflows)],
      ['Contains', `${formatCount(totals.entries)} entries, ${formatCount(totals.records)} records`],
      ['Decisions', words.join(', ') || 'none'],
      ...witnesses.map(
        ({ name: witness, cosigned_at = '' }) => ['Witness', `${witness} ${cosigned_at}`] as const,
      ),
      ['Made', manifest.made_at],
      ['Log', `${checkpoint.origin}, ${formatCount(checkpoint.size)} entries`],
      ['Key', vkey],
    ],
    notes: [],
  }
}

/** Two times in UTC, as in the log. If both are on the same day, the day is shown once. */
export function timesText(first_at: string, last_at = first_at): string {
  const [from, to] = [momentText(first_at), momentText(last_at)]
  const isOneDay = from.slice(0, 10) === to.slice(0, 10)
  return `${from} to ${isOneDay ? to.slice(11) : to} UTC`
}

/** 2027-01-01T10:20:30.400Z as `2027-01-01 10:20:30`. */
function momentText(instant: string): string {
  return instant.slice(0, 19).replace('T', ' ')
}

export function formatCount(count: number): string {
  return count.toLocaleString('en-US')
}
