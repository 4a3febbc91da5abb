import { LogFault, type NoteKey, readVkey, vkeyOf } from '@deputize/protocol/verifier'
import type { HttpLogReader } from './log-reader.ts'
import type { VerifyRequest } from './request.ts'
import { type LogState, readState, stateFile } from './state.ts'
import { Unchecked } from './unchecked.ts'

/** The log at an address, and the key to verify it with. */
export interface LogContact {
  readonly address: URL
  readonly reader: HttpLogReader
  readonly key: NoteKey
  readonly file: string
  /** Undefined before the first contact. */
  readonly state: LogState | undefined
  /** Whether the key was just read from the service itself. */
  readonly is_first: boolean
}

/** Uses the pinned key or, at first contact, the key that the service publishes. Later it must publish the same key. */
export async function logContact(
  request: VerifyRequest,
  address: URL,
  reader: HttpLogReader,
): Promise<LogContact> {
  const file = stateFile(request.state, address)
  const state = await readState(file)
  if (state !== undefined && request.key !== undefined && vkeyOf(state.key) !== vkeyOf(request.key))
    throw new Unchecked(`${file} pins a different key than --key. Remove the file to start over.`)
  const pinned = request.key ?? state?.key
  const named = await publishedKey(reader, pinned === undefined ? address : undefined)
  if (pinned !== undefined && named !== undefined) assertPinnedKey(named, pinned)
  const key = pinned ?? named
  if (key === undefined) throw new Error('A first contact must have a key.')
  return { address, reader, key, file, state, is_first: pinned === undefined }
}

/** The key that the service publishes. Optional if a key is pinned. */
async function publishedKey(reader: HttpLogReader, needed_at: URL | undefined): Promise<NoteKey | undefined> {
  const bytes = await reader.read('.well-known/deputy.json')
  try {
    return readVkey(JSON.parse(new TextDecoder().decode(bytes)).log.vkey)
  } catch {
    if (needed_at === undefined) return undefined
    throw new Unchecked(
      `${needed_at.href} publishes no log key. Check that it is the URL of a Deputy service, or pass --key.`,
    )
  }
}

function assertPinnedKey(named: NoteKey, pinned: NoteKey): void {
  if (named.name !== pinned.name)
    throw new LogFault(
      'origin_changed',
      `The service publishes the log ${named.name}, but ${pinned.name} is pinned.`,
    )
  if (vkeyOf(named) !== vkeyOf(pinned))
    throw new LogFault(
      'key_changed',
      `The service publishes the key ${named.id}, but ${pinned.id} is pinned.`,
    )
}
