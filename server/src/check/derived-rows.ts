import { registryRef } from '../log/registry-ref.ts'
import type { StoreTables, TableRow } from '../store/port.ts'
import { registryPlace } from '../store/rows/registry.ts'
import { TALLY } from '../store/rows/tallies.ts'
import type { DataKey } from '../store/vault.ts'
import { tenantColumns } from './compared-rows.ts'
import { type ComparedColumns, compareColumns, type ExpectedColumns, type Findings } from './findings.ts'
import type { NamesInUse } from './names.ts'
import type {
  ExpectedAgent,
  ExpectedHuman,
  ExpectedRegistryEntry,
  ExpectedToken,
  ReplayState,
} from './replay/expected.ts'
import { entryKey } from './replay/registry.ts'
import type { SealedTexts } from './sealed-texts.ts'

/** A table whose rows follow from the whole log, and the rows that it should hold. */
interface DerivedTable {
  readonly table: string
  readonly sql: string
  readonly keyOf: (row: TableRow) => string
  readonly expected: ReadonlyMap<string, ExpectedColumns>
  /** Checks beyond single columns. */
  readonly look?: (row: TableRow, key: string) => void
}

/** Compares every row with the expected one. No row may be missing, and there may be no others. */
async function compareTable(
  tables: StoreTables,
  findings: Findings,
  { table, sql, keyOf, expected, look }: DerivedTable,
): Promise<void> {
  const seen = new Set<string>()
  for await (const row of tables.rows(sql)) {
    const key = keyOf(row)
    const columns = expected.get(key)
    if (columns === undefined) {
      findings.add(table, key, `No leaf accounts for row ${key} of ${table}.`)
      continue
    }
    if (seen.has(key)) findings.add(table, key, `Row ${key} of ${table} occurs twice.`)
    seen.add(key)
    compareColumns(findings, table, key, row, columns)
    look?.(row, key)
  }
  for (const key of expected.keys())
    if (!seen.has(key)) findings.add(table, key, `Row ${key} of ${table} is missing.`)
}

export interface DerivedRowsOptions {
  readonly tables: StoreTables
  readonly replay: ReplayState
  readonly findings: Findings
  readonly texts: SealedTexts
  readonly names: NamesInUse
  readonly deployment: DataKey
}

/** Compares all sums, marks and current states with those that follow from the log. */
export async function checkDerivedRows({
  tables,
  replay,
  findings,
  texts,
  names,
  deployment,
}: DerivedRowsOptions): Promise<void> {
  const all: readonly DerivedTable[] = [
    tokenStates(replay, texts),
    agents(replay, findings, names, deployment),
    agentDays(replay),
    humans(replay),
    workflows(replay),
    workflowTallies(replay),
    habits(replay),
    registry(replay, texts),
  ]
  for (const table of all) await compareTable(tables, findings, table)
}

function tokenStates({ tokens }: ReplayState, texts: SealedTexts): DerivedTable {
  const touched = new Map(
    [...tokens.values()]
      .filter((expected) => expected.has_state)
      .map((expected) => [String(expected.token_key), expected]),
  )
  const columns = ({
    state,
  }: ExpectedToken): ComparedColumns<'token_states', 'token_key' | 'revoke_reason'> => ({
    revoked_at_ms: state.revoked_at_ms ?? null,
    suspended_at_ms: state.suspended_at_ms ?? null,
    spent_micro_usd: state.spent_micro_usd,
    reserved_micro_usd: state.reserved_micro_usd,
    actions: state.actions,
    minute: state.minute,
    minute_actions: state.minute_actions,
  })
  const expected = new Map([...touched].map(([key, token]) => [key, columns(token)]))
  return {
    table: 'token_states',
    sql: 'SELECT s.*, t.jti FROM token_states s LEFT JOIN tokens t ON t.token_key = s.token_key ORDER BY s.token_key',
    keyOf: ({ token_key }) => String(token_key),
    expected,
    look({ revoke_reason, jti }, key) {
      const where = { table: 'token_states', key, column: 'revoke_reason' }
      texts.check(where, revoke_reason, { kind: 'token.reason', row: String(jti) }, touched.get(key)?.reason)
    },
  }
}

function agents(
  replay: ReplayState,
  findings: Findings,
  names: NamesInUse,
  deployment: DataKey,
): DerivedTable {
  let number = 0
  return {
    table: 'agents',
    sql: `
      SELECT a.*, n.name AS tenant_id FROM agents a LEFT JOIN names n ON n.name_key = a.tenant_key
      ORDER BY a.agent_key`,
    keyOf: ({ agent_id }) => String(agent_id),
    expected: new Map(
      [...replay.agents].map(([agent_id, agent]) => [agent_id, agentColumns(agent_id, agent)]),
    ),
    look({ profile, tenant_key, agent_key }, key) {
      names.mark(tenant_key)
      number += 1
      if (agent_key !== number)
        findings.add(
          'agents',
          key,
          `Agent ${key} should have number ${number}: agents are numbered without gaps.`,
        )
      number = Number(agent_key)
      const expected = replay.agents.get(key)?.profile_digest
      const found = typeof profile === 'string' ? deployment.digest('profile', profile) : undefined
      if (found !== expected)
        findings.add('agents', key, `Column profile of agents ${key} does not match its digest in the log.`)
    },
  }
}

function agentColumns(
  agent_id: string,
  { tally, marks, first_seen_ms, last_action_ms }: ExpectedAgent,
): ExpectedColumns {
  const columns: ComparedColumns<'agents', 'agent_key' | 'agent_id' | 'tenant_key' | 'profile'> = {
    ...tally,
    first_seen_ms,
    last_action_ms: last_action_ms ?? null,
    suspended_at_ms: marks.suspended_at_ms ?? null,
    revoked_below: marks.revoked_below,
  }
  return { ...columns, ...tenantColumns(agent_id) }
}

