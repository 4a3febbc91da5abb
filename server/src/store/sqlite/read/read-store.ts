import type { DatabaseSync } from 'node:sqlite'
import { OVERDUE_COUNT } from '../../overdue-count.ts'
import { MOST_TOTALLED } from '../../port/pages.ts'
import type { ReadStore, WorkflowCounters } from '../../port.ts'
import { countersOf, TALLY } from '../../rows/tallies.ts'
import { integer } from '../../values.ts'
import { openVault } from '../../vault.ts'
import { openForReading } from '../connect.ts'
import { agentKeyReader } from './agent-keys.ts'
import { agentReader } from './agents.ts'
import { statsReader } from './counters.ts'
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
import { type CommitVersion, commitWatch, fileVersion, untilCommit } from './until-commit.ts'
import { upwardPager } from './upward-pages.ts'
import { trustReader } from './vouches.ts'
import { leafTokens, workflowLeaves } from './workflow-leaves.ts'
import { workflowNames } from './workflow-names.ts'
import { workflowLister } from './workflows.ts'

/** Reads the file that a write store in this or another thread writes to. By default, SQLite supplies the version. */
export function sqliteReadStore(file: string, vault_key: Uint8Array, version?: CommitVersion): ReadStore {
  const db = openForReading(file)
  const commits = version ?? fileVersion(db)
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
  const overdue = db.prepare(OVERDUE_COUNT)
  const workflow = untilCommit(commits, workflowReader(db))
  const agent = untilCommit(commits, agents.agent)
  const isCommitted = commitWatch(commits)
  const silenced = silencedReader(db)
  const standingChanges = standingChangeReader(db)
  const words = wordReader(db, open)
  const registry = registryReader(db, open)
  const humans = humanReader(db)
  const recordPagesUp = upwardPager(db, records)
  const graphs = graphReader(db, {
    tokens,
    records,
    search,
    recordPages: recordPagesUp,
    denialPages: upwardPager(db, denials),
    approvalPages: upwardPager(db, approvals),
  })
  const lister = workflowLister(db, tokens)
  const inWorkflow = workflowNames(db, names)
  const tokenOfLeaf = leafTokens(db)

  return {
    log: logReader(db),
    workflows: {
      facts: async (provenance_ref) => lister.facts(provenance_ref),
      list: async (filter, page) => lister.list(filter, page),
      count: async (filter) => lister.count(filter),
      records: async (filter, page) => recordPagesUp(search.records(filter), page),
      graph: async (provenance_ref, limit, position, extras = []) =>
        graphs.page(provenance_ref, limit, position, extras),
      liveTokens: async (provenance_refs, now_ms) =>
        new Map(provenance_refs.map((ref) => [ref, lister.liveTokens(ref, now_ms)])),
      lineage: async (aar_id, most) => graphs.lineage(aar_id, most),
      agents: inWorkflow.agents,
      resources: inWorkflow.resources,
      tokenAt: async (provenance_ref, log_index) => tokenOfLeaf(provenance_ref, log_index),
      leaves: workflowLeaves(db),
    },
    registry: {
      entry: async (kind, id) => registry.entry({ kind, id }),
      list: async (kind, filter, page) => registry.list(kind, filter, page),
    },
    trust: trustReader(db, open),
    stats: statsReader(db),
    standing: {
      token: async (jti) => tokens.find(jti)?.token,
      async chain(jti) {
        if (isCommitted()) tokens.forgetStates()
        else tokens.trim()
        return tokens.chain(jti)
      },
      record: async (aar_id) => records.byId(aar_id),
    },
    async chain(jti) {
      tokens.forgetStates()
      return tokens.chain(jti)
    },
    async chains(jtis) {
      tokens.forgetStates()
      return new Map(
        jtis.flatMap((jti) => {
          const chain = tokens.chain(jti)
          return chain === undefined ? [] : [[jti, chain] as const]
        }),
      )
    },
    words: async (jtis) => words(jtis),
    human: async (human_ref, now_ms) => humans.human(human_ref, now_ms),
    firstTenant: async (human_ref) => humans.firstTenant(human_ref),
    people: (filter, page, now_ms) => humans.people(filter, page, now_ms),
    async nextStatusIndex() {
      return integer(db.prepare('SELECT coalesce(max(status_index), -1) + 1 AS next FROM tokens').get()?.next)
    },
    silenced,
    standingChanges: async (since, limit) => standingChanges(since, limit),
    tokens: (filter, page) => trees.tokens(filter, page),
    countTokens: async (filter) => trees.countTokens(filter),
    descendants: async (jti, page) => trees.descendants(jti, page),
    blastRadius: async (jti, now_ms) => trees.blastRadius(jti, now_ms),
    usage: async (jti) => trees.usage(jti),
    approval: async (approval_id) => approvals.byId(approval_id),
    approvals: async (filter, page, now_ms) => approvalPages.page(search.approvals(filter, now_ms), page),
    countOverdue: async (now_ms) => integer(overdue.get(now_ms, MOST_TOTALLED)?.overdue),
    countApprovals: async (filter, now_ms) => approvalPages.count(search.approvals(filter, now_ms)),
    habits: async (filter) => habits(filter),
    record: async (aar_id) => records.byId(aar_id),
    denial: async (denial_id) => denials.byId(denial_id),
    workflow: async (provenance_ref) => workflow(provenance_ref),
    agent: async (agent_id) => agent(agent_id),
    agents: (filter, page) => agents.agents(filter, page),
    countAgents: async (filter) => agents.countAgents(filter),
    liveTokens: async (agent_ids, now_ms) =>
      new Map(agent_ids.map((agent_id) => [agent_id, agents.liveTokens(agent_id, now_ms)])),
    peopleOfAgent: async (agent_id, now_ms, page) => agents.peopleOfAgent(agent_id, now_ms, page),
    activeAgents: async (filter, limit) => agents.activeAgents(filter, limit),
    agentKeys: async (agent_id, limit) => agentKeys.ofAgent(agent_id, limit),
    agentDays: async (agent_id, limit) => agents.agentDays(agent_id, limit),
    records: async (filter, page) => recordPages.page(search.records(filter), page),
    denials: async (filter, page) => denialPages.page(search.denials(filter), page),
    countDenials: async (filter) => denialPages.count(search.denials(filter)),
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
