import { DEFAULT_TENANT, encodeFrontier, tenantOf } from '@deputize/protocol'
import { emptyTally } from '../../../domain/reputation.ts'
import { keysInPath } from '../../paths.ts'
import type { Changes } from '../../port/changes.ts'
import { addsToAgent, agentRow } from '../../rows/agents.ts'
import { DECISION_COLUMNS, HABIT_COLUMNS } from '../../rows/approvals.ts'
import { type ChangeRows, changeRows } from '../../rows/batch-rows.ts'
import { FORGET_MINUTES, nameCounted } from '../../rows/counters.ts'
import { NO_SUM_ROWS, type SumRows, type Sums, sumRows, sumsText } from '../../rows/sums.ts'
import { replaced } from '../../sql-text.ts'
import { columnsBesideKey, columnsIn, type DialectRow, type RowOf, type TableName } from '../../tables.ts'
import { WRAPPED_BYTES } from '../../vault.ts'
import type { Database } from '../connect.ts'
import { KEEP_ANCHOR, KEEP_SCORE, KEEP_VOUCH, trustErasure } from '../read/vouches.ts'
import type { BatchFacts } from './facts.ts'
import type { Head } from './head.ts'
import { HEAD_COLUMNS, type HotBatch, hotBatch, type RowStatement, sumsStatement } from './hot-statement.ts'
import type { BatchMemory } from './memory.ts'
import { type BatchKeys, batchKeys } from './row-keys.ts'

/** Everything that a batch writes, ready to be sent. */
export interface Writing extends HotBatch {
  /** Statements that follow in the same transaction. If there are none, the hot statement commits by itself. */
  readonly rare: readonly RowStatement[]
  /** Updates the memory, like `BatchKeys.remember`. */
  remember(): void
}

/** How a batch writes sums. */
export interface SumsPlan {
  /** Whether its own are deferred. */
  readonly defers: boolean
  /** Whether it adds those that earlier batches deferred to their tables. */
  readonly settles: boolean
}

/** Loads the keys that the rows of a batch need and the memory lacks. */
export async function loadKeysFor(
  changes: Changes,
  { settles }: SumsPlan,
  memory: BatchMemory,
  database: Database,
): Promise<void> {
  const habits = Array.from(changes.habits.values(), ({ key }) => key)
  const wanted: WantedKeys = {
    names: namesIn(changes),
    workflows: new Set(),
    agents: new Set(habits.map(({ agent_id }) => agent_id)),
  }
  for (const { provenance_ref } of changes.leaves)
    if (provenance_ref !== undefined) wanted.workflows.add(provenance_ref)
  addKeysOfSums(changes, wanted)
  if (settles) for (const sums of memory.deferred?.minutes ?? []) addKeysOfSums(sums, wanted)
  await loadWanted(wanted, memory, database)
  const approvals = [...changes.approvals]
  await memory.loadPeople(database, [...new Set([...habits, ...approvals].map(({ human_ref }) => human_ref))])
  await memory.loadTokens(database, [
    ...new Set([
      ...approvals.map(({ vat_jti }) => vat_jti),
      ...[...approvals, ...habits].map(({ root_jti }) => root_jti),
    ]),
  ])
}

/** Loads the keys that rows of sums need and the memory lacks. */
export async function loadSumKeys(
  all: readonly Sums[],
  memory: BatchMemory,
  database: Database,
): Promise<void> {
  const wanted: WantedKeys = { names: new Set(), workflows: new Set(), agents: new Set() }
  for (const sums of all) addKeysOfSums(sums, wanted)
  await loadWanted(wanted, memory, database)
}

/** The names, workflows and agents whose keys the rows of a batch need. */
interface WantedKeys {
  readonly names: Set<string>
  readonly workflows: Set<string>
  readonly agents: Set<string>
}

async function loadWanted(
  { names, workflows, agents }: WantedKeys,
  memory: BatchMemory,
  database: Database,
): Promise<void> {
  await memory.loadNames(database, [...names])
  await memory.loadWorkflows(database, [...workflows])
  await memory.loadAgents(database, [...agents])
}

function addKeysOfSums(sums: Sums, { names, workflows, agents }: WantedKeys): void {
  nameCounted(sums, {
    agent(agent_id) {
      agents.add(agent_id)
      const tenant_id = tenantOf(agent_id)
      if (tenant_id !== DEFAULT_TENANT) names.add(tenant_id) // the default tenant has no name
    },
    name: (name) => names.add(name),
    workflow: (ref) => workflows.add(ref),
  })
}

function namesIn({ created, closed, denials, approvals, habits }: Changes): Set<string> {
  const names = new Set<string>()
  for (const { action, resource } of [...created, ...denials, ...approvals]) names.add(action).add(resource)
  for (const { result } of [...created, ...closed]) if (result !== undefined) names.add(result)
  for (const { key } of habits.values()) names.add(key.action).add(key.resource)
  return names
}

