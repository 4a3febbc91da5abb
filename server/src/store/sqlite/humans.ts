import type { DatabaseSync } from 'node:sqlite'
import { type HumanFacts, MOST_COUNTED } from '../port.ts'
import { humanOf } from '../rows/humans.ts'
import { integer } from '../values.ts'

/** Reads people, with counts over their newest tokens. */
export function humanReader(db: DatabaseSync) {
  const byRef = db.prepare('SELECT * FROM humans WHERE human_ref = ?')
  const firstToken = db.prepare(
    'SELECT issued_at_ms FROM tokens WHERE human_key = ? ORDER BY token_key LIMIT 1',
  )
  const counts = db.prepare(`
    SELECT count(*) AS tokens, count(DISTINCT workflow_key) AS workflows, sum(is_live) AS live_tokens,
      group_concat(DISTINCT level) AS levels
    FROM (
      SELECT t.workflow_key, t.level, t.log_index >= ? AND t.expires_at_ms > ? AND s.revoked_at_ms IS NULL AS is_live
      FROM tokens t LEFT JOIN token_states s ON s.token_key = t.token_key
      WHERE t.human_key = ? ORDER BY t.token_key DESC LIMIT ${MOST_COUNTED}
    )`)

  return (human_ref: string, now_ms: number): HumanFacts | undefined => {
    const human = byRef.get(human_ref)
    if (human === undefined) return undefined
    const human_key = integer(human.human_key)
    const first_seen_ms = firstToken.get(human_key)?.issued_at_ms
    return humanOf({
      ...human,
      ...counts.get(integer(human.revoked_below), now_ms, human_key),
      first_seen_ms,
    })
  }
}
