/** What this browser remembers of the log: its key for ever, and the last that was seen of it. */
import {
  type Audit,
  decodeBase64,
  decodeFrontier,
  encodeBase64,
  encodeFrontier,
  type Kept,
  type NoteKey,
  readVkey,
  vkeyOf,
} from '@deputize/protocol/verifier'

const PLACE = 'deputy.verify.v1'

export interface Memory {
  readonly key: NoteKey
  readonly kept: Kept | undefined
  readonly checked_at: string | undefined
}

/** Undefined before the first contact. Throws when it was tampered with. */
export function recall(): Memory | undefined {
  const text = localStorage.getItem(PLACE)
  if (text === null) return undefined
  const { vkey, note, frontier, last_at, checked_at } = JSON.parse(text)
  const key = readVkey(vkey)
  if (note === undefined) return { key, kept: undefined, checked_at }
  const bytes = decodeBase64(frontier)
  if (bytes === undefined) throw new RangeError('The frontier is not base64.')
  return { key, kept: { note, frontier: decodeFrontier(bytes), last_at }, checked_at }
}

export function pin(key: NoteKey): void {
  localStorage.setItem(PLACE, JSON.stringify({ vkey: vkeyOf(key) }))
}

export function remember(key: NoteKey, { checkpoint, frontier, last_at }: Audit): void {
  const state = {
    vkey: vkeyOf(key),
    note: checkpoint.note,
    frontier: encodeBase64(encodeFrontier(frontier)),
    last_at,
    checked_at: new Date().toISOString(),
  }
  localStorage.setItem(PLACE, JSON.stringify(state))
}

export function forget(): void {
  localStorage.removeItem(PLACE)
}
