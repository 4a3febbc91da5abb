import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { append, canonicalJson, emptyFrontier, encodeFrontier, leafHash } from '@deputy/protocol'
import { connect } from '../../src/store/postgres/connect.ts'
import type { Row } from '../../src/store/values.ts'

type Rows = (sql: string) => Promise<Row[]>

/** One row of `leaves`, with the leaf read. */
interface Leaf {
  readonly log_index: number
  readonly type: string
  readonly [member: string]: unknown
}

/**
 * Recomputes all that the store derives, from what it holds: the log from its texts, the tree from the log, every
 * counter from the records. Fails at the first thing that does not agree. Answers the number of leaves.
 */
async function audit(all: Rows): Promise<number> {
  const leaves = await auditLog(all)
  await auditEvidence(all, leaves)
  await auditBindings(all, leaves)
  await auditPeople(all, leaves)
  await auditRegistry(all, leaves)
  await auditAgents(all)
  await auditWorkflows(all)
  await auditDays(all)
  await auditTokens(all)
  await auditPaths(all)
  return leaves.length
}

/** Audits a database, at one moment of it, whatever nodes do to it meanwhile. */
export async function auditDatabase(url: string): Promise<number> {
  const client = await connect(url, 'audit', () => {})
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
    return await audit(async (sql) => (await client.query<Row>(sql)).rows)
  } finally {
    await client.end()
  }
}

function hex(bytes: unknown): string {
  return bytes instanceof Uint8Array ? Buffer.from(bytes).toString('hex') : `no bytes but ${bytes}`
}

/** Indexes from 0 without a gap, hashes of the very texts, time that never runs back, and a head that fits. */
async function auditLog(all: Rows): Promise<Leaf[]> {
  const frontier = emptyFrontier()
  let before = ''
  const leaves = (await all('SELECT * FROM leaves ORDER BY log_index')).map((row, index) => {
    const text = String(row.leaf)
    const leaf = JSON.parse(text)
    const hash = leafHash(text)
    assert.equal(row.log_index, index, 'the log has a gap')
    assert.equal(hex(row.leaf_hash), hex(hash), `leaf ${index} is not what its hash says`)
    assert.equal(text, canonicalJson(leaf), `leaf ${index} is not canonical`)
    assert.ok(leaf.at >= before, `leaf ${index} is earlier than the one before`)
    before = leaf.at
    append(frontier, hash)
    return { ...leaf, log_index: index }
  })
  const [head] = await all('SELECT frontier FROM log_head')
  if (leaves.length > 0)
    assert.equal(hex(head?.frontier), hex(encodeFrontier(frontier)), 'the head does not fit')
  return leaves
}

/** Every row has the leaf that tells of it, and every leaf the row. */
async function auditEvidence(all: Rows, leaves: Leaf[]): Promise<void> {
  const told = (types: readonly string[], name: string) =>
    leaves.filter(({ type }) => types.includes(type)).map((leaf) => [leaf.log_index, leaf[name]])
  const rows = async (sql: string) => (await all(`${sql} ORDER BY 1`)).map((row) => Object.values(row))

  assert.deepEqual(
    await rows('SELECT log_index, aar_id FROM records'),
    told(['action.authorized', 'action.recorded'], 'aar_id'),
    'records',
  )
  assert.deepEqual(
    await rows('SELECT completed_index, aar_id FROM records WHERE completed_index IS NOT NULL'),
    told(['action.recorded', 'action.completed', 'action.cancelled', 'action.expired'], 'aar_id'),
    'closed records',
  )
  assert.deepEqual(
    await rows(
      'SELECT ratings.log_index, aar_id FROM ratings JOIN records ON records.log_index = record_index',
    ),
    told(['action.rated'], 'aar_id'),
    'ratings',
  )
  assert.deepEqual(
    await rows('SELECT log_index, denial_id FROM denials'),
    told(['action.denied'], 'denial_id'),
    'denials',
  )
  assert.deepEqual(
    await rows('SELECT log_index, jwt_hash FROM tokens'),
    told(['token.issued', 'token.delegated', 'token.renewed'], 'jwt_hash'),
    'tokens',
  )
  assert.deepEqual(
    await rows('SELECT log_index, approval_id FROM approvals'),
    told(['approval.requested'], 'approval_id'),
    'approvals',
  )
  assert.deepEqual(
    await rows('SELECT decided_index, approval_id FROM approvals WHERE decided_index IS NOT NULL'),
    told(['approval.decided'], 'approval_id'),
    'decided approvals',
  )
  assert.deepEqual(
    await rows('SELECT log_index, provenance_ref FROM workflow_leaves JOIN workflows USING (workflow_key)'),
    told(['token.revoked', 'token.suspended', 'token.resumed', 'budget.threshold'], 'provenance_ref'),
    'leaves of workflows that nothing else leads to',
  )
}

