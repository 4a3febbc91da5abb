import { DEFAULT_TENANT, encodeFrontier, tenantOf } from '@deputize/protocol'
import { keysInPath } from '../paths.ts'
import type { Changes } from '../port.ts'
import { addsToAgent } from '../rows/agents.ts'
import { DECISION_COLUMNS, HABIT_COLUMNS } from '../rows/approvals.ts'
import { type BatchRows, batchRows } from '../rows/batch-rows.ts'
import { countedNames, FORGET_MINUTES } from '../rows/counters.ts'
import { replaced } from '../sql-text.ts'
import { columnsIn, type DialectRow, type TableName } from '../tables.ts'
import { WRAPPED_BYTES } from '../vault.ts'
import type { Database } from './connect.ts'
import type { BatchFacts } from './facts.ts'
import type { Head } from './head.ts'
import { HEAD_COLUMNS, type HotBatch, hotBatch } from './hot-statement.ts'
import type { BatchMemory } from './memory.ts'
import { type BatchKeys, batchKeys } from './row-keys.ts'
import { KEEP_ANCHOR, KEEP_SCORE, KEEP_VOUCH, trustErasure } from './vouches.ts'

/** Everything that a batch writes, ready to be sent. */
export interface Writing extends HotBatch {
  /** Statements that follow in the same transaction. Without any, the hot statement commits by itself. */
  readonly rare: readonly RowStatement[]
  /** Brings the memory up to date, as `BatchKeys.remember` does. */
  remember(): void
}

/** A statement with its values, as PostgreSQL numbers them. */
export interface RowStatement {
  readonly sql: string
  readonly values: unknown[]
}

/** Loads the keys that the rows of a batch need and the memory lacks. */
export async function loadKeysFor(changes: Changes, memory: BatchMemory, database: Database): Promise<void> {
  const counted = countedNames(changes)
  await memory.loadNames(database, [...namesIn(changes), ...counted.names, ...tenantsIn(counted.agents)])
  const refs = new Set(changes.workflows.keys())
  for (const { provenance_ref } of changes.leaves) if (provenance_ref !== undefined) refs.add(provenance_ref)
  await memory.loadWorkflows(database, [...refs])
  const habits = Array.from(changes.habits.values(), ({ key }) => key)
  const agents = new Set([
    ...changes.agents.keys(),
    ...counted.agents,
    ...habits.map(({ agent_id }) => agent_id),
  ])
  await memory.loadAgents(database, [...agents])
  const approvals = [...changes.approvals]
  await memory.loadPeople(database, [...new Set([...habits, ...approvals].map(({ human_ref }) => human_ref))])
  await memory.loadTokens(database, [
    ...new Set([
      ...approvals.map(({ vat_jti }) => vat_jti),
      ...[...approvals, ...habits].map(({ root_jti }) => root_jti),
    ]),
  ])
}

function namesIn({ created, closed, denials, approvals, habits, workflows, agents }: Changes): Set<string> {
  const names = new Set<string>()
  for (const tenant_id of tenantsIn(agents.keys())) names.add(tenant_id)
  for (const { action, resource } of [...created, ...denials, ...approvals]) names.add(action).add(resource)
  for (const { result } of [...created, ...closed]) if (result !== undefined) names.add(result)
  for (const { key } of habits.values()) names.add(key.action).add(key.resource)
  for (const { actions, results } of workflows.values())
    for (const name of [...actions.keys(), ...results.keys()]) names.add(name)
  return names
}

/** The tenants that have a name; the default tenant has none. */
function tenantsIn(agents: Iterable<string>): string[] {
  return [...agents].map(tenantOf).filter((tenant_id) => tenant_id !== DEFAULT_TENANT)
}

/** Turns the changes of a batch into its hot statement and the rare ones. */
export function writingOf(changes: Changes, batch: BatchFacts, head: Head, memory: BatchMemory): Writing {
  const { now_ms } = batch.facts
  const keys = batchKeys(changes, batch, head, memory)
  const rows = batchRows(changes, keys, now_ms)
  // After the rows, because sealing them may have made data keys; nothing is sealed for an erased person after this.
  for (const human_ref of changes.erased.keys()) batch.people.destroyKey(human_ref, now_ms)
  return {
    ...hotBatch(hotRows(rows, keys, batch)),
    rare: [...rareStatements(rows), ...erasures(changes, keys, batch), ...forgetting(changes)],
    remember: keys.remember,
  }
}

