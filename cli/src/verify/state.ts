import { createHash } from 'node:crypto'
import { mkdir, open, readFile, rename } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
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
import { Unchecked } from './unchecked.ts'

/** What is remembered of the log at an address: its key for ever, and the last that was seen of it. */
export interface Memory {
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

/** Where state belongs on this machine. */
export function stateDirectory(env: NodeJS.ProcessEnv): string {
  const base = env.XDG_STATE_HOME
  return join(base === undefined || base === '' ? join(homedir(), '.local/state') : base, 'deputy')
}

/** The file of an address; two addresses never share one. */
export function stateFile(directory: string, address: URL): string {
  return join(directory, `${encodeURIComponent(address.host + address.pathname.replace(/\/+$/, ''))}.json`)
}

/** What is remembered, or undefined before the first contact. Throws Unchecked when the file is damaged. */
export async function recall(file: string): Promise<Memory | undefined> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw new Unchecked(`${file} cannot be read (${error.code}).`)
  })
  if (text === undefined) return undefined
  try {
    return readMemory(JSON.parse(text))
  } catch {
    throw new Unchecked(`${file} is damaged. Restore it, or remove it to begin anew with the first contact.`)
  }
}

/** Throws anything at all when the state is not what `remember` writes; whether it fits together the audit will see. */
function readMemory({ vkey, note, frontier, last_at }: StateFile): Memory {
  const key = readVkey(vkey)
  if (note === undefined || frontier === undefined) return { key, kept: undefined }
  const bytes = decodeBase64(frontier)
  if (bytes === undefined) throw new RangeError('The frontier is not base64.')
  return { key, kept: { note, frontier: decodeFrontier(bytes), last_at } }
}

/** Pins a key before anything is believed under it. */
export async function pin(file: string, address: URL, key: NoteKey): Promise<void> {
  await write(file, { address: address.href, vkey: vkeyOf(key) })
}

/** Keeps what an audit found sound. A run that was overtaken by a longer one leaves that alone. */
export async function remember(file: string, address: URL, key: NoteKey, audit: Audit): Promise<void> {
  const { checkpoint, frontier, last_at } = audit
  const before = await recall(file)
  if ((before?.kept?.frontier.size ?? 0) > frontier.size) return
  await write(file, {
    address: address.href,
    vkey: vkeyOf(key),
    note: checkpoint.note,
    frontier: encodeBase64(encodeFrontier(frontier)),
    ...(last_at !== undefined && { last_at }),
  })
}

/** Keeps two checkpoints that cannot both be true, and answers where. */
export async function keepProof(directory: string, address: URL, fault: LogFault): Promise<string> {
  const name = createHash('sha256').update(fault.notes.join('')).digest('hex').slice(0, 16)
  const file = join(directory, `${fault.fault}-${name}.json`)
  const { fault: code, message, notes } = fault
  await write(file, { address: address.href, code, message, checkpoints: notes })
  return file
}

/** The new content or the old one, whatever happens in between. */
async function write(file: string, value: unknown): Promise<void> {
  const draft = `${file}.${process.pid}.tmp`
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    await writeSynced(draft, `${JSON.stringify(value, null, 2)}\n`)
    await rename(draft, file)
    await syncDirectory(dirname(file))
  } catch (error) {
    throw new Unchecked(`${file} cannot be written: ${error instanceof Error ? error.message : error}`)
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

/** A rename is durable once its directory is. Windows has no such call and needs none. */
async function syncDirectory(directory: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(directory, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
