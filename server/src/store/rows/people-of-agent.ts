import { MAX_LIFETIME_MS } from '../../domain/times/time.ts'
import type { Page, PageRequest } from '../port/pages.ts'
import { integer, type Row, text } from '../values.ts'
import { pageOf } from './page.ts'

/**
 * The newest tokens of an agent below a key, with their people. The same in both dialects. The inner query takes them
 * from an index before anything is joined.
 */
const TOKENS_WITH_PEOPLE = `
  SELECT t.token_key, t.issued_at_ms, h.human_ref,
    CASE WHEN t.expires_at_ms > ? AND t.log_index >= a.revoked_below AND t.log_index >= h.revoked_below AND
      (SELECT revoked_at_ms FROM token_states s WHERE s.token_key = t.token_key) IS NULL THEN 1 ELSE 0 END AS is_live
  FROM (
    SELECT token_key, agent_key, human_key, issued_at_ms, expires_at_ms, log_index FROM tokens
    WHERE agent_key = (SELECT agent_key FROM agents WHERE agent_id = ?) AND token_key < ?
    ORDER BY token_key DESC LIMIT ?
  ) t JOIN agents a ON a.agent_key = t.agent_key JOIN humans h ON h.human_key = t.human_key
  ORDER BY t.token_key DESC`

/** Returns the query for a page of `peopleOfAgent`. Looks at as many tokens as the page may have entries. */
export function peopleOfAgentQuery(agent_id: string, now_ms: number, { limit, before }: PageRequest) {
  const values = [now_ms, agent_id, before ?? Number.MAX_SAFE_INTEGER, limit + 1] as const
  return { sql: TOKENS_WITH_PEOPLE, values }
}

/** Reads the rows of the query. Nothing follows tokens that are older than any token can become. */
export function peopleOfAgentPage(rows: readonly Row[], limit: number, now_ms: number): Page<string> {
  const { entries, before } = pageOf(rows, limit, (row) => row, 'token_key')
  const live = entries.filter(({ is_live }) => integer(is_live) === 1)
  const oldest = entries.at(-1)
  const isOver = oldest !== undefined && integer(oldest.issued_at_ms) < now_ms - MAX_LIFETIME_MS
  return {
    entries: [...new Set(live.map(({ human_ref }) => text(human_ref)))],
    before: isOver ? undefined : before,
  }
}
