import type { DatabaseSync } from 'node:sqlite'
import type { ReadStore, WorkflowCounters } from '../port.ts'
import { countersOf, TALLY } from '../rows/tallies.ts'
import { integer } from '../values.ts'
import { openVault } from '../vault.ts'
import { agentKeyReader } from './agent-keys.ts'
import { agentReader } from './agents.ts'
import { openForReading } from './connect.ts'
import { entryTables } from './entries.ts'
import { graphReader } from './graphs.ts'
import { habitLister } from './habits.ts'
import { humanReader } from './humans.ts'
import { logReader } from './log.ts'
import { nameReader } from './names.ts'
import { pager, searchesIn } from './pages.ts'
import { registryReader } from './registry.ts'
import { standingChangeReader } from './revocation-feed.ts'
import { fieldOpener } from './sealed-fields.ts'
import { silencedReader } from './status-list.ts'
import { wordReader } from './token-words.ts'
import { tokenReader } from './tokens.ts'
import { treeReader } from './trees.ts'
import { upwardPager } from './upward-pages.ts'
import { trustReader } from './vouches.ts'
import { workflowLeaves } from './workflow-leaves.ts'
import { workflowNames } from './workflow-names.ts'
import { workflowLister } from './workflows.ts'

/** Reads the file that a write store in this or another thread keeps. */
export function sqliteReadStore(file: string, vault_key: Uint8Array): ReadStore {
  const db = openForReading(file)
  const vault = openVault(vault_key)
  const open = fieldOpener(db, vault)
  const tokens = tokenReader(db)
  const names = nameReader(db)
  const search = searchesIn(db)
  const { records, denials, approvals } = entryTables(db, tokens, names, open)
  const trees = treeReader(db, tokens, names, search)
  const agents = agentReader(db, vault)
  const agentKeys = agentKeyReader(db)
  const habits = habitLister(db, names)
  const recordPages = pager(db, records)
  const denialPages = pager(db, denials)
  const approvalPages = pager(db, approvals)
  const workflow = workflowReader(db)
  const silenced = silencedReader(db)
  const standingChanges = standingChangeReader(db)
  const words = wordReader(db, open)
  const registry = registryReader(db, open)
  const human = humanReader(db)
  const recordPagesUp = upwardPager(db, records)
  const graphs = graphReader(db, { tokens, records, search, recordPages: recordPagesUp })
  const lister = workflowLister(db, tokens)
  const inWorkflow = workflowNames(db, names)

  return {
    log: logReader(db),
    workflows: {
      facts: async (provenance_ref) => lister.facts(provenance_ref),
      list: async (filter, page) => lister.list(filter, page),
      records: async (filter, page) => recordPagesUp(search.records(filter), page),
      graph: async (provenance_ref, limit, position) => graphs.page(provenance_ref, limit, position),
      lineage: async (aar_id, most) => graphs.lineage(aar_id, most),
      agents: inWorkflow.agents,
      resources: inWorkflow.resources,
      leaves: workflowLeaves(db),
    },
    registry: {
      entry: async (kind, id) => registry.entry({ kind, id }),
      list: async (kind, filter, page) => registry.list(kind, filter, page),
    },
    trust: trustReader(db, open),
    async chain(jti) {
      tokens.forgetStates()
      return tokens.chain(jti)
    },
    words: async (jtis) => words(jtis),
    human: async (human_ref, now_ms) => human(human_ref, now_ms),
    async nextStatusIndex() {
      return integer(db.prepare('SELECT coalesce(max(status_index), -1) + 1 AS next FROM tokens').get()?.next)
    },
    silenced,
    standingChanges: async (since, limit) => standingChanges(since, limit),
    tokens: async (filter, page) => trees.tokens(filter, page),
    descendants: async (jti, page) => trees.descendants(jti, page),
    blastRadius: async (jti, now_ms) => trees.blastRadius(jti, now_ms),
    usage: async (jti) => trees.usage(jti),
    approval: async (approval_id) => approvals.byId(approval_id),
    approvals: async (filter, page, now_ms) => approvalPages(search.approvals(filter, now_ms), page),
    habits: async (filter) => habits(filter),
    record: async (aar_id) => records.byId(aar_id),
    denial: async (denial_id) => denials.byId(denial_id),
    workflow: async (provenance_ref) => workflow(provenance_ref),
    agent: async (agent_id) => agents.agent(agent_id),
    agents: async (filter, page) => agents.agents(filter, page),
    activeAgents: async (filter, limit) => agents.activeAgents(filter, limit),
    agentKeys: async (agent_id, limit) => agentKeys.ofAgent(agent_id, limit),
    agentDays: async (agent_id, limit) => agents.agentDays(agent_id, limit),
    records: async (filter, page) => recordPages(search.records(filter), page),
    denials: async (filter, page) => denialPages(search.denials(filter), page),
    async close() {
      db.close()
    },
  }
}

function workflowReader(db: DatabaseSync): (provenance_ref: string) => WorkflowCounters | undefined {
  const keyOf = db.prepare('SELECT workflow_key FROM workflows WHERE provenance_ref = ?')
  const tallies = db.prepare(`
    SELECT kind, count, name FROM workflow_tallies LEFT JOIN names ON kind >= ${TALLY.action} AND name_key = subject
    WHERE workflow_key = ? AND kind <> ${TALLY.agent} ORDER BY kind, name`)

  return (provenance_ref) => {
    const workflow_key = keyOf.get(provenance_ref)?.workflow_key
    if (workflow_key === undefined) return undefined
    return countersOf(tallies.all(workflow_key))
  }
}
