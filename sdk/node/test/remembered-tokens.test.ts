import assert from 'node:assert/strict'
import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, test } from 'node:test'
import { type TokenRefused, tokenVerifier } from '@deputize/sdk'
import type { TestScope } from '@deputize/testing/scope.ts'
import { CONTEXT, OPTIONS, protocolVerdict, TOKENS } from '@deputize/testing/sdk-vectors.ts'
import fc from 'fast-check'
import { signCompact } from '../../../protocol/src/token/jws.ts'
import { Buffer as PortableBuffer } from '../src/portable/buffer.ts'
import { remembered } from '../src/remembered.ts'
import { newSha256, portableSha256 } from '../src/sha256.ts'

const ISSUER = 'https://authority.example'
const NOW_S = 1_800_000_000
const KID = 'first'

function aKey() {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  return { private_key: privateKey, jwk: { ...publicKey.export({ format: 'jwk' }), kid: KID } }
}

function aToken(private_key: KeyObject): Promise<string> {
  const payload = {
    iss: ISSUER,
    sub: 'agent:calendar-bot',
    aud: 'https://calendar.example',
    jti: 'vat_root_1',
    iat: NOW_S,
    exp: NOW_S + 60,
    svc_scope: { resources: ['calendar:events'], actions: ['read'] },
    svc_trust_score: 0.5,
  }
  const header = { alg: 'EdDSA', typ: 'vat+jwt', kid: KID } as const
  return signCompact(header, payload, (input) => sign(null, input, private_key))
}

