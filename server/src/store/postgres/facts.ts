import { type Habit, type HabitKey, habitName, type StoredApproval } from '../../domain/approval.ts'
import type { StoredRecord } from '../../domain/record.ts'
import { type Chain, type Link, type Marks, noMarks, type Token } from '../../domain/token.ts'
import { afterAll, topmost } from '../paths.ts'
import {
  type Facts,
  type KnownAgent,
  type Needs,
  type RegistryEntry,
  type RegistryName,
  registryKey,
  type StoredReplay,
} from '../port.ts'
import { tallyOf } from '../rows/agents.ts'
import { approvalOf, habitOf } from '../rows/approvals.ts'
import { RECORD_JOINED, recordOf } from '../rows/records.ts'
import { registryEntryOf } from '../rows/registry.ts'
import { partsOf, replayOf } from '../rows/replays.ts'
import { openField, type WrappedKey } from '../rows/sealed-fields.ts'
import { bytes, integer, optionalText, type Row, text } from '../values.ts'
import { keyIdOf, type Place, type Vault } from '../vault.ts'
import type { Database } from './connect.ts'
import type { Head } from './head.ts'
import type { Memory } from './memory.ts'
import { type People, type Person, peopleOf, type Register } from './people.ts'

type Owner = Parameters<Facts['countLiveOf']>[0]
/** Looks up the rows that there are under these keys. */
type Rows = (keys: readonly string[]) => Promise<Row[]>

/**
 * The facts of one batch. Judges ask for them one by one and cannot wait, so what is not there yet is noted and answered
 * with nothing; the caller then loads all that was noted and has the batch judged again, from the beginning.
 */
export interface BatchFacts {
  readonly facts: Facts
  readonly people: People
  /** The row of a person, made if there is none. Only after everything was loaded. */
  personFor(human_ref: string): Person
  /** People whose row changed or is new. */
  readonly touched: ReadonlySet<Person>
  /** Whether something was asked for that is not loaded. What was judged so far means nothing then. */
  isIncomplete(): boolean
  /** Loads what the needs name, and everything that was asked for in vain. */
  load(database: Database): Promise<void>
  /** Where records that the batch knows stand in the log, by their id. */
  recordIndex(aar_id: string): number | undefined
  /** Marks of agents that nobody had heard of before this batch. */
  readonly new_agents: ReadonlyMap<string, Marks>
}

/** Answers that were looked up for this batch, by what was asked. */
interface Answers {
  readonly records: Map<string, StoredRecord | undefined>
  readonly approvals: Map<string, StoredApproval | undefined>
  readonly openApprovals: Map<string, StoredApproval | undefined>
  readonly replays: Map<string, StoredReplay | undefined>
  readonly agents: Map<string, KnownAgent | undefined>
  readonly openCounts: Map<string, number>
  readonly habits: Map<string, Habit | undefined>
  readonly registry: Map<string, RegistryEntry | undefined>
  readonly live: Map<string, number>
  readonly liveOf: Map<string, number>
}

/** What the judges of a batch ask for. It grows from one judging to the next, until nothing is asked in vain. */
export interface Asked {
  readonly overdue: number
  readonly tokens: Set<string>
  readonly records: Set<string>
  readonly agents: Set<string>
  readonly agentFacts: Set<string>
  readonly humans: Set<string>
  readonly approvals: Set<string>
  readonly openApprovals: Set<string>
  readonly replays: Set<string>
  readonly openCounts: Set<string>
  readonly habits: Map<string, HabitKey>
  readonly registry: Map<string, RegistryName>
  readonly live: Set<string>
  readonly liveOf: Map<string, Owner>
  readonly made_keys: Register['made']
}

