import type { Chain, Link, Token } from '../../../domain/tokens/token.ts'
import type { KeyedToken } from '../../rows/row-keys.ts'
import { keyedToken, stateOf } from '../../rows/tokens.ts'
import { integer, type Row } from '../../values.ts'
import type { Database } from '../connect.ts'
import {
  AGENT_MARK_FIELDS,
  HUMAN_MARK_FIELDS,
  joinedAgentMarks,
  joinedHumanMarks,
  STATE_FIELDS,
} from './marks.ts'
import { keyedRead, rowsOf } from './reading.ts'

/** Selects every token of some chains once, with its state and the marks on its agent and its person. */
const LINKS = (which: string) => `
  SELECT t.token_key, t.parent_key, t.path, t.claims, t.jwt_hash, t.issued_at_ms, t.log_index,
    s.token_key AS state_key, ${STATE_FIELDS}, ${AGENT_MARK_FIELDS}, ${HUMAN_MARK_FIELDS}
  FROM (SELECT DISTINCT unnest(ancestors) AS token_key FROM tokens WHERE ${which}) AS up
    JOIN tokens t ON t.token_key = up.token_key
    LEFT JOIN token_states s ON s.token_key = t.token_key
    JOIN agents a ON a.agent_key = t.agent_key
    JOIN humans h ON h.human_key = t.human_key`

const LINKS_OF_TOKEN = keyedRead('chain', LINKS('jti = ?'))

export async function chainOf(database: Database, jti: string): Promise<Chain | undefined> {
  const links = linksOf(await LINKS_OF_TOKEN(database, jti))
  return chainFrom(links, keysIn(links).get(jti))
}

/** Returns the chains of tokens in one snapshot, in the order of the given ids. Unknown ids are left out. */
export async function chainsOf(database: Database, jtis: readonly string[]): Promise<Chain[]> {
  const links = linksOf(await rowsOf(database, LINKS('jti = ANY(?)'), jtis))
  const keys = keysIn(links)
  return jtis.map((jti) => chainFrom(links, keys.get(jti))).filter((chain) => chain !== undefined)
}

/** Like `chainsOf`, but by token keys. */
export async function chainsByKey(database: Database, token_keys: readonly number[]): Promise<Chain[]> {
  if (token_keys.length === 0) return []
  const links = linksOf(await rowsOf(database, LINKS('token_key = ANY(?)'), token_keys))
  return token_keys.map((key) => chainFrom(links, key)).filter((chain) => chain !== undefined)
}

interface KeyedLink {
  readonly link: Link
  readonly above_key: number | undefined
}

function linksOf(rows: readonly Row[]): Map<number, KeyedLink> {
  return new Map(rows.map((row) => [integer(row.token_key), linkOf(row)]))
}

function keysIn(links: ReadonlyMap<number, KeyedLink>): Map<string, number> {
  return new Map([...links].map(([token_key, { link }]) => [link.token.jti, token_key]))
}

function linkOf(row: Row): KeyedLink {
  const { token, above_key } = keyedToken(row)
  const link = {
    token,
    state: stateOf(row.state_key === null ? undefined : row),
    agent: joinedAgentMarks(row),
    human: joinedHumanMarks(row),
  }
  return { link, above_key }
}

function chainFrom(links: ReadonlyMap<number, KeyedLink>, token_key: number | undefined): Chain | undefined {
  const first = token_key === undefined ? undefined : links.get(token_key)
  if (first === undefined) return undefined
  return [first.link, ...(chainFrom(links, first.above_key) ?? [])]
}

const TOKEN = keyedRead(
  'token',
  'SELECT token_key, parent_key, path, claims, jwt_hash, issued_at_ms, log_index FROM tokens WHERE jti = ?',
)

/** Reads a token without its state. */
export async function tokenByJti(database: Database, jti: string): Promise<KeyedToken | undefined> {
  const [row] = await TOKEN(database, jti)
  return row && keyedToken(row)
}

const REMEMBERED_TOKENS = 20_000

/** Reads tokens without their states. They never change, so they are cached. */
export function tokenReader(database: Database): (jti: string) => Promise<Token | undefined> {
  const known = new Map<string, Token>()
  return async (jti) => {
    const cached = known.get(jti)
    if (cached !== undefined) return cached
    const found = await tokenByJti(database, jti)
    if (found === undefined) return undefined
    if (known.size >= REMEMBERED_TOKENS) known.clear()
    known.set(jti, found.token)
    return found.token
  }
}
