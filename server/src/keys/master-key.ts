import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { KeyFileError } from './key-document.ts'
import { assertPrivate } from './key-file.ts'
import { writeDurably } from './write-durably.ts'

const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16
const FORMAT = 1

/** Seals the key document of a deployment for a place that other parties can read. */
export interface MasterKey {
  seal(revision: number, text: string): Uint8Array
  /** Undefined if it was sealed with another master key or for another revision, or was changed. */
  open(revision: number, sealed: Uint8Array): string | undefined
}

/** Reads a master key file; undefined if it does not exist. */
export function readMasterKey(path: string): MasterKey | undefined {
  if (!existsSync(path)) return undefined
  assertPrivate(path)
  const text = readFileSync(path, 'utf8').trim()
  const bytes = Buffer.from(text, 'base64url')
  if (bytes.length !== KEY_BYTES || bytes.toString('base64url') !== text)
    throw new KeyFileError(
      `${path} does not hold a master key. A master key is 32 random bytes in base64url, 43 characters.`,
    )
  return masterKey(bytes)
}

/** Creates a master key file. It is durable before anything can be sealed with it. */
export function makeMasterKey(path: string): MasterKey {
  const bytes = randomBytes(KEY_BYTES)
  writeDurably(path, `${bytes.toString('base64url')}\n`)
  return masterKey(bytes)
}

/** Reads the master key in a file. If it is missing, creates it, or throws if the operator named the file. */
export function masterKeyAt(path: string, isNamed: boolean): MasterKey {
  const found = readMasterKey(path)
  if (found !== undefined) return found
  if (isNamed) throw new KeyFileError(`${path} does not exist.`)
  return makeMasterKey(path)
}

export function masterKey(bytes: Uint8Array): MasterKey {
  const key = createSecretKey(new Uint8Array(hkdfSync('sha256', bytes, '', 'deputy/keys', KEY_BYTES)))
  return {
    seal: (revision, text) => seal(key, revision, text),
    open(revision, sealed) {
      try {
        return open(key, revision, sealed)
      } catch {
        return undefined
      }
    },
  }
}

/** Returns one format byte, a 12-byte nonce, the ciphertext and the tag of AES-256-GCM. */
function seal(key: KeyObject, revision: number, text: string): Uint8Array {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', key, nonce)
  cipher.setAAD(context(revision))
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([Uint8Array.of(FORMAT), nonce, body, cipher.getAuthTag()])
}

function open(key: KeyObject, revision: number, sealed: Uint8Array): string {
  if (sealed[0] !== FORMAT || sealed.length < 1 + NONCE_BYTES + TAG_BYTES)
    throw new Error('not a sealed document')
  const nonce = sealed.subarray(1, 1 + NONCE_BYTES)
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES })
  decipher.setAAD(context(revision))
  decipher.setAuthTag(sealed.subarray(sealed.length - TAG_BYTES))
  const body = sealed.subarray(1 + NONCE_BYTES, sealed.length - TAG_BYTES)
  return Buffer.concat([decipher.update(body), decipher.final()]).toString()
}

/** Binds a document to its revision, so that an old one can't be passed off as the newest. */
function context(revision: number): Uint8Array {
  return Buffer.from(`keys|${revision}`)
}
