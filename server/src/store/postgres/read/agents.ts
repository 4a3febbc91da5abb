import type { AgentTally } from '../../../domain/reputation.ts'
import type { Fitting, TenantFilter } from '../../port/filters.ts'
import { MOST_TOTALLED, type Page, type PageRequest, type Total } from '../../port/pages.ts'
import { type AgentFacts, MOST_LISTED_TOKENS } from '../../port.ts'
import { agentFactsOf, tallyOf } from '../../rows/agents.ts'
import { fittingPage, pageOf, placedPage, totalOf } from '../../rows/page.ts'
import { peopleOfAgentPage, peopleOfAgentQuery } from '../../rows/people-of-agent.ts'
import { tenantCondition } from '../../searches.ts'
import { columnsIn } from '../../tables.ts'
import { integer, type Row, text } from '../../values.ts'
import type { Vault } from '../../vault.ts'
import type { Database } from '../connect.ts'
import { keyedRead, rowsOf } from './reading.ts'

const AGENT = keyedRead(
  'agent',
  `SELECT ${columnsIn('agents', 'postgres').join(', ')} FROM agents WHERE agent_id = ?`,
)

export async function agentById(
  database: Database,
  { deployment }: Vault,
  agent_id: string,
): Promise<AgentFacts | undefined> {
  const [row] = await AGENT(database, agent_id)
  return row && agentFactsOf(row, deployment)
}

export async function agentPage(
  database: Database,
  { deployment }: Vault,
  filter: TenantFilter & Fitting<AgentFacts>,
  page: PageRequest,
): Promise<Page<AgentFacts>> {
  const { sql, values } = tenantCondition('tenant_key', filter)
  const rowsOfPage = ({ limit, before }: PageRequest) =>
    rowsOf(
      database,
      `SELECT * FROM agents WHERE ${sql} AND agent_key < ? ORDER BY agent_key DESC LIMIT ?`,
      ...values,
      before ?? Number.MAX_SAFE_INTEGER,
      limit + 1,
    )
  const read = (row: Row) => agentFactsOf(row, deployment)
  const { fits } = filter
  if (fits === undefined) return pageOf(await rowsOfPage(page), page.limit, read, 'agent_key')
  return fittingPage(
    async (chunk) => placedPage(await rowsOfPage(chunk), chunk.limit, read, 'agent_key'),
    fits,
    page,
  )
}

export async function countAgents(database: Database, filter: TenantFilter): Promise<Total> {
  const { sql, values } = tenantCondition('tenant_key', filter)
  const [row] = await rowsOf(
    database,
    `SELECT count(*) AS counted FROM (SELECT 1 FROM agents WHERE ${sql} LIMIT ${MOST_TOTALLED + 1}) AS found`,
    ...values,
  )
  return totalOf(integer(row?.counted), true)
}

export async function liveTokensOf(
  database: Database,
  agent_ids: readonly string[],
  now_ms: number,
): Promise<Map<string, number>> {
  const rows = await rowsOf(
    database,
    `SELECT a.agent_id, counts.live FROM agents a CROSS JOIN LATERAL (
      SELECT count(*) FILTER (WHERE is_live) AS live FROM (
        SELECT t.expires_at_ms > ? AND t.log_index >= a.revoked_below AND
          (SELECT revoked_at_ms FROM token_states s WHERE s.token_key = t.token_key) IS NULL AS is_live
        FROM tokens t WHERE t.agent_key = a.agent_key ORDER BY t.token_key DESC LIMIT ${MOST_LISTED_TOKENS}
      ) AS newest
    ) AS counts
    WHERE a.agent_id = ANY(?)`,
    now_ms,
    agent_ids,
  )
  return new Map(rows.map((row) => [text(row.agent_id), integer(row.live)]))
}

export async function peopleOfAgent(
  database: Database,
  agent_id: string,
  now_ms: number,
  page: PageRequest,
): Promise<Page<string>> {
  const { sql, values } = peopleOfAgentQuery(agent_id, now_ms, page)
  return peopleOfAgentPage(await rowsOf(database, sql, ...values), page.limit, now_ms)
}

export async function activeAgents(
  database: Database,
  { deployment }: Vault,
  filter: TenantFilter,
  limit: number,
): Promise<AgentFacts[]> {
  const { sql, values } = tenantCondition('tenant_key', filter)
  const rows = await rowsOf(
    database,
    `SELECT * FROM agents WHERE ${sql} AND (scored_actions > 0 OR approved + flagged + rejected > 0)
    ORDER BY total_actions DESC, agent_key LIMIT ?`,
    ...values,
    limit,
  )
  return rows.map((row) => agentFactsOf(row, deployment))
}

export async function agentDays(
  database: Database,
  agent_id: string,
  limit: number,
): Promise<{ day: number; tally: AgentTally }[]> {
  const rows = await rowsOf(
    database,
    `SELECT * FROM agent_days WHERE agent_key = (SELECT agent_key FROM agents WHERE agent_id = ?)
    ORDER BY day DESC LIMIT ?`,
    agent_id,
    limit,
  )
  return rows.map((row) => ({ day: integer(row.day), tally: tallyOf(row) })).reverse()
}
