import type { Habit, HabitKey, HabitKind } from '../../../domain/approvals/habit.ts'
import type { HabitFilter } from '../../port/filters.ts'
import { MOST_HABITS } from '../../port.ts'
import { habitJoined, habitKeysOf, habitOf, isRevokedGrant, isRevokedHabit } from '../../rows/approvals.ts'
import { tenantCondition } from '../../searches.ts'
import { text } from '../../values.ts'
import type { Database } from '../connect.ts'
import { rowsOf } from './reading.ts'

const GRANT = 'h.live_grant::json'
const JOINED = habitJoined(GRANT)
const OF_KIND = `h.agent_key = (SELECT agent_key FROM agents WHERE agent_id = ?)
  AND h.human_key = (SELECT human_key FROM humans WHERE human_ref = ?)
  AND h.action_key = (SELECT name_key FROM names WHERE name = ?)
  AND h.resource_key = (SELECT name_key FROM names WHERE name = ?)`

const BY_KEY = `
  SELECT h.*, ${JOINED} FROM approval_habits h
  WHERE ${OF_KIND} AND h.root_key = (SELECT token_key FROM tokens WHERE jti = ?) AND h.shape = ?`

/** Finds the habit of approving requests of one kind, root and shape. */
export async function habitByKey(
  database: Database,
  { agent_id, human_ref, action, resource, root_jti, shape }: HabitKey,
): Promise<Habit | undefined> {
  const [row] = await rowsOf(database, BY_KEY, agent_id, human_ref, action, resource, root_jti, shape)
  return row && habitOf(row)
}

const BY_KIND = `
  SELECT h.shape, t.jti FROM approval_habits h JOIN tokens t ON t.token_key = h.root_key WHERE ${OF_KIND}`

/** Finds every habit of a kind. */
export async function habitsOfKind(database: Database, kind: HabitKind): Promise<HabitKey[]> {
  const { agent_id, human_ref, action, resource } = kind
  return habitKeysOf(kind, await rowsOf(database, BY_KIND, agent_id, human_ref, action, resource))
}

/** Lists the habits of an agent or a person, most used first. */
export async function habitsOf(database: Database, filter: HabitFilter): Promise<(HabitKey & Habit)[]> {
  const { agent_id, human_ref, unrevoked = false, granted_after_ms } = filter
  const ofTenant = tenantCondition('a.tenant_key', filter)
  const granted = `(${GRANT} ->> 'expires_at_ms')::bigint > ? AND NOT ${isRevokedGrant(GRANT)}`
  const rows = await rowsOf(
    database,
    `SELECT h.*, ${JOINED}, a.agent_id, p.human_ref, t.jti, action.name AS action, resource.name AS resource
    FROM approval_habits h JOIN agents a ON a.agent_key = h.agent_key JOIN humans p ON p.human_key = h.human_key
      JOIN tokens t ON t.token_key = h.root_key
      JOIN names action ON action.name_key = h.action_key JOIN names resource ON resource.name_key = h.resource_key
    WHERE ${agent_id === undefined ? '?::text IS NULL' : 'a.agent_id = ?'}
      AND ${human_ref === undefined ? '?::text IS NULL' : 'p.human_ref = ?'}
      AND ${granted_after_ms === undefined ? '?::bigint IS NULL' : granted}
      AND ${unrevoked ? `NOT ${isRevokedHabit()}` : 'TRUE'}
      AND ${ofTenant.sql}
    ORDER BY auto_approvals DESC, approvals DESC, h.agent_key, h.human_key, action_key, resource_key, h.root_key,
      h.shape COLLATE "C"
    LIMIT ${MOST_HABITS}`,
    agent_id ?? null,
    human_ref ?? null,
    granted_after_ms ?? null,
    ...ofTenant.values,
  )
  return rows.map((row) => ({
    agent_id: text(row.agent_id),
    human_ref: text(row.human_ref),
    action: text(row.action),
    resource: text(row.resource),
    root_jti: text(row.jti),
    shape: text(row.shape),
    ...habitOf(row),
  }))
}
