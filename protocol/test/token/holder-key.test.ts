import assert from 'node:assert/strict'
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { describe, test } from 'node:test'
import { fromHex, readVector } from '@deputize/testing/read-vector.ts'
import fc from 'fast-check'
import { decodeBase64url, encodeBase64url } from '../../src/encoding/base64url.ts'
import { readHolderJwk, readP256Jwk, verifyHolder } from '../../src/token/holder-key.ts'
import { KeyError, type P256Jwk, thumbprint } from '../../src/token/jwk.ts'

type Proofs = { jwk: P256Jwk; jkt: string }
type Wycheproof = {
  testGroups: {
    publicKeyJwk?: { x: string; y: string }
    publicKey: { uncompressed: string }
    tests: { tcId: number; msg: string; sig: string; result: string }[]
  }[]
}
type KeySets = { testGroups: { private?: { keys: object[] }; public?: { keys: object[] } }[] }

const RFC9449 = readVector<Proofs>('rfc9449/proofs.json')
const FIELD = 2n ** 256n - 2n ** 224n + 2n ** 192n + 2n ** 96n - 1n
const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n

function pair(): { jwk: P256Jwk; privateKey: KeyObject } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return { jwk: readP256Jwk(publicKey.export({ format: 'jwk' })), privateKey }
}

function text(number: bigint): string {
  return encodeBase64url(fromHex(number.toString(16).padStart(64, '0')))
}

