import type { DatabaseSync } from 'node:sqlite'
import type { Habit, HabitKey, StoredApproval } from '../../domain/approval.ts'
import { type Changes, type HabitFilter, MOST_HABITS } from '../port.ts'
import { approvalOf, habitOf } from '../rows/entries.ts'
import { approvalValues, type Keys } from '../rows/written.ts'
import { tenantCondition } from '../searches.ts'
import { integer, type Row, text } from '../values.ts'
import { entrySources } from './entries.ts'
import type { NameReader } from './names.ts'
import type { Keyring } from './row-keys.ts'
import type { FieldOpener } from './sealed-fields.ts'
import type { TokenReader } from './tokens.ts'

/** Reads what people are asked, and how often they said yes. */
export interface ApprovalReader {
  approval(approval_id: string): StoredApproval | undefined
  approvalAt(log_index: number): StoredApproval | undefined
  open(binding: string): StoredApproval | undefined
  /** Undecided ones that can still be decided. */
  countOpen(jti: string, now_ms: number): number
  habit(key: HabitKey): Habit | undefined
}

export function approvalReader(
  db: DatabaseSync,
  tokens: TokenReader,
  names: NameReader,
  open: FieldOpener,
): ApprovalReader {
  const byId = db.prepare('SELECT * FROM approvals WHERE approval_id = ?')
  const byIndex = db.prepare('SELECT * FROM approvals WHERE log_index = ?')
  const byBinding = db.prepare('SELECT * FROM approvals WHERE binding = ? AND state = 0')
  const countByToken = db.prepare(
    'SELECT count(*) AS open FROM approvals WHERE token_key = ? AND state = 0 AND expires_at_ms > ?',
  )
  const habitByKey = db.prepare(`
    SELECT * FROM approval_habits WHERE agent_key = (SELECT agent_key FROM agents WHERE agent_id = ?)
      AND human_key = (SELECT human_key FROM humans WHERE human_ref = ?)
      AND action_key = (SELECT name_key FROM names WHERE name = ?)
      AND resource_key = (SELECT name_key FROM names WHERE name = ?)`)

  const sourceOf = entrySources(tokens, names, open)
  const approval = (row: Row | undefined) => row && approvalOf(row, sourceOf(row))

  return {
    approval: (approval_id) => approval(byId.get(approval_id)),
    approvalAt: (log_index) => approval(byIndex.get(log_index)),
    open: (binding) => approval(byBinding.get(binding)),
    countOpen(jti, now_ms) {
      const found = tokens.find(jti)
      return found === undefined ? 0 : integer(countByToken.get(found.token_key, now_ms)?.open)
    },
    habit({ agent_id, human_ref, action, resource }) {
      const row = habitByKey.get(agent_id, human_ref, action, resource)
      return row === undefined ? undefined : habitOf(row)
    },
  }
}

/** Habits of an agent or for a person, the most used first. */
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

/** Writes approvals as they are now, new or decided, and the habits they make. */
export function approvalWriter(db: DatabaseSync, keys: Keyring, written: Keys) {
  const upsert = db.prepare(`
    INSERT INTO approvals (
      log_index, approval_id, token_key, action_key, resource_key, spend_micro_usd, metadata, binding, state,
      created_at_ms, expires_at_ms, decided_at_ms, decided_by, decided_index, note, used_by
    ) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (log_index) DO UPDATE SET state = excluded.state, decided_at_ms = excluded.decided_at_ms,
      decided_by = excluded.decided_by, decided_index = excluded.decided_index,
      note = coalesce(excluded.note, note), used_by = excluded.used_by`)
  const setHabit = db.prepare(`
    INSERT INTO approval_habits (
      agent_key, human_key, action_key, resource_key, approvals, auto_approvals, last_human_ms
    ) VALUES (?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET approvals = excluded.approvals, auto_approvals = excluded.auto_approvals,
      last_human_ms = excluded.last_human_ms`)
  const endHabit = db.prepare(
    'DELETE FROM approval_habits WHERE agent_key = ? AND human_key = ? AND action_key = ? AND resource_key = ?',
  )

  return ({ approvals, habits }: Changes, now_ms: number): void => {
    for (const approval of approvals) upsert.run(...approvalValues(approval, written))
    for (const { key, habit } of habits.values()) {
      const place = [
        keys.agent(key.agent_id, now_ms),
        keys.human(key.human_ref),
        keys.name(key.action),
        keys.name(key.resource),
      ]
      if (habit === undefined) endHabit.run(...place)
      else setHabit.run(...place, habit.approvals, habit.auto_approvals, habit.last_human_ms)
    }
  }
}
