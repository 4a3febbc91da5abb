import assert from 'node:assert/strict'
import { generateKeyPairSync, sign } from 'node:crypto'
import { describe, test } from 'node:test'
import { readVector } from '@deputize/testing/read-vector.ts'
import fc from 'fast-check'
import { encodeBase64url } from '../../src/encoding/base64url.ts'
import { type Ed25519Jwk, readEd25519Jwk } from '../../src/token/jwk.ts'
import {
  decodeCompact,
  type JwsHeader,
  MAX_LIFETIME_S,
  MAX_TOKEN_BYTES,
  signCompact,
  type TokenCode,
  TokenError,
  type VerificationKey,
  type VerifierContext,
  verifySignedToken,
} from '../../src/token/jws.ts'

type NamedKey = Ed25519Jwk & { kid: string }
type JwtAttacks = {
  verifier_context: {
    now: number
    clock_skew_s: number
    issuer: string
    audience: string
    expected_typ: string
    max_lifetime_s: number
    active_keys: NamedKey[]
    withdrawn_keys: NamedKey[]
  }
  count: number
  cases: { id: string; name: string; expect: 'accept' | 'policy' | 'reject'; jwt: string }[]
}
type Wycheproof = { numberOfTests: number; testGroups: { tests: { jws: string }[] }[] }

const NOW_S = 1_900_000_000
const { privateKey, publicKey } = generateKeyPairSync('ed25519')
const { kty, crv, x } = publicKey.export({ format: 'jwk' })
const KEY: VerificationKey = { kid: 'k1', alg: 'EdDSA', jwk: readEd25519Jwk({ kty, crv, x }) }
const HEADER: JwsHeader = { alg: 'EdDSA', typ: 'vat+jwt', kid: 'k1' }
const signer = (input: Uint8Array): Uint8Array => sign(null, input, privateKey)

function someClaims(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    iss: 'https://authority.test',
    sub: 'agent:demo',
    aud: 'https://authority.test',
    jti: 'vat_root_AAAAAAAAAAAAAAAAAAAAAA',
    iat: NOW_S - 60,
    nbf: NOW_S - 60,
    exp: NOW_S + 3600,
    svc_trust_score: 0.4,
    svc_scope: { resources: ['email:read'], actions: ['read'] },
    ...changes,
  }
}

/** A validly signed token, whatever the claims and the header say. */
function aToken(changes: Record<string, unknown> = {}, header: object = HEADER): string {
  const input = [header, someClaims(changes)]
    .map((part) => encodeBase64url(Buffer.from(JSON.stringify(part))))
    .join('.')
  return `${input}.${encodeBase64url(signer(Buffer.from(input)))}`
}

function aContext(changes: Partial<VerifierContext> = {}): VerifierContext {
  const key = (kid: string): VerificationKey | undefined => (kid === KEY.kid ? KEY : undefined)
  const issuer = 'https://authority.test'
  return { now_s: NOW_S, issuer, audience: issuer, typ: 'vat+jwt', key, ...changes }
}

/** Why `token` is refused, or 'ok'. Anything but a TokenError fails the test. */
function verdict(token: string, context: VerifierContext = aContext()): TokenCode | 'ok' {
  try {
    verifySignedToken(token, context)
    return 'ok'
  } catch (error) {
    if (error instanceof TokenError) return error.code
    throw error
  }
}

describe('signCompact', () => {
  test('creates a valid token with a synchronous or asynchronous signer', async () => {
    for (const sign_with of [signer, async (input: Uint8Array) => signer(input)]) {
      const token = await signCompact(HEADER, someClaims(), sign_with)
      assert.deepEqual(verifySignedToken(token, aContext()), someClaims())
    }
  })

  test('writes the header in one fixed order', async () => {
    const token = await signCompact({ kid: 'k1', typ: 'vat+jwt', alg: 'EdDSA' }, someClaims(), signer)
    assert.equal(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString(), JSON.stringify(HEADER))
  })

  test('refuses to sign a token that no verifier would accept', async () => {
    const payloads = [[], { long: 'x'.repeat(MAX_TOKEN_BYTES) }, { text: '\ud800' }, { prototype: 1 }]
    for (const payload of payloads) await assert.rejects(signCompact(HEADER, payload, signer), TokenError)
    await assert.rejects(
      signCompact(HEADER, someClaims(), () => new Uint8Array(63)),
      TokenError,
    )
  })
})

