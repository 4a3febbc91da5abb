import assert from 'node:assert/strict'
import { readEd25519Jwk } from '@deputize/protocol'
import type { VerifierOptions } from '@deputize/sdk'
import {
  TokenError,
  type VerificationKey,
  type VerifierContext,
  verifySignedToken,
} from '../protocol/src/token/jws.ts'
import { readVector } from './read-vector.ts'

type NamedKey = { readonly kty: string; readonly crv: string; readonly x: string; readonly kid: string }
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
  cases: { id: string; jwt: string }[]
}
type Wycheproof = { testGroups: { tests: { jws: string }[] }[] }

const attacks = readVector<JwtAttacks>('jwt-attacks/jwt-attacks.json')
const given = attacks.verifier_context

/** Every token in the shared vectors. */
export const TOKENS: readonly string[] = [
  ...attacks.cases.map(({ jwt }) => jwt),
  ...['wycheproof/json_web_signature_test.json', 'wycheproof/json_web_key_test.json'].flatMap((path) =>
    readVector<Wycheproof>(path).testGroups.flatMap(({ tests }) => tests.map(({ jws }) => jws)),
  ),
]

const keyOf = ({ kid, kty, crv, x }: NamedKey): VerificationKey => ({
  kid,
  alg: 'EdDSA',
  jwk: readEd25519Jwk({ kty, crv, x }),
})
const active = new Map(given.active_keys.map((key) => [key.kid, keyOf(key)]))

export const CONTEXT: VerifierContext = {
  now_s: given.now,
  clock_skew_s: given.clock_skew_s,
  issuer: given.issuer,
  audience: given.audience,
  typ: given.expected_typ,
  max_lifetime_s: given.max_lifetime_s,
  key: (kid) => active.get(kid),
}

/** The same context in the form that the SDK accepts. */
export const OPTIONS: VerifierOptions = {
  jwks: { keys: given.active_keys },
  issuer: given.issuer,
  audience: given.audience,
  clock_skew_s: given.clock_skew_s,
  max_lifetime_s: given.max_lifetime_s,
  clock: () => given.now * 1000,
}

/** The context with the withdrawn keys, which only the protocol's context can include. */
export const CONTEXT_WITH_WITHDRAWN: VerifierContext = {
  ...CONTEXT,
  key(kid) {
    const gone = given.withdrawn_keys.find((key) => key.kid === kid)
    return gone === undefined ? active.get(kid) : { ...keyOf(gone), withdrawn_from_s: 0 }
  },
}

/** The protocol's verdict on a token: an error code, or its claims. */
export function protocolVerdict(token: string, context: VerifierContext): unknown {
  try {
    return verifySignedToken(token, context)
  } catch (error) {
    assert.ok(error instanceof TokenError)
    return error.code
  }
}
