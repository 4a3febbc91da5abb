import { decodeBase64url } from '../../../../protocol/src/encoding/base64url.ts'
import { readJson } from '../../../../protocol/src/encoding/json.ts'
import { isSameIssuer } from '../../../../protocol/src/token/issuer.ts'
import { signsFor } from '../../../../protocol/src/token/key-purpose.ts'
import { checkSignature } from '../portable/crypto.ts'
import type { KeySource } from './key-set.ts'

/** A signed statement was rejected: the signature, the type or the issuer is wrong. */
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

/** Reads a JWS that the service signs about itself, such as a status list. It can be of any length. */
export async function readStatement(
  jwt: string,
  { typ, issuer, keys }: ExpectedStatement,
): Promise<Record<string, unknown>> {
  const [head = '', body = '', tail = '', ...rest] = jwt.split('.')
  const header = segmentObject(head)
  if (rest.length > 0 || header.typ !== typ || header.alg !== 'EdDSA')
    throw new StatementRefused(`The service did not return a JWS of type ${typ}.`)
  const found = typeof header.kid === 'string' ? await keys.find(header.kid) : undefined
  // A stolen token key must not sign a list that hides its withdrawal.
  const key = signsFor(found?.purpose, typ) ? found : undefined
  const message = new TextEncoder().encode(`${head}.${body}`)
  if (key === undefined || !(await checkSignature(key.jwk, message, segmentBytes(tail))))
    throw new StatementRefused("The statement is not signed with the service's key for it.")
  const payload = segmentObject(body)
  if (typeof payload.iss !== 'string' || !isSameIssuer(payload.iss, issuer))
    throw new StatementRefused('The statement comes from another issuer.')
  return payload
}

function segmentObject(segment: string): Record<string, unknown> {
  const value = readJson(segmentBytes(segment))
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new StatementRefused('A segment of the statement is not a JSON object.')
  return value as Record<string, unknown> // an object, members still unknown
}

function segmentBytes(segment: string): Uint8Array {
  try {
    return decodeBase64url(segment)
  } catch {
    throw new StatementRefused('A segment of the statement is not base64url.')
  }
}