/** What rows hold beside their ids is what their leaves say, or what a digest in them stands for. */
async function auditBindings(all: Rows, leaves: Leaf[]): Promise<void> {
  const told = (type: string, ...names: string[]) =>
    leaves.filter((leaf) => leaf.type === type).map((leaf) => names.map((name) => leaf[name] ?? null))
  const rows = async (sql: string) => (await all(sql)).map((row) => Object.values(row))
  const at = (ms: unknown) => (ms === null ? null : new Date(Number(ms)).toISOString())

  const issued = leaves.filter(({ type }) =>
    ['token.issued', 'token.delegated', 'token.renewed'].includes(type),
  )
  assert.deepEqual(
    (await all('SELECT claims, purpose FROM tokens ORDER BY log_index')).map(({ claims, purpose }) => [
      `sha256:${hash('sha256', canonicalJson(JSON.parse(String(claims))))}`,
      purpose !== null,
    ]),
    issued.map((leaf) => [leaf.claims_hash, leaf.purpose_digest !== undefined]),
    'claims and purposes',
  )
  assert.deepEqual(
    (
      await all(`SELECT records.expires_at_ms, trace_id, used.approval_id FROM records
        LEFT JOIN approvals used ON used.used_by = aar_id WHERE records.expires_at_ms IS NOT NULL ORDER BY records.log_index`)
    ).map((row) => [at(row.expires_at_ms), row.trace_id, row.approval_id]),
    told('action.authorized', 'expires_at', 'trace_id', 'approval_id'),
    'authorized actions',
  )
  assert.deepEqual(
    await rows(`SELECT trace_id, used.approval_id FROM records
      LEFT JOIN approvals used ON used.used_by = aar_id WHERE records.expires_at_ms IS NULL ORDER BY records.log_index`),
    told('action.recorded', 'trace_id', 'approval_id'),
    'recorded actions',
  )
  assert.deepEqual(
    await rows('SELECT trace_id FROM denials ORDER BY log_index'),
    told('action.denied', 'trace_id'),
    'denied actions',
  )
  assert.deepEqual(
    await rows(
      'SELECT completion_digest FROM records WHERE completion_digest IS NOT NULL ORDER BY completed_index',
    ),
    told('action.completed', 'completion_digest'),
    'completions',
  )
  assert.deepEqual(
    (await all('SELECT binding, expires_at_ms FROM approvals ORDER BY log_index')).map((row) => [
      row.binding,
      at(row.expires_at_ms),
    ]),
    told('approval.requested', 'binding', 'expires_at'),
    'questions',
  )
}

