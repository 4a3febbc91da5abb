import type { HabitKey, HabitKind } from '../../../domain/approvals/habit.ts'
import type { StoredRecord } from '../../../domain/record.ts'
import { addTallies } from '../../../domain/reputation.ts'
import type { Token } from '../../../domain/tokens/token.ts'
import type { RegistryEntry, RegistryName } from '../../port/registry.ts'
import type { ApprovalOwner } from '../../port/write-store.ts'
import { countOfOpenApprovals } from '../../revoked-chains.ts'
import { knownAgentOf } from '../../rows/agents.ts'
import { approvalJoined, approvalOf, branchDenialOf, deniedInARow } from '../../rows/approvals.ts'
import type { EntrySource } from '../../rows/entries.ts'
import { RECORD_JOINED, recordOf } from '../../rows/records.ts'
import { registryEntryOf } from '../../rows/registry.ts'
import { partsOf, replayOf } from '../../rows/replays.ts'
import { openField, type WrappedKey } from '../../rows/sealed-fields.ts'
import { columnsIn } from '../../tables.ts'
import { bytes, integer, type Row, text } from '../../values.ts'
import { keyIdOf, type Place } from '../../vault.ts'
import { hasDelegated, keyHolders, sharingAgents } from '../read/agent-keys.ts'
import { habitByKey, habitsOfKind } from '../read/habits.ts'
import { countLiveBelow, countLiveOf, type TokenOwner } from '../read/live-tokens.ts'
import { type KeyedRead, keyedRead } from '../read/reading.ts'
import { TRUST_FACTS } from '../read/vouches.ts'
import { type FactLoader, type FactSource, oneByOne } from './fact-source.ts'
import { keptReplays } from './kept-replays.ts'
import type { BatchMemory } from './memory.ts'

type RowLoader = (source: FactSource, find: KeyedRead, names: readonly string[]) => Promise<Row[]>

/** Finds rows by name, all with one query. The answer for a name without a row is undefined. */
function rowsByName<Answer>(
  find: KeyedRead,
  rowsFor: RowLoader,
  read: (row: Row, source: FactSource) => readonly [name: unknown, fact: Answer],
): FactLoader<string, Answer | undefined> {
  return async (source, asked, answers) => {
    const names = [...asked.keys()]
    for (const name of names) answers.set(name, undefined)
    for (const row of await rowsFor(source, find, names)) {
      const [name, fact] = read(row, source)
      answers.set(text(name), fact)
    }
  }
}

/** Uses the records in memory, with their tokens, and reads the others. */
function rememberedOr(
  read: FactLoader<string, StoredRecord | undefined>,
): FactLoader<string, StoredRecord | undefined> {
  return async (source, asked, answers) => {
    const { memory, database } = source
    const unknown = new Map(asked)
    const jtis = new Set<string>()
    for (const aar_id of asked.keys()) {
      const record = memory.pending.get(aar_id)
      if (record === undefined) continue
      answers.set(aar_id, record)
      jtis.add(record.vat_jti)
      unknown.delete(aar_id)
    }
    await memory.loadTokens(database, [...jtis])
    if (unknown.size > 0) await read(source, unknown, answers)
  }
}

const plainRows: RowLoader = ({ database }, find, names) => find(database, names)

/** Also loads the tokens of entries, and the keys that seal their fields. */
const entryRows: RowLoader = async (source, find, names) => {
  const rows = await plainRows(source, find, names)
  await source.memory.loadTokens(source.database, [...new Set(rows.map((row) => text(row.jti)))])
  await loadDataKeys(
    source,
    rows.flatMap((row) => [row.metadata, row.note]),
  )
  return rows
}

const replayRows: RowLoader = async (source, find, names) => {
  const rows = await find(source.database, names, source.now_ms)
  await loadDataKeys(
    source,
    rows.flatMap((row) => partsOf(bytes(row.outcome))),
  )
  return rows
}

/** Loads the data keys that sealed values name. */
async function loadDataKeys(
  { database, wrapped_keys }: FactSource,
  values: readonly unknown[],
): Promise<void> {
  const ids = new Set<number>()
  for (const value of values) {
    const key_id = value === null || value === undefined ? undefined : keyIdOf(bytes(value))
    if (key_id !== undefined && !wrapped_keys.has(key_id)) ids.add(key_id)
  }
  if (ids.size === 0) return
  const rows = await DATA_KEYS(database, [...ids])
  for (const row of rows)
    wrapped_keys.set(integer(row.data_key), { human_ref: text(row.human_ref), wrapped: bytes(row.wrapped) })
}

