import type { DatabaseSync } from 'node:sqlite'
import { encodeFrontier } from '@deputize/protocol'
import type { Changes } from '../../port/changes.ts'
import { DECISION_COLUMNS, HABIT_COLUMNS } from '../../rows/approvals.ts'
import { type ChangeRows, changeRows } from '../../rows/batch-rows.ts'
import { FORGET_MINUTES, nameCounted } from '../../rows/counters.ts'
import { CLOSING_COLUMNS } from '../../rows/records.ts'
import type { StateRow } from '../../rows/tokens.ts'
import { replaced } from '../../sql-text.ts'
import { columnsBesideKey } from '../../tables.ts'
import { laterRun } from '../journal/recorded-statements.ts'
import { trustEraser, trustWriter } from '../read/vouches.ts'
import type { DeferredSums } from './deferred-sums.ts'
import { insertion, rowStatement } from './insertion.ts'
import type { People } from './people.ts'
import type { RowKeysFor } from './row-keys.ts'
import type { TokenStates } from './token-states.ts'

type RowsWriter = (rows: ChangeRows) => void

/** Whether the sums of a batch may be deferred. */
export type SumsMode = 'now' | 'deferred'

/** Writes all changes of a batch in the open transaction. A crash before its COMMIT leaves none of them. */
export function changeWriter(
  db: DatabaseSync,
  keysFor: RowKeysFor,
  people: People,
  deferred: DeferredSums,
  states: TokenStates,
) {
  const writers: readonly RowsWriter[] = [
    logWriter(db),
    tokenWriter(db, states),
    entryWriter(db),
    agentWriter(db),
    humanWriter(db),
    approvalWriter(db),
    registryWriter(db),
    trustWriter(db),
    replayWriter(db),
  ]
  const setHead = laterRun(
    db.prepare(`
    INSERT INTO log_head (only, frontier, last_ms) VALUES (1, ?, ?)
    ON CONFLICT DO UPDATE SET ${replaced(['frontier', 'last_ms'])}`),
  )
  const setProbe = db.prepare(`
    INSERT INTO deployment (name, value) VALUES ('probe', ?) ON CONFLICT DO UPDATE SET ${replaced(['value'])}`)
  const eraseTrust = trustEraser(db)
  const forgetMinutes = db.prepare(FORGET_MINUTES)
  const forgetReplays = db.prepare('DELETE FROM replays WHERE expires_at_ms <= ?')

  return (changes: Changes, now_ms: number, mode: SumsMode): void => {
    const keys = keysFor(changes, now_ms)
    const rows = changeRows(changes, keys)
    nameCounted(changes, keys) // before any row is written: new names get their keys at once
    for (const write of writers) write(rows)
    // Which minutes are deleted depends on the newest one, so that must be in its table.
    if (mode === 'deferred' && !changes.forget_minutes && !changes.settles_sums)
      deferred.defer(changes, now_ms)
    else deferred.writeWith(changes, now_ms)
    if (changes.leaves.length > 0) setHead(encodeFrontier(changes.frontier), now_ms)
    if (changes.forget_replays_before_ms !== undefined) forgetReplays.run(changes.forget_replays_before_ms)
    if (changes.forget_minutes) forgetMinutes.run()
    for (const [human_ref, log_index] of changes.erased) {
      eraseTrust(human_ref, log_index, now_ms)
      people.destroyKey(human_ref, now_ms) // last: nothing is sealed after it
    }
    if (changes.probe) setProbe.run(String(now_ms))
  }
}

function logWriter(db: DatabaseSync): RowsWriter {
  const insertLeaf = insertion(db, 'leaves')
  const insertNode = insertion(db, 'log_nodes')
  const insertStandingChange = insertion(db, 'standing_changes')
  const insertTrustChange = insertion(db, 'trust_changes')
  const insertWorkflowLeaf = insertion(db, 'workflow_leaves')
  const keepCheckpoint = insertion(db, 'checkpoints', `ON CONFLICT DO UPDATE SET ${replaced(['note'])}`)
  return (rows) => {
    for (const row of rows.checkpoints) keepCheckpoint(row)
    for (const row of rows.leaves) insertLeaf(row)
    for (const row of rows.log_nodes) insertNode(row)
    for (const row of rows.standing_changes) insertStandingChange(row)
    for (const row of rows.trust_changes) insertTrustChange(row)
    for (const row of rows.workflow_leaves) insertWorkflowLeaf(row)
  }
}

function tokenWriter(db: DatabaseSync, states: TokenStates): RowsWriter {
  const insertToken = insertion(db, 'tokens')
  const setReason = rowStatement(db, 'UPDATE token_states SET revoke_reason = ? WHERE token_key = ?', [
    'revoke_reason',
    'token_key',
  ])
  const setSuspendReason = rowStatement(
    db,
    'UPDATE token_states SET suspend_reason = ? WHERE token_key = ?',
    ['suspend_reason', 'token_key'],
  )
  return (rows) => {
    for (const row of rows.tokens) insertToken(row)
    const hasReasons = rows.reasons.length + rows.suspend_reasons.length > 0
    if (hasReasons) states.writeWaiting() // reasons are added to existing rows
    for (const row of rows.token_states)
      if (hasReasons || isRevoked(row)) states.set(row)
      else states.setByCommit(row)
    for (const row of rows.reasons) setReason(row)
    for (const row of rows.suspend_reasons) setSuspendReason(row)
  }
}

