import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import {
  append,
  checkpointText,
  consistencyProof,
  cosignatureLine,
  emptyFrontier,
  KEY_TYPES,
  leafHash,
  type NoteKey,
  nodeHash,
  noteKey,
  rootOf,
  type SignedCheckpoint,
  signatureLine,
  signedNote,
} from '../../protocol/src/index.ts'
import type { Signatory } from './a-log.ts'

export function aRandomSignatory(name: string, type: NoteKey['type'], pair = aKeyPair()): Signatory {
  const { x } = pair.publicKey.export({ format: 'jwk' })
  const key = noteKey(name, type, Buffer.from(x ?? '', 'base64url'))
  return { key, sign: (data) => sign(null, data, pair.privateKey) }
}

export function aRandomWitness(name = 'witness.test/w1'): Signatory {
  return aRandomSignatory(name, KEY_TYPES.witness)
}

function aKeyPair(): { publicKey: KeyObject; privateKey: KeyObject } {
  return generateKeyPairSync('ed25519')
}

/** A witness's cosignature line for a checkpoint at a given time. */
export function cosign({ key, sign }: Signatory, text: string, time_s: number): Promise<string> {
  return cosignatureLine(text, time_s, key, sign)
}

/** A log that signs any checkpoint a test requests. */
export interface GrowingLog {
  readonly signatory: Signatory
  readonly key: NoteKey
  /** Its checkpoint of the first `size` leaves. */
  checkpoint(size: number): Promise<SignedCheckpoint>
  proof(from: number, to: number): Uint8Array[]
  /** A log with the same name and key whose entries differ starting at `size`. */
  forkAt(size: number): GrowingLog
}

export function aGrowingLog(
  origin = 'authority.test/log',
  signatory = aRandomSignatory(origin, KEY_TYPES.log),
  leaf: (index: number) => string = (index) => `leaf ${index}`,
): GrowingLog {
  const hashAt = (level: number, index: number): Uint8Array =>
    level === 0
      ? leafHash(leaf(index))
      : nodeHash(hashAt(level - 1, 2 * index), hashAt(level - 1, 2 * index + 1))
  return {
    signatory,
    key: signatory.key,
    async checkpoint(size) {
      const frontier = emptyFrontier()
      for (let index = 0; index < size; index++) append(frontier, leafHash(leaf(index)))
      const root = rootOf(frontier)
      const text = checkpointText({ origin, size, root })
      return { origin, size, root, note: await signText(signatory, text), witnesses: [] }
    },
    proof: (from, to) => consistencyProof(from, to, hashAt),
    forkAt: (size) =>
      aGrowingLog(origin, signatory, (index) => (index < size ? leaf(index) : `another ${leaf(index)}`)),
  }
}

/** The text as a note with one signature. */
export async function signText({ key, sign }: Signatory, text: string): Promise<string> {
  return signedNote(text, [await signatureLine(text, key, sign)])
}
