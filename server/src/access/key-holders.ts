import { hash, timingSafeEqual } from 'node:crypto'
import { KEY_ROLES } from '@deputize/protocol'
import { type ApiKey, matches, readApiKey, secretHash } from './api-key.ts'
import type { KeyCaller } from './caller.ts'

/** What is entered about a key when it is made. */
export interface ApiKeyDocument {
  readonly name: string
  readonly role: KeyCaller['role']
  readonly audience?: string
  readonly secret_hash: string
  readonly created_at: string
  readonly expires_at: string
  readonly created_by: string
}

/** A key as the registry keeps it. A removed one has no document any more. */
export interface KeyEntry {
  readonly tenant_id: string
  /** JSON text of an `ApiKeyDocument`. */
  readonly document: string | undefined
}

export interface KeyHolders {
  /** Who presents this text. Undefined for every text that opens nothing now, and nobody learns why. */
  caller(text: string): Promise<KeyCaller | undefined>
  /** To be called when a key was made, changed or removed on this node, once that is durable. */
  forget(key_id: string): void
}

export interface KeyHoldersContext {
  readonly pepper: Uint8Array
  readonly lookup: (key_id: string) => Promise<KeyEntry | undefined>
  readonly clock: () => number
  /**
   * How long an entry is believed without asking again: so long, at most, a key that another node has removed still
   * opens. `REMEMBERED_AMONG_NODES_MS` on several nodes; on one, which hears of every change, for ever.
   */
  readonly remember_ms: number
}

export const REMEMBERED_AMONG_NODES_MS = 2_000

/** Entries that are remembered at most; of known and of unknown ids each, so that guessing displaces nobody. */
export const REMEMBERED_KEYS = 10_000

interface Holder {
  /** Plain digest of the secret that was once found to fit, which is far cheaper to compare than its keyed hash. */
  fitting: Buffer | undefined
  readonly tenant_id: string
  readonly document: ApiKeyDocument
  readonly expires_at_ms: number
}

interface Remembered {
  readonly holder: Holder | undefined
  readonly asked_at_ms: number
}

export function keyHolders({ pepper, lookup, clock, remember_ms }: KeyHoldersContext): KeyHolders {
  const known = new Map<string, Remembered>()
  const unknown = new Map<string, Remembered>()
  const asked = new Map<string, Promise<Remembered>>()
  // What an unknown id is compared with: it costs what a wrong secret costs.
  const nobodys_hash = secretHash(pepper, '')

  function remembered(key_id: string): Remembered | undefined {
    const found = known.get(key_id) ?? unknown.get(key_id)
    if (found === undefined) return undefined
    const age_ms = clock() - found.asked_at_ms
    return age_ms >= 0 && age_ms < remember_ms ? found : undefined
  }

  /** Callers at the same time wait for the same answer. What is forgotten meanwhile is not remembered after all. */
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

  async function holderOfKey({ key_id }: ApiKey): Promise<Holder | undefined> {
    return (remembered(key_id) ?? (await ask(key_id))).holder
  }

  /** Whoever comes with a wrong secret always gets here, whether or not there is such a key. */
  function fitsFirst(secret: string, holder: Holder | undefined): boolean {
    const fits = matches(pepper, secret, holder?.document.secret_hash ?? nobodys_hash)
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
  const { role, audience } = document
  return { role, tenant_id, name: `key:${key_id}`, key_id, audience }
}

function holderOf(entry: KeyEntry | undefined): Holder | undefined {
  if (entry?.document === undefined) return undefined
  const document = readDocument(entry.document)
  const expires_at_ms = Date.parse(document.expires_at)
  return { tenant_id: entry.tenant_id, document, expires_at_ms, fitting: undefined }
}

/** Only we write these documents: another shape is a bug, and never a caller with half a role. */
function readDocument(text: string): ApiKeyDocument {
  const document: Record<string, unknown> = JSON.parse(text)
  const { role, audience, secret_hash, expires_at } = document
  if (
    !KEY_ROLES.some((known) => known === role) ||
    (audience !== undefined && typeof audience !== 'string') ||
    typeof secret_hash !== 'string' ||
    Number.isNaN(Date.parse(String(expires_at)))
  )
    throw new Error('an API key was entered with a document that is none')
  return document as unknown as ApiKeyDocument // safe: what decides was looked at, the rest is only shown
}
