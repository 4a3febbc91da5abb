import { decodeBase64url } from '../../../protocol/src/encoding/base64url.ts'
import { readJson } from '../../../protocol/src/encoding/json.ts'
import type { KeySource } from './key-set.ts'
import { checkSignature } from './portable/crypto.ts'

/** The service did not state this: it is not signed by it, or not what was asked for. */
export class StatementRefused extends Error {
  constructor(detail: string) {
    super(detail)
    this.name = 'StatementRefused'
  }
}

export interface ExpectedStatement {
  readonly typ: string
  readonly issuer: string
  readonly keys: KeySource
}

/** What the service states about itself: a JWS like a token, but of another type, and of any length. */
export async function readStatement(
  jwt: string,
  { typ, issuer, keys }: ExpectedStatement,
): Promise<Record<string, unknown>> {
  const [head = '', body = '', tail = '', ...rest] = jwt.split('.')
  const header = objectIn(head)
  if (rest.length > 0 || header.typ !== typ || header.alg !== 'EdDSA')
    throw new StatementRefused(`The service answered something that is not ${typ}.`)
  const key = typeof header.kid === 'string' ? await keys.find(header.kid) : undefined
  const message = new TextEncoder().encode(`${head}.${body}`)
  if (key === undefined || !(await checkSignature(key.jwk, message, bytesIn(tail))))
    throw new StatementRefused('The statement is not signed by a key of the service.')
  const payload = objectIn(body)
  if (payload.iss !== issuer) throw new StatementRefused('The statement is of another issuer.')
  return payload
}

function objectIn(segment: string): Record<string, unknown> {
  const value = readJson(bytesIn(segment))
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new StatementRefused('The statement is not made of objects.')
  return value as Record<string, unknown> // an object, members still unknown
}

function bytesIn(segment: string): Uint8Array {
  try {
    return decodeBase64url(segment)
  } catch {
    throw new StatementRefused('The statement is not base64url.')
  }
}
