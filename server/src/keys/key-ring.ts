import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
  randomBytes,
  sign,
} from 'node:crypto'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import {
  decodeBase64url,
  type Ed25519Jwk,
  isPublishedTestKey,
  KEY_TYPES,
  LEVELS,
  type NoteKey,
  newSuffix,
  noteKey,
  readEd25519Jwk,
  thumbprint,
  type VerificationKey,
} from '@deputy/protocol'
import { writeDurably } from './write-durably.ts'

const FILE = 'keys.json'

/** Signs on the thread pool, so that the event loop goes on meanwhile. */
const signAsync = promisify(sign)

/** A retired key stays published for as long as the longest-lived token it may have signed. */
const OVERLAP_MS = Math.max(...Object.values(LEVELS).map((level) => level.max_lifetime_s)) * 1000

/** The signing keys and the secret of one deployment. */
export interface KeyRing {
  /** Names this deployment for ever. */
  readonly instance: string
  active(): SigningKey
  /** The key that signs checkpoints of the log and nothing else. It is never rotated: others have pinned it. */
  readonly log: LogKey
  /** Every key that may have signed a token that is still valid, the active one first. */
  published(): readonly VerificationKey[]
  find(kid: string): VerificationKey | undefined
  /** Makes a new key the active one. The old one stays published until its last token has ended. */
  rotate(now_ms: number): void
  /** Makes a new key, which signs and verifies nothing until it is activated and is forgotten if it never is. */
  prepareRotation(now_ms: number): PreparedKey
  /** What is known of every published key, the active one first. */
  list(): readonly KeyFacts[]
  /** The key under which the store seals what is personal. Derived from the secret of the deployment. */
  readonly vault_key: Uint8Array
  /** What stands for a person. Only this deployment can compute it: nobody is recognised from it by guessing. */
  digest(kind: 'human', text: string): string
}

export interface SigningKey {
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
  activate(now_ms: number): void
}

export interface KeyFacts {
  readonly kid: string
  readonly created_at: string
  readonly retired_at: string | undefined
  readonly published_until: string | undefined
}

interface KeyFile {
  version: 1
  instance: string
  secret: string
  keys: StoredKey[]
  log?: StoredLogKey
}

interface StoredLogKey {
  origin: string
  x: string
  d: string
}

interface StoredKey {
  kid: string
  x: string
  created_at: string
  /** Only the active key keeps its private part. */
  d?: string
  retired_at?: string
}

/** The key file must not be used; the message says why and what to do. */
export class KeyFileError extends Error {
  override readonly name = 'KeyFileError'
}

/**
 * Opens the keys of a data directory, or creates them when the directory is new. `log_origin` names the log when it gets
 * its key; a log never changes its name.
 */
export function openKeyRing(
  directory: string,
  now_ms: number,
  isNewDeployment: boolean,
  log_origin?: string,
): KeyRing {
  const path = join(directory, FILE)
  if (!existsSync(path)) {
    if (!isNewDeployment)
      throw new KeyFileError(
        `${path} is missing, although the store beside it exists. Restore it from a backup.`,
      )
    save(path, newKeyFile(now_ms))
  }
  assertPrivate(path)
  let file = withLogKey(path, readKeyFile(path), log_origin)
  let active = signingKey(file)
  let published = publish(file, now_ms)

  function prepareRotation(now_ms: number): PreparedKey {
    const key = newKey(now_ms)
    return {
      kid: key.kid,
      activate(at_ms) {
        const next = rotated(file, key, at_ms)
        save(path, next)
        file = next
        active = signingKey(file)
        published = publish(file, at_ms)
      },
    }
  }

  return {
    instance: file.instance,
    log: logKey(path, file),
    vault_key: vaultKeyOf(file),
    active: () => active,
    published: () => published,
    find: (kid) => published.find((key) => key.kid === kid),
    rotate: (at_ms) => prepareRotation(at_ms).activate(at_ms),
    prepareRotation,
    list: () => published.flatMap(({ kid }) => file.keys.filter((key) => key.kid === kid).map(factsOf)),
    digest(kind, text) {
      const hex = createHmac('sha256', secretOf(file)).update(`${kind}|${text}`).digest('hex')
      return `sha256:${hex}`
    },
  }
}

/** What others need of the keys to check a store: nothing here signs. */
export interface CheckingKeys {
  readonly instance: string
  readonly log: NoteKey
  readonly vault_key: Uint8Array
}

/** Reads the keys of a data directory and changes nothing. */
export function readCheckingKeys(directory: string): CheckingKeys {
  const path = join(directory, FILE)
  if (!existsSync(path))
    throw new KeyFileError(`${path} is missing. Without it nothing that was signed or sealed can be checked.`)
  const file = readKeyFile(path)
  return { instance: file.instance, log: logKey(path, file).key, vault_key: vaultKeyOf(file) }
}