/** The rows that almost every batch has. */
function hotRows(rows: BatchRows, keys: BatchKeys, { people, touched }: BatchFacts) {
  return {
    new_leaves: rows.leaves,
    new_nodes: rows.log_nodes,
    new_names: keys.new_names,
    new_workflows: keys.new_workflows,
    kept_humans: Array.from(touched, (person) => ({
      human_key: person.human_key,
      human_ref: person.human_ref,
      revoked_below: person.marks.revoked_below,
      data_key: person.data_key ?? null,
      erased_at_ms: person.erased_at_ms ?? null,
      refused_at_ms: person.marks.refused_at_ms ?? null,
    })),
    new_data_keys: people.new_keys,
    kept_agents: rows.agents.filter((row) => addsToAgent(row) || keys.isNewAgent(row.agent_id)),
    kept_days: rows.agent_days,
    kept_counters: rows.counters,
    new_tokens: rows.tokens.map((row) => ({ ...row, ancestors: keysInPath(row.path) })),
    kept_states: rows.token_states,
    new_records: rows.records,
    closed_records: rows.closed_records,
    new_ratings: rows.ratings,
    new_denials: rows.denials,
    agent_tallies: rows.agent_tallies,
    other_tallies: rows.other_tallies,
    kept_replays: rows.replays,
  }
}

/** Rows that few batches have, one statement each. */
function rareStatements(rows: BatchRows): RowStatement[] {
  return [
    ...rows.standing_changes.map((row) => inserted('standing_changes', row)),
    ...rows.trust_changes.map((row) => inserted('trust_changes', row)),
    ...rows.workflow_leaves.map((row) => inserted('workflow_leaves', row)),
    ...rows.checkpoints.map((row) =>
      inserted('checkpoints', row, `ON CONFLICT (size) DO UPDATE SET ${replaced(['note'])}`),
    ),
    ...rows.reasons.map(({ revoke_reason, token_key }) => ({
      sql: 'UPDATE token_states SET revoke_reason = $1 WHERE token_key = $2',
      values: [revoke_reason, token_key],
    })),
    ...rows.suspend_reasons.map(({ suspend_reason, token_key }) => ({
      sql: 'UPDATE token_states SET suspend_reason = $1 WHERE token_key = $2',
      values: [suspend_reason, token_key],
    })),
    ...markStatements(rows),
    ...rows.agent_keys.map((row) => inserted('agent_keys', row, KEEP_KEY)),
    ...approvalStatements(rows),
    ...rows.registry.map((row) => inserted('registry', row, KEEP_ENTRY)),
    ...rows.vouches.map((row) => inserted('vouches', row, KEEP_VOUCH)),
    ...rows.anchors.map((row) => inserted('anchors', row, KEEP_ANCHOR)),
    ...rows.vouch_scores.map((row) => inserted('vouch_scores', row, KEEP_SCORE)),
  ]
}

function markStatements({
  profiles,
  agent_marks,
  agent_reasons,
  agent_owners,
  human_marks,
}: BatchRows): RowStatement[] {
  return [
    ...profiles.map(({ profile, agent_key }) => ({
      sql: 'UPDATE agents SET profile = $1 WHERE agent_key = $2',
      values: [profile, agent_key],
    })),
    ...agent_marks.map(({ suspended_at_ms, suspended_rank, revoked_below, asks_until_ms, agent_key }) => ({
      sql: `UPDATE agents SET suspended_at_ms = $1, suspended_rank = $2, revoked_below = $3, asks_until_ms = $4
        WHERE agent_key = $5`,
      values: [suspended_at_ms, suspended_rank, revoked_below, asks_until_ms, agent_key],
    })),
    ...agent_reasons.map(({ suspend_reason, agent_key }) => ({
      sql: 'UPDATE agents SET suspend_reason = $1 WHERE agent_key = $2',
      values: [suspend_reason, agent_key],
    })),
    ...agent_owners.map(({ owned_by, agent_key }) => ({
      sql: 'UPDATE agents SET owned_by = $1 WHERE agent_key = $2',
      values: [owned_by, agent_key],
    })),
    ...human_marks.map(({ revoked_below, refused_at_ms, human_key }) => ({
      sql: 'UPDATE humans SET revoked_below = $1, refused_at_ms = $2 WHERE human_key = $3',
      values: [revoked_below, refused_at_ms, human_key],
    })),
  ]
}

