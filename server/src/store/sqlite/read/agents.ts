import type { DatabaseSync } from 'node:sqlite'
import type { AgentTally } from '../../../domain/reputation.ts'
import type { Fitting, TenantFilter } from '../../port/filters.ts'
import { MOST_TOTALLED, type Page, type PageRequest, type Total } from '../../port/pages.ts'
import { type AgentFacts, MOST_LISTED_TOKENS } from '../../port.ts'
import { agentFactsOf, tallyOf } from '../../rows/agents.ts'
import { fittingPage, pageOf, placedPage, totalOf } from '../../rows/page.ts'
import { peopleOfAgentPage, peopleOfAgentQuery } from '../../rows/people-of-agent.ts'
import { tenantCondition } from '../../searches.ts'
import { integer, type Row } from '../../values.ts'
import type { Vault } from '../../vault.ts'
import { selection } from './selection.ts'

/** Reads agents and their sums. */
export interface AgentReader {
  agent(agent_id: string): AgentFacts | undefined
  agents(filter: TenantFilter & Fitting<AgentFacts>, page: PageRequest): Promise<Page<AgentFacts>>
  countAgents(filter: TenantFilter): Total
  liveTokens(agent_id: string, now_ms: number): number
  peopleOfAgent(agent_id: string, now_ms: number, page: PageRequest): Page<string>
  activeAgents(filter: TenantFilter, limit: number): AgentFacts[]
  agentDays(agent_id: string, limit: number): { day: number; tally: AgentTally }[]
}

export function agentReader(db: DatabaseSync, { deployment }: Vault): AgentReader {
  const factsOf = (row: Row) => agentFactsOf(row, deployment)
  const byId = db.prepare(`SELECT ${selection('agents')} FROM agents WHERE agent_id = ?`)
  const days = db.prepare(`
    SELECT ${selection('agent_days')} FROM agent_days WHERE agent_key = (SELECT agent_key FROM agents WHERE agent_id = ?)
    ORDER BY day DESC LIMIT ?`)

  const live = db.prepare(`
    SELECT count(*) AS live FROM (
      SELECT t.token_key, t.expires_at_ms > ? AND t.log_index >= a.revoked_below AS is_live
      FROM agents a JOIN tokens t ON t.agent_key = a.agent_key
      WHERE a.agent_id = ? ORDER BY t.token_key DESC LIMIT ${MOST_LISTED_TOKENS}
    ) newest LEFT JOIN token_states s ON s.token_key = newest.token_key
    WHERE is_live AND s.revoked_at_ms IS NULL`)

  return {
    agent(agent_id) {
      const row = byId.get(agent_id)
      return row === undefined ? undefined : factsOf(row)
    },
    async agents(filter, page) {
      const { sql, values } = tenantCondition('tenant_key', filter)
      const before = db.prepare(
        `SELECT ${selection('agents')} FROM agents WHERE ${sql} AND agent_key < ? ORDER BY agent_key DESC LIMIT ?`,
      )
      const rowsOfPage = (asked: PageRequest) =>
        before.all(...values, asked.before ?? Number.MAX_SAFE_INTEGER, asked.limit + 1)
      const { fits } = filter
      if (fits === undefined) return pageOf(rowsOfPage(page), page.limit, factsOf, 'agent_key')
      return fittingPage(
        async (chunk) => placedPage(rowsOfPage(chunk), chunk.limit, factsOf, 'agent_key'),
        fits,
        page,
      )
    },
    countAgents(filter) {
      const { sql, values } = tenantCondition('tenant_key', filter)
      const counting = db.prepare(
        `SELECT count(*) AS counted FROM (SELECT 1 FROM agents WHERE ${sql} LIMIT ${MOST_TOTALLED + 1})`,
      )
      return totalOf(integer(counting.get(...values)?.counted), true)
    },
    liveTokens: (agent_id, now_ms) => integer(live.get(now_ms, agent_id)?.live),
    peopleOfAgent(agent_id, now_ms, page) {
      const { sql, values } = peopleOfAgentQuery(agent_id, now_ms, page)
      return peopleOfAgentPage(db.prepare(sql).all(...values), page.limit, now_ms)
    },
    activeAgents(filter, limit) {
      const { sql, values } = tenantCondition('tenant_key', filter)
      const active = db.prepare(`
        SELECT ${selection('agents')} FROM agents WHERE ${sql} AND (scored_actions > 0 OR approved + flagged + rejected > 0)
        ORDER BY total_actions DESC, agent_key LIMIT ?`)
      return active.all(...values, limit).map(factsOf)
    },
    agentDays: (agent_id, limit) =>
      days
        .all(agent_id, limit)
        .map((row) => ({ day: integer(row.day), tally: tallyOf(row) }))
        .reverse(),
  }
}
