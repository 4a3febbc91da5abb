import type { Claims } from '@deputize/protocol'
import { freshState, type Marks, noMarks, type Token, type TokenState, tokenOf } from '../../domain/token.ts'
import { bytes, integer, optionalInteger, type Row, text } from '../values.ts'

/** A token with the key it has inside the store, and that of the token above it. */
export interface KeyedToken {
  readonly token: Token
  readonly token_key: number
  readonly above_key: number | undefined
  readonly path: Uint8Array
}

/** A row of `tokens`. */
export function keyedToken(row: Row): KeyedToken {
  return {
    token: storedToken(row),
    token_key: integer(row.token_key),
    above_key: optionalInteger(row.parent_key),
    path: bytes(row.path),
  }
}

/** What is fixed for ever about a token, from four columns. */
export function storedToken({ claims, jwt_hash, issued_at_ms, log_index }: Row): Token {
  // The claims were checked and signed before they were written, and rows of tokens never change.
  return tokenOf(JSON.parse(text(claims)) as Claims, {
    jwt_hash: text(jwt_hash),
    issued_at_ms: integer(issued_at_ms),
    log_index: integer(log_index),
  })
}

/** A row of `token_states`, or none. */
export function stateOf(row: Row | undefined): TokenState {
  if (row === undefined) return freshState()
  return {
    revoked_at_ms: optionalInteger(row.revoked_at_ms),
    suspended_at_ms: optionalInteger(row.suspended_at_ms),
    spent_micro_usd: integer(row.spent_micro_usd),
    reserved_micro_usd: integer(row.reserved_micro_usd),
    actions: integer(row.actions),
    minute: integer(row.minute),
    minute_actions: integer(row.minute_actions),
  }
}

/** The marks in a row of `agents` or `humans`, or none. */
export function marksOf(row: Row | undefined): Marks {
  if (row === undefined) return noMarks()
  return { suspended_at_ms: optionalInteger(row.suspended_at_ms), revoked_below: integer(row.revoked_below) }
}

/** What an entry takes over from the token it was made with. */
export function madeWith({
  jti,
  root_jti,
  provenance_ref,
  agent_id,
  human_ref,
  assurance_level,
  delegation_depth,
}: Token) {
  return { vat_jti: jti, root_jti, provenance_ref, agent_id, human_ref, assurance_level, delegation_depth }
}