/** Serves a key set that can change. */
async function aKeyServer(scope: TestScope, keys: () => object[]): Promise<string> {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ keys: keys() }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  scope.after(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}` // a listening TCP server has one
}

const verdict = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => 'ok',
    (error: TokenRefused) => error.code,
  )

describe('a verifier with a setting that is not a number', () => {
  const { private_key, jwk } = aKey()
  const fixed = { jwks: { keys: [jwk] }, issuer: ISSUER, clock: () => (NOW_S + 3_600) * 1000 }

  test('rejects every token, even a cached one, if its clock returns NaN', async () => {
    const jwt = await aToken(private_key)
    for (const broken of [Number.NaN, -Infinity, Infinity]) {
      let now_ms = NOW_S * 1000
      const verifier = tokenVerifier({ ...fixed, clock: () => now_ms })
      const fresh = tokenVerifier({ ...fixed, clock: () => broken })
      assert.equal(await verdict(verifier.verify(jwt)), 'ok')
      now_ms = broken
      const told = broken === Infinity ? 'expired' : 'not_yet_valid'
      for (const one of [verifier, fresh]) assert.equal(await verdict(one.verify(jwt)), told)
    }
  })

  // Number(undefined), from a missing setting, would make every token valid forever.
  test('cannot be created', () => {
    const served = { url: 'http://127.0.0.1:1' }
    for (const wrong of [Number.NaN, -1, Infinity, '5' as unknown as number]) {
      for (const name of ['clock_skew_s', 'max_lifetime_s'])
        assert.throws(() => tokenVerifier({ ...fixed, [name]: wrong }), TypeError)
      for (const name of ['clock_skew_s', 'max_lifetime_s', 'fresh_s', 'max_stale_s'])
        assert.throws(() => tokenVerifier({ ...served, [name]: wrong }), TypeError)
    }
  })
})

describe('a token that was verified before', () => {
  test('gets the same result again, for every token of the shared vectors', async () => {
    const verifier = tokenVerifier({ ...OPTIONS, clock: () => CONTEXT.now_s * 1000 })
    for (const jwt of [...TOKENS, ...TOKENS]) {
      const seen = await verifier.verify(jwt).then(
        ({ claims }) => claims,
        (error: TokenRefused) => error.code,
      )
      assert.deepEqual(seen, protocolVerdict(jwt, CONTEXT), jwt)
    }
  })

  test('is rejected once it has expired, and for other audiences', async () => {
    const { private_key, jwk } = aKey()
    const jwt = await aToken(private_key)
    let now_ms = NOW_S * 1000
    const verifier = tokenVerifier({ jwks: { keys: [jwk] }, issuer: ISSUER, clock: () => now_ms })
    assert.equal(await verdict(verifier.verify(jwt)), 'ok')
    assert.equal(await verdict(verifier.verify(jwt, { audience: 'https://mail.example' })), 'wrong_audience')
    assert.equal(await verdict(verifier.verify(jwt, { audience: 'https://calendar.example' })), 'ok')
    now_ms += 66_000
    assert.equal(await verdict(verifier.verify(jwt)), 'expired')
    now_ms -= 99_000
    assert.equal(await verdict(verifier.verify(jwt)), 'not_yet_valid')
  })

  test('is rejected once its key is withdrawn or replaced under the same kid', async (t) => {
    const { private_key, jwk } = aKey()
    const jwt = await aToken(private_key)
    for (const [later, code] of [
      [[], 'unknown_key'],
      [[aKey().jwk], 'bad_signature'],
      [[jwk], 'ok'],
    ] as const) {
      let keys: object[] = [jwk]
      let now_ms = NOW_S * 1000
      const verifier = tokenVerifier({
        url: await aKeyServer(t, () => keys),
        issuer: ISSUER,
        revocations: false,
        clock_skew_s: 600,
        clock: () => now_ms,
      })
      assert.equal(await verdict(verifier.verify(jwt)), 'ok')
      keys = [...later]
      now_ms += 301_000 // the set is read again
      assert.equal(await verdict(verifier.verify(jwt)), code)
    }
  })

  test('is a different token if a single character differs', async () => {
    const { private_key, jwk } = aKey()
    const jwt = await aToken(private_key)
    const verifier = tokenVerifier({ jwks: { keys: [jwk] }, issuer: ISSUER, clock: () => NOW_S * 1000 })
    assert.equal(await verdict(verifier.verify(jwt)), 'ok')
    for (let at = 0; at < jwt.length; at += 7) {
      const other = `${jwt.slice(0, at)}${jwt[at] === 'A' ? 'B' : 'A'}${jwt.slice(at + 1)}`
      assert.notEqual(await verdict(verifier.verify(other)), 'ok', other)
    }
  })

  test('has claims that no caller can change', async () => {
    const { private_key, jwk } = aKey()
    const jwt = await aToken(private_key)
    const verifier = tokenVerifier({ jwks: { keys: [jwk] }, issuer: ISSUER, clock: () => NOW_S * 1000 })
    const { claims } = await verifier.verify(jwt)
    assert.throws(() => claims.svc_scope.actions.push('delete'), TypeError)
    assert.deepEqual((await verifier.verify(jwt)).claims.svc_scope.actions, ['read'])
  })
})

describe('the cache', () => {
  test('is bounded and drops the least recently used entry', () => {
    const words = remembered<string, string>(2)
    words.set('a', 'A')
    words.set('b', 'B')
    assert.equal(words.get('a'), 'A')
    words.set('c', 'C')
    assert.deepEqual([words.get('a'), words.get('b'), words.get('c')], ['A', undefined, 'C'])
  })
})

describe('SHA-256', () => {
  test('is the same with and without the native implementation, in chunks and as a whole', () => {
    const chunk = fc.oneof(fc.uint8Array({ maxLength: 100 }), fc.string({ unit: 'binary' }))
    fc.assert(
      fc.property(fc.array(chunk, { maxLength: 5 }), (chunks) => {
        const whole = Buffer.concat(chunks.map((one) => Buffer.from(one)))
        for (const hash of [newSha256(), portableSha256()]) {
          for (const one of chunks) hash.update(one)
          assert.equal(hash.hex(), createHash('sha256').update(whole).digest('hex'))
        }
      }),
    )
  })
})

describe('the portable Buffer', () => {
  test("encodes and decodes bytes like Node's", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        for (const encoding of ['base64url', 'latin1', 'hex'] as const)
          assert.equal(PortableBuffer.from(bytes).toString(encoding), Buffer.from(bytes).toString(encoding))
        for (const encoding of ['base64url', 'latin1'] as const)
          assert.deepEqual(
            [...PortableBuffer.from(Buffer.from(bytes).toString(encoding), encoding)],
            [...bytes],
          )
      }),
    )
  })

  test('decodes invalid base64url to nothing', () => {
    for (const text of ['A', 'AAAAA', 'AA==', 'AA+A', 'A A', 'AA\n', 'AAé', 'AA\u{10ffff}'])
      assert.equal(PortableBuffer.from(text, 'base64url').length, 0, text)
  })
})
