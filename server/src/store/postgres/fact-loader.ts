import { addTallies } from '../../domain/reputation.ts'
import type { Token } from '../../domain/token.ts'
import { countOfOpenApprovals } from '../revoked-chains.ts'
import { knownAgentOf } from '../rows/agents.ts'
import { approvalJoined, approvalOf } from '../rows/approvals.ts'
import type { EntrySource } from '../rows/entries.ts'
import { RECORD_JOINED, recordOf } from '../rows/records.ts'
import { registryEntryOf } from '../rows/registry.ts'
import { partsOf, replayOf } from '../rows/replays.ts'
import { openField, type WrappedKey } from '../rows/sealed-fields.ts'
import { bytes, integer, type Row, text } from '../values.ts'
import { keyIdOf, type Place, type Vault } from '../vault.ts'
import { hasDelegated, keyHolders, sharingAgents } from './agent-keys.ts'
import type { Database } from './connect.ts'
import type { FactAnswer, FactAnswers, FactRequests } from './fact-requests.ts'
import { habitByKey, habitsOfKind } from './habits.ts'
import { keptReplays } from './kept-replays.ts'
import { countLiveBelow, countLiveOf } from './live-tokens.ts'
import type { BatchMemory } from './memory.ts'
import { loadTrust } from './vouches.ts'

/** What one attempt to judge a batch loads, and where it puts the answers. */
export interface FactLoading {
  readonly database: Database
  readonly requests: FactRequests
  readonly answers: FactAnswers
  readonly memory: BatchMemory
  readonly vault: Vault
  /** The data keys that sealed values name. */
  readonly wrapped_keys: Map<number, WrappedKey>
  readonly now_ms: number
}

/** Loads everything that was asked for, and returns the ids of overdue records. */
export async function loadFacts(loading: FactLoading): Promise<string[]> {
  const { database, requests, memory } = loading
  const overdue = await loadOverdue(loading)
  const { tokens, live_counts } = requests
  await memory.loadTokens(database, [...tokens, ...live_counts.keys()])
  await memory.loadAgents(database, [...requests.agents])
  await memory.loadVouched(database, [...requests.vouched])
  await memory.loadPeople(database, [...requests.humans])
  await loadEntries(loading)
  await loadReplays(loading)
  await loadAgents(loading)
  await loadRare(loading)
  await loadTrust(loading)
  return overdue
}

async function loadOverdue({ database, requests, now_ms }: FactLoading): Promise<string[]> {
  if (requests.overdue === 0) return []
  const { rows } = await database.query(OVERDUE, [now_ms, requests.overdue])
  const overdue = rows.map((row) => text(row.aar_id))
  for (const aar_id of overdue) requests.records.set(aar_id, aar_id)
  return overdue
}

async function loadEntries(loading: FactLoading): Promise<void> {
  await answer(loading, 'records', RECORDS, entryRows, (row) => [
    row.aar_id,
    recordOf(row, sourceOf(loading, row)),
  ])
  await answer(loading, 'approvals', APPROVALS_BY_ID, entryRows, (row) => [
    row.approval_id,
    approvalOf(row, sourceOf(loading, row)),
  ])
  await answer(loading, 'open_approvals', APPROVALS_BY_BINDING, entryRows, (row) => [
    row.binding,
    approvalOf(row, sourceOf(loading, row)),
  ])
}

async function loadReplays(loading: FactLoading): Promise<void> {
  await answer(loading, 'replays', REPLAYS, replayRows, (row) => [
    row.replay_key,
    replayOf(row, openerIn(loading)),
  ])
}

async function loadAgents(loading: FactLoading): Promise<void> {
  const deferred = (agent_id: unknown) => loading.memory.deferred?.tallies(text(agent_id)) ?? []
  await answer(loading, 'agent_facts', AGENTS, plainRows, (row) => {
    const known = knownAgentOf(row)
    return [row.agent_id, { ...known, tally: deferred(row.agent_id).reduce(addTallies, known.tally) }]
  })
}

