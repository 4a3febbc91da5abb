import { decodeCompact, TokenError } from '../../../../protocol/src/token/jws.ts'

/** A token: the response of an issue or delegate call, its compact JWT or, in open mode, its ID alone. */
export type TokenLike = string | { readonly jti: string; readonly compact_jwt?: string | undefined }

/** What can be read from a token without verifying it. */
export interface ReadToken {
  readonly jti: string
  readonly compact_jwt: string | undefined
  /** Undefined if only the ID of the token is known. */
  readonly workflow: string | undefined
  /** Undefined if only the ID of the token is known. */
  readonly agent_id: string | undefined
}

/** Throws a TypeError if `token` is not a token. */
export function readTokenLike(token: TokenLike): ReadToken {
  checkToken(token)
  const compact_jwt = compactOf(token)
  if (compact_jwt === undefined) {
    const jti = typeof token === 'string' ? token : token.jti
    return { jti, compact_jwt, workflow: undefined, agent_id: undefined }
  }
  const { jti, sub, svc_provenance_ref } = payloadOf(compact_jwt)
  if (typeof jti !== 'string') throw new TypeError('The token has no ID: its claim jti is missing.')
  return {
    jti,
    compact_jwt,
    workflow: typeof svc_provenance_ref === 'string' ? svc_provenance_ref : undefined,
    agent_id: typeof sub === 'string' ? sub : undefined,
  }
}

function payloadOf(compact_jwt: string): Readonly<Record<string, unknown>> {
  try {
    return decodeCompact(compact_jwt).payload
  } catch (error) {
    if (!(error instanceof TokenError)) throw error
    throw new TypeError(`The compact JWT is malformed. ${error.message}`, { cause: error })
  }
}

function checkToken(token: unknown): void {
  if (token instanceof Promise)
    throw new TypeError('The token is a promise. Await the call that issues it first.')
  const id = typeof token === 'object' && token !== null && 'jti' in token ? token.jti : token
  if (typeof id !== 'string' || id === '')
    throw new TypeError('The token must be the response of an issue call, its compact JWT, or its ID.')
}

function compactOf(token: TokenLike): string | undefined {
  if (typeof token !== 'string') return token.compact_jwt
  return token.includes('.') ? token : undefined
}