function openerIn({ vault, wrapped_keys }: FactSource) {
  return (sealed: unknown, place: Place) =>
    openField(vault, sealed, place, (key_id) => loadedKey(wrapped_keys, key_id))
}

function loadedKey(wrapped_keys: ReadonlyMap<number, WrappedKey>, key_id: number): WrappedKey {
  const known = wrapped_keys.get(key_id)
  if (known === undefined) throw new Error(`data key ${key_id} was not loaded`)
  return known
}

function sourceOf(source: FactSource, row: Row): EntrySource {
  const open = openerIn(source)
  return {
    token: tokenOfEntry(source.memory, row),
    name: (of) => text(row[of]),
    open: (column, place) => open(row[column], place),
  }
}

/** Returns the token of an entry, which was loaded with it. */
function tokenOfEntry(memory: BatchMemory, row: Row): Token {
  const keyed = memory.token(text(row.jti))
  if (keyed === undefined) throw new Error(`token ${row.token_key} is missing`)
  return keyed.token
}

const columnsOfEntry = (table: 'records' | 'approvals', alias: string) =>
  columnsIn(table, 'postgres')
    .map((column) => `${alias}.${column}`)
    .join(', ')

const RECORDS = keyedRead(
  'records',
  `SELECT ${columnsOfEntry('records', 'r')}, t.jti, ${RECORD_JOINED}, action.name AS action, resource.name AS resource, result.name AS result
  FROM records r
  JOIN tokens t ON t.token_key = r.token_key
  JOIN leaves leaf ON leaf.log_index = r.log_index
  JOIN names action ON action.name_key = r.action_key
  JOIN names resource ON resource.name_key = r.resource_key
  LEFT JOIN names result ON result.name_key = r.result_key
  LEFT JOIN records parent ON parent.log_index = r.parent_index
  LEFT JOIN ratings rating ON rating.record_index = r.log_index
  WHERE r.aar_id = ANY(?)`,
)

const APPROVALS = `
  SELECT ${columnsOfEntry('approvals', 'a')}, t.jti, action.name AS action, resource.name AS resource, ${approvalJoined('a')}
  FROM approvals a
  JOIN tokens t ON t.token_key = a.token_key
  JOIN names action ON action.name_key = a.action_key
  JOIN names resource ON resource.name_key = a.resource_key`
const APPROVALS_BY_ID = keyedRead('approvals', `${APPROVALS} WHERE a.approval_id = ANY(?)`)
const APPROVALS_BY_BINDING = keyedRead(
  'open_approvals',
  `${APPROVALS} WHERE a.binding = ANY(?) AND a.state = 0`,
)
const REPLAYS = keyedRead(
  'replays',
  `SELECT ${columnsIn('replays', 'postgres').join(', ')} FROM ${keptReplays('?', '?')}`,
)
const AGENTS = keyedRead(
  'agent_facts',
  `SELECT ${columnsIn('agents', 'postgres').join(', ')} FROM agents WHERE agent_id = ANY(?)`,
)
const OPEN_OF_ROOT = countOfOpenApprovals('root_key = (SELECT token_key FROM tokens WHERE jti = $1)', '$2')
const OPEN_OF_BRANCH = countOfOpenApprovals(
  'root_key = (SELECT token_key FROM tokens WHERE jti = $1)',
  '$2',
  '$3',
)
const OPEN_OF_PERSON = countOfOpenApprovals(
  'human_key = (SELECT human_key FROM humans WHERE human_ref = $1)',
  '$2',
)
const DENIED = `
  SELECT count(*) AS count, coalesce(max(decided_at_ms), 0) AS last_ms FROM approvals
  WHERE binding = $1 AND state = 2`
const DENIED_IN_A_ROW = deniedInARow('(SELECT token_key FROM tokens WHERE jti = $1)')
const REGISTERED = 'SELECT * FROM registry WHERE kind = $1 AND id = $2'
const LINKED = "SELECT * FROM registry WHERE kind = 'identity' AND owner = $1 AND document IS NOT NULL"
const DATA_KEYS = keyedRead(
  'data_keys',
  `SELECT k.data_key, k.wrapped, h.human_ref FROM data_keys k JOIN humans h ON h.human_key = k.human_key
  WHERE k.data_key = ANY(?)`,
)

