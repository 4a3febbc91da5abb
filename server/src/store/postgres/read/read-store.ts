import type { Pool } from 'pg'
import { OVERDUE_COUNT } from '../../overdue-count.ts'
import { MOST_TOTALLED } from '../../port/pages.ts'
import type { ReadStore } from '../../port.ts'
import { integer } from '../../values.ts'
import { openVault } from '../../vault.ts'
import { keysOfAgent } from './agent-keys.ts'
import {
  activeAgents,
  agentById,
  agentDays,
  agentPage,
  countAgents,
  liveTokensOf,
  peopleOfAgent,
} from './agents.ts'
import { statsReader } from './counters.ts'
import { entryTables } from './entries.ts'
import { graphPage, lineageOf } from './graphs.ts'
import { habitsOf } from './habits.ts'
import { firstTenantOf, humanByRef, peoplePage } from './humans.ts'
import { logReader } from './log.ts'
import { entryCount, entryPage, searchIn } from './pages.ts'
import { readingFrom, rowsOf } from './reading.ts'
import { registryReader } from './registry.ts'
import { standingChanges } from './revocation-feed.ts'
import { silencedTokens } from './status-list.ts'
import { wordsAbout } from './token-words.ts'
import { chainOf, chainsOf, tokenReader } from './tokens.ts'
import { blastRadius, countTokens, descendantPage, tokenPage, usageOf } from './trees.ts'
import { upwardEntryPage } from './upward-pages.ts'
import { trustReader } from './vouches.ts'
import { leavesOfWorkflow, tokenOfLeaf } from './workflow-leaves.ts'
import { agentsOfWorkflow, resourcesOfWorkflow } from './workflow-names.ts'
import { countWorkflows, liveTokensIn, workflowCounters, workflowFacts, workflowPage } from './workflows.ts'

/**
 * Reads the database that write stores in this or other processes write to, through a pool that it now owns. Never
 * caches what can change. The store keeps all promises of the port only if the pool leads to the primary.
 */
export function postgresReadStore(pool: Pool, vault_key: Uint8Array): ReadStore {
  const db = readingFrom(pool)
  const vault = openVault(vault_key)
  const { records, denials, approvals } = entryTables(vault)

  return {
    log: logReader(db),
    workflows: {
      facts: (provenance_ref) => workflowFacts(db, provenance_ref),
      list: (filter, page) => workflowPage(db, filter, page),
      count: (filter) => countWorkflows(db, filter),
      records: async (filter, page) =>
        upwardEntryPage(db, records, await searchIn(db, (search) => search.records(filter)), page),
      graph: (provenance_ref, limit, position, extras = []) =>
        graphPage(db, { records, denials, approvals }, { provenance_ref, limit, extras }, position),
      liveTokens: (provenance_refs, now_ms) => liveTokensIn(db, provenance_refs, now_ms),
      lineage: (aar_id, most) => lineageOf(db, records, aar_id, most),
      agents: (provenance_ref, end) => agentsOfWorkflow(db, provenance_ref, end),
      resources: (provenance_ref, end) => resourcesOfWorkflow(db, provenance_ref, end),
      tokenAt: (provenance_ref, log_index) => tokenOfLeaf(db, provenance_ref, log_index),
      leaves: (provenance_ref, end) => leavesOfWorkflow(db, provenance_ref, end),
    },
    registry: registryReader(db, vault),
    trust: trustReader(db, vault),
    stats: statsReader(db),
    standing: {
      token: tokenReader(db),
      chain: (jti) => chainOf(db, jti),
      record: (aar_id) => records.byId(db, aar_id),
    },
    chain: (jti) => chainOf(db, jti),
    chains: async (jtis) => new Map((await chainsOf(db, jtis)).map((chain) => [chain[0].token.jti, chain])),
    words: (jtis) => wordsAbout(db, vault, jtis),
    human: (human_ref, now_ms) => humanByRef(db, human_ref, now_ms),
    firstTenant: (human_ref) => firstTenantOf(db, human_ref),
    people: (filter, page, now_ms) => peoplePage(db, filter, page, now_ms),
    async nextStatusIndex() {
      const [row] = await rowsOf(db, 'SELECT coalesce(max(status_index), -1) + 1 AS next FROM tokens')
      return integer(row?.next)
    },
    silenced: (now_ms) => silencedTokens(db, now_ms),
    standingChanges: (since, limit) => standingChanges(db, since, limit),
    tokens: (filter, page) => tokenPage(db, filter, page),
    countTokens: (filter) => countTokens(db, filter),
    descendants: (jti, page) => descendantPage(db, jti, page),
    blastRadius: (jti, now_ms) => blastRadius(db, jti, now_ms),
    usage: (jti) => usageOf(db, jti),
    approval: (approval_id) => approvals.byId(db, approval_id),
    approvals: async (filter, page, now_ms) =>
      entryPage(db, approvals, await searchIn(db, (search) => search.approvals(filter, now_ms)), page),
    async countOverdue(now_ms) {
      const [row] = await rowsOf(db, OVERDUE_COUNT, now_ms, MOST_TOTALLED)
      return integer(row?.overdue)
    },
    countApprovals: async (filter, now_ms) =>
      entryCount(db, approvals, await searchIn(db, (search) => search.approvals(filter, now_ms))),
    habits: (filter) => habitsOf(db, filter),
    record: (aar_id) => records.byId(db, aar_id),
    records: async (filter, page) =>
      entryPage(db, records, await searchIn(db, (search) => search.records(filter)), page),
    denial: (denial_id) => denials.byId(db, denial_id),
    denials: async (filter, page) =>
      entryPage(db, denials, await searchIn(db, (search) => search.denials(filter)), page),
    countDenials: async (filter) =>
      entryCount(db, denials, await searchIn(db, (search) => search.denials(filter))),
    workflow: (provenance_ref) => workflowCounters(db, provenance_ref),
    agent: (agent_id) => agentById(db, vault, agent_id),
    agents: (filter, page) => agentPage(db, vault, filter, page),
    countAgents: (filter) => countAgents(db, filter),
    liveTokens: (agent_ids, now_ms) => liveTokensOf(db, agent_ids, now_ms),
    peopleOfAgent: (agent_id, now_ms, page) => peopleOfAgent(db, agent_id, now_ms, page),
    activeAgents: (filter, limit) => activeAgents(db, vault, filter, limit),
    agentKeys: (agent_id, limit) => keysOfAgent(db, agent_id, limit),
    agentDays: (agent_id, limit) => agentDays(db, agent_id, limit),
    close: () => pool.end(),
  }
}
