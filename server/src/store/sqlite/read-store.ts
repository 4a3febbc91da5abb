import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import type { StoredDenial } from '../../domain/denial.ts'
import type { StoredRecord } from '../../domain/record.ts'
import type {
  AgentFacts,
  DenialFilter,
  Page,
  PageRequest,
  ReadStore,
  RecordFilter,
  TimeRange,
} from '../port.ts'
import { openForReading } from './open.ts'
import {
  chainReader,
  DENIAL_COLUMNS,
  DENIAL_JOINS,
  denialOf,
  integer,
  levelKey,
  optionalInteger,
  RECORD_COLUMNS,
  RECORD_JOINS,
  type Row,
  ratingKey,
  recordOf,
  stateKey,
  text,
} from './rows.ts'

/** Reads the file that a write store in this or another thread keeps. */
export function sqliteReadStore(file: string): ReadStore {
  const db = openForReading(file)
  const chains = chainReader(db)
  const recordById = db.prepare(`SELECT ${RECORD_COLUMNS} FROM records r ${RECORD_JOINS} WHERE r.aar_id = ?`)
  const denialById = db.prepare(
    `SELECT ${DENIAL_COLUMNS} FROM denials d ${DENIAL_JOINS} WHERE d.denial_id = ?`,
  )
  const workflowByRef = db.prepare('SELECT * FROM workflows WHERE provenance_ref = ?')
  const actionCounts = db.prepare(
    'SELECT name, records FROM workflow_actions JOIN names ON name_key = action_key WHERE workflow_key = ? ORDER BY name',
  )
  const resultCounts = db.prepare(
    'SELECT name, records FROM workflow_results JOIN names ON name_key = result_key WHERE workflow_key = ? ORDER BY name',
  )
  const agentById = db.prepare('SELECT * FROM agents WHERE agent_id = ?')
  const recordPages = pager(
    db,
    'records',
    'r',
    `SELECT ${RECORD_COLUMNS} FROM records r ${RECORD_JOINS}`,
    recordOf,
  )
  const denialPages = pager(
    db,
    'denials',
    'd',
    `SELECT ${DENIAL_COLUMNS} FROM denials d ${DENIAL_JOINS}`,
    denialOf,
  )
  const conditions = keyedConditions(db)

  return {
    async chain(jti) {
      chains.begin()
      return chains.chain(jti)
    },
    async record(aar_id) {
      const row = recordById.get(aar_id)
      return row === undefined ? undefined : recordOf(row)
    },
    async denial(denial_id) {
      const row = denialById.get(denial_id)
      return row === undefined ? undefined : denialOf(row)
    },
    async workflow(provenance_ref) {
      const row = workflowByRef.get(provenance_ref)
      if (row === undefined) return undefined
      const workflow = integer(row.workflow_key)
      return {
        total_records: integer(row.total_records),
        unique_agents: integer(row.unique_agents),
        actions_by_type: countsOf(actionCounts.all(workflow)),
        results_by_type: countsOf(resultCounts.all(workflow)),
      }
    },
    async agent(agent_id) {
      const row = agentById.get(agent_id)
      return row === undefined ? undefined : agentOf(row)
    },
    async records(filter, page) {
      return recordPages(recordConditions(filter, conditions), filter, page)
    },
    async denials(filter, page) {
      return denialPages(denialConditions(filter, conditions), filter, page)
    },
    async close() {
      db.close()
    },
  }
}

function countsOf(rows: Row[]): Record<string, number> {
  return Object.fromEntries(rows.map((row) => [text(row.name), integer(row.records)]))
}

function agentOf(row: Row): AgentFacts {
  return {
    tally: {
      total_actions: integer(row.total_actions),
      completed_actions: integer(row.completed_actions),
      scored_actions: integer(row.scored_actions),
      outcome_halves: integer(row.outcome_halves),
      approved: integer(row.approved),
      flagged: integer(row.flagged),
      rejected: integer(row.rejected),
    },
    first_seen_ms: integer(row.first_seen_ms),
    last_action_ms: optionalInteger(row.last_action_ms),
  }
}

interface Condition {
  readonly sql: string
  readonly values: readonly SQLInputValue[]
}

/** A filter as conditions that must all hold; undefined when it names something that does not exist, so nothing fits. */
type Conditions = readonly Condition[] | undefined

/** Makes conditions from text ids by looking their keys up first. */
type KeyedCondition = (sql: string, kind: KeyKind, id: string | undefined) => Condition | 'all' | 'none'

type KeyKind = 'name' | 'agent' | 'human' | 'workflow'

function keyedConditions(db: DatabaseSync): KeyedCondition {
  const find = {
    name: db.prepare('SELECT name_key AS key FROM names WHERE name = ?'),
    agent: db.prepare('SELECT agent_key AS key FROM agents WHERE agent_id = ?'),
    human: db.prepare('SELECT human_key AS key FROM humans WHERE human_ref = ?'),
    workflow: db.prepare('SELECT workflow_key AS key FROM workflows WHERE provenance_ref = ?'),
  }
  return (sql, kind, id) => {
    if (id === undefined) return 'all'
    const key = find[kind].get(id)?.key
    return key === undefined || key === null ? 'none' : { sql, values: [key] }
  }
}

