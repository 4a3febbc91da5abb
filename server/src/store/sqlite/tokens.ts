import type { DatabaseSync } from 'node:sqlite'
import type { Claims } from '@deputy/protocol'
import {
  type Chain,
  freshState,
  type Link,
  type Marks,
  noMarks,
  type Token,
  type TokenState,
  tokenOf,
} from '../../domain/token.ts'
import { bytes, integer, optionalInteger, type Row, text } from '../values.ts'

const REMEMBERED_TOKENS = 20_000

/** Reads tokens and remembers them, for they never change. Their states it remembers until it is told to forget. */
export interface TokenReader {
  chain(jti: string): Chain | undefined
  find(jti: string): KeyedToken | undefined
  byKey(token_key: number): Token
  agentMarks(agent_id: string): Marks
  humanMarks(human_ref: string): Marks
  /** Forgets the states that were read, so that they are read anew. */
  forgetStates(): void
  /** Keeps memory bounded; call between batches, when nobody holds a link. */
  trim(): void
  /** Forgets everything, after a transaction that came to nothing. */
  forget(): void
}

/** A token with the key it has inside the store, and that of the token above it. */
export interface KeyedToken {
  readonly token: Token
  readonly token_key: number
  readonly above_key: number | undefined
  readonly path: Uint8Array
}

export function tokenReader(db: DatabaseSync): TokenReader {
  const rowByJti = db.prepare('SELECT * FROM tokens WHERE jti = ?')
  const rowByKey = db.prepare('SELECT * FROM tokens WHERE token_key = ?')
  const stateByKey = db.prepare('SELECT * FROM token_states WHERE token_key = ?')
  const tokensByJti = new Map<string, KeyedToken>()
  const tokensByKey = new Map<number, KeyedToken>()
  const links = new Map<number, Link>()
  const agents = marksReader(db, 'SELECT suspended_at_ms, revoked_below FROM agents WHERE agent_id = ?')
  const humans = marksReader(
    db,
    'SELECT NULL AS suspended_at_ms, revoked_below FROM humans WHERE human_ref = ?',
  )

  function remember(row: Row | undefined): KeyedToken | undefined {
    if (row === undefined) return undefined
    if (tokensByJti.size >= REMEMBERED_TOKENS) forgetTokens()
    const keyed = keyedToken(row)
    tokensByJti.set(keyed.token.jti, keyed)
    tokensByKey.set(keyed.token_key, keyed)
    return keyed
  }

  function forgetTokens(): void {
    tokensByJti.clear()
    tokensByKey.clear()
  }

  function forgetStates(): void {
    links.clear()
    agents.forget()
    humans.forget()
  }

  function byKey(token_key: number): KeyedToken {
    const keyed = tokensByKey.get(token_key) ?? remember(rowByKey.get(token_key))
    if (keyed === undefined) throw new Error(`token ${token_key} is missing`)
    return keyed
  }

  function linkOf({ token, token_key }: KeyedToken): Link {
    const known = links.get(token_key)
    if (known !== undefined) return known
    const link = {
      token,
      state: stateOf(stateByKey.get(token_key)),
      agent: agents.of(token.agent_id),
      human: humans.of(token.human_ref),
    }
    links.set(token_key, link)
    return link
  }

  function above({ above_key }: KeyedToken): Link[] {
    if (above_key === undefined) return []
    const keyed = byKey(above_key)
    return [linkOf(keyed), ...above(keyed)]
  }

  const find = (jti: string) => tokensByJti.get(jti) ?? remember(rowByJti.get(jti))

  return {
    chain(jti) {
      const keyed = find(jti)
      return keyed === undefined ? undefined : [linkOf(keyed), ...above(keyed)]
    },
    find,
    byKey: (token_key) => byKey(token_key).token,
    agentMarks: agents.of,
    humanMarks: humans.of,
    forgetStates,
    trim() {
      if (links.size >= REMEMBERED_TOKENS) forgetStates()
    },
    forget() {
      forgetTokens()
      forgetStates()
    },
  }
}

/** Marks by the id of their owner, the same object each time until they are forgotten. */
function marksReader(db: DatabaseSync, sql: string) {
  const find = db.prepare(sql)
  const known = new Map<string, Marks>()
  return {
    of(id: string): Marks {
      let marks = known.get(id)
      if (marks === undefined) {
        marks = marksOf(find.get(id))
        known.set(id, marks)
      }
      return marks
    },
    forget: () => known.clear(),
  }
}

function marksOf(row: Row | undefined): Marks {
  if (row === undefined) return noMarks()
  return { suspended_at_ms: optionalInteger(row.suspended_at_ms), revoked_below: integer(row.revoked_below) }
}

function keyedToken(row: Row): KeyedToken {
  // The claims were checked and signed before they were written, and rows of tokens never change.
  const claims = JSON.parse(text(row.claims)) as Claims
  return {
    token: tokenOf(claims, {
      jwt_hash: text(row.jwt_hash),
      issued_at_ms: integer(row.issued_at_ms),
      log_index: integer(row.log_index),
    }),
    token_key: integer(row.token_key),
    above_key: optionalInteger(row.parent_key),
    path: bytes(row.path),
  }
}

function stateOf(row: Row | undefined): TokenState {
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
