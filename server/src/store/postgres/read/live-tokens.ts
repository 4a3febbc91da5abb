import { afterAll, topmost } from '../../paths.ts'
import type { Facts } from '../../port/write-store.ts'
import { countOfLiveTokens } from '../../revoked-chains.ts'
import { bytes, integer } from '../../values.ts'
import type { Database } from '../connect.ts'

export type TokenOwner = Parameters<Facts['countLiveOf']>[0]

const BELOW = 'SELECT count(*) AS live FROM tokens WHERE path >= $1 AND path < $2 AND expires_at_ms > $3'
const REVOKED_BELOW = `
  SELECT t.path FROM token_states s JOIN tokens t ON t.token_key = s.token_key
  WHERE s.revoked_at_ms IS NOT NULL AND t.path >= $1 AND t.path < $2 ORDER BY t.path`
const OF_AGENT = countOfLiveTokens(
  'link.agent_key = (SELECT agent_key FROM agents WHERE agent_id = $1)',
  '$2',
)
const OF_HUMAN = countOfLiveTokens(
  'link.human_key = (SELECT human_key FROM humans WHERE human_ref = $1)',
  '$2',
)

/** Counts the live tokens at and below a path, except those at or below a token that was revoked. */
export async function countLiveBelow(database: Database, path: Uint8Array, now_ms: number): Promise<number> {
  const count = async (from: Uint8Array) =>
    integer((await database.query(BELOW, [from, afterAll(from), now_ms])).rows[0]?.live)
  const { rows } = await database.query(REVOKED_BELOW, [path, afterAll(path)])
  let live = await count(path)
  for (const revoked of topmost(rows.map((row) => bytes(row.path)))) live -= await count(revoked)
  return live
}

/** Counts the live tokens of an agent or a person, except those at or below a revoked one. */
export async function countLiveOf(database: Database, owner: TokenOwner, now_ms: number): Promise<number> {
  const [sql, id] = 'agent_id' in owner ? [OF_AGENT, owner.agent_id] : [OF_HUMAN, owner.human_ref]
  return integer((await database.query(sql, [id, now_ms])).rows[0]?.live)
}
