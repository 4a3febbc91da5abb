import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { TEST_VAULT_KEY } from '@deputize/testing/test-vault-key.ts'
import { Client, escapeLiteral, type Pool } from 'pg'
import type { EphemeralStore } from '../../src/store/ephemeral.ts'
import { EVERY_RECORD, type RecordFilter } from '../../src/store/port/filters.ts'
import type { ReadStore } from '../../src/store/port.ts'
import { BY_KEYS, primaryPool } from '../../src/store/postgres/connect.ts'
import { postgresEphemeral } from '../../src/store/postgres/ephemeral.ts'
import { postgresReadStore } from '../../src/store/postgres/read/read-store.ts'
import { deniedInARow } from '../../src/store/rows/approvals.ts'
import { aPool, aPostgres } from '../contract/a-postgres.ts'
import { issue } from '../contract/store-contract.ts'
import { collected } from '../contract/workflow-contract.ts'

const RECORDS = 200_000
const TOKENS = 20_000
/** Tables that grow without limit. No read may scan one of them completely. */
const LARGE = [
  'records',
  'leaves',
  'tokens',
  'token_states',
  'ratings',
  'denials',
  'approvals',
  'workflow_tallies',
  'approval_habits',
  'registry',
  'ephemeral',
]
/** The maximum number of rows that a page may read: a few windows. */
const MOST_ROWS = 100_000

/**
 * Fills the tables as in a busy deployment. Two agents and two people have about half of all tokens each, and an agent
 * and a person with the same key have none in common. One workflow has every tenth token. One action, one resource and
 * one result are rare. One tenant has a third of all tokens, one a few, and one only the oldest.
 */
async function fill(client: Client): Promise<void> {
  const claims = JSON.stringify(issue('x').claims)
  const tenantOfToken = 'CASE WHEN n <= 100 THEN 6 WHEN n % 1000 = 3 THEN 5 WHEN n % 3 = 0 THEN 4 ELSE 0 END'
  const statements = `
    INSERT INTO names SELECT n, CASE n WHEN 2 THEN 'common' WHEN 3 THEN 'rare' ELSE 'name' || n END
      FROM generate_series(2, 5000) n;
    INSERT INTO humans (human_key, human_ref) SELECT n, 'human' || n FROM generate_series(1, 5000) n;
    INSERT INTO agents (agent_key, agent_id, first_seen_ms, tenant_key)
      SELECT n, 'agent' || n, 0, ${tenantOfToken} FROM generate_series(1, 5000) n;
    INSERT INTO workflows SELECT n, 'prov_' || n FROM generate_series(1, ${TOKENS}) n;
    INSERT INTO tokens SELECT n, 'vat_' || n, CASE WHEN n % 10 = 0 THEN 1 END, 1,
        CASE WHEN n % 100 = 1 THEN n % 5000 + 1 ELSE 1 + n % 2 END, CASE WHEN n % 10 = 0 THEN 1 ELSE n END,
        CASE WHEN n % 100 = 1 THEN n % 5000 + 1 ELSE 2 - n % 2 END, 1, n, n, 'h', '${claims}', NULL,
        CASE WHEN n % 10 = 0 THEN int8send(1) ELSE '' END || int8send(n),
        CASE WHEN n % 10 = 0 THEN ARRAY[1, n] ELSE ARRAY[n] END, 4102444800000, n, ${tenantOfToken}
      FROM generate_series(1, ${TOKENS}) n;
    INSERT INTO token_states (token_key, actions) SELECT n, 1 FROM generate_series(1, ${TOKENS}) n;
    INSERT INTO leaves SELECT n, int8send(n), '{}' FROM generate_series(0, ${TOKENS + RECORDS}) n;
    INSERT INTO records SELECT ${TOKENS} + n, 'aar_' || n, n % ${TOKENS} + 1,
        CASE WHEN n % 50000 = 7 THEN 3 ELSE 2 END, CASE WHEN n % 50000 = 8 THEN 3 ELSE 4 + n % 4000 END,
        CASE WHEN n % 50000 = 9 THEN 3 WHEN n % 50000 = 11 THEN 0 ELSE 1 END, n,
        CASE WHEN n % 50000 = 10 THEN 3 ELSE 1 END, NULL, 0,
        CASE WHEN n % 3 = 0 AND n > 3 THEN ${TOKENS} + n - 1 END, NULL, n, NULL, 0, 0, NULL, NULL, NULL
      FROM generate_series(1, ${RECORDS}) n;
    INSERT INTO ratings SELECT ${TOKENS} + n * 2, CASE WHEN n % 50000 = 3 THEN 1 ELSE 0 END, n, 0, 'none', NULL
      FROM generate_series(1, ${RECORDS} / 2) n;
    INSERT INTO denials SELECT log_index, 'den_' || log_index, token_key, 2, resource_key, 0, '["token_revoked"]',
      created_at_ms, NULL FROM records WHERE log_index % 4 = 0;
    INSERT INTO approvals SELECT log_index, 'apr_' || log_index, token_key, 2, resource_key, 0, NULL,
        'b' || log_index, CASE WHEN log_index % 8 = 1 THEN 1 ELSE 2 END, created_at_ms, 9, created_at_ms,
        CASE WHEN log_index % 8 = 1 THEN 'grant' ELSE 'human' END, log_index, NULL, NULL,
        token_key, token_key % 5000 + 1, NULL,
        CASE WHEN log_index % 1000 = 1 THEN '[{"count":1,"role":"reviewer"}]' END, NULL, NULL, NULL
      FROM records WHERE log_index % 4 = 1;
    INSERT INTO workflow_tallies SELECT n, kind, 0, 1, 1 FROM generate_series(1, ${TOKENS}) n, generate_series(0, 1) kind;
    INSERT INTO approval_habits SELECT n, n, 2, 2, 1, 's', 1, 1, 0, 0, '[]', 1, NULL FROM generate_series(1, 5000) n;
    UPDATE agents SET suspended_at_ms = 1 WHERE agent_key % 1000 = 7;
    UPDATE humans SET revoked_below = 900 WHERE human_key % 1000 = 7;
    UPDATE token_states SET revoked_at_ms = 1 WHERE token_key % 5000 = 9;
    UPDATE log_head SET frontier = '\\x0000000000000000';
    INSERT INTO registry SELECT kind, 'id' || n, 'tenant' || n % 50, CASE kind WHEN 'passkey' THEN 'human' || n % 5000 END,
        CASE WHEN n % 3 > 0 THEN '\\x00'::bytea END, n
      FROM generate_series(1, 20000) n, unnest(ARRAY['passkey', 'api_key']) kind;
    INSERT INTO ephemeral (kind, key, value, owner, expires_at_ms)
      SELECT kind, 'key' || n, '{}', CASE kind WHEN 'session' THEN 'human' || n % 5000 END, n
      FROM generate_series(1, 20000) n, unnest(ARRAY['session', 'proof']) kind`
  for (const statement of statements.split(';')) await client.query(statement) // each has its own timeout
}