export function batchFacts(
  asked: Asked,
  now_ms: number,
  head: Head,
  memory: Memory,
  vault: Vault,
): BatchFacts {
  const answers = noAnswers()
  const wrapped_keys = new Map<number, WrappedKey>()
  const touched = new Set<Person>()
  const new_agents = new Map<string, Marks>()
  let overdue: string[] = []
  let isIncomplete = false

  function missing<K>(set: Set<K>, key: K): undefined {
    set.add(key)
    isIncomplete = true
    return undefined
  }

  function lookup<T>(found: Map<string, T>, set: Set<string>, key: string): T | undefined {
    return found.has(key) ? found.get(key) : missing(set, key)
  }

  /** A person who is not in the store gets a row when something is kept for them. */
  function personFor(human_ref: string): Person | undefined {
    const known = memory.person(human_ref)
    if (known === undefined) return missing(asked.humans, human_ref)
    if (known !== null) return known
    head.last_human_key += 1
    const person: Person = {
      human_ref,
      human_key: head.last_human_key,
      marks: noMarks(),
      data_key: undefined,
      erased_at_ms: undefined,
      key: undefined,
      wrapped: undefined,
    }
    memory.addPerson(person)
    touched.add(person)
    return person
  }

  function nextDataKey(): number {
    head.last_data_key += 1
    return head.last_data_key
  }

  const people = peopleOf(vault, { personFor, nextDataKey, made: asked.made_keys, touched, wrapped_keys })

  function chainOf(jti: string): Chain | undefined {
    const keyed = memory.token(jti)
    if (keyed === undefined) return memory.isAbsent(jti) ? undefined : missing(asked.tokens, jti)
    const links: Link[] = []
    for (
      let one: typeof keyed | undefined = keyed;
      one !== undefined;
      one = one.above_key === undefined ? undefined : memory.tokenByKey(one.above_key)
    ) {
      const link = memory.link(one.token_key)
      if (link === undefined) return missing(asked.tokens, jti)
      links.push(link)
    }
    const [first, ...above] = links
    return first === undefined ? undefined : [first, ...above]
  }

  const facts: Facts = {
    now_ms,
    frontier: head.frontier,
    get overdue() {
      return overdue
    },
    chain: chainOf,
    record: (aar_id) => lookup(answers.records, asked.records, aar_id),
    approval: (approval_id) => lookup(answers.approvals, asked.approvals, approval_id),
    openApproval: (binding) => lookup(answers.openApprovals, asked.openApprovals, binding),
    replay: (key) => lookup(answers.replays, asked.replays, key),
    agent: (agent_id) => lookup(answers.agents, asked.agentFacts, agent_id),
    agentMarks(agent_id) {
      const known = memory.agent(agent_id)
      if (known === undefined) missing(asked.agents, agent_id)
      if (known) return known.marks
      const marks = new_agents.get(agent_id) ?? noMarks()
      new_agents.set(agent_id, marks)
      return marks
    },
    humanMarks(human_ref) {
      const known = memory.person(human_ref)
      return known === undefined ? missing(asked.humans, human_ref) : (known?.marks ?? undefined)
    },
    person(human_ref) {
      const known = memory.person(human_ref)
      if (known === undefined) return missing(asked.humans, human_ref)
      return known === null ? undefined : people.known(human_ref)
    },
    registry(name) {
      const key = registryKey(name)
      if (answers.registry.has(key)) return answers.registry.get(key)
      asked.registry.set(key, name)
      isIncomplete = true
      return undefined
    },
    digest: people.digest,
    countOpenApprovals: (jti) => lookup(answers.openCounts, asked.openCounts, jti) ?? 0,
    habit(key) {
      const name = habitName(key)
      if (answers.habits.has(name)) return answers.habits.get(name)
      asked.habits.set(name, key)
      isIncomplete = true
      return undefined
    },
    countLive: (jti) => lookup(answers.live, asked.live, jti) ?? 0,
    countLiveOf(owner) {
      const name = JSON.stringify(owner)
      const known = answers.liveOf.get(name)
      if (known !== undefined) return known
      asked.liveOf.set(name, owner)
      isIncomplete = true
      return 0
    },
  }

  /** The token of an entry, which was loaded with it. */
  function tokenAt(row: Row): Token {
    const keyed = memory.token(text(row.jti))
    if (keyed === undefined) throw new Error(`token ${row.token_key} is missing`)
    return keyed.token
  }

  function sourceOf(row: Row) {
    return {
      token: tokenAt(row),
      name: (of: 'action' | 'resource' | 'result') => text(row[of]),
      open: (column: 'metadata' | 'note', place: Parameters<typeof openField>[2]) =>
        openField(vault, row[column], place, people.wrappedKey),
    }
  }

  /** Entries come with the ids of their tokens; those and the keys that their fields are sealed with are loaded too. */
  async function entries(database: Database, sql: string, ids: readonly string[]): Promise<Row[]> {
    const { rows } = await database.query(sql, [ids])
    await memory.loadTokens(database, [...new Set(rows.map((row) => text(row.jti)))])
    await loadKeys(
      database,
      rows.flatMap((row) => [row.metadata, row.note]),
    )
    return rows
  }

  async function loadKeys(database: Database, values: readonly unknown[]): Promise<void> {
    const ids = new Set<number>()
    for (const value of values) {
      const key_id = value === null || value === undefined ? undefined : keyIdOf(bytes(value))
      if (key_id !== undefined && !wrapped_keys.has(key_id)) ids.add(key_id)
    }
    if (ids.size === 0) return
    const { rows } = await database.query(
      `SELECT k.data_key, k.wrapped, h.human_ref FROM data_keys k JOIN humans h ON h.human_key = k.human_key
       WHERE k.data_key = ANY($1)`,
      [[...ids]],
    )
    for (const row of rows)
      wrapped_keys.set(integer(row.data_key), { human_ref: text(row.human_ref), wrapped: bytes(row.wrapped) })
  }

  /** Answers all that was asked of one kind with the rows that there are, and the rest with nothing. */
  async function answer<T>(
    { asked, found, rows }: { asked: Set<string>; found: Map<string, T | undefined>; rows: Rows },
    read: (row: Row) => readonly [key: unknown, value: T],
  ): Promise<void> {
    if (asked.size === 0) return
    for (const key of asked) found.set(key, undefined)
    for (const row of await rows([...asked])) {
      const [key, value] = read(row)
      found.set(text(key), value)
    }
  }

  async function loadEntries(database: Database): Promise<void> {
    const from = (sql: string) => (ids: readonly string[]) => entries(database, sql, ids)
    await answer({ asked: asked.records, found: answers.records, rows: from(RECORDS) }, (row) => [
      row.aar_id,
      recordOf(row, sourceOf(row)),
    ])
    await answer({ asked: asked.approvals, found: answers.approvals, rows: from(APPROVALS_BY_ID) }, (row) => [
      row.approval_id,
      approvalOf(row, sourceOf(row)),
    ])
    await answer(
      { asked: asked.openApprovals, found: answers.openApprovals, rows: from(APPROVALS_BY_BINDING) },
      (row) => [row.binding, approvalOf(row, sourceOf(row))],
    )
  }

  async function loadReplays(database: Database): Promise<void> {
    const rows: Rows = async (keys) => {
      const { rows: kept } = await database.query(REPLAYS, [keys, now_ms])
      await loadKeys(
        database,
        kept.flatMap((row) => partsOf(bytes(row.outcome))),
      )
      return kept
    }
    await answer({ asked: asked.replays, found: answers.replays, rows }, (row) => [
      row.replay_key,
      replayOf(row, openSealed),
    ])
  }

  async function loadAgentFacts(database: Database): Promise<void> {
    const rows: Rows = async (ids) => (await database.query(AGENTS, [ids])).rows
    await answer({ asked: asked.agentFacts, found: answers.agents, rows }, (row) => [
      row.agent_id,
      { profile: optionalText(row.profile), tally: tallyOf(row) },
    ])
  }

  const openSealed = (sealed: unknown, place: Place) => openField(vault, sealed, place, people.wrappedKey)

  /** Seldom asked, and so one question each. */
  async function loadRare(database: Database): Promise<void> {
    for (const jti of asked.openCounts)
      answers.openCounts.set(jti, integer((await database.query(OPEN_COUNT, [jti, now_ms])).rows[0]?.open))
    for (const [name, { agent_id, human_ref, action, resource }] of asked.habits) {
      const { rows } = await database.query(HABIT, [agent_id, human_ref, action, resource])
      answers.habits.set(name, rows[0] === undefined ? undefined : habitOf(rows[0]))
    }
    for (const [name, { kind, id }] of asked.registry) {
      const { rows } = await database.query(REGISTERED, [kind, id])
      await loadKeys(
        database,
        rows.map(({ document }) => document),
      )
      answers.registry.set(name, rows[0] && registryEntryOf(rows[0], openSealed))
    }
    for (const jti of asked.live) answers.live.set(jti, await countLive(database, jti))
    for (const [name, owner] of asked.liveOf) {
      const [sql, id] =
        'agent_id' in owner ? [LIVE_OF_AGENT, owner.agent_id] : [LIVE_OF_HUMAN, owner.human_ref]
      answers.liveOf.set(name, integer((await database.query(sql, [id, now_ms])).rows[0]?.live))
    }
  }

  async function countLive(database: Database, jti: string): Promise<number> {
    const path = memory.token(jti)?.path
    if (path === undefined) return 0
    const count = async (from: Uint8Array) =>
      integer((await database.query(LIVE_BELOW, [from, afterAll(from), now_ms])).rows[0]?.live)
    const { rows } = await database.query(REVOKED_BELOW, [path, afterAll(path)])
    let live = await count(path)
    for (const gone of topmost(rows.map((row) => bytes(row.path)))) live -= await count(gone)
    return live
  }

  async function loadOverdue(database: Database): Promise<void> {
    if (asked.overdue === 0) return
    const { rows } = await database.query(OVERDUE, [now_ms, asked.overdue])
    overdue = rows.map((row) => text(row.aar_id))
    for (const aar_id of overdue) asked.records.add(aar_id)
  }

  return {
    facts,
    people,
    personFor: (human_ref) => personFor(human_ref) ?? unknown(human_ref),
    touched,
    new_agents,
    isIncomplete: () => isIncomplete,
    async load(database) {
      await loadOverdue(database)
      await memory.loadTokens(database, [...asked.tokens, ...asked.live, ...asked.openCounts])
      await memory.loadAgents(database, [...asked.agents])
      await memory.loadPeople(database, [...asked.humans])
      await loadEntries(database)
      await loadReplays(database)
      await loadAgentFacts(database)
      await loadRare(database)
    },
    recordIndex: (aar_id) => answers.records.get(aar_id)?.log_index,
  }
}

