import { createHmac, hkdfSync, sign } from 'node:crypto'
import { promisify } from 'node:util'
import {
  decodeBase64url,
  KEY_TYPES,
  LEVELS,
  type NoteKey,
  noteKey,
  type VerificationKey,
} from '@deputize/protocol'
import {
  jwkOf,
  type KeyDocument,
  KeyFileError,
  newKey,
  privateKeyOf,
  type StoredKey,
} from './key-document.ts'
import { keyFile, openKeyFile, readKeyFile } from './key-file.ts'
import type { KeptKeys, KeyStorage } from './key-storage.ts'

/** Signs on the thread pool, so that the event loop is not blocked. */
const signAsync = promisify(sign)

/** A retired key stays published as long as the longest-lived token that it may have signed. */
const OVERLAP_MS = Math.max(...Object.values(LEVELS).map((level) => level.max_lifetime_s)) * 1000

/** The shortest time between two lookups for keys of other nodes, however many unknown key IDs are requested. */
const LOOK_AGAIN_MS = 1_000

/** The signing keys and the secret of a deployment. */
export interface KeyRing {
  /** The permanent ID of this deployment. */
  readonly instance: string
  active(): TokenSigningKey
  /** The key that signs log checkpoints and nothing else. It is never rotated, because verifiers pin it. */
  readonly log: LogKey
  /** Every key that may have signed a token that is still valid, the active one first. */
  published(): readonly VerificationKey[]
  find(kid: string): VerificationKey | undefined
  /** As `find`, but looks for new keys of other nodes before it returns undefined. */
  learn(kid: string): Promise<VerificationKey | undefined>
  /** Loads keys that another node has changed. */
  refresh(): Promise<void>
  /** Activates a new key. The old one stays published until its last token has expired. */
  rotate(now_ms: number): Promise<void>
  /** Creates a key that is not stored or used until it is activated. */
  prepareRotation(now_ms: number): PreparedKey
  /** The facts of every published key, the active one first. */
  list(): readonly KeyFacts[]
  /** Seals personal data in the store. Derived from the secret of the deployment. */
  readonly vault_key: Uint8Array
  /** Keys the hashes of API key secrets. Derived from the secret of the deployment, so the store alone reveals nothing. */
  readonly api_key_pepper: Uint8Array
  /** The reference to a person. It is keyed with the secret of the deployment, so it can't be found by guessing names. */
  digest(kind: 'human', text: string): string
}

export interface TokenSigningKey {
  readonly kid: string
  sign(data: Uint8Array): Promise<Uint8Array>
}

export interface LogKey {
  /** Its name is the origin of the log. */
  readonly key: NoteKey
  sign(data: Uint8Array): Promise<Uint8Array>
}

export interface PreparedKey {
  readonly kid: string
  activate(now_ms: number): Promise<void>
}

export interface KeyFacts {
  readonly kid: string
  readonly created_at: string
  readonly retired_at: string | undefined
  readonly published_until: string | undefined
}

/**
 * Opens the keys of a data directory, or creates them for a new deployment. `log_origin` names the log when its key is
 * created. A log can't be renamed.
 */
export function openKeyRing(
  directory: string,
  now_ms: number,
  isNewDeployment: boolean,
  log_origin?: string,
): KeyRing {
  return keyRing(
    openKeyFile(directory, now_ms, isNewDeployment, log_origin),
    keyFile(directory),
    () => now_ms,
  )
}

