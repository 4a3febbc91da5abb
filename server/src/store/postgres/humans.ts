import { type HumanFacts, MOST_COUNTED } from '../port.ts'
import { humanOf } from '../rows/humans.ts'
import type { Database } from './connect.ts'
import { rowsOf } from './reading.ts'

/** Reads a person, with counts over their newest tokens. */
export async function humanByRef(
  database: Database,
  human_ref: string,
  now_ms: number,
): Promise<HumanFacts | undefined> {
  const [row] = await rowsOf(
    database,
    `SELECT h.human_ref, h.erased_at_ms, h.refused_at_ms, counts.*,
      (SELECT issued_at_ms FROM tokens t WHERE t.human_key = h.human_key ORDER BY token_key LIMIT 1) AS first_seen_ms
    FROM humans h CROSS JOIN LATERAL (
      SELECT count(*) AS tokens, count(DISTINCT workflow_key) AS workflows,
        count(*) FILTER (WHERE is_live) AS live_tokens, string_agg(DISTINCT level::text, ',') AS levels
      FROM (
        SELECT t.workflow_key, t.level,
          t.log_index >= h.revoked_below AND t.expires_at_ms > ? AND
            (SELECT revoked_at_ms FROM token_states s WHERE s.token_key = t.token_key) IS NULL AS is_live
        FROM tokens t WHERE t.human_key = h.human_key ORDER BY t.token_key DESC LIMIT ${MOST_COUNTED}
      ) AS newest
    ) AS counts
    WHERE h.human_ref = ?`,
    now_ms,
    human_ref,
  )
  return row && humanOf(row)
}
