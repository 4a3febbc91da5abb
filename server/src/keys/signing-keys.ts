import { KEY_PURPOSES, type KeyPurpose, LEVELS } from '@deputize/protocol'
import {
  isActiveKey,
  isNextKey,
  type KeyDocument,
  nextKey,
  PREPUBLISHED_MS,
  type StoredKey,
} from './key-document.ts'

/** A key stays listed as long as the longest-lived token that it may have signed. */
export const OVERLAP_MS = Math.max(...Object.values(LEVELS).map((level) => level.max_lifetime_s)) * 1000

/** The key IDs of a rotation, one for each purpose. */
export type NextKids = Readonly<Record<KeyPurpose, string>>

/** Returns the keys that sign after the next rotation. Before `ready_ms`, verifiers may hold a key set without them. */
export function nextKeys({ keys }: KeyDocument): { readonly kids: NextKids; readonly ready_ms: number } {
  const next = (purpose: KeyPurpose): StoredKey => {
    const key = keys.find((one) => one.purpose === purpose && isNextKey(one))
    if (key === undefined) throw new Error(`no next key for ${purpose}`)
    return key
  }
  const [tokens, status_lists, statements] = [next('tokens'), next('status_lists'), next('statements')]
  const ready = [tokens, status_lists, statements].map(({ ready_at, created_at }) =>
    Date.parse(ready_at ?? created_at),
  )
  return {
    kids: { tokens: tokens.kid, status_lists: status_lists.kid, statements: statements.kid },
    ready_ms: Math.max(...ready),
  }
}

/** Activates these keys. Keys that sign already, because another node rotated at the same time, stay. */
export function rotatedKeys(document: KeyDocument, kids: NextKids, now_ms: number): KeyDocument {
  const keys = KEY_PURPOSES.reduce((held, purpose) => advanced(held, kids[purpose], now_ms), document.keys)
  return { ...document, keys: keys.filter((key) => isListed(key, now_ms)) }
}

/** Activates the next key, retires the active one, and adds a new next key. */
function advanced(keys: StoredKey[], kid: string, now_ms: number): StoredKey[] {
  const next = keys.find((key) => key.kid === kid)
  if (next === undefined || !isNextKey(next)) return keys
  const at = new Date(now_ms).toISOString()
  const { ready_at: _, ...signing } = next
  const others = keys.filter((key) => key !== next)
  return [
    { ...signing, active_from: at },
    nextKey(next.purpose, now_ms, now_ms + PREPUBLISHED_MS),
    ...others.map((key) =>
      key.purpose === next.purpose && isActiveKey(key) ? { ...withoutPrivatePart(key), retired_at: at } : key,
    ),
  ]
}

/**
 * Withdraws a stolen key. If it was active, the next key takes over at once, although some verifiers may not have
 * fetched it yet; a next key is replaced. An earlier `from_ms` than before extends a withdrawal; a later one changes
 * nothing.
 */
export function withdrawnKeys(
  document: KeyDocument,
  kid: string,
  from_ms: number,
  now_ms: number,
): KeyDocument {
  const stolen = document.keys.find((key) => key.kid === kid)
  if (stolen === undefined) return document
  const at = new Date(now_ms).toISOString()
  const from = new Date(from_ms).toISOString()
  const { withdrawn_at = at, withdrawn_from = from } = stolen
  const withdrawn = {
    ...withoutPrivatePart(stolen),
    withdrawn_at,
    withdrawn_from: from < withdrawn_from ? from : withdrawn_from,
  }
  const keys = document.keys.map((key) => (key === stolen ? withdrawn : key))
  return { ...document, keys: succeeded(keys, stolen, now_ms) }
}

function succeeded(keys: StoredKey[], stolen: StoredKey, now_ms: number): StoredKey[] {
  const { purpose } = stolen
  if (isNextKey(stolen)) return [...keys, nextKey(purpose, now_ms, now_ms + PREPUBLISHED_MS)]
  const next = keys.find((key) => key.purpose === purpose && isNextKey(key))
  return isActiveKey(stolen) && next !== undefined ? advanced(keys, next.kid, now_ms) : keys
}

function withoutPrivatePart({ d: _, ...key }: StoredKey): StoredKey {
  return key
}

/** Whether tokens of a key can still be valid, or verifiers must still learn that it was withdrawn. */
export function isListed({ retired_at, withdrawn_at }: StoredKey, now_ms: number): boolean {
  const ended_at = withdrawn_at ?? retired_at
  return ended_at === undefined || now_ms < Date.parse(ended_at) + OVERLAP_MS
}

export type KeyStatus = 'active' | 'next' | 'retired' | 'withdrawn'

export function keyStatus(key: StoredKey): KeyStatus {
  if (key.withdrawn_at !== undefined) return 'withdrawn'
  if (key.retired_at !== undefined) return 'retired'
  return isNextKey(key) ? 'next' : 'active'
}
