import type { DatabaseSync } from 'node:sqlite'
import type { AgentFacts, ReadStore, WorkflowCounters } from '../port.ts'
import { openForReading } from './open.ts'
import { pager, searches } from './pages.ts'
import { recordReader } from './records.ts'
import { TALLY } from './tallies.ts'
import { tokenReader } from './tokens.ts'
import { integer, optionalInteger, type Row, text } from './values.ts'

/** Reads the file that a write store in this or another thread keeps. */
export function sqliteReadStore(file: string): ReadStore {
  const db = openForReading(file)
  const tokens = tokenReader(db)
  const records = recordReader(db, tokens)
  const recordPages = pager(db, 'records', records.recordAt)
  const denialPages = pager(db, 'denials', records.denialAt)
  const search = searches(db)
  const workflow = workflowReader(db)
  const agentById = db.prepare('SELECT * FROM agents WHERE agent_id = ?')

  return {
    async chain(jti) {
      tokens.forgetStates()
      return tokens.chain(jti)
    },
    record: async (aar_id) => records.record(aar_id),
    denial: async (denial_id) => records.denial(denial_id),
    workflow: async (provenance_ref) => workflow(provenance_ref),
    async agent(agent_id) {
      const row = agentById.get(agent_id)
      return row === undefined ? undefined : agentOf(row)
    },
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
    const rows = tallies.all(workflow_key)
    return {
      total_records: totalOf(rows, TALLY.records),
      unique_agents: totalOf(rows, TALLY.agents),
      actions_by_type: countsOf(rows, TALLY.action),
      results_by_type: countsOf(rows, TALLY.result),
    }
  }
}

function totalOf(rows: readonly Row[], kind: number): number {
  return optionalInteger(rows.find((row) => row.kind === kind)?.count) ?? 0
}

function countsOf(rows: readonly Row[], kind: number): Record<string, number> {
  return Object.fromEntries(
    rows.filter((row) => row.kind === kind).map((row) => [text(row.name), integer(row.count)]),
  )
}

function agentOf(row: Row): AgentFacts {
  return {
    tally: {
      total_actions: integer(row.total_actions),
      completed_actions: integer(row.completed_actions),
      scored_actions: integer(row.scored_actions),
      outcome_halves: integer(row.outcome_halves),
      approved: integer(row.approved),
      flagged: integer(row.flagged),
      rejected: integer(row.rejected),
    },
    first_seen_ms: integer(row.first_seen_ms),
    last_action_ms: optionalInteger(row.last_action_ms),
  }
}
