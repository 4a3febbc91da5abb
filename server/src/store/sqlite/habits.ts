import type { DatabaseSync } from 'node:sqlite'
import type { Habit, HabitKey } from '../../domain/approval.ts'
import { type HabitFilter, MOST_HABITS } from '../port.ts'
import { habitOf } from '../rows/approvals.ts'
import { tenantCondition } from '../searches.ts'
import { integer, text } from '../values.ts'
import type { NameReader } from './names.ts'

/** Finds the habit of approving the same action on the same resource. */
export function habitReader(db: DatabaseSync): (key: HabitKey) => Habit | undefined {
  const byKey = db.prepare(`
    SELECT * FROM approval_habits WHERE agent_key = (SELECT agent_key FROM agents WHERE agent_id = ?)
      AND human_key = (SELECT human_key FROM humans WHERE human_ref = ?)
      AND action_key = (SELECT name_key FROM names WHERE name = ?)
      AND resource_key = (SELECT name_key FROM names WHERE name = ?)`)
  return ({ agent_id, human_ref, action, resource }) => {
    const row = byKey.get(agent_id, human_ref, action, resource)
    return row && habitOf(row)
  }
}

/** Lists the habits of an agent or for a person, the most used first. */
export function habitLister(db: DatabaseSync, names: NameReader) {
  return (filter: HabitFilter): (HabitKey & Habit)[] => {
    const { agent_id, human_ref } = filter
    const { sql, values } = tenantCondition('tenant_key', filter)
    const list = db.prepare(`
      SELECT h.*, agent_id, human_ref FROM approval_habits h JOIN agents a ON a.agent_key = h.agent_key
        JOIN humans p ON p.human_key = h.human_key
      WHERE (?1 IS NULL OR agent_id = ?1) AND (?2 IS NULL OR human_ref = ?2) AND ${sql}
      ORDER BY auto_approvals DESC, approvals DESC, h.agent_key, h.human_key, action_key, resource_key
      LIMIT ${MOST_HABITS}`)
    return list.all(agent_id ?? null, human_ref ?? null, ...values).map((row) => ({
      agent_id: text(row.agent_id),
      human_ref: text(row.human_ref),
      action: names(integer(row.action_key)),
      resource: names(integer(row.resource_key)),
      ...habitOf(row),
    }))
  }
}
