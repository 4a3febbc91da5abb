import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { describe, test } from 'node:test'
import {
  decodeBase64url,
  encodeBase64url,
  readHolderJwk,
  splitCompact,
  thumbprint,
  verifyHolder,
} from '@deputize/protocol'
import { aHolder, aProof, athOf, type Holder, type ProofChanges } from '@deputize/testing/a-holder.ts'
import { fromHex, readVector } from '@deputize/testing/read-vector.ts'
import fc from 'fast-check'
import { CredentialError } from '../../src/proof/credential-fault.ts'
import { type ExpectedProof, PROOF_REASONS, type Proof, verifyProof } from '../../src/proof/dpop.ts'

type Rfc9449 = {
  jwk: object
  jkt: string
  access_token: string
  proofs: { htm: string; htu: string; iat: number; jti: string; ath?: string; proof: string }[]
}

const NOW_MS = Date.parse('2027-01-01T00:00:30Z')
const REQUEST = {
  method: 'POST',
  url: 'https://deputy.example/v1/vat/authorize',
  token: 'a.b.c',
  now_ms: NOW_MS,
}
const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n

function expectation(holder: Pick<Holder, 'jkt'>, changes: Partial<ExpectedProof> = {}): ExpectedProof {
  const { method, url, token, now_ms } = REQUEST
  return { method, url, ath: athOf(token), jkt: holder.jkt, now_ms, ...changes }
}

/** Why a proof is refused, or 'ok'. */
async function judged(proof: string, expected: ExpectedProof): Promise<string> {
  try {
    await verifyProof(proof, expected)
    return 'ok'
  } catch (error) {
    if (error instanceof CredentialError) return error.reason
    throw error
  }
}

const HOLDER = aHolder()
const judge = (changes: ProofChanges, expected: Partial<ExpectedProof> = {}) =>
  judged(aProof(HOLDER, REQUEST, changes), expectation(HOLDER, expected))

describe('the proofs of RFC 9449', () => {
  const rfc = readVector<Rfc9449>('rfc9449/proofs.json')
  const expected = ({ htm, htu, iat }: Rfc9449['proofs'][number]): ExpectedProof => ({
    method: htm,
    url: htu,
    ath: athOf(rfc.access_token),
    jkt: rfc.jkt,
    now_ms: iat * 1000,
  })

  test('for a protected resource are accepted', async () => {
    const shown = rfc.proofs.filter(({ ath }) => ath !== undefined)
    assert.equal(shown.length, 1)
    for (const each of shown) {
      assert.equal(each.ath, athOf(rfc.access_token))
      const { jti, jkt, made_at_ms } = await verifyProof(each.proof, expected(each))
      assert.deepEqual([jti, jkt, made_at_ms], [each.jti, rfc.jkt, each.iat * 1000])
    }
  })

  test('for token requests are refused only because they name no token', async () => {
    const without = rfc.proofs.filter(({ ath }) => ath === undefined)
    assert.equal(without.length, 2)
    for (const each of without) {
      assert.equal(await judged(each.proof, expected(each)), 'missing_ath')
      const { signingInput, signature } = splitCompact(each.proof)
      assert.ok(await verifyHolder(readHolderJwk(rfc.jwk), signingInput, signature))
    }
  })

  test('fail with any bit of the signature flipped', async () => {
    for (const each of rfc.proofs.filter(({ ath }) => ath !== undefined)) {
      const [head, body, tail] = each.proof.split('.')
      await fc.assert(
        fc.asyncProperty(fc.nat(511), async (bit) => {
          const signature = decodeBase64url(tail ?? '')
          signature[bit >> 3] = (signature[bit >> 3] ?? 0) ^ (1 << (bit & 7))
          const changed = `${head}.${body}.${encodeBase64url(signature)}`
          assert.equal(await judged(changed, expected(each)), 'bad_signature')
        }),
      )
    }
  })
})

