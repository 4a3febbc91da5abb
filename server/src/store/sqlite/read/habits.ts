import type { DatabaseSync } from 'node:sqlite'
import type { Habit, HabitKey, HabitKind } from '../../../domain/approvals/habit.ts'
import type { HabitFilter } from '../../port/filters.ts'
import { MOST_HABITS } from '../../port.ts'
import { habitJoined, habitKeysOf, habitOf, isRevokedGrant, isRevokedHabit } from '../../rows/approvals.ts'
import { tenantCondition } from '../../searches.ts'
import { integer, text } from '../../values.ts'
import type { NameReader } from './names.ts'

const JOINED = habitJoined('h.live_grant')
const OF_KIND = `h.agent_key = (SELECT agent_key FROM agents WHERE agent_id = ?)
  AND h.human_key = (SELECT human_key FROM humans WHERE human_ref = ?)
  AND h.action_key = (SELECT name_key FROM names WHERE name = ?)
  AND h.resource_key = (SELECT name_key FROM names WHERE name = ?)`

/** Finds the habit of approving requests of one kind, root and shape. */
export function habitReader(db: DatabaseSync): (key: HabitKey) => Habit | undefined {
  const byKey = db.prepare(`
    SELECT h.*, ${JOINED} FROM approval_habits h
    WHERE ${OF_KIND} AND h.root_key = (SELECT token_key FROM tokens WHERE jti = ?) AND h.shape = ?`)
  return ({ agent_id, human_ref, action, resource, root_jti, shape }) => {
    const row = byKey.get(agent_id, human_ref, action, resource, root_jti, shape)
    return row && habitOf(row)
  }
}

/** Finds every habit of a kind. */
export function habitKeyReader(db: DatabaseSync): (kind: HabitKind) => HabitKey[] {
  const byKind = db.prepare(`
    SELECT h.shape, t.jti FROM approval_habits h JOIN tokens t ON t.token_key = h.root_key WHERE ${OF_KIND}`)
  return (kind) => {
    const { agent_id, human_ref, action, resource } = kind
    return habitKeysOf(kind, byKind.all(agent_id, human_ref, action, resource))
  }
}

/** Lists the habits of an agent or a person, most used first. */
export function habitLister(db: DatabaseSync, names: NameReader) {
  return (filter: HabitFilter): (HabitKey & Habit)[] => {
    const { agent_id, human_ref, unrevoked = false, granted_after_ms } = filter
    const { sql, values } = tenantCondition('a.tenant_key', filter)
    const granted =
      granted_after_ms === undefined
        ? '?3 IS NULL'
        : `h.live_grant ->> 'expires_at_ms' > ?3 AND NOT ${isRevokedGrant('h.live_grant')}`
    const isKept = unrevoked ? `NOT ${isRevokedHabit()}` : 'TRUE'
    const list = db.prepare(`
      SELECT h.*, ${JOINED}, a.agent_id, p.human_ref, t.jti FROM approval_habits h JOIN agents a ON a.agent_key = h.agent_key
        JOIN humans p ON p.human_key = h.human_key JOIN tokens t ON t.token_key = h.root_key
      WHERE (?1 IS NULL OR a.agent_id = ?1) AND (?2 IS NULL OR p.human_ref = ?2) AND ${granted} AND ${isKept}
        AND ${sql}
      ORDER BY auto_approvals DESC, approvals DESC, h.agent_key, h.human_key, action_key, resource_key, h.root_key,
        h.shape
      LIMIT ${MOST_HABITS}`)
    return list.all(agent_id ?? null, human_ref ?? null, granted_after_ms ?? null, ...values).map((row) => ({
      agent_id: text(row.agent_id),
      human_ref: text(row.human_ref),
      action: names(integer(row.action_key)),
      resource: names(integer(row.resource_key)),
      root_jti: text(row.jti),
      shape: text(row.shape),
      ...habitOf(row),
    }))
  }
}
