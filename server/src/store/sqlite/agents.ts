import type { DatabaseSync } from 'node:sqlite'
import type { AgentTally } from '../../domain/reputation.ts'
import type { AgentFacts, Page, PageRequest, TenantFilter } from '../port.ts'
import { agentFactsOf, tallyOf } from '../rows/agents.ts'
import { pageOf } from '../rows/page.ts'
import { tenantCondition } from '../searches.ts'
import { integer, type Row } from '../values.ts'
import type { Vault } from '../vault.ts'
import { selection } from './selection.ts'

/** Reads agents and their sums. */
export interface AgentReader {
  agent(agent_id: string): AgentFacts | undefined
  agents(filter: TenantFilter, page: PageRequest): Page<AgentFacts>
  activeAgents(filter: TenantFilter, limit: number): AgentFacts[]
  agentDays(agent_id: string, limit: number): { day: number; tally: AgentTally }[]
}

export function agentReader(db: DatabaseSync, { deployment }: Vault): AgentReader {
  const factsOf = (row: Row) => agentFactsOf(row, deployment)
  const byId = db.prepare(`SELECT ${selection('agents')} FROM agents WHERE agent_id = ?`)
  const days = db.prepare(`
    SELECT ${selection('agent_days')} FROM agent_days WHERE agent_key = (SELECT agent_key FROM agents WHERE agent_id = ?)
    ORDER BY day DESC LIMIT ?`)

  return {
    agent(agent_id) {
      const row = byId.get(agent_id)
      return row === undefined ? undefined : factsOf(row)
    },
    agents(filter, page) {
      const { sql, values } = tenantCondition('tenant_key', filter)
      const before = db.prepare(
        `SELECT ${selection('agents')} FROM agents WHERE ${sql} AND agent_key < ? ORDER BY agent_key DESC LIMIT ?`,
      )
      const rows = before.all(...values, page.before ?? Number.MAX_SAFE_INTEGER, page.limit + 1)
      return pageOf(rows, page.limit, factsOf, 'agent_key')
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