/** A person is revoked and erased where the log says so, and has a key only if not erased since. Words are only sealed. */
async function auditPeople(all: Rows, leaves: Leaf[]): Promise<void> {
  const last = (type: string, human_ref: unknown) =>
    leaves.findLast((leaf) => leaf.type === type && leaf.human_ref === human_ref)
  for (const { human_ref, revoked_below, erased_at_ms } of await all('SELECT * FROM humans')) {
    assert.equal(revoked_below, last('human.revoked', human_ref)?.log_index ?? 0, 'a mark on a person')
    const erased_at = last('human.erased', human_ref)?.at
    assert.equal(erased_at_ms, erased_at === undefined ? null : Date.parse(String(erased_at)), 'an erasure')
  }
  const keys = await all('SELECT data_key, wrapped FROM data_keys ORDER BY 1')
  const held = await all('SELECT data_key FROM humans WHERE data_key IS NOT NULL ORDER BY 1')
  assert.deepEqual(
    keys.filter(({ wrapped }) => /[1-9a-f]/.test(hex(wrapped))).map(({ data_key }) => data_key),
    held.map(({ data_key }) => data_key),
    'a key that nobody has',
  )
  const SEALED = {
    records: ['metadata'],
    ratings: ['note'],
    tokens: ['purpose'],
    token_states: ['revoke_reason'],
    approvals: ['metadata', 'note'],
    replays: ['outcome'],
    registry: ['document'],
  }
  for (const [table, columns] of Object.entries(SEALED))
    for (const column of columns)
      for (const row of await all(`SELECT ${column} FROM ${table} WHERE ${column} IS NOT NULL`))
        assert.ok(row[column] instanceof Uint8Array, `${table} keeps a ${column} in the clear`)
}

/** An entry is what the newest leaf about it tells; whether its document is the one told of needs the keys. */
async function auditRegistry(all: Rows, leaves: Leaf[]): Promise<void> {
  const told = new Map<string, unknown[]>()
  for (const leaf of leaves.filter(({ type }) => type === 'registry.changed'))
    told.set(`${leaf.kind} ${leaf.id_ref}`, [
      leaf.log_index,
      leaf.tenant_id,
      leaf.human_ref ?? null,
      leaf.removed !== true,
    ])
  const kept = (await all('SELECT * FROM registry')).map((row) => [
    `${row.kind} sha256:${hash('sha256', String(row.id))}`,
    [row.log_index, row.tenant_id, row.owner, row.document !== null],
  ])
  assert.deepEqual(Object.fromEntries(kept), Object.fromEntries(told), 'the registry')
}

const RECORDS = `
  SELECT records.*, agent_key, workflow_key, coalesce(names.name, '') AS result
  FROM records JOIN tokens USING (token_key) LEFT JOIN names ON name_key = result_key`

/** PostgreSQL adds large integers up to a decimal, which the driver gives as a text. */
const sumOf = (expression: string) => `CAST(sum(${expression}) AS bigint)`

async function auditAgents(all: Rows): Promise<void> {
  assert.deepEqual(
    await all(`
      SELECT agent_key, total_actions, completed_actions, scored_actions, outcome_halves, approved, flagged, rejected
      FROM agents ORDER BY agent_key`),
    await all(`
      WITH counted AS (
        SELECT agent_key, count(*) AS total, ${sumOf('CASE WHEN state = 1 THEN 1 ELSE 0 END')} AS completed,
          ${sumOf(`CASE WHEN state = 1 AND result <> 'cancelled' THEN 1 ELSE 0 END`)} AS scored,
          ${sumOf(`CASE WHEN state <> 1 THEN 0 WHEN result = 'success' THEN 2 WHEN result = 'partial' THEN 1 ELSE 0 END`)} AS halves
        FROM (${RECORDS}) AS done GROUP BY agent_key
      ), rated AS (
        SELECT agent_key, ${[0, 1, 2].map((rating) => `${sumOf(`CASE WHEN rating = ${rating} THEN 1 ELSE 0 END`)} AS rated_${rating}`).join(', ')}
        FROM ratings JOIN (${RECORDS}) AS rated ON rated.log_index = record_index GROUP BY agent_key
      )
      SELECT agents.agent_key, coalesce(total, 0) AS total_actions, coalesce(completed, 0) AS completed_actions,
        coalesce(scored, 0) AS scored_actions, coalesce(halves, 0) AS outcome_halves,
        coalesce(rated_0, 0) AS approved, coalesce(rated_1, 0) AS flagged,
        coalesce(rated_2, 0) AS rejected
      FROM agents LEFT JOIN counted USING (agent_key) LEFT JOIN rated USING (agent_key) ORDER BY agent_key`),
    'the sums of an agent differ from its records',
  )
}