describe('decodeCompact', () => {
  test('decodes a token without verifying it', () => {
    const token = aToken()
    const { header, payload, signingInput, signature } = decodeCompact(token)
    assert.deepEqual([header, payload, signature.length], [HEADER, someClaims(), 64])
    assert.equal(`${Buffer.from(signingInput)}.${encodeBase64url(signature)}`, token)
  })

  test('refuses every header member but alg, typ and kid', () => {
    for (const name of ['jwk', 'jku', 'x5u', 'x5c', 'x5t', 'crit', 'zip', 'b64', 'cty', 'ALG', 'nonce'])
      assert.equal(verdict(aToken({}, { ...HEADER, [name]: 'x' })), 'malformed', name)
  })

  test('accepts up to 8 KiB', () => {
    const longest = aToken({ pad: 'x'.repeat(5600) })
    assert.ok(longest.length > MAX_TOKEN_BYTES - 400 && longest.length <= MAX_TOKEN_BYTES)
    assert.equal(verdict(longest), 'ok')
    assert.equal(verdict(aToken({ pad: 'x'.repeat(6000) })), 'malformed')
    assert.equal(verdict('.'.repeat(1_000_000)), 'malformed')
  })

  test('accepts one encoding of a token: any changed text is refused', () => {
    const token = aToken()
    const characters = fc.constantFrom(...'ABYZabyz0189-_+/=. \n%')
    fc.assert(
      fc.property(fc.nat(token.length), fc.nat(2), characters, (at, removed, character) => {
        const changed = token.slice(0, at) + character + token.slice(at + removed)
        fc.pre(changed !== token)
        assert.notEqual(verdict(changed), 'ok')
      }),
      { numRuns: 2000 },
    )
  })
})

