import { LogFault, type NoteKey, readVkey, vkeyOf } from '@deputize/protocol/verifier'
import type { LogReader } from './log-reader.ts'
import type { Question } from './question.ts'
import { type Memory, recall, stateFile } from './state.ts'
import { Unchecked } from './unchecked.ts'

/** The log at an address, with the key by which it is judged. */
export interface Contact {
  readonly address: URL
  readonly reader: LogReader
  readonly key: NoteKey
  readonly file: string
  readonly memory: Memory | undefined
  /** Whether the key was taken from the service itself, just now. */
  readonly is_first: boolean
}

/** The pinned key, or at first contact the one that the service names. What it names later must stay that. */
export async function contactOf(question: Question, address: URL, reader: LogReader): Promise<Contact> {
  const file = stateFile(question.state, address)
  const memory = await recall(file)
  if (memory !== undefined && question.key !== undefined && vkeyOf(memory.key) !== vkeyOf(question.key))
    throw new Unchecked(`${file} pins another key than --key. Remove it to begin anew.`)
  const pinned = question.key ?? memory?.key
  const named = await namedKey(reader, pinned === undefined ? address : undefined)
  if (pinned !== undefined && named !== undefined) assertSameKey(named, pinned)
  const key = pinned ?? named
  if (key === undefined) throw new Error('a first contact has a key')
  return { address, reader, key, file, memory, is_first: pinned === undefined }
}

/** The key that the service publishes. Where one is pinned, it need not publish any. */
async function namedKey(reader: LogReader, needed_at: URL | undefined): Promise<NoteKey | undefined> {
  const bytes = await reader.read('.well-known/deputy.json')
  try {
    return readVkey(JSON.parse(new TextDecoder().decode(bytes)).log.vkey)
  } catch {
    if (needed_at === undefined) return undefined
    throw new Unchecked(
      `${needed_at.href} names no key of a log. Is it the address of a Deputy? Otherwise give --key.`,
    )
  }
}

function assertSameKey(named: NoteKey, pinned: NoteKey): void {
  if (named.name !== pinned.name)
    throw new LogFault('origin_changed', `The service says ${named.name}, and ${pinned.name} is pinned.`)
  if (vkeyOf(named) !== vkeyOf(pinned))
    throw new LogFault('key_changed', `The service names key ${named.id}, and ${pinned.id} is pinned.`)
}
