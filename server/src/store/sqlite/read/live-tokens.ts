import type { DatabaseSync } from 'node:sqlite'
import { afterAll, topmost } from '../../paths.ts'
import { bytes, integer } from '../../values.ts'
import type { TokenReader } from './tokens.ts'

/** Counts live tokens from an index alone. */
export interface LiveTokens {
  /** Counts the tokens at and below a token, except those at or below a revoked one. */
  below(jti: string, now_ms: number): number
  of(owner: { agent_id: string } | { human_ref: string }, now_ms: number): number
}

export function liveTokens(db: DatabaseSync, tokens: TokenReader): LiveTokens {
  const inRange = db.prepare(
    'SELECT count(*) AS live FROM tokens WHERE path >= ? AND path < ? AND expires_at_ms > ?',
  )
  const revokedIn = db.prepare(`
    SELECT t.path FROM token_states s JOIN tokens t ON t.token_key = s.token_key
    WHERE s.revoked_at_ms IS NOT NULL AND t.path >= ? AND t.path < ? ORDER BY t.path`)
  const ofAgent = db.prepare(`
    SELECT count(*) AS live FROM tokens t JOIN agents a ON a.agent_key = t.agent_key
      LEFT JOIN token_states s ON s.token_key = t.token_key
    WHERE a.agent_id = ? AND t.log_index >= a.revoked_below AND t.expires_at_ms > ? AND s.revoked_at_ms IS NULL`)
  const ofHuman = db.prepare(`
    SELECT count(*) AS live FROM tokens t JOIN humans h ON h.human_key = t.human_key
      LEFT JOIN token_states s ON s.token_key = t.token_key
    WHERE h.human_ref = ? AND t.log_index >= h.revoked_below AND t.expires_at_ms > ? AND s.revoked_at_ms IS NULL`)

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