interface Plan {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly 'Rows Removed by Join Filter'?: number
  readonly Plans?: readonly Plan[]
}

function nodesOf(plan: Plan): Plan[] {
  return [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]
}

const rowsTouched = (node: Plan) =>
  node['Actual Loops'] *
  (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Join Filter'] ?? 0))

interface Asked {
  readonly text: string
  readonly values: unknown[]
  /** Connections keep the plan of a named statement for all values. */
  readonly name?: string
}

/** Collects every query that connections of a pool make from now on. */
function askedThrough(pool: Pool): Asked[] {
  const asked: Asked[] = []
  pool.on('connect', (connection) => {
    const query = connection.query.bind(connection)
    Object.assign(connection, {
      query(statement: string | Asked, values: unknown, ...more: unknown[]) {
        if (typeof statement !== 'string') asked.push(statement)
        else if (Array.isArray(values)) asked.push({ text: statement, values })
        return (query as (...all: unknown[]) => unknown)(statement, values, ...more)
      },
    })
  })
  return asked
}

type Explain = Pick<Client, 'query'>

async function planOf(database: Explain, { text, values }: Omit<Asked, 'name'>): Promise<Plan> {
  const { rows } = await database.query({ text: `EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, values })
  return rows[0]['QUERY PLAN'][0].Plan
}

/** The plan that a connection keeps for a named statement. */
function keptPlanOf(database: Explain, { name, values }: Asked): Promise<Plan> {
  const literals = values.map((value) => escapeLiteral(String(value)))
  return planOf(database, { text: `EXECUTE ${name}(${literals.join(', ')})`, values: [] })
}

/** Large tables that a plan scans completely. */
function walkedBy(plan: Plan): string[] {
  const scans = nodesOf(plan).filter((node) => node['Node Type'].includes('Seq Scan'))
  return scans.map((node) => node['Relation Name'] ?? '').filter((table) => LARGE.includes(table))
}

const postgres = await aPostgres({ after })

/** Has a connection plan all named statements while the tables are empty. */
async function keptStatements(pool: Pool): Promise<Asked[]> {
  const asked = askedThrough(pool)
  await pool.query('SET plan_cache_mode = force_generic_plan') // earlier than by default
  const ephemeral = postgresEphemeral(pool, () => 50)
  const reader = postgresReadStore(pool, TEST_VAULT_KEY)
  for (const ask of Object.values({ ...questions(reader), ...ephemeralQueries(ephemeral) })) await ask()
  return [...new Map(asked.filter(({ name }) => name !== undefined).map((one) => [one.name, one])).values()]
}

describe('reads on PostgreSQL', () => {
  test('use indexes and read a bounded number of rows for every query', async (context) => {
    const url = await postgres.database()
    const client = new Client(url) // filling takes longer than the timeout of the service's connections
    await client.connect()
    const early = primaryPool(url, 'test', 1)
    early.options.idleTimeoutMillis = 0 // its connection must outlast the filling
    const kept = await keptStatements(early)
    await fill(client)
    for (const one of kept) assert.deepEqual(walkedBy(await keptPlanOf(early, one)), [], one.name)
    await early.end()
    await client.query('ANALYZE')
    await client.query(BY_KEYS)
    const pool = aPool(url)
    const asked = askedThrough(pool)
    const reader = postgresReadStore(pool, TEST_VAULT_KEY)
    const ephemeral = postgresEphemeral(pool, () => 50)
    context.after(async () => {
      await reader.close()
      await client.end()
    })

    const faults: string[] = []
    for (const [name, ask] of Object.entries({ ...questions(reader), ...ephemeralQueries(ephemeral) })) {
      asked.length = 0
      await ask()
      assert.ok(asked.length > 0, name)
      let touched = 0
      for (const one of asked) {
        const plan = await planOf(client, one)
        for (const table of walkedBy(plan)) faults.push(`${name} walks through ${table}: ${one.text}`)
        touched += Math.max(...nodesOf(plan).map(rowsTouched))
      }
      if (touched > MOST_ROWS) faults.push(`${name} touches ${touched} rows`)
    }
    assert.deepEqual(faults, [])
    const denials = nodesOf(await planOf(client, { text: deniedInARow('$1'), values: [1] }))
    assert.deepEqual(
      [...new Set(denials.flatMap((node) => node['Index Name'] ?? []))],
      ['approvals_by_people', 'tokens_pkey'],
    )
  })

  test('are not compiled by the server, which would take longer than running them', async (context) => {
    const pool = aPool(await postgres.database())
    context.after(() => pool.end())
    assert.deepEqual((await pool.query('SHOW jit')).rows, [{ jit: 'off' }])
  })

  test('still work after a migration adds columns', async (context) => {
    const url = await postgres.database()
    const pool = aPool(url)
    const reader = postgresReadStore(pool, TEST_VAULT_KEY)
    context.after(() => reader.close())
    const all = Object.entries({
      ...questions(reader),
      ...ephemeralQueries(postgresEphemeral(pool, () => 50)),
    })
    for (const [, ask] of all) await ask()
    for (const table of LARGE) await pool.query(`ALTER TABLE ${table} ADD COLUMN later int`)
    for (const [, ask] of all) await ask()
  })
})

function questions(reader: ReadStore): Record<string, () => Promise<unknown>> {
  const page = { limit: 200, before: undefined }
  const records = (filter: Partial<RecordFilter>, before?: number) => () =>
    reader.records({ ...EVERY_RECORD, ...filter }, { limit: 200, before })
  const upward = (filter: Partial<RecordFilter>) => () =>
    reader.workflows.records({ ...EVERY_RECORD, ...filter }, { limit: 200, from: 0, end: undefined })
  return {
    'the newest records': records({}),
    'records further down': records({}, 90_000),
    'a common action': records({ action: 'common' }),
    'a rare action': records({ action: 'rare' }),
    'a rare resource': records({ resource: 'rare' }),
    'a rare result': records({ result: 'rare' }),
    'a common result': records({ result: 'success' }),
    'a rare rating': records({ rating: 'flagged' }),
    'a common rating': records({ rating: 'approved' }),
    'rare evidence': records({ evidence: 'observed' }),
    'a rare state': records({ state: 'expired' }),
    'the pending ones': records({ state: 'pending' }),
    'an agent with much': records({ agent_id: 'agent1' }),
    'an agent with little': records({ agent_id: 'agent102' }),
    'an agent and a person who never met': records({ agent_id: 'agent1', human_ref: 'human1' }),
    'a workflow with much': records({ provenance_ref: 'prov_1' }),
    'a workflow with little': records({ provenance_ref: 'prov_77' }),
    'two rare things that never meet': records({ action: 'rare', resource: 'rare' }),
    'a rare action of an agent with much': records({ action: 'rare', agent_id: 'agent2' }),
    'a time': records({ from_ms: 50_000, to_ms: 50_100 }),
    'a time and an agent': records({ from_ms: 50_000, to_ms: 90_000, agent_id: 'agent1' }),
    'a workflow upward': upward({ provenance_ref: 'prov_1' }),
    'a rare action upward': upward({ action: 'rare' }),
    'one record': () => reader.record('aar_777'),
    'one denial': () => reader.denial('den_20004'),
    'one approval': () => reader.approval('apr_20005'),
    lineage: () => reader.workflows.lineage('aar_9', { causes: 100, effects: 100 }),
    denials: () => reader.denials(EVERY_RECORD, page),
    'denials with a common reason': () => reader.denials({ ...EVERY_RECORD, reason: 'token_revoked' }, page),
    'denials with a rare reason': () => reader.denials({ ...EVERY_RECORD, reason: 'rate_limit' }, page),
    'a total of denials with a rare reason': () =>
      reader.countDenials({ ...EVERY_RECORD, reason: 'rate_limit' }),
    'live tokens of agents': () => reader.liveTokens(['agent1', 'agent2', 'agent102'], 5),
    'people of an agent with much': () =>
      reader.peopleOfAgent('agent1', 5, { limit: 1000, before: undefined }),
    'people of an agent further down': () =>
      reader.peopleOfAgent('agent1', 5, { limit: 1000, before: 9_000 }),
    'people of an agent with little': () => reader.peopleOfAgent('agent102', 5, page),
    'many chains': () => reader.chains(['vat_10', 'vat_20', 'vat_30']),
    'a total of workflows of an agent': () =>
      reader.workflows.count({ ...EVERY_RECORD, human_ref: undefined, agent_id: 'agent1' }),
    'denials of an agent': () => reader.denials({ ...EVERY_RECORD, agent_id: 'agent1' }, page),
    approvals: () => reader.approvals({ ...EVERY_RECORD, state: undefined }, page, 5),
    'pending approvals': () => reader.approvals({ ...EVERY_RECORD, state: 'pending' }, page, 5),
    'approvals of an approver': () =>
      reader.approvals({ ...EVERY_RECORD, state: 'pending', approvers: ['human8', 'reviewer'] }, page, 5),
    tokens: () => reader.tokens(EVERY_RECORD, page),
    'tokens of an agent': () => reader.tokens({ ...EVERY_RECORD, agent_id: 'agent1' }, page),
    'no tokens': () => reader.tokens({ ...EVERY_RECORD, agent_id: 'agent1', human_ref: 'human1' }, page),
    descendants: () => reader.descendants('vat_1', page),
    'a token': () => reader.standing.token('vat_10'),
    'a chain': () => reader.chain('vat_10'),
    words: () => reader.words(['vat_10', 'vat_20']),
    'habits for a person': () => reader.habits({ ...EVERY_RECORD, human_ref: 'human8' }),
    'habits of an agent': () => reader.habits({ ...EVERY_RECORD, agent_id: 'agent8' }),
    'grants for a person': () => reader.habits({ ...EVERY_RECORD, human_ref: 'human8', granted_after_ms: 5 }),
    human: () => reader.human('human1', 5),
    'the first tenant of a person': () => reader.firstTenant('human1'),
    usage: () => reader.usage('vat_77'),
    'blast radius': () => reader.blastRadius('vat_1', 5),
    silenced: () => reader.silenced(5),
    'standing changes': () => reader.standingChanges(0, 200),
    'the next place': () => reader.nextStatusIndex(),
    workflow: () => reader.workflow('prov_1'),
    facts: () => reader.workflows.facts('prov_1'),
    graph: () => reader.workflows.graph('prov_1', 200, { records_from: 0 }),
    'a graph with everything': () =>
      reader.workflows.graph('prov_1', 200, { records_from: 0 }, ['denials', 'approvals']),
    'live tokens of workflows': () => reader.workflows.liveTokens(['prov_1', 'prov_2'], 5),
    'the activity of agents': () =>
      reader.stats.sums({
        series: 'agent_day',
        of: { agent_ids: ['agent1', 'agent2'] },
        from: 0,
        to: 14,
        bucket_size: 1,
        by: ['owner'],
      }),
    'idle tokens': () => reader.workflows.graph('prov_1', 200, { tokens_from: 0 }),
    'workflows of an agent': () =>
      reader.workflows.list({ ...EVERY_RECORD, human_ref: undefined, agent_id: 'agent1' }, page),
    'workflows of a person': () => reader.workflows.list({ ...EVERY_RECORD, human_ref: 'human1' }, page),
    'workflows in a time': () => reader.workflows.list({ ...EVERY_RECORD, from_ms: 100, to_ms: 200 }, page),
    'agents of a workflow': () => collected(reader.workflows.agents('prov_1', 1_000_000)),
    'leaves of a small workflow': () => collected(reader.workflows.leaves('prov_77', 1_000_000)),
    'resources of a small workflow': () => collected(reader.workflows.resources('prov_77', 1_000_000)),
    ...ofTenants(reader),
    'the log': () => reader.log.leaves(100_000, 100_256),
    'one agent': () => reader.agent('agent102'),
    'no entry of the registry': () => reader.registry.entry('passkey', 'nobody'),
    'an empty registry': () => reader.registry.list('identity', {}, page),
    'the registry of no tenant': () => reader.registry.list('api_key', { tenant_id: 'none' }, page),
    'the passkeys of no person': () => reader.registry.list('passkey', { owner: 'nobody' }, page),
    'what no person has in a tenant': () =>
      reader.registry.list('passkey', { tenant_id: 'tenant1', owner: 'nobody' }, page),
  }
}

function ephemeralQueries(ephemeral: EphemeralStore): Record<string, () => Promise<unknown>> {
  const one = { key: 'key777', value: '[]', owner: 'human777', expires_at_ms: 60_000 }
  return {
    'ephemeral data': () => ephemeral.get('proof', 'key777'),
    'ephemeral data of an owner': () => ephemeral.ofOwner('session', 'human777'),
    'what is added': () => ephemeral.add('proof', { ...one, key: 'new' }),
    'what is replaced': () => ephemeral.replace('session', one),
    'what is taken': () => ephemeral.take('proof', 'key777'),
    'the end of an owner': () => ephemeral.endOwner('all', 'human777'),
    'the end of the sessions of an owner': () => ephemeral.endOwner(['session', 'step_up'], 'human777'),
    'a sweep': () => ephemeral.sweep(),
  }
}

const TENANTS = {
  'the first': 'default',
  'a large': 'name4',
  'a small': 'name5',
  'an old': 'name6',
  no: 'nobody',
}

/** Every list of a tenant, with and without further filters. */
function ofTenants(reader: ReadStore): Record<string, () => Promise<unknown>> {
  const page = { limit: 200, before: undefined }
  return Object.fromEntries(
    Object.entries(TENANTS).flatMap(([name, tenant_id]) => {
      const filter = { ...EVERY_RECORD, tenant_id }
      return Object.entries({
        tokens: () => reader.tokens(filter, page),
        'tokens of a person': () => reader.tokens({ ...filter, human_ref: 'human1' }, page),
        'tokens at a level': () => reader.tokens({ ...filter, assurance_level: 'L1' }, page),
        records: () => reader.records(filter, page),
        'records of a person': () => reader.records({ ...filter, human_ref: 'human1' }, page),
        'records of an agent with little': () => reader.records({ ...filter, agent_id: 'agent102' }, page),
        'records of a workflow': () => reader.records({ ...filter, provenance_ref: 'prov_77' }, page),
        'rare actions': () => reader.records({ ...filter, action: 'rare' }, page),
        denials: () => reader.denials(filter, page),
        'pending approvals': () => reader.approvals({ ...filter, state: 'pending' }, page, 5),
        workflows: () => reader.workflows.list(filter, page),
        'workflows of a person': () => reader.workflows.list({ ...filter, human_ref: 'human1' }, page),
        'habits for a person': () => reader.habits({ ...filter, human_ref: 'human8' }),
        agents: () => reader.agents(filter, page),
        'active agents': () => reader.activeAgents(filter, 100),
        'a total of tokens': () => reader.countTokens(filter),
        'a total of agents': () => reader.countAgents(filter),
        'a total of workflows': () => reader.workflows.count(filter),
        'a total of denials': () => reader.countDenials(filter),
        'a total of pending approvals': () => reader.countApprovals({ ...filter, state: 'pending' }, 5),
        'tokens that no rule lets through': () => reader.tokens({ ...filter, fits: () => false }, page),
        'agents that no rule lets through': () => reader.agents({ ...filter, fits: () => false }, page),
        people: () => reader.people(filter, page, 5),
      }).map(([what, ask]) => [`${what} of ${name} tenant`, ask])
    }),
  )
}
