import type { DatabaseSync } from 'node:sqlite'
import type { TenantFilter } from '../../port/filters.ts'
import type { Page, PageRequest } from '../../port/pages.ts'
import { type HumanFacts, MOST_COUNTED, MOST_LISTED_TOKENS, type PersonFacts } from '../../port.ts'
import { countOfOpenApprovals } from '../../revoked-chains.ts'
import { FIRST_AGENT, humanOf, isTheirs, listedPersonOf, tenantOfRow } from '../../rows/humans.ts'
import { fittingPage, placedPage } from '../../rows/page.ts'
import { tenantCondition } from '../../searches.ts'
import { integer, type Row } from '../../values.ts'

/** Reads people, with counts over their newest tokens. */
export interface HumanReader {
  human(human_ref: string, now_ms: number): HumanFacts | undefined
  firstTenant(human_ref: string): string | undefined
  people(filter: TenantFilter, page: PageRequest, now_ms: number): Promise<Page<PersonFacts>>
}

export function humanReader(db: DatabaseSync): HumanReader {
  const byRef = db.prepare('SELECT * FROM humans WHERE human_ref = ?')
  const byKey = db.prepare('SELECT * FROM humans WHERE human_key = ?')
  const firstToken = db.prepare(
    'SELECT issued_at_ms FROM tokens WHERE human_key = ? ORDER BY token_key LIMIT 1',
  )
  const firstAgent = db.prepare(FIRST_AGENT)
  const waiting = db.prepare(countOfOpenApprovals('human_key = ?', '?'))
  const countsOf = (most: number) =>
    db.prepare(`
      SELECT count(*) AS tokens, count(DISTINCT workflow_key) AS workflows, sum(is_live) AS live_tokens,
        group_concat(DISTINCT level) AS levels
      FROM (
        SELECT t.workflow_key, t.level, t.log_index >= ? AND t.expires_at_ms > ? AND s.revoked_at_ms IS NULL AS is_live
        FROM tokens t LEFT JOIN token_states s ON s.token_key = t.token_key
        WHERE t.human_key = ? ORDER BY t.token_key DESC LIMIT ${most}
      )`)
  const counts = countsOf(MOST_COUNTED)
  const fewCounts = countsOf(MOST_LISTED_TOKENS)

  function withCounts(human: Row, now_ms: number, counting: typeof counts): Row {
    const human_key = integer(human.human_key)
    const first_seen_ms = firstToken.get(human_key)?.issued_at_ms
    return { ...human, ...counting.get(integer(human.revoked_below), now_ms, human_key), first_seen_ms }
  }

  function person(human_key: number, now_ms: number): PersonFacts[] {
    const human = byKey.get(human_key)
    if (human === undefined) return []
    const open = waiting.get(human_key, now_ms)?.open
    return [listedPersonOf({ ...withCounts(human, now_ms, fewCounts), waiting: open })]
  }

  return {
    human(human_ref, now_ms) {
      const human = byRef.get(human_ref)
      return human === undefined ? undefined : humanOf(withCounts(human, now_ms, counts))
    },
    firstTenant: (human_ref) => tenantOfRow(firstAgent.get(human_ref)),
    async people(filter, page, now_ms) {
      const { sql, values } = tenantCondition('tenant_key', filter)
      // A person belongs to one tenant, so their first token shows which.
      const known = db.prepare(`
        SELECT human_key, tenant_key IS NOT NULL AND ${sql} AS is_theirs FROM (
          SELECT human_key, (
            SELECT tenant_key FROM tokens t WHERE t.human_key = h.human_key ORDER BY token_key LIMIT 1
          ) AS tenant_key
          FROM humans h WHERE human_key < ? ORDER BY human_key DESC LIMIT ?
        )`)
      const found = await fittingPage(
        async ({ limit, before }) => {
          const rows = known.all(...values, before ?? Number.MAX_SAFE_INTEGER, limit + 1)
          return placedPage(rows, limit, (row) => row, 'human_key')
        },
        isTheirs,
        page,
      )
      const entries = found.entries.flatMap(({ human_key }) => person(integer(human_key), now_ms))
      return { entries, before: found.before }
    },
  }
}