/** Facts that few batches need, one query each. */
async function loadRare(loading: FactLoading): Promise<void> {
  const { database, requests, answers, memory, now_ms } = loading
  for (const [name, owner] of requests.open_counts) {
    const [sql, of] = 'root_jti' in owner ? [OPEN_OF_ROOT, owner.root_jti] : [OPEN_OF_PERSON, owner.human_ref]
    const { rows } = await database.query(sql, [of, now_ms])
    answers.open_counts.set(name, integer(rows[0]?.open))
  }
  for (const binding of requests.denials.keys()) {
    const { rows } = await database.query(DENIED, [binding])
    answers.denials.set(binding, { count: integer(rows[0]?.count), last_ms: integer(rows[0]?.last_ms) })
  }
  for (const [name, kind] of requests.habit_keys)
    answers.habit_keys.set(name, await habitsOfKind(database, kind))
  for (const [name, key] of requests.habits) answers.habits.set(name, await habitByKey(database, key))
  for (const [name, { kind, id }] of requests.registry) {
    const { rows } = await database.query(REGISTERED, [kind, id])
    await loadDataKeys(
      loading,
      rows.map(({ document }) => document),
    )
    answers.registry.set(name, rows[0] && registryEntryOf(rows[0], openerIn(loading)))
  }
  for (const human_ref of requests.linked_refs.keys()) {
    const { rows } = await database.query(LINKED, [human_ref])
    await loadDataKeys(
      loading,
      rows.map(({ document }) => document),
    )
    const entries = rows.map((row) => registryEntryOf(row, openerIn(loading)))
    answers.linked_refs.set(
      human_ref,
      entries.filter(({ document }) => document !== undefined).map(({ id }) => id),
    )
  }
  for (const [name, { tenant_id, jkt }] of requests.key_holders)
    answers.key_holders.set(name, await keyHolders(database, tenant_id, jkt))
  for (const agent_id of requests.sharing.keys())
    answers.sharing.set(agent_id, await sharingAgents(database, agent_id))
  for (const [name, { from, to }] of requests.delegations)
    answers.delegations.set(name, await hasDelegated(database, from, to))
  for (const jti of requests.live_counts.keys()) {
    const path = memory.token(jti)?.path
    answers.live_counts.set(jti, path === undefined ? 0 : await countLiveBelow(database, path, now_ms))
  }
  for (const [name, owner] of requests.live_counts_of)
    answers.live_counts_of.set(name, await countLiveOf(database, owner, now_ms))
}

type RowLoader = (loading: FactLoading, sql: string, names: readonly string[]) => Promise<Row[]>

/** Answers every request of a kind: with its row, or with undefined where there is none. */
async function answer<K extends 'records' | 'approvals' | 'open_approvals' | 'replays' | 'agent_facts'>(
  loading: FactLoading,
  kind: K,
  sql: string,
  rowsFor: RowLoader,
  read: (row: Row) => readonly [name: unknown, fact: FactAnswer<K>],
): Promise<void> {
  const names = [...loading.requests[kind].keys()]
  if (names.length === 0) return
  const found: Map<string, FactAnswer<K> | undefined> = loading.answers[kind]
  for (const name of names) found.set(name, undefined)
  for (const row of await rowsFor(loading, sql, names)) {
    const [name, fact] = read(row)
    found.set(text(name), fact)
  }
}

const plainRows: RowLoader = async ({ database }, sql, names) => (await database.query(sql, [names])).rows

/** Loads the tokens of entries too, and the keys that their fields are sealed with. */
const entryRows: RowLoader = async (loading, sql, names) => {
  const rows = await plainRows(loading, sql, names)
  await loading.memory.loadTokens(loading.database, [...new Set(rows.map((row) => text(row.jti)))])
  await loadDataKeys(
    loading,
    rows.flatMap((row) => [row.metadata, row.note]),
  )
  return rows
}

const replayRows: RowLoader = async (loading, sql, names) => {
  const { rows } = await loading.database.query(sql, [names, loading.now_ms])
  await loadDataKeys(
    loading,
    rows.flatMap((row) => partsOf(bytes(row.outcome))),
  )
  return rows
}

