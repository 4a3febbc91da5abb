import assert from 'node:assert/strict'
import { generateKeyPairSync, sign } from 'node:crypto'
import { decodeBase64url } from '../../../protocol/src/encoding/base64url.ts'
import { CheckpointError, checkpointText, openCheckpoint } from '../../../protocol/src/log/checkpoint.ts'
import { HASH_BYTES } from '../../../protocol/src/log/merkle.ts'
import {
  KEY_TYPES,
  NoteError,
  noteKey,
  readVkey,
  signatureLine,
  signedNote,
  vkeyOf,
} from '../../../protocol/src/log/note.ts'
import {
  addCheckpointBody,
  readAddCheckpoint,
  readTreeSize,
  WitnessingError,
} from '../../../protocol/src/log/witnessing.ts'
import type { FuzzTarget } from '../fuzz.ts'
import { unlessRefused } from '../refusal.ts'

const { privateKey, publicKey } = generateKeyPairSync('ed25519')
const { x = '' } = publicKey.export({ format: 'jwk' })
const key = noteKey('log.example/deputy', KEY_TYPES.log, decodeBase64url(x))
const text = checkpointText({ origin: key.name, size: 123_456, root: new Uint8Array(HASH_BYTES).fill(7) })
const signer = (input: Uint8Array): Uint8Array => sign(null, input, privateKey)
const note = signedNote(text, [await signatureLine(text, key, signer)])
const proof = [new Uint8Array(HASH_BYTES), new Uint8Array(HASH_BYTES).fill(1)]

/** A signed note, or the text of a note, which is signed here so that it is read to the end. */
export const checkpointTarget: FuzzTarget = {
  seeds: [text, note].map((seed) => Buffer.from(seed)),
  words: ['\n\n', '\n— ', 'log.example/deputy\n', '\n0\n', '9007199254740992', '\u2028', '==\n'],
  async read(bytes) {
    const given = Buffer.from(bytes).toString()
    const whole = given.includes('\n\n')
      ? given
      : signedNote(given, [await signatureLine(given, key, signer)])
    const read = await openCheckpoint(whole, key).catch((error: unknown) => {
      if (error instanceof NoteError || error instanceof CheckpointError) return undefined
      throw error
    })
    if (read === undefined) return false
    assert.ok(whole.startsWith(checkpointText(read)), 'a checkpoint is written as it was read')
    return true
  },
}

/** Witness requests, sizes and verifier keys are accepted only in the form in which they are written. */
export const witnessTarget: FuzzTarget = {
  seeds: [addCheckpointBody({ old_size: 5, proof, note }), vkeyOf(key), '123\n'].map((seed) =>
    Buffer.from(seed),
  ),
  words: ['old 0\n', '\n\n', '+', '=', '\r\n', '00'],
  read(bytes) {
    const given = Buffer.from(bytes).toString()
    const request = unlessRefused(() => readAddCheckpoint(given), WitnessingError)
    if (request !== undefined) assert.equal(addCheckpointBody(request), given)
    const vkey = unlessRefused(() => readVkey(given), NoteError)
    if (vkey !== undefined) assert.equal(vkeyOf(vkey), given)
    const size = readTreeSize(given)
    if (size !== undefined) assert.equal(`${size}\n`, given)
    return request !== undefined || vkey !== undefined || size !== undefined
  },
}
