import { DEFAULT_TENANT, type Rank } from '@deputize/protocol'
import { habitName } from '../domain/approvals/habit.ts'
import { counterName, isKeptShortly, SERIES, type SeriesName } from '../domain/stats.ts'
import type { TokenState } from '../domain/tokens/token.ts'
import { actorRef } from '../log/actor-ref.ts'
import { registryRef } from '../log/registry-ref.ts'
import type { StoreTables, TableRow } from '../store/port/store-tables.ts'
import { habitValues } from '../store/rows/approvals.ts'
import { countValues, MINUTE_SERIES } from '../store/rows/counters.ts'
import { registryPlace } from '../store/rows/registry.ts'
import { TALLY } from '../store/rows/tallies.ts'
import { periodsText } from '../store/rows/tokens.ts'
import { FIRST_TENANT_KEY, rankKey, suspendCodeKey } from '../store/values.ts'
import type { DataKey } from '../store/vault.ts'
import { type CheckedTable, type ExpectedValues, selectNamed } from './checked-columns.ts'
import { compareRow, type ExpectedRow, type RowComparison } from './compare-row.ts'
import { tenantColumns } from './compared-rows.ts'
import { compareColumns } from './findings.ts'
import { firstMinuteKept } from './replay/counters.ts'
import type { ExpectedAgent, ExpectedVouch, ReplayedTrust, ReplayState } from './replay/expected.ts'
import { entryKey } from './replay/registry-entries.ts'
import { checkScores } from './scores.ts'

/** A table whose rows follow from the whole log, and the rows that it should hold. */
interface DerivedTable<T extends CheckedTable> {
  readonly table: T
  readonly sql: string
  readonly keyOf: (row: TableRow) => string
  readonly values: ReadonlyMap<string, ExpectedValues<T>>
  /** The sealed texts of a row. */
  readonly sealed: (key: string, row: TableRow) => Omit<ExpectedRow<T>, 'values'>
  /** Checks beyond single columns. */
  readonly look?: (row: TableRow, key: string) => void
}

export interface DerivedRowsOptions extends RowComparison {
  readonly tables: StoreTables
  readonly deployment: DataKey
}

/** Compares all sums, marks and current states with those that follow from the log. */
export async function checkDerivedRows(options: DerivedRowsOptions): Promise<void> {
  const { replay } = options
  await compareTable(tokenStates(replay), options)
  await compareTable(agents(options), options)
  await compareTable(agentKeys(replay), options)
  await compareTable(agentDays(replay), options)
  await compareTable(counters(options), options)
  await compareTable(humans(options), options)
  await compareTable(workflows(replay), options)
  await compareTable(workflowTallies(replay), options)
  await compareTable(habits(replay), options)
  await compareTable(registry(replay), options)
  await compareTable(vouches(replay.trust), options)
  await compareTable(anchors(replay.trust), options)
  await compareTable(askedScores(options), options)
  await checkScores(options)
}

/** Compares every row with the expected one, and reports missing and extra rows. */
async function compareTable<T extends CheckedTable>(
  { table, sql, keyOf, values: expected, sealed, look }: DerivedTable<T>,
  options: DerivedRowsOptions,
): Promise<void> {
  const { tables, findings } = options
  const seen = new Set<string>()
  for await (const row of tables.rows(sql)) {
    const key = keyOf(row)
    const values = expected.get(key)
    if (values === undefined) {
      findings.add(table, key, `No leaf accounts for row ${key} of ${table}.`)
      continue
    }
    if (seen.has(key)) findings.add(table, key, `Row ${key} of ${table} occurs twice.`)
    seen.add(key)
    compareRow(table, key, row, { values, ...sealed(key, row) }, options)
    look?.(row, key)
  }
  for (const key of expected.keys())
    if (!seen.has(key)) findings.add(table, key, `Row ${key} of ${table} is missing.`)
}

const nothingSealed = () => ({ sealed: {} })

function tokenStates({ tokens }: ReplayState): DerivedTable<'token_states'> {
  const touched = new Map(
    [...tokens.values()].filter((token) => token.has_state).map((token) => [String(token.token_key), token]),
  )
  return {
    table: 'token_states',
    sql: `${selectNamed('token_states', {
      columns: 'tokens.jti',
      joins: 'LEFT JOIN tokens ON tokens.token_key = t.token_key',
    })} ORDER BY t.token_key`,
    keyOf: ({ token_key }) => String(token_key),
    values: new Map([...touched].map(([key, { state }]) => [key, stateValues(state)])),
    sealed: (key, { jti }) => ({
      sealed: {
        revoke_reason: touched.get(key)?.reason,
        suspend_reason: touched.get(key)?.suspend_reason,
      },
      sealed_for: String(jti),
    }),
  }
}

