/** This browser's memory of the log: its pinned key and the last verified checkpoint. */
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

const STORAGE_KEY = 'deputy.verify.v1'

export interface VerifierMemory {
  readonly key: NoteKey
  readonly kept: Kept | undefined
  readonly checked_at: string | undefined
}

/** Undefined before the first contact. Throws if the stored state is damaged. */
export function recall(): VerifierMemory | undefined {
  const text = localStorage.getItem(STORAGE_KEY)
  if (text === null) return undefined
  const { vkey, note, frontier, last_at, checked_at } = JSON.parse(text)
  const key = readVkey(vkey)
  if (note === undefined) return { key, kept: undefined, checked_at }
  const bytes = decodeBase64(frontier)
  if (bytes === undefined) throw new RangeError('The frontier is not base64.')
  return { key, kept: { note, frontier: decodeFrontier(bytes), last_at }, checked_at }
}

export function pin(key: NoteKey): void {
  localStorage.setItem(STORAGE_KEY, JSON.stringify({ vkey: vkeyOf(key) }))
}

export function remember(key: NoteKey, { checkpoint, frontier, last_at }: Audit): void {
  const state = {
    vkey: vkeyOf(key),
    note: checkpoint.note,
    frontier: encodeBase64(encodeFrontier(frontier)),
    last_at,
    checked_at: new Date().toISOString(),
  }
  localStorage.setItem(STORAGE_KEY, JSON.stringify(state))
}

export function hasMemory(): boolean {
  return localStorage.getItem(STORAGE_KEY) !== null
}

export function forget(): void {
  localStorage.removeItem(STORAGE_KEY)
}
