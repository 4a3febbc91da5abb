import { encodeBase64url } from '../encoding/base64url.ts'
import type { JwsHeader } from './jws.ts'

/**
 * A signed statement of the service in compact form. Unlike a token it can be large, and its `typ` keeps it from being
 * accepted as a token.
 */
export async function signStatement(
  { alg, typ, kid }: JwsHeader,
  payload: object,
  sign: (input: Uint8Array) => Promise<Uint8Array> | Uint8Array,
): Promise<string> {
  const input = `${encoded({ alg, typ, kid })}.${encoded(payload)}`
  return `${input}.${encodeBase64url(await sign(Buffer.from(input, 'latin1')))}`
}

function encoded(value: object): string {
  return encodeBase64url(Buffer.from(JSON.stringify(value)))
}