/**
 * The facts that are looked up by name, in loading order. Each loader's types are the key that a judge asks with, and
 * the answer.
 */
export const FACT_KINDS = {
  records: rememberedOr(
    rowsByName(RECORDS, entryRows, (row, source) => [row.aar_id, recordOf(row, sourceOf(source, row))]),
  ),
  approvals: rowsByName(APPROVALS_BY_ID, entryRows, (row, source) => [
    row.approval_id,
    approvalOf(row, sourceOf(source, row)),
  ]),
  open_approvals: rowsByName(APPROVALS_BY_BINDING, entryRows, (row, source) => [
    row.binding,
    approvalOf(row, sourceOf(source, row)),
  ]),
  replays: rowsByName(REPLAYS, replayRows, (row, source) => [
    row.replay_key,
    replayOf(row, openerIn(source)),
  ]),
  agent_facts: rowsByName(AGENTS, plainRows, (row, { memory }) => {
    const known = knownAgentOf(row)
    const deferred = memory.deferred?.tallies(text(row.agent_id)) ?? []
    return [row.agent_id, { ...known, tally: deferred.reduce(addTallies, known.tally) }]
  }),
  open_counts: oneByOne(async ({ database, now_ms }, owner: ApprovalOwner) => {
    const [sql, ...values] = openCount(owner, now_ms)
    const { rows } = await database.query(sql, values)
    return integer(rows[0]?.open)
  }),
  denials: oneByOne(async ({ database }, binding: string) => {
    const { rows } = await database.query(DENIED, [binding])
    return { count: integer(rows[0]?.count), last_ms: integer(rows[0]?.last_ms) }
  }),
  denials_in_a_row: oneByOne(async ({ database }, root_jti: string) => {
    const { rows } = await database.query(DENIED_IN_A_ROW, [root_jti])
    return rows.map(branchDenialOf)
  }),
  habit_keys: oneByOne(({ database }, kind: HabitKind) => habitsOfKind(database, kind)),
  habits: oneByOne(({ database }, key: HabitKey) => habitByKey(database, key)),
  registry: oneByOne(async (source, { kind, id }: RegistryName) => {
    const [entry] = await registered(source, REGISTERED, [kind, id])
    return entry
  }),
  linked_refs: oneByOne(async (source, human_ref: string) => {
    const entries = await registered(source, LINKED, [human_ref])
    return entries.filter(({ document }) => document !== undefined).map(({ id }) => id)
  }),
  key_holders: oneByOne(({ database }, { tenant_id, jkt }: { tenant_id: string; jkt: string }) =>
    keyHolders(database, tenant_id, jkt),
  ),
  sharing: oneByOne(({ database }, agent_id: string) => sharingAgents(database, agent_id)),
  delegations: oneByOne(({ database }, { from, to }: { from: string; to: string }) =>
    hasDelegated(database, from, to),
  ),
  live_counts: oneByOne(async ({ database, memory, now_ms }, jti: string) => {
    const path = memory.token(jti)?.path
    return path === undefined ? 0 : countLiveBelow(database, path, now_ms)
  }),
  live_counts_of: oneByOne(({ database, now_ms }, owner: TokenOwner) => countLiveOf(database, owner, now_ms)),
  ...TRUST_FACTS,
}

/** Returns the statement that counts an owner's open approvals, and its values. */
function openCount(owner: ApprovalOwner, now_ms: number): [sql: string, ...values: (string | number)[]] {
  if ('human_ref' in owner) return [OPEN_OF_PERSON, owner.human_ref, now_ms]
  const { root_jti, branch_jti } = owner
  return branch_jti === undefined
    ? [OPEN_OF_ROOT, root_jti, now_ms]
    : [OPEN_OF_BRANCH, root_jti, now_ms, branch_jti]
}

async function registered(source: FactSource, sql: string, values: string[]): Promise<RegistryEntry[]> {
  const { rows } = await source.database.query(sql, values)
  await loadDataKeys(
    source,
    rows.map(({ document }) => document),
  )
  return rows.map((row) => registryEntryOf(row, openerIn(source)))
}