function stateValues(state: TokenState): ExpectedValues<'token_states'> {
  return {
    ...state,
    reserved_micro_usd: Math.min(state.reserved_micro_usd, Number.MAX_SAFE_INTEGER),
    revoked_at_ms: state.revoked_at_ms ?? null,
    suspended_at_ms: state.suspended_at_ms ?? null,
    suspended_rank: rankColumn(state.suspended_rank),
    suspend_code: state.suspend_code === undefined ? null : suspendCodeKey(state.suspend_code),
    periods: periodsText(state.periods),
    released_at_ms: state.released_at_ms ?? null,
  }
}

function rankColumn(rank: Rank | undefined): number | null {
  return rank === undefined ? null : rankKey(rank)
}

function agents({ replay, findings, names, deployment }: DerivedRowsOptions): DerivedTable<'agents'> {
  let number = 0
  return {
    table: 'agents',
    sql: `${selectNamed('agents')} ORDER BY t.agent_key`,
    keyOf: ({ agent_id }) => String(agent_id),
    values: new Map([...replay.agents].map(([agent_id, agent]) => [agent_id, agentValues(agent)])),
    sealed: (key) => ({
      sealed: { suspend_reason: replay.agents.get(key)?.suspend_reason },
      sealed_for: key,
    }),
    look(row, key) {
      compareColumns(findings, 'agents', key, row, tenantColumns(key))
      names.mark(row.tenant_key)
      number += 1
      if (row.agent_key !== number)
        findings.add(
          'agents',
          key,
          `Agent ${key} should have number ${number}: agents are numbered without gaps.`,
        )
      number = Number(row.agent_key)
      const expected = replay.agents.get(key)?.profile_digest
      const found = typeof row.profile === 'string' ? deployment.digest('profile', row.profile) : undefined
      if (found !== expected)
        findings.add('agents', key, `Column profile of agents ${key} does not match its digest in the log.`)
      const owners = JSON.stringify(replay.agents.get(key)?.owned_by)
      if (ownerRefs(row.owned_by) !== owners)
        findings.add('agents', key, `Column owned_by of agents ${key} does not match the owners in the log.`)
    },
  }
}

/** The owners in a column, by their names in the log; undefined if the column is empty or damaged. */
function ownerRefs(owned_by: unknown): string | undefined {
  if (owned_by === null) return undefined
  try {
    const owners: unknown = JSON.parse(String(owned_by))
    const isCanonical = Array.isArray(owners) && JSON.stringify(owners) === owned_by
    return isCanonical ? JSON.stringify(owners.map((owner) => actorRef(String(owner)))) : 'damaged'
  } catch {
    return 'damaged'
  }
}

function agentKeys({ agents: all }: ReplayState): DerivedTable<'agent_keys'> {
  const values = new Map<string, ExpectedValues<'agent_keys'>>()
  for (const [agent_id, { keys }] of all)
    for (const [jkt, { log_index, removed_index = null }] of keys)
      values.set(`${agent_id} ${jkt}`, { log_index, removed_index })
  return {
    table: 'agent_keys',
    sql: selectNamed('agent_keys'),
    keyOf: ({ agent_id, jkt }) => `${agent_id} ${jkt}`,
    values,
    sealed: nothingSealed,
  }
}

function agentValues({
  tally,
  marks,
  first_seen_ms,
  last_action_ms,
}: ExpectedAgent): ExpectedValues<'agents'> {
  return {
    ...tally,
    first_seen_ms,
    last_action_ms: last_action_ms ?? null,
    suspended_at_ms: marks.suspended_at_ms ?? null,
    suspended_rank: rankColumn(marks.suspended_rank),
    revoked_below: marks.revoked_below,
    asks_until_ms: marks.asks_until_ms ?? null,
  }
}

function agentDays({ agents: all }: ReplayState): DerivedTable<'agent_days'> {
  const values = new Map<string, ExpectedValues<'agent_days'>>()
  for (const [agent_id, { days }] of all)
    for (const [day, tally] of days) values.set(`${agent_id} ${day}`, { ...tally })
  return {
    table: 'agent_days',
    sql: selectNamed('agent_days'),
    keyOf: ({ agent_id, day }) => `${agent_id} ${day}`,
    values,
    sealed: nothingSealed,
  }
}