describe('verifyToken', () => {
  test('returns all claims, including unknown ones', () => {
    assert.deepEqual(verifySignedToken(aToken({ x_note: 'hi' }), aContext()), someClaims({ x_note: 'hi' }))
  })

  test('refuses unknown keys', () => {
    assert.equal(verdict(aToken({}, { ...HEADER, kid: 'k2' })), 'unknown_key')
    assert.equal(verdict(aToken({}, { alg: 'EdDSA', typ: 'vat+jwt' })), 'unknown_key')
    assert.equal(verdict(aToken(), aContext({ key: () => ({ ...KEY, kid: 'other' }) })), 'unknown_key')
  })

  test('requires the algorithm of the key, and accepts its newer name only if the context allows it', () => {
    for (const alg of ['none', 'HS256', 'ES256', 'eddsa', 'EdDSA ', 'Ed25519'])
      assert.equal(verdict(aToken({}, { ...HEADER, alg })), 'unsupported_algorithm', alg)
    const context = aContext({ accept_ed25519_name: true })
    assert.equal(verdict(aToken({}, { ...HEADER, alg: 'Ed25519' }), context), 'ok')
    assert.equal(verdict(aToken(), context), 'ok')
    assert.equal(verdict(aToken({}, { ...HEADER, alg: 'ed25519' }), context), 'unsupported_algorithm')
  })

  test('refuses tokens that a withdrawn key signed after its withdrawal', () => {
    const withdrawn = (from_s: number): VerifierContext =>
      aContext({ key: () => ({ ...KEY, withdrawn_from_s: from_s }) })
    assert.equal(verdict(aToken(), withdrawn(0)), 'withdrawn_key')
    assert.equal(verdict(aToken(), withdrawn(NOW_S - 60)), 'withdrawn_key')
    assert.equal(verdict(aToken(), withdrawn(NOW_S - 59)), 'ok')
  })

  test('refuses a token of another type', () => {
    assert.equal(verdict(aToken(), aContext({ typ: 'rating+jwt' })), 'wrong_type')
    assert.equal(verdict(aToken({}, { ...HEADER, typ: 'rating+jwt' })), 'wrong_type')
  })

  test('refuses a signature of another key', () => {
    const other = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' })
    const jwk = readEd25519Jwk({ kty: other.kty, crv: other.crv, x: other.x })
    assert.equal(verdict(aToken(), aContext({ key: () => ({ ...KEY, jwk }) })), 'bad_signature')
  })

  test('requires the issuer and, if the context names one, the audience', () => {
    assert.equal(verdict(aToken({ iss: 'https://authority.test/' })), 'wrong_issuer')
    assert.equal(verdict(aToken({ aud: 'https://other.test' })), 'wrong_audience')
    assert.equal(verdict(aToken({ aud: undefined })), 'wrong_audience')
    assert.equal(verdict(aToken({ aud: ['https://authority.test'] })), 'ok')
    assert.equal(verdict(aToken({ aud: ['https://authority.test', 'https://other.test'] })), 'wrong_audience')
    const { audience: _, ...anyone } = aContext()
    assert.equal(verdict(aToken({ aud: undefined }), anyone), 'ok')
    assert.equal(verdict(aToken({ aud: 'https://other.test' }), anyone), 'ok')
  })

  test('accepts a token from nbf until just before exp', () => {
    assert.equal(verdict(aToken({ nbf: NOW_S })), 'ok')
    assert.equal(verdict(aToken({ nbf: NOW_S + 1 })), 'not_yet_valid')
    assert.equal(verdict(aToken({ iat: NOW_S + 1, nbf: undefined })), 'not_yet_valid')
    assert.equal(verdict(aToken({ exp: NOW_S + 1 })), 'ok')
    assert.equal(verdict(aToken({ exp: NOW_S })), 'expired')
  })

  test('tolerates the clock skew that the context allows', () => {
    const context = aContext({ clock_skew_s: 5 })
    assert.equal(verdict(aToken({ nbf: NOW_S + 5 }), context), 'ok')
    assert.equal(verdict(aToken({ nbf: NOW_S + 6 }), context), 'not_yet_valid')
    assert.equal(verdict(aToken({ exp: NOW_S - 4 }), context), 'ok')
    assert.equal(verdict(aToken({ exp: NOW_S - 5 }), context), 'expired')
  })

  test('limits the lifetime, even if the context sets no limit', () => {
    const context = aContext({ max_lifetime_s: 3660 })
    assert.equal(verdict(aToken(), context), 'ok')
    assert.equal(verdict(aToken({ exp: NOW_S + 3601 }), context), 'lifetime_too_long')
    assert.equal(verdict(aToken({ exp: NOW_S - 60 + MAX_LIFETIME_S })), 'ok')
    assert.equal(verdict(aToken({ exp: NOW_S - 60 + MAX_LIFETIME_S + 1 })), 'lifetime_too_long')
  })

  test('refuses signed claims of the wrong type', () => {
    const shapes: Record<string, unknown[]> = {
      iss: [undefined, null, '', 1, ['https://authority.test']],
      sub: [undefined, '', {}],
      jti: [undefined, '', 7, '../x', 'a b', 'a\n', 'x'.repeat(129)],
      aud: [null, '', [], [1], [''], ['https://authority.test', 1], {}],
      iat: [undefined, null, '1', 1.5, -1, 2 ** 53],
      nbf: [null, '0', 0.5, -1],
      exp: [undefined, '1900003600', true, [NOW_S], NOW_S + 0.5, 2 ** 53, NOW_S - 60, NOW_S - 61],
      svc_scope: [
        undefined,
        null,
        [],
        {},
        { resources: 'email:read', actions: [] },
        { resources: [], actions: [1] },
      ],
      svc_trust_score: [undefined, null, '0.95', -0.1, 1.1],
      svc_tenant: [null, '', 7, 'default', 'Acme', 'acme:bot', ['acme']],
    }
    for (const [name, values] of Object.entries(shapes))
      for (const value of values)
        assert.equal(verdict(aToken({ [name]: value })), 'bad_claim', `${name}: ${JSON.stringify(value)}`)
  })

  test('accepts a token of a tenant other than the default', () => {
    assert.equal(verdict(aToken({ svc_tenant: 'acme' })), 'ok')
  })

  test('requires scope and trust only in tokens that carry authority', () => {
    const token = aToken(
      { svc_scope: undefined, svc_trust_score: undefined },
      { ...HEADER, typ: 'rating+jwt' },
    )
    assert.equal(verdict(token, aContext({ typ: 'rating+jwt' })), 'ok')
  })

  test('throws only TokenError for any input', () => {
    const segment = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.base64String(),
      fc.json({ maxDepth: 2 }).map((text) => encodeBase64url(Buffer.from(text))),
    )
    fc.assert(
      fc.property(fc.array(segment, { maxLength: 4 }), (segments) => void verdict(segments.join('.'))),
      { numRuns: 1000 },
    )
  })
})

