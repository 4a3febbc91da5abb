import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto'
import {
  type Ed25519Jwk,
  isPublishedTestKey,
  newSuffix,
  readEd25519Jwk,
  thumbprint,
} from '@deputize/protocol'
import { ExpectedFailure } from '../expected-failure.ts'

/** All secrets of a deployment, in their stored form. */
export interface KeyDocument {
  version: 1
  instance: string
  secret: string
  keys: StoredKey[]
  log?: StoredLogKey
}

export interface StoredLogKey {
  origin: string
  x: string
  d: string
}

export interface StoredKey {
  kid: string
  x: string
  created_at: string
  /** Only the active key has a private part. */
  d?: string
  retired_at?: string
}

/** The keys can't be used. The message says why and what to do. */
export class KeyFileError extends ExpectedFailure {
  override readonly name = 'KeyFileError'
}

export function newKeyDocument(now_ms: number): KeyDocument {
  return {
    version: 1,
    instance: newSuffix(now_ms),
    secret: randomBytes(32).toString('base64url'),
    keys: [newKey(now_ms)],
  }
}

export function newKey(now_ms: number): StoredKey {
  const { x, d } = newPair()
  return { kid: `open-${thumbprint(jwkOf(x))}`, x, d, created_at: new Date(now_ms).toISOString() }
}

function newPair(): { x: string; d: string } {
  const { x, d } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' })
  if (x === undefined || d === undefined) throw new Error('this Node.js cannot export Ed25519 keys')
  return { x, d }
}

/** Gives the log its name and key, once. Returns the same document if it already has them. */
export function withLogKey(document: KeyDocument, log_origin: string | undefined): KeyDocument {
  const { log, instance } = document
  if (log === undefined)
    return { ...document, log: { origin: log_origin ?? `deputy/${instance}`, ...newPair() } }
  if (log_origin !== undefined && log_origin !== log.origin)
    throw new KeyFileError(
      `The log of this deployment is named ${log.origin}, and a log can't be renamed. Set DEPUTY_LOG_ORIGIN to that name or remove it.`,
    )
  return document
}

/** Parses a key document. `place` says in errors where the text came from. */
export function readKeyDocument(text: string, place: string): KeyDocument {
  const document = parsed(text)
  const isWhole =
    document?.version === 1 && typeof document.instance === 'string' && typeof document.secret === 'string'
  if (!isWhole || !Array.isArray(document.keys))
    throw new KeyFileError(
      `${place} is not a key file that this version of Deputy can read. Restore it from a backup, or use the version that wrote it.`,
    )
  for (const { x } of [...document.keys, ...(document.log === undefined ? [] : [document.log])]) {
    if (isPublishedTestKey(jwkOf(x)))
      throw new KeyFileError(`${place} holds a published test key, which anyone can sign with`)
  }
  return document
}

/** The parsed text, whose members the caller must check; undefined if it is not JSON. */
function parsed(text: string): KeyDocument | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export function jwkOf(x: string): Ed25519Jwk {
  return readEd25519Jwk({ kty: 'OKP', crv: 'Ed25519', x })
}

/** The private key, after checking that it belongs to the published one. */
export function privateKeyOf(x: string, d: string, place: string): KeyObject {
  const privateKey = createPrivateKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x, d } })
  if (createPublicKey(privateKey).export({ format: 'jwk' }).x !== x)
    throw new KeyFileError(`the private key in ${place} does not match its public key`)
  return privateKey
}
