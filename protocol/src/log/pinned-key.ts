/** The key that verifies a file: the pinned key or, without one, the key that the file names. */
import { type FaultCode, LogFault } from './faults.ts'
import { type NoteKey, readVkey, vkeyOf } from './note.ts'

export interface NamedLog {
  readonly origin: string
  readonly vkey: string
}

/** Throws a LogFault when the file is from another log than the pinned one, and `malformed` when it names no key. */
export function pinnedKey(named: NamedLog, pinned: NoteKey | undefined, malformed: FaultCode): NoteKey {
  const own = ownKey(named, malformed)
  if (pinned === undefined) return own
  if (named.origin !== pinned.name)
    throw new LogFault('origin_changed', `It says ${named.origin}, and ${pinned.name} is pinned.`)
  if (vkeyOf(own) !== vkeyOf(pinned))
    throw new LogFault('key_changed', `It names key ${own.id}, and ${pinned.id} is pinned.`)
  return pinned
}

function ownKey({ origin, vkey }: NamedLog, malformed: FaultCode): NoteKey {
  const key = attempt(vkey)
  if (key === undefined || key.name !== origin)
    throw new LogFault(malformed, 'It names no key of the log it is from.')
  return key
}

function attempt(vkey: string): NoteKey | undefined {
  try {
    return readVkey(vkey)
  } catch {
    return undefined
  }
}