describe('verifyToken on the attack vectors', () => {
  const attacks = readVector<JwtAttacks>('jwt-attacks/jwt-attacks.json')
  const given = attacks.verifier_context
  const keyRecord = ({ kid, ...jwk }: NamedKey): VerificationKey => ({
    kid,
    alg: 'EdDSA',
    jwk: readEd25519Jwk(jwk),
  })
  const keys = new Map<string, VerificationKey>([
    ...given.active_keys.map(keyRecord).map((key) => [key.kid, key] as const),
    ...given.withdrawn_keys.map(keyRecord).map((key) => [key.kid, { ...key, withdrawn_from_s: 0 }] as const),
  ])
  const context: VerifierContext = {
    now_s: given.now,
    clock_skew_s: given.clock_skew_s,
    issuer: given.issuer,
    audience: given.audience,
    typ: given.expected_typ,
    max_lifetime_s: given.max_lifetime_s,
    key: (kid) => keys.get(kid),
  }
  const answers = attacks.cases.map(({ id, name, expect, jwt }) => ({
    id,
    name,
    expect,
    code: verdict(jwt, context),
  }))
  const answersTo = (expected: string) => answers.filter(({ expect }) => expect === expected)

  test('accepts the valid ones', () => {
    assert.deepEqual(
      answersTo('accept').map(({ code }) => code),
      ['ok', 'ok', 'ok'],
    )
  })

  test('refuses every attack', () => {
    assert.equal(answersTo('reject').length, 92)
    assert.deepEqual(
      answersTo('reject').filter(({ code }) => code === 'ok'),
      [],
    )
  })

  test('handles ambiguous cases strictly', () => {
    const open = Object.fromEntries(answersTo('policy').map(({ id, code }) => [id, code]))
    assert.deepEqual(open, {
      J004: 'wrong_audience', // two audiences: each could replay the token at the other
      J018: 'unsupported_algorithm', // the name Ed25519: only if the context allows it
      J065: 'unknown_key', // no kid: which key was meant would change with the number of keys
      J078: 'wrong_type', // application/vat+jwt: our tokens have one spelling of their type
      J143: 'malformed', // a claim named constructor: none of our claims has that name
    })
  })

  test('covers every case of the file', () => {
    assert.deepEqual([answers.length, attacks.count], [100, 100])
  })
})

describe('verifyToken on the Wycheproof vectors', () => {
  const tokensOf = (path: string): string[] =>
    readVector<Wycheproof>(path).testGroups.flatMap(({ tests }) => tests.map(({ jws }) => jws))
  // A key for every kid: the refusal must not depend on the key being unknown.
  const context = aContext({ key: (kid) => ({ ...KEY, kid }) })

  test('refuses all 401 signatures', () => {
    const tokens = tokensOf('wycheproof/json_web_signature_test.json')
    assert.equal(tokens.length, 401)
    assert.deepEqual(
      tokens.filter((token) => verdict(token, context) === 'ok'),
      [],
    )
  })

  test('refuses all 26 tokens of the key sets', () => {
    const tokens = tokensOf('wycheproof/json_web_key_test.json')
    assert.equal(tokens.length, 26)
    assert.deepEqual(
      tokens.filter((token) => verdict(token, context) === 'ok'),
      [],
    )
  })
})
