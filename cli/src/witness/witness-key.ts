import { createPrivateKey, createPublicKey, generateKeyPairSync, sign } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  decodeBase64url,
  isPublishedTestKey,
  KEY_TYPES,
  type NoteKey,
  noteKey,
  readEd25519Jwk,
  type Sign,
} from '@deputize/protocol'
import { assertPrivate, KeyFileError, writeDurably } from '@deputize/server'

const FILE = 'witness.json'

/** The key of a witness under its name, and the means to sign with it. */
export interface WitnessKey {
  readonly key: NoteKey
  readonly sign: Sign
}

interface KeyFile {
  version: 1
  /** A cosignature does not say who made it, so that a key belongs to one name for ever. */
  name: string
  x: string
  d: string
  created_at: string
}

/** Opens the key in a data directory, or creates it when the directory is new. Throws a KeyFileError. */
export function openWitnessKey(
  directory: string,
  name: string,
  now_ms: number,
  hasSeenLogs: boolean,
): WitnessKey {
  const path = join(directory, FILE)
  if (!existsSync(path)) {
    if (hasSeenLogs)
      throw new KeyFileError(
        `${path} is missing, although checkpoints beside it exist. Restore it from a backup.`,
      )
    writeDurably(path, `${JSON.stringify(newKeyFile(name, now_ms), undefined, 2)}\n`)
  }
  assertPrivate(path)
  const file = readKeyFile(path)
  if (file.name !== name)
    throw new KeyFileError(
      `${path} is the key of ${file.name}. Use that name, or another directory for ${name}.`,
    )
  return witnessKey(path, file)
}

function newKeyFile(name: string, now_ms: number): KeyFile {
  const { x, d } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' })
  if (x === undefined || d === undefined) throw new Error('Ed25519 keys cannot be exported here')
  return { version: 1, name, x, d, created_at: new Date(now_ms).toISOString() }
}

function witnessKey(path: string, { name, x, d }: KeyFile): WitnessKey {
  const jwk = readEd25519Jwk({ kty: 'OKP', crv: 'Ed25519', x })
  if (isPublishedTestKey(jwk))
    throw new KeyFileError(`${path} holds a published test key, which everybody can sign with.`)
  const privateKey = createPrivateKey({ format: 'jwk', key: { ...jwk, d } })
  if (createPublicKey(privateKey).export({ format: 'jwk' }).x !== x)
    throw new KeyFileError(`The private key in ${path} does not belong to the public key beside it.`)
  return {
    key: noteKey(name, KEY_TYPES.witness, decodeBase64url(x)),
    sign: (data) => sign(null, data, privateKey),
  }
}

function readKeyFile(path: string): KeyFile {
  const file = parsed(readFileSync(path, 'utf8'))
  const isWhole = file?.version === 1 && [file.name, file.x, file.d].every((part) => typeof part === 'string')
  if (!isWhole) throw new KeyFileError(`${path} is not the key file of a witness. Restore it from a backup.`)
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