/** Judges count live tokens in the table, so a revocation must be there. They remember everything else about states. */
function isRevoked({ revoked_at_ms }: StateRow): boolean {
  return revoked_at_ms !== null
}

function entryWriter(db: DatabaseSync): RowsWriter {
  const insertRecord = insertion(db, 'records')
  const closeRecord = rowStatement(
    db,
    `UPDATE records SET ${CLOSING_COLUMNS.map((column) => `${column} = ?`).join(', ')},
      metadata = coalesce(?, metadata)
    WHERE log_index = ?`,
    [...CLOSING_COLUMNS, 'metadata', 'log_index'],
  )
  const insertRating = insertion(db, 'ratings')
  const insertDenial = insertion(db, 'denials')
  return (rows) => {
    for (const row of rows.records) insertRecord(row)
    for (const row of rows.closed_records) closeRecord(row)
    for (const row of rows.ratings) insertRating(row)
    for (const row of rows.denials) insertDenial(row)
  }
}

/** An agent's row has existed since its key was first used. */
function agentWriter(db: DatabaseSync): RowsWriter {
  const setProfile = rowStatement(db, 'UPDATE agents SET profile = ? WHERE agent_key = ?', [
    'profile',
    'agent_key',
  ])
  const setMarks = rowStatement(
    db,
    `UPDATE agents SET suspended_at_ms = ?, suspended_rank = ?, revoked_below = ?, asks_until_ms = ?
    WHERE agent_key = ?`,
    ['suspended_at_ms', 'suspended_rank', 'revoked_below', 'asks_until_ms', 'agent_key'],
  )
  const setOwners = rowStatement(db, 'UPDATE agents SET owned_by = ? WHERE agent_key = ?', [
    'owned_by',
    'agent_key',
  ])
  const keepKey = insertion(
    db,
    'agent_keys',
    `ON CONFLICT DO UPDATE SET ${replaced(columnsBesideKey('agent_keys'))}`,
  )
  const setReason = rowStatement(db, 'UPDATE agents SET suspend_reason = ? WHERE agent_key = ?', [
    'suspend_reason',
    'agent_key',
  ])
  return (rows) => {
    for (const row of rows.profiles) setProfile(row)
    for (const row of rows.agent_marks) setMarks(row)
    for (const row of rows.agent_reasons) setReason(row)
    for (const row of rows.agent_owners) setOwners(row)
    for (const row of rows.agent_keys) keepKey(row)
  }
}

function humanWriter(db: DatabaseSync): RowsWriter {
  const setMarks = rowStatement(
    db,
    'UPDATE humans SET revoked_below = ?, refused_at_ms = ? WHERE human_key = ?',
    ['revoked_below', 'refused_at_ms', 'human_key'],
  )
  return ({ human_marks }) => {
    for (const row of human_marks) setMarks(row)
  }
}

function approvalWriter(db: DatabaseSync): RowsWriter {
  const keepApproval = insertion(
    db,
    'approvals',
    `ON CONFLICT (log_index) DO UPDATE SET ${replaced(DECISION_COLUMNS)}, note = coalesce(excluded.note, note)`,
  )
  const keepHabit = insertion(db, 'approval_habits', `ON CONFLICT DO UPDATE SET ${replaced(HABIT_COLUMNS)}`)
  const endHabit = rowStatement(
    db,
    `DELETE FROM approval_habits WHERE agent_key = ? AND human_key = ? AND action_key = ? AND resource_key = ?
      AND root_key = ? AND shape = ?`,
    ['agent_key', 'human_key', 'action_key', 'resource_key', 'root_key', 'shape'],
  )
  return (rows) => {
    for (const row of rows.approvals) keepApproval(row)
    for (const row of rows.habits) keepHabit(row)
    for (const row of rows.ended_habits) endHabit(row)
  }
}

function registryWriter(db: DatabaseSync): RowsWriter {
  const keepEntry = insertion(
    db,
    'registry',
    `ON CONFLICT DO UPDATE SET ${replaced(columnsBesideKey('registry'))}`,
  )
  return ({ registry }) => {
    for (const row of registry) keepEntry(row)
  }
}

function replayWriter(db: DatabaseSync): RowsWriter {
  const keepReplay = insertion(
    db,
    'replays',
    `ON CONFLICT DO UPDATE SET ${replaced(columnsBesideKey('replays'))}`,
  )
  return ({ replays }) => {
    for (const row of replays) keepReplay(row)
  }
}