function vaultKeyOf(file: KeyFile): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secretOf(file), '', 'deputy/vault', 32))
}

function secretOf({ secret }: KeyFile): Uint8Array {
  return Buffer.from(secret, 'base64url')
}

function newKeyFile(now_ms: number): KeyFile {
  return {
    version: 1,
    instance: newSuffix(now_ms),
    secret: randomBytes(32).toString('base64url'),
    keys: [newKey(now_ms)],
  }
}

function newKey(now_ms: number): StoredKey {
  const { x, d } = newPair()
  return { kid: `open-${thumbprint(jwkOf(x))}`, x, d, created_at: new Date(now_ms).toISOString() }
}

function newPair(): { x: string; d: string } {
  const { x, d } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' })
  if (x === undefined || d === undefined) throw new Error('Ed25519 keys cannot be exported here')
  return { x, d }
}

/** Gives the log its name and its key, once. */
function withLogKey(path: string, file: KeyFile, log_origin: string | undefined): KeyFile {
  if (file.log !== undefined) {
    if (log_origin !== undefined && log_origin !== file.log.origin)
      throw new KeyFileError(
        `the log of this deployment is called ${file.log.origin} and cannot become ${log_origin}: a log keeps its name for ever`,
      )
    return file
  }
  const named = { ...file, log: { origin: log_origin ?? `deputy/${file.instance}`, ...newPair() } }
  save(path, named)
  return named
}

function logKey(path: string, { log }: KeyFile): LogKey {
  if (log === undefined) throw new KeyFileError(`${path} holds no key for the log`)
  const privateKey = privateKeyOf(log.x, log.d)
  return {
    key: noteKey(log.origin, KEY_TYPES.log, decodeBase64url(log.x)),
    sign: (data) => signAsync(null, data, privateKey),
  }
}

function rotated(file: KeyFile, next: StoredKey, now_ms: number): KeyFile {
  const retired_at = new Date(now_ms).toISOString()
  const retired = file.keys.map(({ d: _, ...key }) => ({ retired_at, ...key }))
  const kept = retired.filter((key) => now_ms < Date.parse(key.retired_at) + OVERLAP_MS)
  return { ...file, keys: [next, ...kept] }
}

function factsOf({ kid, created_at, retired_at }: StoredKey): KeyFacts {
  const published_until =
    retired_at === undefined ? undefined : new Date(Date.parse(retired_at) + OVERLAP_MS).toISOString()
  return { kid, created_at, retired_at, published_until }
}

function jwkOf(x: string): Ed25519Jwk {
  return readEd25519Jwk({ kty: 'OKP', crv: 'Ed25519', x })
}

function signingKey({ keys }: KeyFile): SigningKey {
  const [active] = keys
  if (active?.d === undefined) throw new KeyFileError('the key file holds no active signing key')
  const privateKey = privateKeyOf(active.x, active.d)
  return { kid: active.kid, sign: (data) => signAsync(null, data, privateKey) }
}

/** The private key, after making sure that what it signs can be verified with the published one. */
function privateKeyOf(x: string, d: string): KeyObject {
  const privateKey = createPrivateKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x, d } })
  if (createPublicKey(privateKey).export({ format: 'jwk' }).x !== x)
    throw new KeyFileError(`the private key in ${FILE} does not belong to the public key beside it`)
  return privateKey
}

function publish({ keys }: KeyFile, now_ms: number): VerificationKey[] {
  return keys
    .filter(({ retired_at }) => retired_at === undefined || now_ms < Date.parse(retired_at) + OVERLAP_MS)
    .map(({ kid, x }) => ({ kid, alg: 'EdDSA', jwk: jwkOf(x) }))
}

function readKeyFile(path: string): KeyFile {
  const file = parsed(readFileSync(path, 'utf8'))
  const isWhole = file?.version === 1 && typeof file.instance === 'string' && typeof file.secret === 'string'
  if (!isWhole || !Array.isArray(file.keys))
    throw new KeyFileError(
      `${path} is not a key file of this version of Deputy. Restore it from a backup, or use that version.`,
    )
  for (const { x } of [...file.keys, ...(file.log === undefined ? [] : [file.log])]) {
    if (isPublishedTestKey(jwkOf(x)))
      throw new KeyFileError(`${path} holds a published test key, which everybody can sign with`)
  }
  return file
}

/** What the text holds, which the caller has to check member by member; undefined when it is no JSON. */
function parsed(text: string): KeyFile | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Throws a KeyFileError when others may read the file. Windows has no such bits. */
export function assertPrivate(path: string): void {
  if (process.platform === 'win32') return
  if ((statSync(path).mode & 0o077) !== 0) {
    throw new KeyFileError(`${path} can be read by others. Run: chmod 600 ${path}`)
  }
}

function save(path: string, file: KeyFile): void {
  writeDurably(path, `${JSON.stringify(file, undefined, 2)}\n`)
}
