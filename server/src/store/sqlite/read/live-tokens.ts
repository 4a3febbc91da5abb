import type { DatabaseSync } from 'node:sqlite'
import { afterAll, topmost } from '../../paths.ts'
import { countOfLiveTokens } from '../../revoked-chains.ts'
import { bytes, integer } from '../../values.ts'
import type { TokenReader } from './tokens.ts'

/** Counts live tokens. */
export interface LiveTokens {
  /** Counts the tokens at and below a token, except those at or below a revoked one. Reads only indexes. */
  below(jti: string, now_ms: number): number
  /** Counts the tokens of an agent or a person, except those at or below a revoked one. */
  of(owner: { agent_id: string } | { human_ref: string }, now_ms: number): number
}

export function liveTokens(db: DatabaseSync, tokens: TokenReader): LiveTokens {
  const inRange = db.prepare(
    'SELECT count(*) AS live FROM tokens WHERE path >= ? AND path < ? AND expires_at_ms > ?',
  )
  const revokedIn = db.prepare(`
    SELECT t.path FROM token_states s JOIN tokens t ON t.token_key = s.token_key
    WHERE s.revoked_at_ms IS NOT NULL AND t.path >= ? AND t.path < ? ORDER BY t.path`)
  const ofAgent = db.prepare(
    countOfLiveTokens('link.agent_key = (SELECT agent_key FROM agents WHERE agent_id = ?)', '?'),
  )
  const ofHuman = db.prepare(
    countOfLiveTokens('link.human_key = (SELECT human_key FROM humans WHERE human_ref = ?)', '?'),
  )

  function count(path: Uint8Array, now_ms: number): number {
    return integer(inRange.get(path, afterAll(path), now_ms)?.live)
  }

  return {
    below(jti, now_ms) {
      const found = tokens.find(jti)
      if (found === undefined) return 0
      const { path } = found
      const gone = topmost(revokedIn.all(path, afterAll(path)).map((row) => bytes(row.path)))
      return count(path, now_ms) - gone.reduce((sum, one) => sum + count(one, now_ms), 0)
    },
    of(owner, now_ms) {
      const row =
        'agent_id' in owner ? ofAgent.get(owner.agent_id, now_ms) : ofHuman.get(owner.human_ref, now_ms)
      return integer(row?.live)
    },
  }
}