function agentDays(replay: ReplayState): DerivedTable {
  const expected = new Map<string, ComparedColumns<'agent_days', 'agent_key' | 'day'>>()
  for (const [agent_id, { days }] of replay.agents)
    for (const [day, tally] of days) expected.set(`${agent_id} ${day}`, { ...tally })
  return {
    table: 'agent_days',
    sql: `SELECT d.*, a.agent_id FROM agent_days d LEFT JOIN agents a ON a.agent_key = d.agent_key`,
    keyOf: ({ agent_id, day }) => `${agent_id} ${day}`,
    expected,
  }
}

function humans(replay: ReplayState): DerivedTable {
  const columns = ({
    marks,
    erased_at_ms,
  }: ExpectedHuman): ComparedColumns<'humans', 'human_key' | 'human_ref' | 'data_key'> => ({
    revoked_below: marks.revoked_below,
    erased_at_ms: erased_at_ms ?? null,
  })
  return {
    table: 'humans',
    // A person's data key must belong to that person. Whether the right keys are destroyed is checked elsewhere.
    sql: `
      SELECT h.human_ref, h.revoked_below, h.erased_at_ms,
        CASE WHEN h.data_key IS NULL OR k.human_key = h.human_key THEN NULL ELSE 'another person' END AS owner
      FROM humans h LEFT JOIN data_keys k ON k.data_key = h.data_key ORDER BY h.human_key`,
    keyOf: ({ human_ref }) => String(human_ref),
    expected: new Map(
      [...replay.humans].map(([human_ref, human]) => [human_ref, { ...columns(human), owner: null }]),
    ),
  }
}

function workflows(replay: ReplayState): DerivedTable {
  return {
    table: 'workflows',
    sql: 'SELECT provenance_ref FROM workflows ORDER BY workflow_key',
    keyOf: ({ provenance_ref }) => String(provenance_ref),
    expected: new Map([...replay.workflows.keys()].map((provenance_ref) => [provenance_ref, {}])),
  }
}

function workflowTallies(replay: ReplayState): DerivedTable {
  const expected = new Map<string, ComparedColumns<'workflow_tallies', 'workflow_key' | 'kind' | 'subject'>>()
  const expect = (
    ref: string,
    kind: number,
    subject: string,
    count: number,
    last_ms: number | null = null,
  ) => {
    if (count > 0) expected.set(tallyKey(ref, kind, subject), { count, last_ms })
  }
  for (const [ref, { records, last_action_ms = null, agents, actions, results }] of replay.workflows) {
    expect(ref, TALLY.records, '0', records, last_action_ms)
    expect(ref, TALLY.agents, '0', agents.size)
    for (const [agent_id, count] of agents) expect(ref, TALLY.agent, agent_id, count)
    for (const [action, count] of actions) expect(ref, TALLY.action, action, count)
    for (const [result, count] of results) expect(ref, TALLY.result, result, count)
  }
  return {
    table: 'workflow_tallies',
    sql: `
      SELECT w.provenance_ref, t.kind, t.subject, t.count, t.last_ms, a.agent_id, n.name FROM workflow_tallies t
      LEFT JOIN workflows w ON w.workflow_key = t.workflow_key
      LEFT JOIN agents a ON t.kind = ${TALLY.agent} AND a.agent_key = t.subject
      LEFT JOIN names n ON t.kind >= ${TALLY.action} AND n.name_key = t.subject`,
    keyOf: ({ provenance_ref, kind, subject, agent_id, name }) =>
      tallyKey(String(provenance_ref), Number(kind), String(agent_id ?? name ?? subject)),
    expected,
  }
}

function tallyKey(provenance_ref: string, kind: number, subject: string): string {
  return `${provenance_ref} ${kind} ${subject}`
}

function habits(replay: ReplayState): DerivedTable {
  return {
    table: 'approval_habits',
    sql: `
      SELECT e.*, a.agent_id, h.human_ref, n.name AS action, m.name AS resource FROM approval_habits e
      LEFT JOIN agents a ON a.agent_key = e.agent_key LEFT JOIN humans h ON h.human_key = e.human_key
      LEFT JOIN names n ON n.name_key = e.action_key LEFT JOIN names m ON m.name_key = e.resource_key`,
    keyOf: ({ agent_id, human_ref, action, resource }) =>
      JSON.stringify([agent_id, human_ref, action, resource]),
    expected: new Map([...replay.habits].map(([name, { habit }]) => [name, { ...habit }])),
  }
}

/** The log refers to entries by a hash of their ID, so rows are matched by that hash. */
function registry(replay: ReplayState, texts: SealedTexts): DerivedTable {
  const columns = ({
    tenant_id,
    owner,
    log_index,
  }: ExpectedRegistryEntry): ComparedColumns<'registry', 'kind' | 'id' | 'document'> => ({
    tenant_id,
    owner: owner ?? null,
    log_index,
  })
  return {
    table: 'registry',
    sql: 'SELECT * FROM registry ORDER BY kind, id',
    keyOf: ({ kind, id }) => entryKey(String(kind), registryRef(String(id))),
    expected: new Map([...replay.registry].map(([key, expected]) => [key, columns(expected)])),
    look({ id, document }, key) {
      const expected = replay.registry.get(key)
      if (expected === undefined) return
      const place = registryPlace({ ...expected, id: String(id) })
      texts.check({ table: 'registry', key, column: 'document' }, document, place, expected.document)
    },
  }
}
