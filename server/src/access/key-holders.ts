import { hash, type KeyObject, timingSafeEqual } from 'node:crypto'
import { KEY_ROLES } from '@deputize/protocol'
import { type ApiKeyParts, readApiKey, secretHash, secretMatches } from './api-key.ts'
import type { KeyCaller } from './caller.ts'

/** What the registry stores about an API key. */
export interface ApiKeyDocument {
  readonly name: string
  readonly role: KeyCaller['role']
  readonly audience?: string
  readonly secret_hash: string
  readonly created_at: string
  readonly expires_at: string
  readonly created_by: string
  /** The first key in this key's rotation. */
  readonly rotates?: string
  /** The key that a rotation replaced this one with. */
  readonly replaced_by?: string
  /** The person who has this key by signing in with a provider. Such a key has no text: it works in sessions only. */
  readonly held_by?: string
  /** Leaf since which that person has had the key without a break. Absent in the first document: it is its own leaf. */
  readonly held_since?: number
}

/** A key in the registry. A removed key has no document. */
export interface KeyEntry {
  readonly tenant_id: string
  /** JSON text of an `ApiKeyDocument`. */
  readonly document: string | undefined
}

export interface KeyHolders {
  /** Returns the caller who presents this text, or undefined, without a reason, if it isn't a currently valid key. */
  caller(text: string): Promise<KeyCaller | undefined>
  /** Must be called after a key was created, changed or removed on this node, once that is durable. */
  forget(key_id: string): void
}

export interface KeyHoldersContext {
  readonly pepper: KeyObject
  readonly lookup: (key_id: string) => Promise<KeyEntry | undefined>
  readonly clock: () => number
  /**
   * How long an entry is cached, and so the longest time that a key works after another node has removed it.
   * `REMEMBERED_AMONG_NODES_MS` with several nodes. A single node makes every change itself and caches without limit.
   */
  readonly remember_ms: number
}

export const REMEMBERED_AMONG_NODES_MS = 2_000

/** How many entries are cached, for known and for unknown ids separately, so that guessing evicts no real key. */
export const REMEMBERED_KEYS = 10_000

interface Holder {
  /** Digest of the secret that matched before, which is far cheaper to compare than its keyed hash. */
  fitting: Buffer | undefined
  readonly tenant_id: string
  readonly document: ApiKeyDocument
  readonly expires_at_ms: number
}

interface Remembered {
  readonly holder: Holder | undefined
  readonly asked_at_ms: number
}

export function openKeyHolders({ pepper, lookup, clock, remember_ms }: KeyHoldersContext): KeyHolders {
  const known = new Map<string, Remembered>()
  const unknown = new Map<string, Remembered>()
  const asked = new Map<string, Promise<Remembered>>()
  // Used for unknown ids, so that an unknown id takes as long as a wrong secret.
  const decoy_hash = secretHash(pepper, '')

  function remembered(key_id: string): Remembered | undefined {
    const found = known.get(key_id) ?? unknown.get(key_id)
    if (found === undefined) return undefined
    const age_ms = clock() - found.asked_at_ms
    return age_ms >= 0 && age_ms < remember_ms ? found : undefined
  }

  /** Looks up an entry. Concurrent callers share one lookup. One forgotten in the meantime isn't cached. */
  function ask(key_id: string): Promise<Remembered> {
    const under_way = asked.get(key_id)
    if (under_way !== undefined) return under_way
    const asked_at_ms = clock()
    const answer = lookup(key_id).then((entry) => ({ holder: holderOf(entry), asked_at_ms }))
    asked.set(key_id, answer)
    const settle = (found?: Remembered) => {
      if (asked.get(key_id) !== answer) return
      asked.delete(key_id)
      if (found !== undefined) remember(key_id, found)
    }
    answer.then(settle, () => settle())
    return answer
  }

  function remember(key_id: string, found: Remembered): void {
    forgetIn(known, unknown, key_id)
    const kept = found.holder === undefined ? unknown : known
    for (const oldest of kept.keys()) {
      if (kept.size < REMEMBERED_KEYS) break
      kept.delete(oldest)
    }
    kept.set(key_id, found)
  }

  async function holderOfKey({ key_id }: ApiKeyParts): Promise<Holder | undefined> {
    return (remembered(key_id) ?? (await ask(key_id))).holder
  }

  /** Compares a secret with the stored hash. Every wrong secret gets here, whether or not the key exists. */
  function fitsFirst(secret: string, holder: Holder | undefined): boolean {
    const fits = secretMatches(pepper, secret, holder?.document.secret_hash ?? decoy_hash)
    if (fits && holder !== undefined) holder.fitting = digestOf(secret)
    return fits
  }

  return {
    async caller(text) {
      const key = readApiKey(text)
      if (key === undefined) return undefined
      const holder = await holderOfKey(key)
      const fits = fitsAgain(key.secret, holder) || fitsFirst(key.secret, holder)
      if (!fits || holder === undefined || holder.expires_at_ms <= clock()) return undefined
      return callerOf(key.key_id, holder)
    },
    forget(key_id) {
      forgetIn(known, unknown, key_id)
      asked.delete(key_id)
    },
  }
}

function fitsAgain(secret: string, holder: Holder | undefined): boolean {
  return holder?.fitting !== undefined && timingSafeEqual(holder.fitting, digestOf(secret))
}

function digestOf(secret: string): Buffer {
  return hash('sha256', secret, 'buffer')
}

function forgetIn(known: Map<string, unknown>, unknown: Map<string, unknown>, key_id: string): void {
  known.delete(key_id)
  unknown.delete(key_id)
}

function callerOf(key_id: string, { tenant_id, document }: Holder): KeyCaller {
  const { role, audience, rotates = key_id } = document
  return { role, tenant_id, name: `key:${key_id}`, key_id, owner_id: rotates, audience }
}

/** Returns the caller who holds a key, from its entry. Undefined if the key is removed or has expired. */
export function keyCaller(
  key_id: string,
  entry: KeyEntry | undefined,
  now_ms: number,
): KeyCaller | undefined {
  const holder = holderOf(entry)
  return holder === undefined || holder.expires_at_ms <= now_ms ? undefined : callerOf(key_id, holder)
}

/**
 * Returns the leaf since which a person has had their key without a break. The key that they get at their next sign-in
 * has the same ID, and must not bring back what ended with the earlier key. Undefined for every other key, because its
 * ID is never reused.
 */
export function heldSince(document: string, log_index: number): number | undefined {
  const { held_by, held_since = log_index } = readDocument(document)
  return held_by === undefined ? undefined : held_since
}

function holderOf(entry: KeyEntry | undefined): Holder | undefined {
  if (entry?.document === undefined) return undefined
  const document = readDocument(entry.document)
  const expires_at_ms = Date.parse(document.expires_at)
  return { tenant_id: entry.tenant_id, document, expires_at_ms, fitting: undefined }
}

/** Reads an API key document. Only this service writes them, so any other shape is a bug. */
function readDocument(text: string): ApiKeyDocument {
  const document: Record<string, unknown> = JSON.parse(text)
  const { role, audience, secret_hash, expires_at } = document
  if (
    !KEY_ROLES.some((known) => known === role) ||
    (audience !== undefined && typeof audience !== 'string') ||
    typeof secret_hash !== 'string' ||
    Number.isNaN(Date.parse(String(expires_at)))
  )
    throw new Error('the registry holds an API key document of an unknown shape')
  return document as unknown as ApiKeyDocument // safe: the members that decide were checked, the others are only displayed
}
