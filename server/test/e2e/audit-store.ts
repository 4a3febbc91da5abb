import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { append, canonicalJson, emptyFrontier, encodeFrontier, leafHash } from '@deputy/protocol'

type Row = Record<string, unknown>

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
export function auditStore(directory: string): number {
  return withStore(directory, (all) => {
    assert.deepEqual(
      all('PRAGMA integrity_check').map(({ integrity_check }) => integrity_check),
      ['ok'],
    )
    const leaves = auditLog(all)
    auditEvidence(all, leaves)
    auditBindings(all, leaves)
    auditPeople(all, leaves)
    auditAgents(all)
    auditWorkflows(all)
    auditDays(all)
    auditTokens(all)
    auditPaths(all)
    return leaves.length
  })
}

/** How many leaves the log has. */
export function logSize(directory: string): number {
  return withStore(directory, (all) => Number(all('SELECT count(*) AS size FROM leaves')[0]?.size))
}

/** The texts of the log, oldest first. */
export function leafTexts(directory: string): string[] {
  return withStore(directory, (all) =>
    all('SELECT leaf FROM leaves ORDER BY log_index').map(({ leaf }) => String(leaf)),
  )
}

/** The rows that a query finds, seen from outside the program. */
export function storeRows(directory: string, sql: string): Row[] {
  return withStore(directory, (all) => all(sql))
}

function withStore<T>(directory: string, use: (all: (sql: string) => Row[]) => T): T {
  const db = new DatabaseSync(join(directory, 'deputy.db'), { readOnly: true, timeout: 5000 })
  try {
    db.exec('BEGIN') // one view of everything, whatever the program does meanwhile
    return use((sql) => db.prepare(sql).all())
  } finally {
    db.close()
  }
}

function hex(bytes: unknown): string {
  return bytes instanceof Uint8Array ? Buffer.from(bytes).toString('hex') : `no bytes but ${bytes}`
}

