import type { DatabaseSync } from 'node:sqlite'
import type { WorkflowDelta } from '../port.ts'
import { TALLY } from '../rows/tallies.ts'
import type { Keyring } from './row-keys.ts'

/** Adds what a batch counted to the tallies of a workflow. */
export function tallyWriter(db: DatabaseSync, keys: Keyring) {
  const add = db.prepare(
    'UPDATE workflow_tallies SET count = count + ? WHERE workflow_key = ? AND kind = ? AND subject = ?',
  )
  const addRecords = db.prepare(
    `UPDATE workflow_tallies SET count = count + ?, last_ms = ? WHERE workflow_key = ? AND kind = ${TALLY.records} AND subject = 0`,
  )
  const insertRecords = db.prepare(
    `INSERT INTO workflow_tallies (workflow_key, kind, subject, count, last_ms) VALUES (?, ${TALLY.records}, 0, ?, ?)`,
  )
  const insert = db.prepare(
    'INSERT INTO workflow_tallies (workflow_key, kind, subject, count) VALUES (?, ?, ?, ?)',
  )

  /** Answers how many rows it had to make, 0 or 1. */
  function count(workflow: number, kind: number, subject: number, n: number): number {
    if (Number(add.run(n, workflow, kind, subject).changes) > 0) return 0
    insert.run(workflow, kind, subject, n)
    return 1
  }

  function countRecords(workflow: number, n: number, now_ms: number): void {
    if (Number(addRecords.run(n, now_ms, workflow).changes) > 0) return
    insertRecords.run(workflow, n, now_ms)
  }

  return (
    provenance_ref: string,
    { records, agents, actions, results }: WorkflowDelta,
    now_ms: number,
  ): void => {
    const workflow = keys.workflow(provenance_ref)
    let newAgents = 0
    for (const [agent, n] of agents) newAgents += count(workflow, TALLY.agent, keys.agent(agent, now_ms), n)
    for (const [action, n] of actions) count(workflow, TALLY.action, keys.name(action), n)
    for (const [result, n] of results) count(workflow, TALLY.result, keys.name(result), n)
    if (records > 0) countRecords(workflow, records, now_ms)
    if (newAgents > 0) count(workflow, TALLY.agents, 0, newAgents)
  }
}
