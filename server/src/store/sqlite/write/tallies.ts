import type { DatabaseSync } from 'node:sqlite'
import { TALLY, type TallyRows } from '../../rows/tallies.ts'
import type { RowOf } from '../../tables.ts'
import { insertion } from './insertion.ts'

type TallyRow = RowOf<'workflow_tallies'>

/** Adds to the tallies of workflows. Almost every row exists already, so an UPDATE is tried first. */
export function tallyWriter(db: DatabaseSync): (rows: TallyRows) => void {
  const add = db.prepare(`
    UPDATE workflow_tallies SET count = count + ?, last_ms = coalesce(?, last_ms)
    WHERE workflow_key = ? AND kind = ? AND subject = ?`)
  const insert = insertion(db, 'workflow_tallies')

  /** Returns whether the row is new. */
  function count(row: TallyRow): boolean {
    const { changes } = add.run(row.count, row.last_ms, row.workflow_key, row.kind, row.subject)
    if (Number(changes) > 0) return false
    insert(row)
    return true
  }

  return ({ agent_tallies, other_tallies }) => {
    for (const row of agent_tallies)
      if (count(row)) count({ ...row, kind: TALLY.agents, subject: 0, count: 1 })
    for (const row of other_tallies) count(row)
  }
}
