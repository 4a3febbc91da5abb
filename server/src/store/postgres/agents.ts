import type { AgentTally } from '../../domain/reputation.ts'
import type { AgentFacts, Page, PageRequest, TenantFilter } from '../port.ts'
import { agentFactsOf, tallyOf } from '../rows/agents.ts'
import { pageOf } from '../rows/page.ts'
import { tenantCondition } from '../searches.ts'
import { integer } from '../values.ts'
import type { Vault } from '../vault.ts'
import type { Database } from './connect.ts'
import { rowsOf } from './reading.ts'

export async function agentById(
  database: Database,
  { deployment }: Vault,
  agent_id: string,
): Promise<AgentFacts | undefined> {
  const [row] = await rowsOf(database, 'SELECT * FROM agents WHERE agent_id = ?', agent_id)
  return row && agentFactsOf(row, deployment)
}

export async function agentPage(
  database: Database,
  { deployment }: Vault,
  filter: TenantFilter,
  { limit, before }: PageRequest,
): Promise<Page<AgentFacts>> {
  const { sql, values } = tenantCondition('tenant_key', filter)
  const rows = await rowsOf(
    database,
    `SELECT * FROM agents WHERE ${sql} AND agent_key < ? ORDER BY agent_key DESC LIMIT ?`,
    ...values,
    before ?? Number.MAX_SAFE_INTEGER,
    limit + 1,
  )
  return pageOf(rows, limit, (row) => agentFactsOf(row, deployment), 'agent_key')
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