function approvalStatements({ approvals, habits, ended_habits }: BatchRows): RowStatement[] {
  return [
    ...approvals.map((row) => inserted('approvals', row, KEEP_APPROVAL)),
    ...habits.map((row) => inserted('approval_habits', row, KEEP_HABIT)),
    ...ended_habits.map(({ agent_key, human_key, action_key, resource_key, root_key, shape }) => ({
      sql: END_HABIT,
      values: [agent_key, human_key, action_key, resource_key, root_key, shape],
    })),
  ]
}

/** Overwrites the destroyed data keys, and ends the habits and vouches of the people they belonged to. */
function erasures({ erased }: Changes, keys: BatchKeys, { people, facts }: BatchFacts): RowStatement[] {
  return [
    ...Array.from(erased.keys(), (human_ref) => ({
      sql: 'DELETE FROM approval_habits WHERE human_key = $1',
      values: [keys.human(human_ref)],
    })),
    ...[...erased].flatMap(([human_ref, log_index]) => trustErasure(human_ref, log_index, facts.now_ms)),
    ...people.destroyed.map((data_key) => ({
      sql: 'UPDATE data_keys SET wrapped = $1 WHERE data_key = $2',
      values: [new Uint8Array(WRAPPED_BYTES), data_key],
    })),
  ]
}

function forgetting({ forget_replays_before_ms, forget_minutes }: Changes): RowStatement[] {
  const statements: RowStatement[] = []
  if (forget_replays_before_ms !== undefined)
    statements.push({
      sql: 'DELETE FROM replays WHERE expires_at_ms <= $1',
      values: [forget_replays_before_ms],
    })
  if (forget_minutes) statements.push({ sql: FORGET_MINUTES, values: [] })
  return statements
}

/** One row as an INSERT of its own. */
function inserted<T extends TableName>(
  table: T,
  row: DialectRow<T, 'postgres'>,
  conflict = '',
): RowStatement {
  const columns = columnsIn(table, 'postgres')
  const marks = columns.map((_, index) => `$${index + 1}`)
  return {
    sql: `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${marks.join(', ')}) ${conflict}`,
    values: columns.map((column) => row[column]),
  }
}

const KEEP_KEY = `ON CONFLICT (agent_key, jkt) DO UPDATE SET ${replaced(['log_index', 'removed_index'])}`
const KEEP_APPROVAL = `ON CONFLICT (log_index) DO UPDATE SET ${replaced(DECISION_COLUMNS)},
  note = coalesce(excluded.note, approvals.note)`
const KEEP_ENTRY = `ON CONFLICT (kind, id) DO UPDATE SET
  ${replaced(['tenant_id', 'owner', 'document', 'log_index'])}`
const KEEP_HABIT = `ON CONFLICT (agent_key, human_key, action_key, resource_key, root_key, shape) DO UPDATE SET
  ${replaced(HABIT_COLUMNS)}`
const END_HABIT = `DELETE FROM approval_habits WHERE agent_key = $1 AND human_key = $2 AND action_key = $3
  AND resource_key = $4 AND root_key = $5 AND shape = $6`

/** The head after a batch, apart from its number. */
export function headAfter(head: Head, changes: Changes, now_ms: number): Head {
  const hasLeaves = changes.leaves.length > 0
  return { ...head, frontier: changes.frontier, last_ms: hasLeaves ? now_ms : head.last_ms }
}

/** The values of the hot statement, in its order: the batch it follows, the new head, the writer, the arrays. */
export function hotValues(
  head: Head,
  now_ms: number,
  writer_id: string,
  arrays: readonly Buffer[],
): unknown[] {
  const row = { ...head, frontier: encodeFrontier(head.frontier) }
  return [head.batch, ...HEAD_COLUMNS.map((column) => row[column]), writer_id, now_ms, ...arrays]
}
