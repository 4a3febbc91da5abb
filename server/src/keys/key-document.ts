import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  randomInt,
} from 'node:crypto'
import {
  type Ed25519Jwk,
  isPublishedTestKey,
  KEY_PURPOSES,
  type KeyPurpose,
  newSuffix,
  readEd25519Jwk,
  thumbprint,
} from '@deputize/protocol'
import { ExpectedFailure } from '../expected-failure.ts'

/** All secrets of a deployment, in their stored form. Early versions wrote version 1, without purposes. */
export interface KeyDocument {
  version: 2
  instance: string
  secret: string
  keys: StoredKey[]
  log?: StoredLogKey
  /** Every restore from a backup: the size of the log at that time, and the mark of event numbers from there on. */
  restores?: StoredRestore[]
}

export interface StoredRestore {
  log_size: number
  mark: number
}

export interface StoredLogKey {
  origin: string
  x: string
  d: string
}

/**
 * A signing key of one purpose. Each purpose has one active key and one next key, which is published before it signs.
 * Retired keys signed tokens that may still be valid; withdrawn keys were stolen.
 */
export interface StoredKey {
  kid: string
  purpose: KeyPurpose
  x: string
  created_at: string
  /** Only active and next keys have a private part. */
  d?: string
  /** For a next key: when every verifier has had time to fetch it. */
  ready_at?: string
  /** When the key began to sign. Absent for a next key. */
  active_from?: string
  retired_at?: string
  withdrawn_at?: string
  /** Signatures from this time on are void. */
  withdrawn_from?: string
}

/** The keys can't be used. The message says why and what to do. */
export class KeyFileError extends ExpectedFailure {
  override readonly name = 'KeyFileError'
}

export function newKeyDocument(now_ms: number): KeyDocument {
  return {
    version: 2,
    instance: newSuffix(now_ms),
    secret: randomBytes(32).toString('base64url'),
    // No verifier can have a key set without these keys, so the next ones may sign at once.
    keys: KEY_PURPOSES.flatMap((purpose) => [activeKey(purpose, now_ms), nextKey(purpose, now_ms, now_ms)]),
  }
}

function activeKey(purpose: KeyPurpose, now_ms: number): StoredKey {
  return { ...newKey(purpose, now_ms), active_from: new Date(now_ms).toISOString() }
}

export function nextKey(purpose: KeyPurpose, now_ms: number, ready_ms: number): StoredKey {
  return { ...newKey(purpose, now_ms), ready_at: new Date(ready_ms).toISOString() }
}

function newKey(purpose: KeyPurpose, now_ms: number): StoredKey {
  const { x, d } = newPair()
  return { kid: thumbprint(jwkOf(x)), purpose, x, d, created_at: new Date(now_ms).toISOString() }
}

function newPair(): { x: string; d: string } {
  const { x, d } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' })
  if (x === undefined || d === undefined) throw new Error('this Node.js cannot export Ed25519 keys')
  return { x, d }
}

/** Adds the keys that a document of an early version lacks, and names the log. Returns the same document if nothing is missing. */
export function completeKeyDocument(
  document: KeyDocument,
  log_origin: string | undefined,
  now_ms: number,
): KeyDocument {
  return withLogKey(withEveryPurpose(document, now_ms), log_origin)
}

function withEveryPurpose(document: KeyDocument, now_ms: number): KeyDocument {
  const has = (purpose: KeyPurpose, isWanted: (key: StoredKey) => boolean) =>
    document.keys.some((key) => key.purpose === purpose && isWanted(key))
  const missing = KEY_PURPOSES.flatMap((purpose) => [
    ...(has(purpose, isActiveKey) ? [] : [activeKey(purpose, now_ms)]),
    ...(has(purpose, isNextKey) ? [] : [nextKey(purpose, now_ms, now_ms + PREPUBLISHED_MS)]),
  ])
  return missing.length === 0 ? document : { ...document, keys: [...document.keys, ...missing] }
}

/**
 * How long a key is published before it signs: as long as a copy of the key set may be used, which is 60 seconds in HTTP
 * caches and five minutes in verifiers.
 */