/** Minute counters beyond their retention are never read, so they may or may not exist. */
function counters({ replay, names }: DerivedRowsOptions): DerivedTable<'counters'> {
  const { rows, minutes } = replay.counters
  const first_minute = firstMinuteKept(replay.counters)
  const values = new Map<string, ExpectedValues<'counters'>>()
  for (const [name, change] of [...rows, ...minutes])
    if (!isKeptShortly(change.series) || change.bucket >= first_minute)
      values.set(name, { ...countValues(change), first_index: change.first_index ?? null })
  return {
    table: 'counters',
    sql: `${selectNamed('counters', {
      columns: 'a.agent_id, o.name AS tenant_id, n.name',
      joins: `
        LEFT JOIN agents a ON t.series IN (${seriesOf('agent')}) AND a.agent_key = t.owner_key
        LEFT JOIN names o ON t.series IN (${seriesOf('tenant')}) AND o.name_key = t.owner_key
        LEFT JOIN names n ON n.name_key = t.name_key`,
    })} WHERE t.series NOT IN (${MINUTE_SERIES}) OR t.bucket >= ${first_minute}`,
    keyOf: counterRowName,
    values,
    sealed: nothingSealed,
    look({ name_key, resource_key, tenant_id, owner_key }) {
      names.mark(name_key)
      names.mark(resource_key)
      if (tenant_id !== null) names.mark(owner_key)
    },
  }
}

function seriesOf(owner: 'agent' | 'tenant'): string {
  return Object.values(SERIES)
    .filter((series) => series.owner === owner)
    .map(({ key }) => key)
    .join(', ')
}

function counterRowName(row: TableRow): string {
  // A row with an unknown series gets a name that matches nothing.
  const series = (Object.keys(SERIES) as SeriesName[]).find((name) => SERIES[name].key === row.series)
  if (series === undefined) return `series ${row.series}`
  const owner = row.agent_id ?? row.tenant_id
  const isFirst = SERIES[series].owner === 'tenant' && row.owner_key === FIRST_TENANT_KEY
  return counterName({
    series,
    owner: isFirst ? DEFAULT_TENANT : String(owner ?? `owner ${row.owner_key}`),
    bucket: Number(row.bucket),
    name: nameOrKey(row.name, row.name_key),
    resource: nameOrKey(row.resource, row.resource_key),
  })
}

/** The name, or a placeholder for a key without one, which must not look like an absent key. */
function nameOrKey(name: unknown, key: unknown): string {
  if (key === 0) return ''
  return name === null ? `key ${key}` : String(name)
}

function humans({ replay, findings }: DerivedRowsOptions): DerivedTable<'humans'> {
  return {
    table: 'humans',
    sql: `${selectNamed('humans', {
      columns: 'k.human_key AS owner_key',
      joins: 'LEFT JOIN data_keys k ON k.data_key = t.data_key',
    })} ORDER BY t.human_key`,
    keyOf: ({ human_ref }) => String(human_ref),
    values: new Map(
      [...replay.humans].map(([human_ref, { marks, erased_at_ms = null }]) => [
        human_ref,
        { revoked_below: marks.revoked_below, erased_at_ms, refused_at_ms: marks.refused_at_ms ?? null },
      ]),
    ),
    sealed: nothingSealed,
    // Whether the right keys are destroyed is checked elsewhere.
    look({ data_key, owner_key, human_key }, key) {
      if (data_key !== null && owner_key !== human_key)
        findings.add('humans', key, `Column data_key of humans ${key} is not a key of this person.`)
    },
  }
}

function workflows({ workflows: all }: ReplayState): DerivedTable<'workflows'> {
  return {
    table: 'workflows',
    sql: `${selectNamed('workflows')} ORDER BY t.workflow_key`,
    keyOf: ({ provenance_ref }) => String(provenance_ref),
    values: new Map([...all.keys()].map((provenance_ref) => [provenance_ref, {}])),
    sealed: nothingSealed,
  }
}

function workflowTallies({ workflows: all }: ReplayState): DerivedTable<'workflow_tallies'> {
  const values = new Map<string, ExpectedValues<'workflow_tallies'>>()
  const expect = (
    ref: string,
    kind: number,
    subject: string,
    count: number,
    last_ms: number | null = null,
  ) => {
    if (count > 0) values.set(tallyKey(ref, kind, subject), { count, last_ms })
  }
  for (const [ref, { records, last_action_ms = null, agents, actions, results }] of all) {
    expect(ref, TALLY.records, '0', records, last_action_ms)
    expect(ref, TALLY.agents, '0', agents.size)
    for (const [agent_id, count] of agents) expect(ref, TALLY.agent, agent_id, count)
    for (const [action, count] of actions) expect(ref, TALLY.action, action, count)
    for (const [result, count] of results) expect(ref, TALLY.result, result, count)
  }
  return {
    table: 'workflow_tallies',
    sql: selectNamed('workflow_tallies', {
      columns: 'a.agent_id, n.name',
      joins: `
        LEFT JOIN agents a ON t.kind = ${TALLY.agent} AND a.agent_key = t.subject
        LEFT JOIN names n ON t.kind >= ${TALLY.action} AND n.name_key = t.subject`,
    }),
    keyOf: ({ provenance_ref, kind, subject, agent_id, name }) =>
      tallyKey(String(provenance_ref), Number(kind), String(agent_id ?? name ?? subject)),
    values,
    sealed: nothingSealed,
  }
}

