import type { TenantFilter } from '../../port/filters.ts'
import type { Page, PageRequest } from '../../port/pages.ts'
import { type HumanFacts, MOST_COUNTED, MOST_LISTED_TOKENS, type PersonFacts } from '../../port.ts'
import { countOfOpenApprovals } from '../../revoked-chains.ts'
import { FIRST_AGENT, humanOf, isTheirs, listedPersonOf, tenantOfRow } from '../../rows/humans.ts'
import { fittingPage, placedPage } from '../../rows/page.ts'
import { tenantCondition } from '../../searches.ts'
import { integer } from '../../values.ts'
import type { Database } from '../connect.ts'
import { rowsOf } from './reading.ts'

/** The columns that are read of a person `h`, with `counts`. */
const COUNTED = `h.human_ref, h.erased_at_ms, h.refused_at_ms, counts.*,
  (SELECT issued_at_ms FROM tokens t WHERE t.human_key = h.human_key ORDER BY token_key LIMIT 1) AS first_seen_ms`

/** Returns a query for the counts over the newest tokens of a person `h`. Its parameter is the time. */
function countsOf(most: number): string {
  return `
    SELECT count(*) AS tokens, count(DISTINCT workflow_key) AS workflows,
      count(*) FILTER (WHERE is_live) AS live_tokens, string_agg(DISTINCT level::text, ',') AS levels
    FROM (
      SELECT t.workflow_key, t.level,
        t.log_index >= h.revoked_below AND t.expires_at_ms > ? AND
          (SELECT revoked_at_ms FROM token_states s WHERE s.token_key = t.token_key) IS NULL AS is_live
      FROM tokens t WHERE t.human_key = h.human_key ORDER BY t.token_key DESC LIMIT ${most}
    ) AS newest`
}

/** Reads a person, with counts over their newest tokens. */
export async function humanByRef(
  database: Database,
  human_ref: string,
  now_ms: number,
): Promise<HumanFacts | undefined> {
  const [row] = await rowsOf(
    database,
    `SELECT ${COUNTED} FROM humans h CROSS JOIN LATERAL (${countsOf(MOST_COUNTED)}) AS counts WHERE h.human_ref = ?`,
    now_ms,
    human_ref,
  )
  return row && humanOf(row)
}

export async function firstTenantOf(database: Database, human_ref: string): Promise<string | undefined> {
  const [row] = await rowsOf(database, FIRST_AGENT, human_ref)
  return tenantOfRow(row)
}

export async function peoplePage(
  database: Database,
  filter: TenantFilter,
  page: PageRequest,
  now_ms: number,
): Promise<Page<PersonFacts>> {
  const { sql, values } = tenantCondition('tenant_key', filter)
  const found = await fittingPage(
    async ({ limit, before }) => {
      // A person belongs to one tenant, so their first token shows which.
      const rows = await rowsOf(
        database,
        `SELECT human_key, tenant_key IS NOT NULL AND ${sql} AS is_theirs FROM (
          SELECT human_key, (
            SELECT tenant_key FROM tokens t WHERE t.human_key = h.human_key ORDER BY token_key LIMIT 1
          ) AS tenant_key
          FROM humans h WHERE human_key < ? ORDER BY human_key DESC LIMIT ?
        ) AS known ORDER BY human_key DESC`,
        ...values,
        before ?? Number.MAX_SAFE_INTEGER,
        limit + 1,
      )
      return placedPage(rows, limit, (row) => row, 'human_key')
    },
    isTheirs,
    page,
  )
  const keys = found.entries.map(({ human_key }) => integer(human_key))
  return { entries: await peopleByKey(database, keys, now_ms), before: found.before }
}

async function peopleByKey(
  database: Database,
  human_keys: readonly number[],
  now_ms: number,
): Promise<PersonFacts[]> {
  if (human_keys.length === 0) return []
  const rows = await rowsOf(
    database,
    `SELECT ${COUNTED}, (${countOfOpenApprovals('human_key = h.human_key', '?')}) AS waiting
    FROM humans h CROSS JOIN LATERAL (${countsOf(MOST_LISTED_TOKENS)}) AS counts
    WHERE h.human_key = ANY(?) ORDER BY h.human_key DESC`,
    now_ms,
    now_ms,
    human_keys,
  )
  return rows.map(listedPersonOf)
}
