/** Judges tokens and JSON texts as the service does. Answers each input line with one line. */
import { createInterface } from 'node:readline'
import { JsonError, readJson } from '../../../protocol/src/encoding/json.ts'
import { readEd25519Jwk } from '../../../protocol/src/token/jwk.ts'
import { TokenError, verifySignedToken } from '../../../protocol/src/token/jws.ts'

interface Line {
  readonly token?: string
  readonly json_hex?: string
  readonly jwk?: unknown
}

const ISSUER = 'https://authority.test'

function tokenVerdict(token: string, jwk: unknown): string {
  const key = { kid: 'k1', alg: 'EdDSA', jwk: readEd25519Jwk(jwk) } as const
  try {
    verifySignedToken(token, {
      now_s: 1_900_000_000,
      issuer: ISSUER,
      audience: ISSUER,
      typ: 'vat+jwt',
      key: (kid) => (kid === key.kid ? key : undefined),
    })
    return 'ok'
  } catch (error) {
    if (error instanceof TokenError) return error.code
    throw error
  }
}

function jsonVerdict(json_hex: string): string {
  try {
    readJson(Buffer.from(json_hex, 'hex'))
    return 'ok'
  } catch (error) {
    if (error instanceof JsonError) return error.reason
    throw error
  }
}

for await (const text of createInterface({ input: process.stdin })) {
  const { token, json_hex = '', jwk }: Line = JSON.parse(text)
  console.log(token === undefined ? jsonVerdict(json_hex) : tokenVerdict(token, jwk))
}