/** Turns the changes of a batch into its hot statement and the rare ones. */
export function writingOf(
  changes: Changes,
  batch: BatchFacts,
  head: Head,
  memory: BatchMemory,
  plan: SumsPlan,
): Writing {
  const { now_ms } = batch.facts
  const keys = batchKeys(changes, batch, head, memory)
  const rows = changeRows(changes, keys)
  nameCounted(changes, keys)
  const sums = plan.defers
    ? deferredRows(changes, keys, head, now_ms)
    : { ...sumRows(changes, keys, now_ms), deferred_sums: [] }
  // After the rows, because sealing them may have created data keys. Nothing is sealed for an erased person after this.
  for (const human_ref of changes.erased.keys()) batch.people.destroyKey(human_ref, now_ms)
  return {
    ...hotBatch(hotRows({ ...rows, ...sums }, keys, batch)),
    rare: [
      ...rareStatements(rows),
      ...(plan.settles ? settlement(head, memory) : []),
      ...erasures(changes, keys, batch),
      ...forgetting(changes),
    ],
    remember() {
      keys.remember()
      memory.pending.note(changes)
      if (plan.settles) memory.noteSettled()
      if (sums.deferred_sums.length > 0) memory.deferred?.add(changes, now_ms)
    },
  }
}

/** The rows of a batch and of its sums, which may be deferred. */
interface WrittenRows extends ChangeRows, SumRows {
  readonly deferred_sums: readonly RowOf<'deferred_sums'>[]
}

/** Returns a row that holds the deferred sums, and rows of new agents, to which they are added later. */
function deferredRows(changes: Changes, keys: BatchKeys, head: Head, now_ms: number) {
  const new_agents = [...changes.agents.keys()].filter(keys.isNewAgent)
  const sums = sumsText(changes, now_ms)
  return {
    ...NO_SUM_ROWS,
    agents: new_agents.map((agent_id) => agentRow(agent_id, emptyTally(), keys, now_ms)),
    deferred_sums: sums === undefined ? [] : [{ batch: head.batch + 1, sums }],
  }
}

/** Adds all sums deferred before this batch to their tables. */
function settlement(head: Head, memory: BatchMemory): RowStatement[] {
  const minutes = memory.deferred?.rows(memory.storedKeys) ?? []
  return [
    ...minutes.map(sumParts).map(sumsStatement),
    { sql: 'DELETE FROM deferred_sums WHERE batch <> $1', values: [head.batch + 1] }, // all but its own
  ]
}

/** Groups rows of sums by the part of the statement that adds them. */
export function sumParts(rows: SumRows) {
  return {
    kept_agents: rows.agents.filter(addsToAgent),
    kept_days: rows.agent_days,
    kept_counters: rows.counters,
    agent_tallies: rows.agent_tallies,
    other_tallies: rows.other_tallies,
  }
}

/** Returns the rows that almost every batch has. */
function hotRows(rows: WrittenRows, keys: BatchKeys, { people, touched }: BatchFacts) {
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
    ...sumParts(rows),
    kept_agents: rows.agents.filter((row) => addsToAgent(row) || keys.isNewAgent(row.agent_id)),
    new_tokens: rows.tokens.map((row) => ({ ...row, ancestors: keysInPath(row.path) })),
    kept_states: rows.token_states,
    new_records: rows.records,
    closed_records: rows.closed_records,
    new_ratings: rows.ratings,
    new_denials: rows.denials,
    new_sums: rows.deferred_sums,
    kept_replays: rows.replays,
  }
}

/** Rows that few batches have, one statement each. */
function rareStatements(rows: ChangeRows): RowStatement[] {
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
}: ChangeRows): RowStatement[] {
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

function approvalStatements({ approvals, habits, ended_habits }: ChangeRows): RowStatement[] {
  return [
    ...approvals.map((row) => inserted('approvals', row, KEEP_APPROVAL)),
    ...habits.map((row) => inserted('approval_habits', row, KEEP_HABIT)),
    ...ended_habits.map(({ agent_key, human_key, action_key, resource_key, root_key, shape }) => ({
      sql: END_HABIT,
      values: [agent_key, human_key, action_key, resource_key, root_key, shape],
    })),
  ]
}

/** Overwrites the destroyed data keys, and ends the habits and vouches of their people. */
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

/** Inserts one row with its own statement. */
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

const KEEP_KEY = `ON CONFLICT (agent_key, jkt) DO UPDATE SET ${replaced(columnsBesideKey('agent_keys'))}`
const KEEP_APPROVAL = `ON CONFLICT (log_index) DO UPDATE SET ${replaced(DECISION_COLUMNS)},
  note = coalesce(excluded.note, approvals.note)`
const KEEP_ENTRY = `ON CONFLICT (kind, id) DO UPDATE SET ${replaced(columnsBesideKey('registry'))}`
const KEEP_HABIT = `ON CONFLICT (agent_key, human_key, action_key, resource_key, root_key, shape) DO UPDATE SET
  ${replaced(HABIT_COLUMNS)}`
const END_HABIT = `DELETE FROM approval_habits WHERE agent_key = $1 AND human_key = $2 AND action_key = $3
  AND resource_key = $4 AND root_key = $5 AND shape = $6`

/** Returns the head after a batch, except for its number. */
export function headAfter(head: Head, changes: Changes, now_ms: number): Head {
  const hasLeaves = changes.leaves.length > 0
  return { ...head, frontier: changes.frontier, last_ms: hasLeaves ? now_ms : head.last_ms }
}

/**
 * Returns the hot statement's values, in its order. `assumed_new` are keys of requests that must have no answer yet.
 */
export function hotValues(
  head: Head,
  now_ms: number,
  writer_id: string,
  assumed_new: Iterable<string>,
  arrays: readonly Buffer[],
): unknown[] {
  const row = { ...head, frontier: encodeFrontier(head.frontier) }
  const columns = HEAD_COLUMNS.map((column) => row[column])
  return [head.batch, ...columns, writer_id, now_ms, [...assumed_new], ...arrays]
}
