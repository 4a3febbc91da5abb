import type { DatabaseSync } from 'node:sqlite'
import type { Chain, Link, Marks, Token } from '../../../domain/tokens/token.ts'
import type { KeyedToken } from '../../rows/row-keys.ts'
import { agentMarksOf, humanMarksOf, type InnerLimitsOpener, keyedToken, stateOf } from '../../rows/tokens.ts'
import type { Row } from '../../values.ts'
import type { TokenStates } from '../write/token-states.ts'
import { selection } from './selection.ts'

const REMEMBERED_TOKENS = 20_000

/** Reads tokens. They never change and are cached; their states are cached until `forgetStates`. */
export interface TokenReader {
  chain(jti: string): Chain | undefined
  find(jti: string): KeyedToken | undefined
  byKey(token_key: number): Token
  agentMarks(agent_id: string): Marks
  humanMarks(human_ref: string): Marks
  /** Like `humanMarks`, but undefined for a person who isn't stored. */
  storedHumanMarks(human_ref: string): Marks | undefined
  /** Drops the cached states. */
  forgetStates(): void
  /** Limits the size of the cache. Call it between batches, when no link is in use. */
  trim(): void
  /** Drops the whole cache. Call it after a transaction was rolled back. */
  forget(): void
}

/** Without an opener, the inner limits of tokens stay sealed. `states` supplies states that the table lacks. */
export function tokenReader(
  db: DatabaseSync,
  open?: InnerLimitsOpener,
  states?: Pick<TokenStates, 'waiting'>,
): TokenReader {
  const rowByJti = db.prepare('SELECT * FROM tokens WHERE jti = ?')
  const rowByKey = db.prepare('SELECT * FROM tokens WHERE token_key = ?')
  const stateByKey = db.prepare(`SELECT ${selection('token_states')} FROM token_states WHERE token_key = ?`)
  const tokensByJti = new Map<string, KeyedToken>()
  const tokensByKey = new Map<number, KeyedToken>()
  const links = new Map<number, Link>()
  const agents = marksReader(
    db,
    agentMarksOf,
    'SELECT suspended_at_ms, suspended_rank, revoked_below, asks_until_ms FROM agents WHERE agent_id = ?',
  )
  const humans = marksReader(
    db,
    humanMarksOf,
    'SELECT refused_at_ms, revoked_below FROM humans WHERE human_ref = ?',
  )

  function remember(row: Row | undefined): KeyedToken | undefined {
    if (row === undefined) return undefined
    if (tokensByJti.size >= REMEMBERED_TOKENS) forgetTokens()
    const keyed = keyedToken(row, open)
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
      state: stateOf(states?.waiting(token_key) ?? stateByKey.get(token_key)),
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
    storedHumanMarks: humans.stored,
    forgetStates,
    trim() {
      if (Math.max(links.size, agents.size(), humans.size()) >= REMEMBERED_TOKENS) forgetStates()
    },
    forget() {
      forgetTokens()
      forgetStates()
    },
  }
}

/** Reads marks by their owner's id. Returns the same object each time until marks are dropped. */
function marksReader(db: DatabaseSync, read: (row: Row | undefined) => Marks, sql: string) {
  const find = db.prepare(sql)
  const known = new Map<string, Marks>()
  /** Owners with a row. A row stays, unless the transaction that added it is rolled back. */
  const stored = new Set<string>()

  function of(id: string): Marks {
    let marks = known.get(id)
    if (marks === undefined) {
      const row = find.get(id)
      if (row !== undefined) stored.add(id)
      marks = read(row)
      known.set(id, marks)
    }
    return marks
  }

  return {
    of,
    stored(id: string): Marks | undefined {
      if (stored.has(id)) return of(id)
      if (find.get(id) === undefined) return undefined
      stored.add(id)
      return of(id)
    },
    size: () => known.size,
    forget() {
      known.clear()
      stored.clear()
    },
  }
}