/** Each count of a workflow, by kind and subject, against the records that it counts. */
async function auditWorkflows(all: Rows): Promise<void> {
  assert.deepEqual(
    await all('SELECT * FROM workflow_tallies ORDER BY 1, 2, 3'),
    await all(`
      WITH done AS (${RECORDS})
      SELECT workflow_key, 0 AS kind, 0 AS subject, count(*) AS count, max(created_at_ms) AS last_ms
        FROM done GROUP BY workflow_key
      UNION ALL SELECT workflow_key, 1, 0, count(DISTINCT agent_key), NULL FROM done GROUP BY workflow_key
      UNION ALL SELECT workflow_key, 2, agent_key, count(*), NULL FROM done GROUP BY workflow_key, agent_key
      UNION ALL SELECT workflow_key, 3, action_key, count(*), NULL FROM done GROUP BY workflow_key, action_key
      UNION ALL SELECT workflow_key, 4, result_key, count(*), NULL FROM done WHERE state = 1 GROUP BY workflow_key, result_key
      ORDER BY 1, 2, 3`),
    'the counts of a workflow differ from its records',
  )
}

/** Every token is charged with its own actions and with those of every token below it. */
async function auditTokens(all: Rows): Promise<void> {
  assert.deepEqual(
    await all(`
      SELECT token_key, coalesce(actions, 0) AS actions, coalesce(spent_micro_usd, 0) AS spent,
        coalesce(reserved_micro_usd, 0) AS reserved
      FROM tokens LEFT JOIN token_states USING (token_key) ORDER BY token_key`),
    await all(`
      WITH RECURSIVE charged (token_key, record_token_key) AS (
        SELECT token_key, token_key FROM tokens
        UNION ALL
        SELECT parent_key, record_token_key FROM charged JOIN tokens USING (token_key) WHERE parent_key IS NOT NULL
      )
      SELECT charged.token_key, count(log_index) AS actions,
        coalesce(${sumOf('CASE WHEN state = 1 THEN spend_micro_usd ELSE 0 END')}, 0) AS spent,
        coalesce(${sumOf('CASE WHEN state = 0 THEN spend_micro_usd ELSE 0 END')}, 0) AS reserved
      FROM charged LEFT JOIN records ON records.token_key = record_token_key
      GROUP BY charged.token_key ORDER BY charged.token_key`),
    'the account of a token differs from its records',
  )
}

/** The path of a token is that of the token above it and its own key, so that a subtree is one range. */
async function auditPaths(all: Rows): Promise<void> {
  const pathOf = new Map<unknown, string>()
  for (const { token_key, parent_key, path } of await all('SELECT * FROM tokens ORDER BY token_key')) {
    const own = Number(token_key).toString(16).padStart(16, '0')
    const above = parent_key === null ? '' : (pathOf.get(parent_key) ?? 'nowhere')
    assert.equal(hex(path), above + own, `the path of token ${token_key} leads elsewhere`)
    pathOf.set(token_key, above + own)
  }
}

/** The days of an agent add up to the agent. */
async function auditDays(all: Rows): Promise<void> {
  const SUMS = ['total_actions', 'completed_actions', 'approved', 'flagged', 'rejected']
  assert.deepEqual(
    await all(`SELECT agent_key, ${SUMS.join(', ')} FROM agents
      WHERE ${SUMS.join(' + ')} > 0 ORDER BY agent_key`),
    await all(`SELECT agent_key, ${SUMS.map((name) => `${sumOf(name)} AS ${name}`).join(', ')} FROM agent_days
      GROUP BY agent_key HAVING ${SUMS.map((name) => `sum(${name})`).join(' + ')} > 0 ORDER BY agent_key`),
    'the days of an agent differ from its sums',
  )
}
