import { createHash } from 'node:crypto'
import { mkdir, open, readdir, readFile, rename } from 'node:fs/promises'
import { homedir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import {
  type Audit,
  decodeBase64,
  decodeFrontier,
  encodeBase64,
  encodeFrontier,
  type Kept,
  type LogFault,
  type NoteKey,
  readVkey,
  vkeyOf,
} from '@deputize/protocol/verifier'
import type { Environment } from '../environment.ts'
import { errorText } from '../start-problems.ts'
import { Unchecked } from './unchecked.ts'

/** What is stored about the log at an address: its pinned key, and the last checkpoint seen. */
export interface LogState {
  readonly key: NoteKey
  readonly kept: Kept | undefined
}

interface StateFile {
  readonly address: string
  readonly vkey: string
  readonly note?: string
  readonly frontier?: string
  readonly last_at?: string
}

/** The default directory for state. */
export function stateDirectory(env: Environment): string {
  const base = env.XDG_STATE_HOME
  return join(base === undefined || base === '' ? join(homedir(), '.local/state') : base, 'deputy')
}

/** The state file of an address. Each address has its own. */
export function stateFile(directory: string, address: URL): string {
  return join(directory, `${encodeURIComponent(address.host + address.pathname.replace(/\/+$/, ''))}.json`)
}

/** The stored state, or undefined before the first contact. Throws Unchecked if the file is damaged. */
export async function readState(file: string): Promise<LogState | undefined> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw new Unchecked(`${file} cannot be read (${error.code}).`)
  })
  if (text === undefined) return undefined
  try {
    return parsedState(JSON.parse(text))
  } catch {
    throw new Unchecked(
      `${file} is damaged. Restore it from a backup, or remove it to start over with a first contact.`,
    )
  }
}

/** The last checkpoints of the same log, by the same key, at other addresses. */
export async function otherStates(file: string, key: NoteKey): Promise<{ address: string; note: string }[]> {
  const directory = dirname(file)
  const names = await readdir(directory).catch(() => [])
  const others: { address: string; note: string }[] = []
  for (const name of names.sort()) {
    if (!name.endsWith('.json') || name === basename(file)) continue
    const { address, vkey, note } = await readStateFile(join(directory, name))
    if (address !== undefined && note !== undefined && vkey === vkeyOf(key)) others.push({ address, note })
  }
  return others
}

/** The members of a file in the directory. Proofs have no `vkey`. */
async function readStateFile(file: string): Promise<Partial<StateFile>> {
  try {
    return JSON.parse(await readFile(file, 'utf8'))
  } catch {
    throw new Unchecked(
      `${file} is damaged, and may be about the same log. Restore it from a backup, or remove it.`,
    )
  }
}

/** Throws if `saveState` did not write this. The audit checks that the parts are consistent. */
function parsedState({ vkey, note, frontier, last_at }: StateFile): LogState {
  const key = readVkey(vkey)
  if (note === undefined || frontier === undefined) return { key, kept: undefined }
  const bytes = decodeBase64(frontier)
  if (bytes === undefined) throw new RangeError('The frontier is not base64.')
  return { key, kept: { note, frontier: decodeFrontier(bytes), last_at } }
}

/** Pins a key before anything is verified with it. */
export async function pinKey(file: string, address: URL, key: NoteKey): Promise<void> {
  await replaceFile(file, { address: address.href, vkey: vkeyOf(key) })
}

/** Saves a sound audit, unless a concurrent run has saved a longer log. */
export async function saveState(file: string, address: URL, key: NoteKey, audit: Audit): Promise<void> {
  const { checkpoint, frontier, last_at } = audit
  const before = await readState(file)
  if ((before?.kept?.frontier.size ?? 0) > frontier.size) return
  await replaceFile(file, {
    address: address.href,
    vkey: vkeyOf(key),
    note: checkpoint.note,
    frontier: encodeBase64(encodeFrontier(frontier)),
    ...(last_at !== undefined && { last_at }),
  })
}

/** Saves two contradictory checkpoints, and returns the file. */
export async function keepProof(directory: string, address: URL, fault: LogFault): Promise<string> {
  const name = createHash('sha256').update(fault.notes.join('')).digest('hex').slice(0, 16)
  const file = join(directory, `${fault.fault}-${name}.json`)
  const { fault: code, message, notes } = fault
  await replaceFile(file, { address: address.href, code, message, checkpoints: notes })
  return file
}

/** Replaces a file atomically and durably. A crash leaves the old content or the new one, and perhaps a draft. */
async function replaceFile(file: string, value: unknown): Promise<void> {
  const draft = `${file}.${process.pid}.tmp`
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    await writeSynced(draft, `${JSON.stringify(value, null, 2)}\n`)
    await rename(draft, file)
    await syncDirectory(dirname(file))
  } catch (error) {
    throw new Unchecked(`${file} cannot be written: ${errorText(error)}`)
  }
}

async function writeSynced(file: string, text: string): Promise<void> {
  const handle = await open(file, 'w', 0o600)
  try {
    await handle.writeFile(text)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Makes a rename durable. Windows has no such call and does not need it. */
async function syncDirectory(directory: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(directory, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