/** Indexes from 0 without a gap, hashes of the very texts, time that never runs back, and a head that fits. */
function auditLog(all: (sql: string) => Row[]): Leaf[] {
  const frontier = emptyFrontier()
  let before = ''
  const leaves = all('SELECT * FROM leaves ORDER BY log_index').map((row, index) => {
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
  const [head] = all('SELECT frontier FROM log_head')
  if (leaves.length > 0)
    assert.equal(hex(head?.frontier), hex(encodeFrontier(frontier)), 'the head does not fit')
  return leaves
}

/** Every row has the leaf that tells of it, and every leaf the row. */
function auditEvidence(all: (sql: string) => Row[], leaves: Leaf[]): void {
  const told = (types: readonly string[], name: string) =>
    leaves.filter(({ type }) => types.includes(type)).map((leaf) => [leaf.log_index, leaf[name]])
  const rows = (sql: string) => all(`${sql} ORDER BY 1`).map((row) => Object.values(row))

  assert.deepEqual(
    rows('SELECT log_index, aar_id FROM records'),
    told(['action.authorized', 'action.recorded'], 'aar_id'),
    'records',
  )
  assert.deepEqual(
    rows('SELECT completed_index, aar_id FROM records WHERE completed_index IS NOT NULL'),
    told(['action.recorded', 'action.completed', 'action.cancelled', 'action.expired'], 'aar_id'),
    'closed records',
  )
  assert.deepEqual(
    rows('SELECT ratings.log_index, aar_id FROM ratings JOIN records ON records.log_index = record_index'),
    told(['action.rated'], 'aar_id'),
    'ratings',
  )
  assert.deepEqual(
    rows('SELECT log_index, denial_id FROM denials'),
    told(['action.denied'], 'denial_id'),
    'denials',
  )
  assert.deepEqual(
    rows('SELECT log_index, jwt_hash FROM tokens'),
    told(['token.issued', 'token.delegated', 'token.renewed'], 'jwt_hash'),
    'tokens',
  )
  assert.deepEqual(
    rows('SELECT log_index, approval_id FROM approvals'),
    told(['approval.requested'], 'approval_id'),
    'approvals',
  )
  assert.deepEqual(
    rows('SELECT decided_index, approval_id FROM approvals WHERE decided_index IS NOT NULL'),
    told(['approval.decided'], 'approval_id'),
    'decided approvals',
  )
  assert.deepEqual(
    rows('SELECT log_index, provenance_ref FROM workflow_leaves JOIN workflows USING (workflow_key)'),
    told(['token.revoked', 'token.suspended', 'token.resumed', 'budget.threshold'], 'provenance_ref'),
    'leaves of workflows that nothing else leads to',
  )
}

/** What rows hold beside their ids is what their leaves say, or what a digest in them stands for. */
function auditBindings(all: (sql: string) => Row[], leaves: Leaf[]): void {
  const told = (type: string, ...names: string[]) =>
    leaves.filter((leaf) => leaf.type === type).map((leaf) => names.map((name) => leaf[name] ?? null))
  const rows = (sql: string) => all(sql).map((row) => Object.values(row))
  const at = (ms: unknown) => (ms === null ? null : new Date(Number(ms)).toISOString())

  const issued = leaves.filter(({ type }) =>
    ['token.issued', 'token.delegated', 'token.renewed'].includes(type),
  )
  assert.deepEqual(
    all('SELECT claims, purpose FROM tokens ORDER BY log_index').map(({ claims, purpose }) => [
      `sha256:${hash('sha256', canonicalJson(JSON.parse(String(claims))))}`,
      purpose !== null,
    ]),
    issued.map((leaf) => [leaf.claims_hash, leaf.purpose_digest !== undefined]),
    'claims and purposes',
  )
  assert.deepEqual(
    all(`SELECT records.expires_at_ms, trace_id, used.approval_id FROM records
      LEFT JOIN approvals used ON used.used_by = aar_id WHERE records.expires_at_ms IS NOT NULL ORDER BY records.log_index`).map(
      (row) => [at(row.expires_at_ms), row.trace_id, row.approval_id],
    ),
    told('action.authorized', 'expires_at', 'trace_id', 'approval_id'),
    'authorized actions',
  )
  assert.deepEqual(
    rows(`SELECT trace_id, used.approval_id FROM records
      LEFT JOIN approvals used ON used.used_by = aar_id WHERE records.expires_at_ms IS NULL ORDER BY records.log_index`),
    told('action.recorded', 'trace_id', 'approval_id'),
    'recorded actions',
  )
  assert.deepEqual(
    rows('SELECT trace_id FROM denials ORDER BY log_index'),
    told('action.denied', 'trace_id'),
    'denied actions',
  )
  assert.deepEqual(
    rows(
      'SELECT completion_digest FROM records WHERE completion_digest IS NOT NULL ORDER BY completed_index',
    ),
    told('action.completed', 'completion_digest'),
    'completions',
  )
  assert.deepEqual(
    all('SELECT binding, expires_at_ms FROM approvals ORDER BY log_index').map((row) => [
      row.binding,
      at(row.expires_at_ms),
    ]),
    told('approval.requested', 'binding', 'expires_at'),
    'questions',
  )
}

/** A person is revoked and erased where the log says so, and has a key only if not erased since. Words are only sealed. */
function auditPeople(all: (sql: string) => Row[], leaves: Leaf[]): void {
  const last = (type: string, human_ref: unknown) =>
    leaves.findLast((leaf) => leaf.type === type && leaf.human_ref === human_ref)
  for (const { human_ref, revoked_below, erased_at_ms } of all('SELECT * FROM humans')) {
    assert.equal(revoked_below, last('human.revoked', human_ref)?.log_index ?? 0, 'a mark on a person')
    const erased_at = last('human.erased', human_ref)?.at
    assert.equal(erased_at_ms, erased_at === undefined ? null : Date.parse(String(erased_at)), 'an erasure')
  }
  const readable = all('SELECT data_key FROM data_keys WHERE wrapped <> zeroblob(length(wrapped)) ORDER BY 1')
  assert.deepEqual(
    readable,
    all('SELECT data_key FROM humans WHERE data_key IS NOT NULL ORDER BY 1'),
    'a key that nobody has',
  )
  const SEALED = {
    records: ['metadata'],
    ratings: ['note'],
    tokens: ['purpose'],
    token_states: ['revoke_reason'],
    approvals: ['metadata', 'note'],
    replays: ['outcome'],
  }
  for (const [table, columns] of Object.entries(SEALED))
    for (const column of columns)
      assert.deepEqual(
        all(`SELECT 1 FROM ${table} WHERE ${column} IS NOT NULL AND typeof(${column}) <> 'blob'`),
        [],
        `${table} keeps a ${column} in the clear`,
      )
}

const RECORDS = `
  SELECT records.*, agent_key, workflow_key, coalesce(names.name, '') AS result
  FROM records JOIN tokens USING (token_key) LEFT JOIN names ON name_key = result_key`

function auditAgents(all: (sql: string) => Row[]): void {
  assert.deepEqual(
    all(`
      SELECT agent_key, total_actions, completed_actions, scored_actions, outcome_halves, approved, flagged, rejected
      FROM agents ORDER BY agent_key`),
    all(`
      WITH counted AS (
        SELECT agent_key, count(*) AS total, sum(state = 1) AS completed,
          sum(state = 1 AND result <> 'cancelled') AS scored,
          sum(iif(state <> 1, 0, iif(result = 'success', 2, iif(result = 'partial', 1, 0)))) AS halves
        FROM (${RECORDS}) GROUP BY agent_key
      ), rated AS (
        SELECT agent_key, sum(rating = 0) AS approved, sum(rating = 1) AS flagged, sum(rating = 2) AS rejected
        FROM ratings JOIN (${RECORDS}) AS rated ON rated.log_index = record_index GROUP BY agent_key
      )
      SELECT agents.agent_key, coalesce(total, 0) AS total_actions, coalesce(completed, 0) AS completed_actions,
        coalesce(scored, 0) AS scored_actions, coalesce(halves, 0) AS outcome_halves,
        coalesce(rated.approved, 0) AS approved, coalesce(rated.flagged, 0) AS flagged,
        coalesce(rated.rejected, 0) AS rejected
      FROM agents LEFT JOIN counted USING (agent_key) LEFT JOIN rated USING (agent_key) ORDER BY agent_key`),
    'the sums of an agent differ from its records',
  )
}

/** Each count of a workflow, by kind and subject, against the records that it counts. */
function auditWorkflows(all: (sql: string) => Row[]): void {
  assert.deepEqual(
    all('SELECT * FROM workflow_tallies ORDER BY 1, 2, 3'),
    all(`
      WITH done AS (SELECT * FROM (${RECORDS}))
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
function auditTokens(all: (sql: string) => Row[]): void {
  assert.deepEqual(
    all(`
      SELECT token_key, coalesce(actions, 0) AS actions, coalesce(spent_micro_usd, 0) AS spent,
        coalesce(reserved_micro_usd, 0) AS reserved
      FROM tokens LEFT JOIN token_states USING (token_key) ORDER BY token_key`),
    all(`
      WITH RECURSIVE charged (token_key, record_token_key) AS (
        SELECT token_key, token_key FROM tokens
        UNION ALL
        SELECT parent_key, record_token_key FROM charged JOIN tokens USING (token_key) WHERE parent_key IS NOT NULL
      )
      SELECT charged.token_key, count(log_index) AS actions,
        coalesce(sum(iif(state = 1, spend_micro_usd, 0)), 0) AS spent,
        coalesce(sum(iif(state = 0, spend_micro_usd, 0)), 0) AS reserved
      FROM charged LEFT JOIN records ON records.token_key = record_token_key
      GROUP BY charged.token_key ORDER BY charged.token_key`),
    'the account of a token differs from its records',
  )
}

/** The path of a token is that of the token above it and its own key, so that a subtree is one range. */
function auditPaths(all: (sql: string) => Row[]): void {
  const pathOf = new Map<unknown, string>()
  for (const { token_key, parent_key, path } of all('SELECT * FROM tokens ORDER BY token_key')) {
    const own = Number(token_key).toString(16).padStart(16, '0')
    const above = parent_key === null ? '' : (pathOf.get(parent_key) ?? 'nowhere')
    assert.equal(hex(path), above + own, `the path of token ${token_key} leads elsewhere`)
    pathOf.set(token_key, above + own)
  }
}

/** The days of an agent add up to the agent. */
function auditDays(all: (sql: string) => Row[]): void {
  const SUMS = ['total_actions', 'completed_actions', 'approved', 'flagged', 'rejected']
  assert.deepEqual(
    all(`SELECT agent_key, ${SUMS.join(', ')} FROM agents
      WHERE ${SUMS.join(' + ')} > 0 ORDER BY agent_key`),
    all(`SELECT agent_key, ${SUMS.map((name) => `sum(${name}) AS ${name}`).join(', ')} FROM agent_days
      GROUP BY agent_key HAVING ${SUMS.map((name) => `sum(${name})`).join(' + ')} > 0 ORDER BY agent_key`),
    'the days of an agent differ from its sums',
  )
}