function tallyKey(provenance_ref: string, kind: number, subject: string): string {
  return `${provenance_ref} ${kind} ${subject}`
}

function habits({ habits: all }: ReplayState): DerivedTable<'approval_habits'> {
  return {
    table: 'approval_habits',
    sql: selectNamed('approval_habits'),
    keyOf: ({ agent_id, human_ref, action, resource, root_key, shape }) =>
      habitName({
        agent_id: String(agent_id),
        human_ref: String(human_ref),
        action: String(action),
        resource: String(resource),
        root_jti: String(root_key),
        shape: String(shape),
      }),
    values: new Map([...all].map(([name, { habit }]) => [name, habitValues(habit)])),
    sealed: nothingSealed,
  }
}

/** The log refers to entries by a hash of their ID, so rows are matched by that hash. */
function registry({ registry: all }: ReplayState): DerivedTable<'registry'> {
  return {
    table: 'registry',
    sql: `${selectNamed('registry')} ORDER BY t.kind, t.id`,
    keyOf: ({ kind, id }) => entryKey(String(kind), registryRef(String(id))),
    values: new Map(
      [...all].map(([key, { tenant_id, owner = null, log_index }]) => [key, { tenant_id, owner, log_index }]),
    ),
    sealed(key, { id }) {
      const entry = all.get(key)
      return {
        sealed: { document: entry?.document },
        sealed_for: entry === undefined ? '' : registryPlace({ ...entry, id: String(id) }).row,
      }
    },
  }
}

function vouches({ vouches: all }: ReplayedTrust): DerivedTable<'vouches'> {
  return {
    table: 'vouches',
    sql: `${selectNamed('vouches')} ORDER BY t.log_index`,
    keyOf: ({ vouch_id }) => String(vouch_id),
    values: new Map([...all].map(([vouch_id, vouch]) => [vouch_id, vouchValues(vouch)])),
    sealed: (key) => ({ sealed: { note: all.get(key)?.note }, sealed_for: key }),
  }
}

function vouchValues(vouch: ExpectedVouch): ExpectedValues<'vouches'> {
  return {
    log_index: vouch.log_index,
    tenant_id: vouch.tenant_id,
    from_ref: vouch.from,
    to_ref: vouch.to,
    context: vouch.context ?? null,
    weight: vouch.weight,
    made_at_ms: vouch.made_at_ms,
    expires_at_ms: vouch.expires_at_ms ?? null,
    changed_index: vouch.changed_index ?? null,
    ended_at_ms: vouch.ended_at_ms ?? null,
    ended_index: vouch.ended_index ?? null,
  }
}

function anchors({ anchors: all }: ReplayedTrust): DerivedTable<'anchors'> {
  return {
    table: 'anchors',
    sql: `${selectNamed('anchors')} ORDER BY t.human_ref`,
    keyOf: ({ human_ref }) => String(human_ref),
    values: new Map(
      [...all].map(([human_ref, { tenant_id, base, named_at_ms, log_index, removed_index = null }]) => [
        human_ref,
        { tenant_id, base, named_at_ms, log_index, removed_index },
      ]),
    ),
    sealed: (key) => ({ sealed: { reason: all.get(key)?.reason }, sealed_for: key }),
  }
}

/** Every stored score is one more claim that must follow from the log. */
function askedScores({ replay, findings }: DerivedRowsOptions): DerivedTable<'vouch_scores'> {
  const { asked_scores, score_claims } = replay.trust
  return {
    table: 'vouch_scores',
    sql: `${selectNamed('vouch_scores')} ORDER BY t.agent_id`,
    keyOf: ({ agent_id }) => String(agent_id),
    values: new Map([...asked_scores].map(([agent_id, asked_index]) => [agent_id, { asked_index }])),
    sealed: nothingSealed,
    look({ score, log_size }, agent_id) {
      if (score === null && log_size === null) return
      if (typeof score !== 'number' || typeof log_size !== 'number') {
        findings.add(
          'vouch_scores',
          agent_id,
          `Row ${agent_id} of vouch_scores has a score without a log size, or none with one.`,
        )
        return
      }
      const claim = { agent_id, log_size, score, table: 'vouch_scores', key: agent_id } as const
      score_claims.set(`row ${agent_id}`, claim)
    },
  }
}