function noAnswers(): Answers {
  return {
    records: new Map(),
    approvals: new Map(),
    openApprovals: new Map(),
    replays: new Map(),
    agents: new Map(),
    openCounts: new Map(),
    habits: new Map(),
    registry: new Map(),
    live: new Map(),
    liveOf: new Map(),
  }
}

function unknown(human_ref: string): never {
  throw new Error(`nobody has looked for the person ${human_ref}`)
}

export function firstAsked(needs: Needs): Asked {
  const { tokens, records, agents, humans, approvals, replays, registry, overdue } = needs
  return {
    overdue,
    tokens: new Set(tokens),
    records: new Set(records),
    agents: new Set(agents),
    agentFacts: new Set(),
    humans: new Set(humans),
    approvals: new Set(approvals),
    openApprovals: new Set(),
    replays: new Set(replays),
    openCounts: new Set(),
    habits: new Map(),
    registry: new Map(registry),
    live: new Set(),
    liveOf: new Map(),
    made_keys: new Map(),
  }
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
  SELECT a.*, t.jti, action.name AS action, resource.name AS resource
  FROM approvals a
  JOIN tokens t ON t.token_key = a.token_key
  JOIN names action ON action.name_key = a.action_key
  JOIN names resource ON resource.name_key = a.resource_key`
const APPROVALS_BY_ID = `${APPROVALS} WHERE a.approval_id = ANY($1)`
const APPROVALS_BY_BINDING = `${APPROVALS} WHERE a.binding = ANY($1) AND a.state = 0`
const REPLAYS = 'SELECT * FROM replays WHERE replay_key = ANY($1) AND expires_at_ms > $2'
const AGENTS = 'SELECT * FROM agents WHERE agent_id = ANY($1)'
const OPEN_COUNT = `
  SELECT count(*) AS open FROM approvals WHERE token_key = (SELECT token_key FROM tokens WHERE jti = $1)
    AND state = 0 AND expires_at_ms > $2`
const HABIT = `
  SELECT * FROM approval_habits WHERE agent_key = (SELECT agent_key FROM agents WHERE agent_id = $1)
    AND human_key = (SELECT human_key FROM humans WHERE human_ref = $2)
    AND action_key = (SELECT name_key FROM names WHERE name = $3)
    AND resource_key = (SELECT name_key FROM names WHERE name = $4)`
const REGISTERED = 'SELECT * FROM registry WHERE kind = $1 AND id = $2'
const LIVE_BELOW = 'SELECT count(*) AS live FROM tokens WHERE path >= $1 AND path < $2 AND expires_at_ms > $3'
const REVOKED_BELOW = `
  SELECT t.path FROM token_states s JOIN tokens t ON t.token_key = s.token_key
  WHERE s.revoked_at_ms IS NOT NULL AND t.path >= $1 AND t.path < $2 ORDER BY t.path`
const LIVE_OF_AGENT = `
  SELECT count(*) AS live FROM tokens t JOIN agents a ON a.agent_key = t.agent_key
    LEFT JOIN token_states s ON s.token_key = t.token_key
  WHERE a.agent_id = $1 AND t.log_index >= a.revoked_below AND t.expires_at_ms > $2 AND s.revoked_at_ms IS NULL`
const LIVE_OF_HUMAN = `
  SELECT count(*) AS live FROM tokens t JOIN humans h ON h.human_key = t.human_key
    LEFT JOIN token_states s ON s.token_key = t.token_key
  WHERE h.human_ref = $1 AND t.log_index >= h.revoked_below AND t.expires_at_ms > $2 AND s.revoked_at_ms IS NULL`
const OVERDUE =
  'SELECT aar_id FROM records WHERE state = 0 AND expires_at_ms <= $1 ORDER BY expires_at_ms LIMIT $2'
