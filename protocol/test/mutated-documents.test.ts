import assert from 'node:assert/strict'
import { generateKeyPairSync, sign } from 'node:crypto'
import { describe, test } from 'node:test'
import { mutatedBytes } from '@deputize/testing/mutated-bytes.ts'
import fc from 'fast-check'
import { decodeBase64url } from '../src/encoding/base64url.ts'
import { JsonError, readJson } from '../src/encoding/json.ts'
import { CheckpointError, checkpointText, openCheckpoint } from '../src/log/checkpoint.ts'
import { HASH_BYTES } from '../src/log/merkle.ts'
import { KEY_TYPES, NoteError, noteKey, signatureLine, signedNote } from '../src/log/note.ts'
import { joinEntries, splitEntries, splitHashes } from '../src/log/tiles.ts'
import { readEd25519Jwk } from '../src/token/jwk.ts'
import { signCompact, TokenError, type VerificationKey, verifySignedToken } from '../src/token/jws.ts'

/** For a long run: FUZZ_RUNS=1000000. */
const numRuns = Number(process.env.FUZZ_RUNS ?? 3_000)
const NOW_S = 1_900_000_000
const { privateKey, publicKey } = generateKeyPairSync('ed25519')
const { kty, crv, x = '' } = publicKey.export({ format: 'jwk' })
const signer = (input: Uint8Array): Uint8Array => sign(null, input, privateKey)
const utf8 = (text: string) => new TextEncoder().encode(text)
const latin1 = (bytes: Uint8Array) => Buffer.from(bytes).toString('latin1')

describe('a document with a few changed bytes is refused with an error of its reader, or read as what it is:', () => {
  test('JSON', () => {
    const seeds = [
      '{"a":[1,-2.5e3,true,null,"x\\u00e9\\n"],"b":{"c":"\u{1f600}"}}',
      '[[[[]]],{"":0}]',
      '"plain"',
    ]
    fc.assert(
      fc.property(mutatedBytes(seeds.map(utf8)), (bytes) => {
        let value: unknown
        try {
          value = readJson(bytes)
        } catch (error) {
          assert.ok(error instanceof JsonError, String(error))
          return
        }
        assert.deepEqual(value, JSON.parse(new TextDecoder().decode(bytes)))
      }),
      { numRuns },
    )
  })

  test('a signed token, which is accepted only as it was signed', async () => {
    const key: VerificationKey = { kid: 'k1', alg: 'EdDSA', jwk: readEd25519Jwk({ kty, crv, x }) }
    const iss = 'https://authority.test'
    const times = { iat: NOW_S, nbf: NOW_S, exp: NOW_S + 60 }
    const token = await signCompact(
      { alg: 'EdDSA', typ: 'test+jwt', kid: 'k1' },
      { iss, sub: 'agent:demo', aud: iss, jti: 'one', ...times },
      signer,
    )
    const context = {
      now_s: NOW_S,
      issuer: iss,
      typ: 'test+jwt',
      key: (kid: string) => (kid === 'k1' ? key : undefined),
    }
    const [, signed] = /^(.*)\.[^.]*$/.exec(token) ?? []
    fc.assert(
      fc.property(mutatedBytes([utf8(token)]), (bytes) => {
        const text = latin1(bytes)
        try {
          verifySignedToken(text, context)
        } catch (error) {
          assert.ok(error instanceof TokenError, String(error))
          return
        }
        assert.ok(text.startsWith(`${signed}.`), 'something else was accepted')
      }),
      { numRuns },
    )
  })

  test('a signed checkpoint, whose text is accepted only as it was signed', async () => {
    const key = noteKey('log.example/deputy', KEY_TYPES.log, decodeBase64url(x))
    const text = checkpointText({ origin: key.name, size: 123_456, root: new Uint8Array(HASH_BYTES).fill(7) })
    const note = signedNote(text, [await signatureLine(text, key, signer)])
    await fc.assert(
      fc.asyncProperty(mutatedBytes([utf8(note)]), async (bytes) => {
        const changed = new TextDecoder().decode(bytes)
        try {
          await openCheckpoint(changed, key)
        } catch (error) {
          assert.ok(error instanceof NoteError || error instanceof CheckpointError, String(error))
          return
        }
        assert.ok(changed.startsWith(`${text}\n`), 'another text was accepted')
      }),
      { numRuns },
    )
  })

  test('tiles and bundles of entries', () => {
    const entries = ['{"a":1}', '', 'x'.repeat(300)].map(utf8)
    const bundle = joinEntries(entries)
    fc.assert(
      fc.property(mutatedBytes([bundle, new Uint8Array(HASH_BYTES * 3)]), fc.nat(5), (bytes, width) => {
        const read = splitEntries(bytes, width)
        if (read !== undefined) assert.deepEqual(Buffer.from(joinEntries(read)), Buffer.from(bytes))
        const hashes = splitHashes(bytes, width)
        if (hashes !== undefined) assert.deepEqual(Buffer.concat(hashes), Buffer.from(bytes))
      }),
      { numRuns },
    )
  })
})