function number(bytes: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(bytes).toString('hex')}`)
}

/** Why `value` is refused, or 'ok'. */
function refusal(value: unknown): string {
  try {
    readHolderJwk(value)
    return 'ok'
  } catch (error) {
    if (error instanceof KeyError) return error.reason
    throw error
  }
}

describe('a P-256 key', () => {
  const key = RFC9449.jwk

  test('is accepted in the form of RFC 9449, and has the thumbprint given there', () => {
    const read = readHolderJwk({ ...key })
    assert.deepEqual(read, key)
    assert.ok(Object.isFrozen(read))
    assert.equal(thumbprint(read), RFC9449.jkt)
  })

  test('is accepted if OpenSSL generated it', () => {
    for (let round = 0; round < 50; round += 1) {
      const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
      assert.equal(refusal(publicKey.export({ format: 'jwk' })), 'ok')
    }
  })

  test('is refused with the reason', () => {
    const { x, y } = key
    const reasons: [string, unknown][] = [
      ['not_an_object', null],
      ['wrong_type', {}],
      ['wrong_type', { ...key, kty: 'RSA' }],
      ['wrong_curve', { ...key, crv: 'P-384' }],
      ['wrong_curve', { ...key, crv: 'secp256k1' }],
      ['private_part', { ...key, d: x }],
      ['private_part', { kty: 'oct', k: x }],
      ['unknown_member', { ...key, kid: 'k1' }],
      ['unknown_member', { kty: 'OKP', crv: 'Ed25519', x, y }],
      ['bad_encoding', { ...key, y: undefined }],
      ['bad_encoding', { ...key, x: `${x}=` }],
      ['wrong_length', { ...key, x: encodeBase64url(new Uint8Array(33)) }],
      ['wrong_length', { ...key, y: encodeBase64url(new Uint8Array(31)) }],
      ['not_on_curve', { ...key, x: y, y: x }],
      ['not_on_curve', { ...key, x: text(0n), y: text(0n) }],
      ['not_canonical', { ...key, x: text(2n ** 256n - 1n) }],
    ]
    for (const [reason, value] of reasons) assert.equal(refusal(value), reason, JSON.stringify(value))
  })

  test('is refused if the prime was added to x or y', () => {
    // The one point with x = 0 has a second spelling of x that still fits into 32 bytes.
    const y = 0x66485c780e2f83d72433bd5d84a06bb6541c2af31dae871728bf856a174f93f4n
    assert.equal(refusal({ kty: 'EC', crv: 'P-256', x: text(0n), y: text(y) }), 'ok')
    assert.equal(refusal({ kty: 'EC', crv: 'P-256', x: text(FIELD), y: text(y) }), 'not_canonical')
  })

  test('is refused with any bit flipped, because almost no such point is on the curve', () => {
    const { jwk } = pair()
    const turned = fc.tuple(fc.constantFrom<'x' | 'y'>('x', 'y'), fc.nat(255))
    fc.assert(
      fc.property(turned, ([name, bit]) => {
        const changed = { ...jwk, [name]: text(number(decodeBase64url(jwk[name])) ^ (1n << BigInt(bit))) }
        // A changed x may by chance be the x of another point, but never of one with this y.
        assert.match(refusal(changed), /not_on_curve|not_canonical/)
      }),
    )
  })

  test('is refused with the extra members of the Wycheproof key sets', () => {
    const { testGroups } = readVector<KeySets>('wycheproof/json_web_key_test.json')
    const keys = testGroups.flatMap((group) => [
      ...(group.private?.keys ?? []),
      ...(group.public?.keys ?? []),
    ])
    for (const value of keys) assert.notEqual(refusal(value), 'ok')
  })
})

describe('verifyHolder', () => {
  const message = Buffer.from('a message')

  test('answers all 262 Wycheproof cases of ES256 as listed', async () => {
    const { testGroups } = readVector<Wycheproof>('wycheproof/ecdsa_secp256r1_sha256_p1363_test.json')
    const answers = await Promise.all(
      testGroups.flatMap(({ publicKey, tests }) => {
        const point = fromHex(publicKey.uncompressed)
        const jwk = readP256Jwk({
          kty: 'EC',
          crv: 'P-256',
          x: encodeBase64url(point.subarray(1, 33)),
          y: encodeBase64url(point.subarray(33)),
        })
        return tests.map(async ({ tcId, msg, sig, result }) => ({
          tcId,
          agrees: (await verifyHolder(jwk, fromHex(msg), fromHex(sig))) === (result === 'valid'),
        }))
      }),
    )
    assert.equal(answers.length, 262)
    assert.deepEqual(
      answers.filter(({ agrees }) => !agrees),
      [],
    )
  })

  test('accepts signatures of both key types, and none by another key or over another message', async () => {
    const ed25519 = generateKeyPairSync('ed25519')
    const { kty, crv, x } = ed25519.publicKey.export({ format: 'jwk' })
    const { jwk, privateKey } = pair()
    const cases = [
      [readHolderJwk({ kty, crv, x }), sign(null, message, ed25519.privateKey)],
      [jwk, sign('sha256', message, { key: privateKey, dsaEncoding: 'ieee-p1363' })],
    ] as const
    for (const [key, signature] of cases) {
      assert.equal(await verifyHolder(key, message, signature), true)
      assert.equal(await verifyHolder(key, Buffer.from('another'), signature), false)
    }
    assert.equal(await verifyHolder(cases[0][0], message, cases[1][1]), false)
    assert.equal(await verifyHolder(cases[1][0], message, cases[0][1]), false)
  })

  test('refuses ES256 signatures in DER, of the wrong length or with numbers out of range', async () => {
    const { jwk, privateKey } = pair()
    const good = sign('sha256', message, { key: privateKey, dsaEncoding: 'ieee-p1363' })
    const r = good.subarray(0, 32)
    const s = good.subarray(32)
    const zero = new Uint8Array(32)
    const order = fromHex(ORDER.toString(16))
    const bad = [
      sign('sha256', message, privateKey),
      Buffer.concat([good, Buffer.of(0)]),
      good.subarray(0, 63),
      Buffer.concat([Buffer.of(0), r, Buffer.of(0), s]),
      Buffer.concat([zero, zero]),
      Buffer.concat([r, zero]),
      Buffer.concat([zero, s]),
      Buffer.concat([order, s]),
      Buffer.concat([r, order]),
    ]
    assert.equal(await verifyHolder(jwk, message, good), true)
    for (const signature of bad) assert.equal(await verifyHolder(jwk, message, signature), false)
  })
})