/** The key ring over a stored document. */
export function keyRing(found: KeptKeys, storage: KeyStorage, clock: () => number): KeyRing {
  const { place } = storage
  let kept = found
  let active = signingKey(kept.document, place)
  let published = publish(kept.document, clock())
  let looked_ms = -LOOK_AGAIN_MS
  let look: Promise<void> | undefined

  function use(next: KeptKeys, now_ms: number): void {
    if (next.document.instance !== kept.document.instance)
      throw new KeyFileError(`the keys in ${place} now belong to another deployment`)
    kept = next
    active = signingKey(kept.document, place)
    published = publish(kept.document, now_ms)
  }

  async function loadNewer(): Promise<void> {
    const newer = await storage.newer(kept)
    if (newer !== undefined && newer.revision > kept.revision) use(newer, clock())
  }

  /** Concurrent callers share one lookup. */
  function refresh(): Promise<void> {
    look ??= loadNewer().finally(() => {
      look = undefined
    })
    return look
  }

  /** If another node rotates at the same time, both keys are kept and the later one signs. */
  async function activate(key: StoredKey, at_ms: number): Promise<void> {
    for (;;) {
      const next = await storage.replace(kept, rotated(kept.document, key, at_ms))
      if (next !== undefined) return use(next, at_ms)
      await loadNewer()
    }
  }

  function prepareRotation(now_ms: number): PreparedKey {
    const key = newKey(now_ms)
    return { kid: key.kid, activate: (at_ms) => activate(key, at_ms) }
  }

  const find = (kid: string) => published.find((key) => key.kid === kid)

  return {
    instance: kept.document.instance,
    log: logKey(kept.document, place),
    vault_key: vaultKeyOf(kept.document),
    api_key_pepper: derivedKey(kept.document, 'deputy/api-keys'),
    active: () => active,
    published: () => published,
    find,
    async learn(kid) {
      const known = find(kid)
      if (known !== undefined) return known
      const now_ms = performance.now()
      if (now_ms - looked_ms >= LOOK_AGAIN_MS) {
        looked_ms = now_ms
        await refresh()
      } else await look
      return find(kid)
    },
    refresh,
    rotate: (at_ms) => prepareRotation(at_ms).activate(at_ms),
    prepareRotation,
    list: () =>
      published.flatMap(({ kid }) => kept.document.keys.filter((key) => key.kid === kid).map(factsOf)),
    digest(kind, text) {
      const hex = createHmac('sha256', secretOf(kept.document)).update(`${kind}|${text}`).digest('hex')
      return `sha256:${hex}`
    },
  }
}

/** The keys that it takes to check a store. None of them signs tokens. */
export interface CheckingKeys {
  readonly instance: string
  readonly log: NoteKey
  readonly vault_key: Uint8Array
}

/** Reads the keys of a data directory and changes nothing. */
export function readCheckingKeys(directory: string): CheckingKeys {
  const { document, place } = readKeyFile(directory)
  return checkingKeys(document, place)
}

export function checkingKeys(document: KeyDocument, place: string): CheckingKeys {
  return { instance: document.instance, log: logKey(document, place).key, vault_key: vaultKeyOf(document) }
}

function vaultKeyOf(document: KeyDocument): Uint8Array {
  return derivedKey(document, 'deputy/vault')
}

function derivedKey(document: KeyDocument, label: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secretOf(document), '', label, 32))
}

function secretOf({ secret }: KeyDocument): Uint8Array {
  return Buffer.from(secret, 'base64url')
}

function logKey({ log }: KeyDocument, place: string): LogKey {
  if (log === undefined) throw new KeyFileError(`${place} does not hold a log key`)
  const privateKey = privateKeyOf(log.x, log.d, place)
  return {
    key: noteKey(log.origin, KEY_TYPES.log, decodeBase64url(log.x)),
    sign: (data) => signAsync(null, data, privateKey),
  }
}

function rotated(document: KeyDocument, next: StoredKey, now_ms: number): KeyDocument {
  const retired_at = new Date(now_ms).toISOString()
  const retired = document.keys.map(({ d: _, ...key }) => ({ retired_at, ...key }))
  const kept = retired.filter((key) => now_ms < Date.parse(key.retired_at) + OVERLAP_MS)
  return { ...document, keys: [next, ...kept] }
}

function factsOf({ kid, created_at, retired_at }: StoredKey): KeyFacts {
  const published_until =
    retired_at === undefined ? undefined : new Date(Date.parse(retired_at) + OVERLAP_MS).toISOString()
  return { kid, created_at, retired_at, published_until }
}

function signingKey({ keys }: KeyDocument, place: string): TokenSigningKey {
  const [active] = keys
  if (active?.d === undefined) throw new KeyFileError(`${place} does not hold an active signing key`)
  const privateKey = privateKeyOf(active.x, active.d, place)
  return { kid: active.kid, sign: (data) => signAsync(null, data, privateKey) }
}

function publish({ keys }: KeyDocument, now_ms: number): VerificationKey[] {
  return keys
    .filter(({ retired_at }) => retired_at === undefined || now_ms < Date.parse(retired_at) + OVERLAP_MS)
    .map(({ kid, x }) => ({ kid, alg: 'EdDSA', jwk: jwkOf(x) }))
}
