import type { Habit, HabitKey } from '../../domain/approval.ts'
import { type HabitFilter, MOST_HABITS } from '../port.ts'
import { habitOf } from '../rows/approvals.ts'
import { tenantCondition } from '../searches.ts'
import { text } from '../values.ts'
import type { Database } from './connect.ts'
import { rowsOf } from './reading.ts'

const BY_KEY = `
  SELECT * FROM approval_habits WHERE agent_key = (SELECT agent_key FROM agents WHERE agent_id = ?)
    AND human_key = (SELECT human_key FROM humans WHERE human_ref = ?)
    AND action_key = (SELECT name_key FROM names WHERE name = ?)
    AND resource_key = (SELECT name_key FROM names WHERE name = ?)`

/** Finds the habit of approving the same action on the same resource. */
export async function habitByKey(
  database: Database,
  { agent_id, human_ref, action, resource }: HabitKey,
): Promise<Habit | undefined> {
  const [row] = await rowsOf(database, BY_KEY, agent_id, human_ref, action, resource)
  return row && habitOf(row)
}

/** Lists the habits of an agent or for a person, the most used first. */
export async function habitsOf(database: Database, filter: HabitFilter): Promise<(HabitKey & Habit)[]> {
  const { agent_id, human_ref } = filter
  const ofTenant = tenantCondition('tenant_key', filter)
  const rows = await rowsOf(
    database,
    `SELECT h.*, agent_id, human_ref, action.name AS action, resource.name AS resource
    FROM approval_habits h JOIN agents a ON a.agent_key = h.agent_key JOIN humans p ON p.human_key = h.human_key
      JOIN names action ON action.name_key = h.action_key JOIN names resource ON resource.name_key = h.resource_key
    WHERE ${agent_id === undefined ? '?::text IS NULL' : 'agent_id = ?'}
      AND ${human_ref === undefined ? '?::text IS NULL' : 'human_ref = ?'}
      AND ${ofTenant.sql}
    ORDER BY auto_approvals DESC, approvals DESC, h.agent_key, h.human_key, action_key, resource_key
    LIMIT ${MOST_HABITS}`,
    agent_id ?? null,
    human_ref ?? null,
    ...ofTenant.values,
  )
  return rows.map((row) => ({
    agent_id: text(row.agent_id),
    human_ref: text(row.human_ref),
    action: text(row.action),
    resource: text(row.resource),
    ...habitOf(row),
  }))
}