/** Loads the data keys that sealed values name. */
async function loadDataKeys(
  { database, wrapped_keys }: FactLoading,
  values: readonly unknown[],
): Promise<void> {
  const ids = new Set<number>()
  for (const value of values) {
    const key_id = value === null || value === undefined ? undefined : keyIdOf(bytes(value))
    if (key_id !== undefined && !wrapped_keys.has(key_id)) ids.add(key_id)
  }
  if (ids.size === 0) return
  const { rows } = await database.query(DATA_KEYS, [[...ids]])
  for (const row of rows)
    wrapped_keys.set(integer(row.data_key), { human_ref: text(row.human_ref), wrapped: bytes(row.wrapped) })
}

function openerIn({ vault, wrapped_keys }: FactLoading) {
  return (sealed: unknown, place: Place) =>
    openField(vault, sealed, place, (key_id) => loadedKey(wrapped_keys, key_id))
}

function loadedKey(wrapped_keys: ReadonlyMap<number, WrappedKey>, key_id: number): WrappedKey {
  const known = wrapped_keys.get(key_id)
  if (known === undefined) throw new Error(`data key ${key_id} was not loaded`)
  return known
}

function sourceOf(loading: FactLoading, row: Row): EntrySource {
  const open = openerIn(loading)
  return {
    token: tokenOfEntry(loading.memory, row),
    name: (of) => text(row[of]),
    open: (column, place) => open(row[column], place),
  }
}

/** The token of an entry, which was loaded with it. */
function tokenOfEntry(memory: BatchMemory, row: Row): Token {
  const keyed = memory.token(text(row.jti))
  if (keyed === undefined) throw new Error(`token ${row.token_key} is missing`)
  return keyed.token
}

const RECORDS = `
  SELECT r.*, t.jti, ${RECORD_JOINED}, action.name AS action, resource.name AS resource, result.name AS result
  FROM records r
  JOIN tokens t ON t.token_key = r.token_key
  JOIN leaves leaf ON leaf.log_index = r.log_index
  JOIN names action ON action.name_key = r.action_key
  JOIN names resource ON resource.name_key = r.resource_key
  LEFT JOIN names result ON result.name_key = r.result_key
  LEFT JOIN records parent ON parent.log_index = r.parent_index
  LEFT JOIN ratings rating ON rating.record_index = r.log_index
  WHERE r.aar_id = ANY($1)`

const APPROVALS = `
  SELECT a.*, t.jti, action.name AS action, resource.name AS resource, ${approvalJoined('a')}
  FROM approvals a
  JOIN tokens t ON t.token_key = a.token_key
  JOIN names action ON action.name_key = a.action_key
  JOIN names resource ON resource.name_key = a.resource_key`
const APPROVALS_BY_ID = `${APPROVALS} WHERE a.approval_id = ANY($1)`
const APPROVALS_BY_BINDING = `${APPROVALS} WHERE a.binding = ANY($1) AND a.state = 0`
const REPLAYS = `SELECT * FROM ${keptReplays('$1', '$2')}`
const AGENTS = 'SELECT * FROM agents WHERE agent_id = ANY($1)'
const OPEN_OF_ROOT = countOfOpenApprovals('root_key = (SELECT token_key FROM tokens WHERE jti = $1)', '$2')
const OPEN_OF_PERSON = countOfOpenApprovals(
  'human_key = (SELECT human_key FROM humans WHERE human_ref = $1)',
  '$2',
)
const DENIED = `
  SELECT count(*) AS count, coalesce(max(decided_at_ms), 0) AS last_ms FROM approvals
  WHERE binding = $1 AND state = 2`
const REGISTERED = 'SELECT * FROM registry WHERE kind = $1 AND id = $2'
const LINKED = "SELECT * FROM registry WHERE kind = 'identity' AND owner = $1 AND document IS NOT NULL"
const OVERDUE =
  'SELECT aar_id FROM records WHERE state = 0 AND expires_at_ms <= $1 ORDER BY expires_at_ms LIMIT $2'
const DATA_KEYS = `
  SELECT k.data_key, k.wrapped, h.human_ref FROM data_keys k JOIN humans h ON h.human_key = k.human_key
  WHERE k.data_key = ANY($1)`
