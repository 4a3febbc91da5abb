import assert from 'node:assert/strict'
import { createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto'
import { describe, test } from 'node:test'
import { fromHex, readVector } from '@deputize/testing/read-vector.ts'
import fc from 'fast-check'
import { encodeBase64url } from '../../src/encoding/base64url.ts'
import {
  type Ed25519Jwk,
  isPublishedTestKey,
  KeyError,
  PUBLISHED_TEST_KEYS,
  readEd25519Jwk,
  thumbprint,
  verifyEd25519,
} from '../../src/token/jwk.ts'

type RfcVectors = {
  rfc8037: { private_jwk: object; public_jwk: Ed25519Jwk; jwk_thumbprint_sha256: string; compact_jws: string }
  rfc8032: { public_key: string; message: string; signature: string }[]
  rfc9421: { public_key_spki_b64: string; signature_base: string; signature_b64: string }
}
type Wycheproof = {
  testGroups: {
    publicKey: { pk: string }
    tests: { tcId: number; msg: string; sig: string; result: string }[]
  }[]
}
type KeySets = { testGroups: { private?: { keys: object[] }; public?: { keys: object[] } }[] }
type JwtAttacks = {
  verifier_context: { active_keys: Ed25519Jwk[]; withdrawn_keys: Ed25519Jwk[] }
  cases: { jwt: string }[]
}
type SignedNotes = { log_seed_hex: string; witness_seed_hex: string[] }

const RFC = readVector<RfcVectors>('rfc/rfc-signature-vectors.json')

/** An unchecked key, as a careless caller would make it. */
function unchecked(public_key: Uint8Array): Ed25519Jwk {
  return { kty: 'OKP', crv: 'Ed25519', x: encodeBase64url(public_key) }
}

function spkiKey(base64: string): Ed25519Jwk {
  return unchecked(Buffer.from(base64, 'base64').subarray(-32))
}

/** Why `value` is refused, or 'ok'. */
function refusal(value: unknown): string {
  try {
    readEd25519Jwk(value)
    return 'ok'
  } catch (error) {
    if (error instanceof KeyError) return error.reason
    throw error
  }
}

describe('readEd25519Jwk', () => {
  const key = RFC.rfc8037.public_jwk

  test('accepts a public key and returns a frozen copy', () => {
    const read = readEd25519Jwk({ ...key })
    assert.deepEqual(read, key)
    assert.ok(Object.isFrozen(read))
  })

  test('accepts every key that OpenSSL generates', () => {
    for (let round = 0; round < 50; round += 1) {
      const { kty, crv, x } = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' })
      assert.equal(refusal({ kty, crv, x }), 'ok')
    }
  })

  test('states why it refuses a key', () => {
    const with_x = (x: unknown): object => ({ ...key, x })
    const reasons: [string, unknown][] = [
      ['not_an_object', null],
      ['not_an_object', 'key'],
      ['not_an_object', [key]],
      ['private_part', RFC.rfc8037.private_jwk],
      ['unknown_member', { ...key, kid: 'k1' }],
      ['wrong_type', { ...key, kty: 'EC' }],
      ['wrong_type', { crv: 'Ed25519', x: key.x }],
      ['wrong_curve', { ...key, crv: 'X25519' }],
      ['bad_encoding', with_x(undefined)],
      ['bad_encoding', with_x(`${key.x}=`)],
      ['bad_encoding', with_x(key.x.replace('_', '/'))],
      ['wrong_length', with_x(encodeBase64url(new Uint8Array(31).fill(7)))],
      ['wrong_length', with_x('')],
    ]
    for (const [reason, value] of reasons) assert.equal(refusal(value), reason, JSON.stringify(value))
  })

  test('refuses the 14 encodings of low-order points', () => {
    const { keys } = readVector<{ keys: { key_hex: string }[] }>('cctv-ed25519/low-order-public-keys.json')
    const refused = keys.filter(({ key_hex }) =>
      /low_order|not_canonical/.test(refusal(unchecked(fromHex(key_hex)))),
    )
    assert.deepEqual([keys.length, refused.length], [14, 14])
  })

  test('refuses every y at or above the prime, with both signs', () => {
    for (let low_byte = 0xed; low_byte <= 0xff; low_byte += 1)
      for (const high_byte of [0x7f, 0xff]) {
        const bytes = new Uint8Array(32).fill(0xff)
        bytes.set([low_byte], 0)
        bytes.set([high_byte], 31)
        assert.equal(refusal(unchecked(bytes)), 'not_canonical')
      }
  })

  test('throws only KeyError for any input', () => {
    const member = fc.constantFrom('kty', 'crv', 'x', 'd', 'y')
    const part = fc.oneof(fc.constantFrom('OKP', 'Ed25519', key.x), fc.jsonValue({ maxDepth: 1 }))
    fc.assert(
      fc.property(fc.oneof(fc.dictionary(member, part), fc.anything()), (value) => void refusal(value)),
    )
  })

  test('refuses all keys of the Wycheproof key sets, which contain no Ed25519 keys', () => {
    const { testGroups } = readVector<KeySets>('wycheproof/json_web_key_test.json')
    const keys = testGroups.flatMap((group) => [
      ...(group.private?.keys ?? []),
      ...(group.public?.keys ?? []),
    ])
    assert.ok(keys.length > 26)
    for (const value of keys) assert.notEqual(refusal(value), 'ok')
  })
})

describe('thumbprint', () => {
  test('matches RFC 8037 for its key', () => {
    assert.equal(thumbprint(RFC.rfc8037.public_jwk), RFC.rfc8037.jwk_thumbprint_sha256)
  })
})

describe('verifyEd25519', () => {
  test('accepts the signatures of RFC 8032, RFC 8037 and RFC 9421', () => {
    for (const { public_key, message, signature } of RFC.rfc8032)
      assert.ok(verifyEd25519(unchecked(fromHex(public_key)), fromHex(message), fromHex(signature)))
    const [head, body, tail] = RFC.rfc8037.compact_jws.split('.')
    const signature = Buffer.from(tail ?? '', 'base64url')
    assert.ok(verifyEd25519(RFC.rfc8037.public_jwk, Buffer.from(`${head}.${body}`), signature))
    const request = RFC.rfc9421
    const key = spkiKey(request.public_key_spki_b64)
    assert.ok(
      verifyEd25519(key, Buffer.from(request.signature_base), Buffer.from(request.signature_b64, 'base64')),
    )
  })

  test('answers all 151 Wycheproof cases as listed', () => {
    const { testGroups } = readVector<Wycheproof>('wycheproof/ed25519_test.json')
    const answers = testGroups.flatMap(({ publicKey, tests }) => {
      const key = readEd25519Jwk(unchecked(fromHex(publicKey.pk)))
      return tests.map(({ tcId, msg, sig, result }) => ({
        tcId,
        agrees: verifyEd25519(key, fromHex(msg), fromHex(sig)) === (result === 'valid'),
      }))
    })
    assert.equal(answers.length, 151)
    assert.deepEqual(
      answers.filter(({ agrees }) => !agrees),
      [],
    )
  })

  // OpenSSL 3.5 refuses points of low order; OpenSSL 3.0 accepts 208 cases. A change means that the underlying verifier
  // has changed.
  test('accepts 43 of the 914 edge cases, all under keys that are not of low order', () => {
    const cases = readVector<{ key: string; msg: string; sig: string }[]>('cctv-ed25519/ed25519vectors.json')
    const accepted = cases
      .map(({ key, msg, sig }) => ({
        key: unchecked(fromHex(key)),
        message: Buffer.from(msg),
        signature: fromHex(sig),
      }))
      .filter(({ key, message, signature }) => verifyEd25519(key, message, signature))
    const registrable = accepted.filter(({ key }) => refusal(key) === 'ok')
    assert.deepEqual([cases.length, accepted.length, registrable.length], [914, 43, 43])
  })
})

describe('isPublishedTestKey', () => {
  const attacks = readVector<JwtAttacks>('jwt-attacks/jwt-attacks.json')
  const notes = readVector<SignedNotes>('signed-note/signed-note-checkpoints.json')

  function seedKey(seed_hex: string): string | undefined {
    const pkcs8 = Buffer.from(`302e020100300506032b657004220420${seed_hex}`, 'hex')
    const private_key = createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' })
    return createPublicKey(private_key).export({ format: 'jwk' }).x
  }

  /** Keys in the header of a token, whatever its form. */
  function headerKeys(jwt: string): string[] {
    const header = Buffer.from(jwt.split('.')[0] ?? '', 'base64url').toString('latin1')
    return [...header.matchAll(/"x":"([\w-]{43})"/g)].map(([, x]) => x ?? '')
  }

  test('recognizes every key whose private part the vectors publish, and no other', () => {
    const published = new Set([
      RFC.rfc8037.public_jwk.x,
      ...RFC.rfc8032.map(({ public_key }) => encodeBase64url(fromHex(public_key))),
      spkiKey(RFC.rfc9421.public_key_spki_b64).x,
      ...attacks.verifier_context.active_keys.map(({ x }) => x),
      ...attacks.verifier_context.withdrawn_keys.map(({ x }) => x),
      ...attacks.cases.flatMap(({ jwt }) => headerKeys(jwt)),
      ...[notes.log_seed_hex, ...notes.witness_seed_hex].map(seedKey),
    ])
    assert.deepEqual(PUBLISHED_TEST_KEYS, published)
  })

  test('distinguishes the key of RFC 8037 from a new one', () => {
    const { x } = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' })
    assert.equal(isPublishedTestKey(RFC.rfc8037.public_jwk), true)
    assert.equal(isPublishedTestKey(readEd25519Jwk({ kty: 'OKP', crv: 'Ed25519', x })), false)
  })
})