function recordConditions(filter: RecordFilter, keyed: KeyedCondition): Conditions {
  return every([
    keyed('r.agent_key = ?', 'agent', filter.agent_id),
    keyed('r.action_key = ?', 'name', filter.action),
    keyed('r.resource_key = ?', 'name', filter.resource),
    keyed('r.human_key = ?', 'human', filter.human_ref),
    keyed('r.workflow_key = ?', 'workflow', filter.provenance_ref),
    // The index on results leaves success out, so the condition must say so too.
    keyed(
      filter.result === 'success' ? 'r.result_key = ?' : 'r.result_key = ? AND r.result_key <> 1',
      'name',
      filter.result,
    ),
    filter.state === undefined ? 'all' : stateCondition(filter.state),
    filter.rating === undefined
      ? 'all'
      : {
          sql: 'r.log_index IN (SELECT record_index FROM ratings WHERE rating = ?)',
          values: [ratingKey(filter.rating)],
        },
    filter.assurance_level === undefined
      ? 'all'
      : {
          sql: filter.assurance_level === 'L1' ? 'r.level = ?' : 'r.level = ? AND r.level > 1',
          values: [levelKey(filter.assurance_level)],
        },
  ])
}

/** Written so that the partial indexes on states other than completed can serve. */
function stateCondition(state: NonNullable<RecordFilter['state']>): Condition {
  if (state === 'pending') return { sql: 'r.state = 0', values: [] }
  if (state === 'completed') return { sql: 'r.state = 1', values: [] }
  return { sql: 'r.state = ? AND r.state > 1', values: [stateKey(state)] }
}

function denialConditions(filter: DenialFilter, keyed: KeyedCondition): Conditions {
  return every([
    keyed('d.agent_key = ?', 'agent', filter.agent_id),
    keyed('d.workflow_key = ?', 'workflow', filter.provenance_ref),
  ])
}

function every(conditions: readonly (Condition | 'all' | 'none')[]): Conditions {
  if (conditions.includes('none')) return undefined
  return conditions.filter((condition) => typeof condition === 'object')
}

const FIRST_WINDOW = 20_000
const LARGEST_WINDOW = 1_000_000
const PAGE_WORK_MS = 50

/**
 * Pages from new to old. A filter may match almost nothing, so the log is searched in growing windows and a page ends
 * early rather than hold everybody up: it then says where to go on.
 */
function pager<T extends StoredRecord | StoredDenial>(
  db: DatabaseSync,
  table: string,
  alias: string,
  select: string,
  entryOf: (row: Row) => T,
) {
  const nextAt = db.prepare(
    `SELECT log_index, created_at_ms FROM ${table} WHERE log_index >= ? ORDER BY log_index LIMIT 1`,
  )
  const lastOf = db.prepare(`SELECT max(log_index) AS last FROM ${table}`)

  /** The first log index whose entry is not older than `ms`: entries are in order of time, so halving finds it. */
  function firstFrom(ms: number, end: number): number {
    let low = 0
    let high = end
    while (low < high) {
      const middle = Math.floor((low + high) / 2)
      const row = nextAt.get(middle)
      if (row === undefined || integer(row.created_at_ms) >= ms) high = middle
      else low = integer(row.log_index) + 1
    }
    return low
  }

  return (conditions: Conditions, range: TimeRange, { limit, before }: PageRequest): Page<T> => {
    const end = (optionalInteger(lastOf.get()?.last) ?? -1) + 1
    const top = Math.min(before ?? end, range.to_ms === undefined ? end : firstFrom(range.to_ms, end))
    const bottom = range.from_ms === undefined ? 0 : firstFrom(range.from_ms, end)
    if (conditions === undefined) return { entries: [], before: undefined }

    const where = [
      `${alias}.log_index >= ?`,
      `${alias}.log_index < ?`,
      ...conditions.map(({ sql }) => sql),
    ].join(' AND ')
    const query = db.prepare(`${select} WHERE ${where} ORDER BY ${alias}.log_index DESC LIMIT ?`)
    const values = conditions.flatMap((condition) => condition.values)
    const entries: T[] = []
    const started = performance.now()
    let high = top
    for (let window = FIRST_WINDOW; high > bottom; window = Math.min(window * 2, LARGEST_WINDOW)) {
      const low = Math.max(bottom, high - window)
      const wanted = limit + 1 - entries.length
      for (const row of query.all(low, high, ...values, wanted)) entries.push(entryOf(row))
      if (entries.length > limit)
        return { entries: entries.slice(0, limit), before: entries[limit - 1]?.log_index }
      high = low
      if (performance.now() - started > PAGE_WORK_MS) break
    }
    return { entries, before: high > bottom ? high : undefined }
  }
}
