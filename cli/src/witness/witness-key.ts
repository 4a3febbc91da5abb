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
import { assertPrivate, KeyFileError, writeDurably } from '@deputize/server/data-directory'

const WITNESS_KEY_FILE = 'witness.json'

/** The named key of a witness, and a function that signs with it. */
export interface WitnessKey {
  readonly key: NoteKey
  readonly sign: Sign
}

interface KeyFile {
  version: 1
  /** Permanent: a cosignature contains no name, so a key must always belong to the same one. */
  name: string
  x: string
  d: string
  created_at: string
}

/** Opens the key in a data directory, or creates it in a new one. Throws a KeyFileError. */
export function openWitnessKey(
  directory: string,
  name: string,
  now_ms: number,
  hasSeenLogs: boolean,
): WitnessKey {
  const path = join(directory, WITNESS_KEY_FILE)
  if (!existsSync(path)) {
    if (hasSeenLogs)
      throw new KeyFileError(
        `${path} is missing, but its directory has cosigned checkpoints. Restore it from a backup.`,
      )
    writeDurably(path, `${JSON.stringify(newKeyFile(name, now_ms), undefined, 2)}\n`)
  }
  assertPrivate(path)
  const file = readWitnessKeyFile(path)
  if (file.name !== name)
    throw new KeyFileError(
      `${path} is the key of ${file.name}. Use that name, or choose another directory for ${name}.`,
    )
  return checkedWitnessKey(path, file)
}

function newKeyFile(name: string, now_ms: number): KeyFile {
  const { x, d } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' })
  if (x === undefined || d === undefined) throw new Error('Node cannot export Ed25519 keys.')
  return { version: 1, name, x, d, created_at: new Date(now_ms).toISOString() }
}

function checkedWitnessKey(path: string, { name, x, d }: KeyFile): WitnessKey {
  const jwk = readEd25519Jwk({ kty: 'OKP', crv: 'Ed25519', x })
  if (isPublishedTestKey(jwk))
    throw new KeyFileError(`${path} contains a published test key, which anyone can sign with.`)
  const privateKey = createPrivateKey({ format: 'jwk', key: { ...jwk, d } })
  if (createPublicKey(privateKey).export({ format: 'jwk' }).x !== x)
    throw new KeyFileError(`The private and public key in ${path} do not belong together.`)
  return {
    key: noteKey(name, KEY_TYPES.witness, decodeBase64url(x)),
    sign: (data) => sign(null, data, privateKey),
  }
}

function readWitnessKeyFile(path: string): KeyFile {
  const file = parsedKeyFile(readFileSync(path, 'utf8'))
  const isWhole = file?.version === 1 && [file.name, file.x, file.d].every((part) => typeof part === 'string')
  if (!isWhole) throw new KeyFileError(`${path} is not the key file of a witness. Restore it from a backup.`)
  return file
}

/** Undefined if the text is not JSON. The caller checks every member. */
function parsedKeyFile(text: string): KeyFile | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
