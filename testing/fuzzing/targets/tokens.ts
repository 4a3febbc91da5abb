import assert from 'node:assert/strict'
import { generateKeyPairSync, sign } from 'node:crypto'
import { readEd25519Jwk } from '../../../protocol/src/token/jwk.ts'
import { TokenError, type VerificationKey, verifySignedToken } from '../../../protocol/src/token/jws.ts'
import type { FuzzTarget } from '../fuzz.ts'
import { unlessRefused } from '../refusal.ts'

const NOW_S = 1_900_000_000
const ISSUER = 'https://authority.test'
const { privateKey, publicKey } = generateKeyPairSync('ed25519')
const { kty, crv, x } = publicKey.export({ format: 'jwk' })
const key: VerificationKey = { kid: 'k1', alg: 'EdDSA', jwk: readEd25519Jwk({ kty, crv, x }) }
const context = {
  now_s: NOW_S,
  issuer: ISSUER,
  audience: ISSUER,
  typ: 'vat+jwt',
  key: (kid: string) => (kid === 'k1' ? key : undefined),
}

const header = '{"alg":"EdDSA","typ":"vat+jwt","kid":"k1"}'
const claims = {
  iss: ISSUER,
  sub: 'agent:demo',
  aud: ISSUER,
  jti: 'vat_one',
  iat: NOW_S,
  nbf: NOW_S,
  exp: NOW_S + 60,
  svc_tenant: 'acme',
  svc_trust_score: 0.5,
  svc_scope: { resources: ['calendar:events'], actions: ['read'] },
}
const base64url = (text: string) => Buffer.from(text, 'latin1').toString('base64url')

/** Signs an arbitrary header and claims, so that the token is read to the end. */
function signed(head: string, body: string): string {
  const input = `${base64url(head)}.${base64url(body)}`
  return `${input}.${sign(null, Buffer.from(input), privateKey).toString('base64url')}`
}

const genuine = signed(header, JSON.stringify(claims))

/** Inputs are two lines, which are encoded and signed here, or else the characters of a token. */
export const tokenTarget: FuzzTarget = {
  seeds: [`${header}\n${JSON.stringify(claims)}`, genuine].map((text) => Buffer.from(text)),
  words: [
    '"crit":["b64"]',
    '"none"',
    '"aud":[]',
    'null',
    '1e21',
    '-1',
    '0.5',
    '{}',
    '..',
    '"k1"',
    '"svc_root_jti":""',
  ],
  read(bytes) {
    const text = Buffer.from(bytes).toString('latin1')
    const [head = '', body] = text.split('\n')
    const token = body === undefined ? text : signed(head, body)
    const read = unlessRefused(() => verifySignedToken(token, context), TokenError)
    if (read === undefined) return false
    if (body === undefined)
      assert.equal(token.slice(0, token.lastIndexOf('.')), genuine.slice(0, genuine.lastIndexOf('.')))
    else assert.deepEqual(read, JSON.parse(Buffer.from(body, 'latin1').toString()))
    assert.equal(read.iss, ISSUER)
    assert.ok(read.exp > NOW_S - 600 && read.iat < NOW_S + 600, 'it is valid now')
    return true
  },
}
