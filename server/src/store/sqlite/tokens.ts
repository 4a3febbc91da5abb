import type { DatabaseSync } from 'node:sqlite'
import type { Claims } from '@deputy/protocol'
import {
  type Chain,
  freshState,
  type Link,
  limitsOf,
  type Token,
  type TokenState,
} from '../../domain/token.ts'
import { integer, optionalInteger, optionalText, type Row, text } from './values.ts'

const REMEMBERED_TOKENS = 20_000

/** Reads tokens and remembers them, for they never change. Their states it remembers until it is told to forget. */
export interface TokenReader {
  chain(jti: string): Chain | undefined
  keyOf(jti: string): number | undefined
  byKey(token_key: number): Token
  /** Forgets the states that were read, so that they are read anew. */
  forgetStates(): void
  /** Keeps memory bounded; call between batches, when nobody holds a link. */
  trim(): void
  /** Forgets everything, after a transaction that came to nothing. */
  forget(): void
}

/** A token with the key it has inside the store, and that of its parent. */
interface KeyedToken {
  readonly token: Token
  readonly token_key: number
  readonly parent_key: number | undefined
}

export function tokenReader(db: DatabaseSync): TokenReader {
  const rowByJti = db.prepare('SELECT * FROM tokens WHERE jti = ?')
  const rowByKey = db.prepare('SELECT * FROM tokens WHERE token_key = ?')
  const stateByKey = db.prepare('SELECT * FROM token_states WHERE token_key = ?')
  const tokensByJti = new Map<string, KeyedToken>()
  const tokensByKey = new Map<number, KeyedToken>()
  const links = new Map<number, Link>()

  function remember(row: Row | undefined): KeyedToken | undefined {
    if (row === undefined) return undefined
    if (tokensByJti.size >= REMEMBERED_TOKENS) forgetTokens()
    const keyed = {
      token: tokenOf(row),
      token_key: integer(row.token_key),
      parent_key: optionalInteger(row.parent_key),
    }
    tokensByJti.set(keyed.token.jti, keyed)
    tokensByKey.set(keyed.token_key, keyed)
    return keyed
  }

  function forgetTokens(): void {
    tokensByJti.clear()
    tokensByKey.clear()
  }

  function byKey(token_key: number): KeyedToken {
    const keyed = tokensByKey.get(token_key) ?? remember(rowByKey.get(token_key))
    if (keyed === undefined) throw new Error(`token ${token_key} is missing`)
    return keyed
  }

  function linkOf({ token, token_key }: KeyedToken): Link {
    let link = links.get(token_key)
    if (link === undefined) {
      link = { token, state: stateOf(stateByKey.get(token_key)) }
      links.set(token_key, link)
    }
    return link
  }

  function ancestorsOf({ parent_key }: KeyedToken): Link[] {
    if (parent_key === undefined) return []
    const parent = byKey(parent_key)
    return [linkOf(parent), ...ancestorsOf(parent)]
  }

  const byJti = (jti: string) => tokensByJti.get(jti) ?? remember(rowByJti.get(jti))

  return {
    chain(jti) {
      const keyed = byJti(jti)
      return keyed === undefined ? undefined : [linkOf(keyed), ...ancestorsOf(keyed)]
    },
    keyOf: (jti) => byJti(jti)?.token_key,
    byKey: (token_key) => byKey(token_key).token,
    forgetStates() {
      links.clear()
    },
    trim() {
      if (links.size >= REMEMBERED_TOKENS) links.clear()
    },
    forget() {
      forgetTokens()
      links.clear()
    },
  }
}

function tokenOf(row: Row): Token {
  // The claims were checked and signed before they were written, and rows of tokens never change.
  const claims = JSON.parse(text(row.claims)) as Claims
  return {
    jti: claims.jti,
    root_jti: claims.svc_root_jti,
    provenance_ref: claims.svc_provenance_ref,
    agent_id: claims.sub.slice('agent:'.length),
    human_ref: claims.svc_human_ref,
    assurance_level: claims.svc_assurance_level,
    delegation_depth: claims.svc_delegation_depth,
    scope: claims.svc_scope,
    limits: limitsOf(claims),
    claims,
    purpose: optionalText(row.purpose),
    issued_at_ms: integer(row.issued_at_ms),
    log_index: integer(row.log_index),
  }
}

function stateOf(row: Row | undefined): TokenState {
  if (row === undefined) return freshState()
  return {
    revoked_at_ms: optionalInteger(row.revoked_at_ms),
    revoke_reason: optionalText(row.revoke_reason),
    spent_micro_usd: integer(row.spent_micro_usd),
    reserved_micro_usd: integer(row.reserved_micro_usd),
    actions: integer(row.actions),
  }
}