describe('a proof', () => {
  for (const alg of ['EdDSA', 'ES256'] as const)
    test(`of ${alg} is accepted for the request that it was made for`, async () => {
      const holder = aHolder(alg)
      const expected = expectation(holder)
      const proof: Proof = await verifyProof(aProof(holder, REQUEST, { claims: { jti: 'one' } }), expected)
      assert.deepEqual(proof, {
        jti: 'one',
        jkt: holder.jkt,
        holder: holder.jwk,
        made_at_ms: NOW_MS,
        earliest_ms: NOW_MS - 5_000,
        ends_at_ms: NOW_MS + 60_001,
        has_nonce: false,
      })
      // If the key is already known, everything but the point itself is still checked.
      const again = { ...expected, holder: proof.holder }
      assert.equal(await judged(aProof(holder, REQUEST), again), 'ok')
      const other = aHolder(alg)
      assert.equal(await judged(aProof(other, REQUEST), again), 'other_key')
      assert.equal(await judged(aProof(holder, REQUEST, { sign: other.sign }), again), 'bad_signature')
      const jwk = { ...holder.jwk, d: 'AA' }
      assert.equal(await judged(aProof(holder, REQUEST, { header: { jwk } }), again), 'private_key')
    })

  test('is refused with the reason, for each fault', async () => {
    const p256 = aHolder('ES256')
    const seen = new Set<string>()
    const cases: [string, ProofChanges, Partial<ExpectedProof>?][] = [
      ['malformed', { header: { kid: 'k1' } }],
      ['malformed', { header: { crit: ['exp'] } }],
      ['malformed', { header: { jku: 'https://evil.example/keys' } }],
      ['malformed', { sign: () => new Uint8Array(65) }],
      ['malformed', { sign: () => new Uint8Array(0) }],
      ['malformed', { claims: { filler: 'x'.repeat(4_000) } }],
      ['wrong_type', { header: { typ: undefined } }],
      ['wrong_type', { header: { typ: 'JWT' } }],
      ['wrong_type', { header: { typ: 'vat+jwt' } }],
      ['wrong_type', { header: { typ: 'DPOP+JWT' } }],
      ['unsupported_algorithm', { header: { alg: 'none' } }],
      ['unsupported_algorithm', { header: { alg: 'HS256' } }],
      ['unsupported_algorithm', { header: { alg: 'RS256' } }],
      ['unsupported_algorithm', { header: { alg: 'toString' } }],
      ['unsupported_algorithm', { header: { alg: ['EdDSA'] } }],
      ['private_key', { header: { jwk: HOLDER.private_jwk } }],
      ['private_key', { header: { jwk: p256.private_jwk } }],
      ['private_key', { header: { jwk: { kty: 'oct', k: 'AAAA' } } }],
      ['unacceptable_key', { header: { jwk: undefined } }],
      ['unacceptable_key', { header: { jwk: { kty: 'RSA', n: 'AQAB', e: 'AQAB' } } }],
      ['unacceptable_key', { header: { jwk: { ...HOLDER.jwk, use: 'sig' } } }],
      ['weak_key', { header: { alg: 'ES256', jwk: { ...p256.jwk, y: p256.jwk.x } } }],
      ['key_does_not_fit_algorithm', { header: { alg: 'ES256' } }],
      ['key_does_not_fit_algorithm', { header: { jwk: p256.jwk } }],
      ['other_key', { header: { alg: 'ES256', jwk: p256.jwk }, sign: p256.sign }],
      ['bad_jti', { claims: { jti: undefined } }],
      ['bad_jti', { claims: { jti: '' } }],
      ['bad_jti', { claims: { jti: 7 } }],
      ['bad_jti', { claims: { jti: 'x'.repeat(257) } }],
      ['other_method', { claims: { htm: 'GET' } }],
      ['other_method', { claims: { htm: 'post' } }],
      ['other_method', { claims: { htm: undefined } }],
      ['other_url', { claims: { htu: undefined } }],
      ['other_url', { claims: { htu: 'https://deputy.example/v1/vat/record/action' } }],
      ['other_url', { claims: { htu: 'https://other.example/v1/vat/authorize' } }],
      ['other_url', { claims: { htu: 'http://deputy.example/v1/vat/authorize' } }],
      ['other_url', { claims: { htu: 'https://deputy.example:8443/v1/vat/authorize' } }],
      ['other_url', { claims: { htu: 'https://deputy.example@evil.example/v1/vat/authorize' } }],
      ['other_url', { claims: { htu: '/v1/vat/authorize' } }],
      ['bad_iat', { claims: { iat: undefined } }],
      ['bad_iat', { claims: { iat: String(NOW_MS / 1000) } }],
      ['bad_iat', { claims: { iat: NOW_MS / 1000 + 0.5 } }],
      ['bad_iat', { claims: { iat: -1 } }],
      ['too_old', { claims: { iat: NOW_MS / 1000 - 61 } }],
      ['in_the_future', { claims: { iat: NOW_MS / 1000 + 6 } }],
      ['too_old', { claims: { iat: NOW_MS / 1000 - 11 } }, { window: { past_s: 10, future_s: 0 } }],
      ['in_the_future', { claims: { iat: NOW_MS / 1000 + 1 } }, { window: { past_s: 10, future_s: 0 } }],
      ['missing_ath', { claims: { ath: undefined } }],
      ['other_token', { claims: { ath: athOf('a.b.d') } }],
      ['other_token', { claims: { ath: null } }],
      ['bad_signature', { sign: aHolder().sign }],
      ['bad_signature', { sign: () => new Uint8Array(64) }],
    ]
    for (const [reason, changes, expected] of cases) {
      assert.equal(await judge(changes, expected), reason, JSON.stringify(changes))
      seen.add(reason)
    }
    const unseen = PROOF_REASONS.filter((reason) => !seen.has(reason) && !reason.endsWith('_nonce'))
    assert.deepEqual(unseen, [])
  })

  test('is refused when unsigned or signed by HMAC with the public key', async () => {
    const hmac = (input: string) => createHmac('sha512', decodeBase64url(HOLDER.jwk.x)).update(input).digest()
    for (const alg of ['HS256', 'HS512', 'none', 'EdDSA'])
      assert.notEqual(await judge({ header: { alg }, sign: hmac }), 'ok')
    const [head, body] = aProof(HOLDER, REQUEST, { header: { alg: 'none' } }).split('.')
    for (const unsigned of [`${head}.${body}.`, `${head}.${body}`])
      assert.equal(await judged(unsigned, expectation(HOLDER)), 'malformed')
  })

  test('is refused with each of the 14 encodings of low-order keys, even if a token is bound to one', async () => {
    const { keys } = readVector<{ keys: { key_hex: string }[] }>('cctv-ed25519/low-order-public-keys.json')
    // If R is the neutral element and S = 0, one signature fits every message under the neutral key.
    const forged = Buffer.concat([Buffer.of(1), Buffer.alloc(63)])
    const verdicts = await Promise.all(
      keys.map(({ key_hex }) => {
        const jwk = { kty: 'OKP', crv: 'Ed25519', x: encodeBase64url(fromHex(key_hex)) } as const
        return judge({ header: { jwk }, sign: () => forged }, { jkt: thumbprint(jwk) })
      }),
    )
    assert.deepEqual(
      verdicts,
      Array.from({ length: 14 }, () => 'weak_key'),
    )
  })

  test('of ES256 has two valid signatures with one identity, and a longer one is refused', async () => {
    const holder = aHolder('ES256')
    const expected = expectation(holder)
    const proof = aProof(holder, REQUEST)
    const [head, body, tail] = proof.split('.')
    const signature = decodeBase64url(tail ?? '')
    const s = BigInt(`0x${Buffer.from(signature.subarray(32)).toString('hex')}`)
    const twin = Buffer.concat([
      signature.subarray(0, 32),
      fromHex((ORDER - s).toString(16).padStart(64, '0')),
    ])
    const bent = `${head}.${body}.${encodeBase64url(twin)}`
    assert.notEqual(bent, proof)
    // Anyone can compute the twin, so replays are detected by jti and key, which are the same for both.
    const [one, other] = [await verifyProof(proof, expected), await verifyProof(bent, expected)]
    assert.deepEqual([one.jti, one.jkt], [other.jti, other.jkt])
    const long = Buffer.concat([
      Buffer.of(0),
      signature.subarray(0, 32),
      Buffer.of(0),
      signature.subarray(32),
    ])
    assert.equal(await judged(`${head}.${body}.${encodeBase64url(long)}`, expected), 'malformed')
  })

  test('is valid for 60 seconds, and up to 5 seconds early', async () => {
    const at = (iat: number) => judge({ claims: { iat } })
    const now_s = NOW_MS / 1000
    assert.deepEqual(await Promise.all([at(now_s - 61), at(now_s - 60), at(now_s + 5), at(now_s + 6)]), [
      'too_old',
      'ok',
      'ok',
      'in_the_future',
    ])
  })

  test('may use another spelling of the same URL, with or without a query', async () => {
    const url = 'https://deputy.example/v1/vat/records?agent_id=a'
    for (const htu of [
      'HTTPS://Deputy.Example:443/v1/vat/records',
      'https://deputy.example/v1/vat/%72ecords',
      'https://deputy.example/v1/./vat/records?agent_id=b#c',
    ])
      assert.equal(await judge({ claims: { htu } }, { url }), 'ok', htu)
  })

  test('needs a nonce if one is required, and is refused with a foreign one', async () => {
    const nonce = (isRequired: boolean) => ({
      nonce: { isRequired, isFresh: (text: string) => text === 'ours' },
    })
    assert.equal(await judge({}, nonce(true)), 'missing_nonce')
    assert.equal(await judge({}, nonce(false)), 'ok')
    for (const isRequired of [true, false]) {
      assert.equal(await judge({ claims: { nonce: 'ours' } }, nonce(isRequired)), 'ok')
      assert.equal(await judge({ claims: { nonce: 'theirs' } }, nonce(isRequired)), 'unknown_nonce')
      assert.equal(await judge({ claims: { nonce: 7 } }, nonce(isRequired)), 'unknown_nonce')
    }
    const proof = aProof(HOLDER, REQUEST, { claims: { nonce: 'ours' } })
    assert.equal((await verifyProof(proof, expectation(HOLDER, nonce(false)))).has_nonce, true)
  })

  test('fails with a CredentialError if any character is changed', async () => {
    const proof = aProof(HOLDER, REQUEST)
    await fc.assert(
      fc.asyncProperty(
        fc.nat(proof.length - 1),
        fc.string({ unit: 'binary-ascii', minLength: 1, maxLength: 1 }),
        async (at, c) => {
          const changed = proof.slice(0, at) + c + proof.slice(at + 1)
          assert.equal((await judged(changed, expectation(HOLDER))) === 'ok', changed === proof)
        },
      ),
      { numRuns: 500 },
    )
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary' }), async (text) => {
        assert.notEqual(await judged(text, expectation(HOLDER)), 'ok')
      }),
    )
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(fc.constantFrom('typ', 'alg', 'jwk', 'x5c'), fc.jsonValue({ maxDepth: 2 })),
        fc.dictionary(fc.constantFrom('jti', 'htm', 'htu', 'iat', 'ath'), fc.jsonValue({ maxDepth: 1 }), {
          minKeys: 1,
        }),
        async (header, claims) => {
          await judged(aProof(HOLDER, REQUEST, { header, claims }), expectation(HOLDER))
        },
      ),
    )
  })
})