export const PREPUBLISHED_MS = 6 * 60_000

export function isActiveKey({ active_from, retired_at, withdrawn_at }: StoredKey): boolean {
  return active_from !== undefined && retired_at === undefined && withdrawn_at === undefined
}

export function isNextKey({ active_from, withdrawn_at }: StoredKey): boolean {
  return active_from === undefined && withdrawn_at === undefined
}

/** Gives the log its name and key, once. Returns the same document if it already has them. */
function withLogKey(document: KeyDocument, log_origin: string | undefined): KeyDocument {
  const { log, instance } = document
  if (log === undefined)
    return { ...document, log: { origin: log_origin ?? `deputy/${instance}`, ...newPair() } }
  if (log_origin !== undefined && log_origin !== log.origin)
    throw new KeyFileError(
      `The log of this deployment is named ${log.origin}, and a log can't be renamed. Set DEPUTY_LOG_ORIGIN to that name or remove it.`,
    )
  return document
}

/** Adds a restore to the document: what the deployment logs from here on isn't what it logged there before. */
export function withRestore(document: KeyDocument, log_size: number): KeyDocument {
  const restore = { log_size, mark: randomInt(1, RESTORE_MARKS) }
  return { ...document, restores: [...(document.restores ?? []), restore] }
}

/** Times 10^10, the most entries of a log, this is still a safe integer. */
const RESTORE_MARKS = 900_000

/** Gives the deployment a new log with its own key. The old log is no longer signed. */
export function withNewLog(document: KeyDocument, origin: string): KeyDocument {
  return { ...document, log: { origin, ...newPair() } }
}

/** Parses a key document. `place` says in errors where the text came from. */
export function readKeyDocument(text: string, place: string): KeyDocument {
  const document = parsed(text)
  const isWhole =
    (document?.version === 1 || document?.version === 2) &&
    typeof document.instance === 'string' &&
    typeof document.secret === 'string'
  if (!isWhole || !Array.isArray(document.keys))
    throw new KeyFileError(
      `${place} is not a key file that this version of Deputy can read. Restore it from a backup, or use the version that wrote it.`,
    )
  for (const { x } of [...document.keys, ...(document.log === undefined ? [] : [document.log])]) {
    if (isPublishedTestKey(jwkOf(x)))
      throw new KeyFileError(`${place} holds a published test key, which anyone can sign with`)
  }
  for (const key of document.keys) assertNamedByThumbprint(key, place)
  return document.version === 1 ? withPurposes(document) : { ...document, version: 2 }
}

/** Tokens and log entries name a key by its ID, so the ID must identify the key. Early versions added a prefix. */
function assertNamedByThumbprint({ kid, x }: StoredKey, place: string): void {
  const name = thumbprint(jwkOf(x))
  if (kid !== name && kid !== `open-${name}`)
    throw new KeyFileError(
      `${place} names a signing key ${kid}, but the thumbprint of that key is ${name}. The file was changed. Restore it from a backup.`,
    )
}

/** In version 1 every key signed everything, and the first one was active. */
function withPurposes(document: Omit<KeyDocument, 'version'>): KeyDocument {
  const keys = document.keys.map(
    (key): StoredKey => ({
      ...key,
      purpose: 'tokens',
      active_from: key.created_at,
    }),
  )
  return { ...document, version: 2, keys }
}

/** Returns the parsed text, whose members the caller must check. Undefined if it isn't JSON. */
function parsed(text: string): (Omit<KeyDocument, 'version'> & { version: number }) | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export function jwkOf(x: string): Ed25519Jwk {
  return readEd25519Jwk({ kty: 'OKP', crv: 'Ed25519', x })
}

/** Returns the private key, after checking that it belongs to the published one. */
export function privateKeyOf(x: string, d: string, place: string): KeyObject {
  const privateKey = createPrivateKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x, d } })
  if (createPublicKey(privateKey).export({ format: 'jwk' }).x !== x)
    throw new KeyFileError(`the private key in ${place} does not match its public key`)
  return privateKey
}
