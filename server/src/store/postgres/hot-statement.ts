import { TALLY } from '../rows/tallies.ts'
import { columnList, type Part, partsSql } from './insertion.ts'

/** A part that inserts its rows as they are. */
function insert<const Name extends string>(
  name: Name,
  table: string,
  columns: Part['columns'],
  conflict = '',
): Part & { readonly name: Name } {
  const list = columnList({ columns })
  const values = Object.keys(columns).map((column) => `u.${column}`)
  return {
    name,
    columns,
    sql: (from) => `INSERT INTO ${table} (${list}) SELECT ${values.join(', ')} FROM ${from} ${conflict}`,
  }
}

const SUMS = [
  'total_actions',
  'completed_actions',
  'scored_actions',
  'outcome_halves',
  'approved',
  'flagged',
  'rejected',
] as const

const sums = Object.fromEntries(SUMS.map((name) => [name, 'bigint'])) as Record<string, 'bigint'>
const added = (table: string) =>
  SUMS.map((name) => `${name} = ${table}.${name} + excluded.${name}`).join(', ')
const addCount = 'count = workflow_tallies.count + excluded.count'

/**
 * What almost every batch changes, as parts of one statement. Each part writes as many rows as there are; that none is
 * written unless the head could be advanced is what `FROM head` is for.
 */
export const PARTS = [
  insert('new_leaves', 'leaves', { log_index: 'bigint', leaf_hash: 'bytea', leaf: 'text' }),
  insert('new_nodes', 'log_nodes', { level: 'smallint', node_index: 'bigint', hash: 'bytea' }),
  insert('new_names', 'names', { name_key: 'bigint', name: 'text' }),
  insert('new_workflows', 'workflows', { workflow_key: 'bigint', provenance_ref: 'text' }),
  insert(
    'kept_humans',
    'humans',
    {
      human_key: 'bigint',
      human_ref: 'text',
      revoked_below: 'bigint',
      data_key: 'bigint',
      erased_at_ms: 'bigint',
    },
    `ON CONFLICT (human_key) DO UPDATE SET revoked_below = excluded.revoked_below, data_key = excluded.data_key,
      erased_at_ms = excluded.erased_at_ms`,
  ),
  insert('new_data_keys', 'data_keys', { data_key: 'bigint', human_key: 'bigint', wrapped: 'bytea' }),
  insert(
    'kept_agents',
    'agents',
    {
      agent_key: 'bigint',
      agent_id: 'text',
      first_seen_ms: 'bigint',
      tenant_key: 'bigint',
      last_action_ms: 'bigint',
      ...sums,
    },
    `ON CONFLICT (agent_key) DO UPDATE SET
      last_action_ms = coalesce(excluded.last_action_ms, agents.last_action_ms), ${added('agents')}`,
  ),
  insert(
    'kept_days',
    'agent_days',
    { agent_key: 'bigint', day: 'bigint', ...sums },
    `ON CONFLICT (agent_key, day) DO UPDATE SET ${added('agent_days')}`,
  ),
  {
    name: 'new_tokens',
    columns: {
      token_key: 'bigint',
      jti: 'text',
      parent_key: 'bigint',
      root_key: 'bigint',
      agent_key: 'bigint',
      workflow_key: 'bigint',
      human_key: 'bigint',
      level: 'smallint',
      log_index: 'bigint',
      issued_at_ms: 'bigint',
      jwt_hash: 'text',
      claims: 'text',
      purpose: 'bytea',
      path: 'bytea',
      ancestors: 'text',
      expires_at_ms: 'bigint',
      status_index: 'bigint',
      tenant_key: 'bigint',
    },
    // A list of lists would be flattened on the way, so each list of ancestors comes as the text of an array.
    sql: (from) => `
      INSERT INTO tokens (
        token_key, jti, parent_key, root_key, agent_key, workflow_key, human_key, level, log_index, issued_at_ms,
        jwt_hash, claims, purpose, path, ancestors, expires_at_ms, status_index, tenant_key
      )
      SELECT u.token_key, u.jti, u.parent_key, u.root_key, u.agent_key, u.workflow_key, u.human_key, u.level,
        u.log_index, u.issued_at_ms, u.jwt_hash, u.claims, u.purpose, u.path, u.ancestors::bigint[], u.expires_at_ms,
        u.status_index, u.tenant_key
      FROM ${from}`,
  },
  insert(
    'kept_states',
    'token_states',
    {
      token_key: 'bigint',
      revoked_at_ms: 'bigint',
      suspended_at_ms: 'bigint',
      spent_micro_usd: 'bigint',
      reserved_micro_usd: 'bigint',
      actions: 'bigint',
      minute: 'bigint',
      minute_actions: 'bigint',
    },
    `ON CONFLICT (token_key) DO UPDATE SET revoked_at_ms = excluded.revoked_at_ms,
      suspended_at_ms = excluded.suspended_at_ms, spent_micro_usd = excluded.spent_micro_usd,
      reserved_micro_usd = excluded.reserved_micro_usd, actions = excluded.actions, minute = excluded.minute,
      minute_actions = excluded.minute_actions`,
  ),
  insert('new_records', 'records', {
    log_index: 'bigint',
    aar_id: 'text',
    token_key: 'bigint',
    action_key: 'bigint',
    resource_key: 'bigint',
    state: 'smallint',
    created_at_ms: 'bigint',
    result_key: 'bigint',
    result_hash: 'text',
    spend_micro_usd: 'bigint',
    parent_index: 'bigint',
    expires_at_ms: 'bigint',
    completed_at_ms: 'bigint',
    completed_index: 'bigint',
    completed_after_revocation: 'smallint',
    over_budget: 'smallint',
    completion_digest: 'text',
    trace_id: 'text',
    metadata: 'bytea',
    evidence: 'smallint',
  }),
  {
    name: 'closed_records',
    columns: {
      log_index: 'bigint',
      state: 'smallint',
      result_key: 'bigint',
      result_hash: 'text',
      spend_micro_usd: 'bigint',
      metadata: 'bytea',
      completed_at_ms: 'bigint',
      completed_index: 'bigint',
      completed_after_revocation: 'smallint',
      over_budget: 'smallint',
      completion_digest: 'text',
      evidence: 'smallint',
    },
    sql: (from) => `
      UPDATE records r SET state = u.state, result_key = u.result_key, result_hash = u.result_hash,
        spend_micro_usd = u.spend_micro_usd, completed_at_ms = u.completed_at_ms, completed_index = u.completed_index,
        completed_after_revocation = u.completed_after_revocation, over_budget = u.over_budget,
        completion_digest = u.completion_digest, evidence = u.evidence, metadata = coalesce(u.metadata, r.metadata)
      FROM ${from} WHERE r.log_index = u.log_index`,
  },
  insert('new_ratings', 'ratings', {
    record_index: 'bigint',
    rating: 'smallint',
    feedback_at_ms: 'bigint',
    log_index: 'bigint',
    rater_assurance: 'text',
    note: 'bytea',
  }),
  insert('new_denials', 'denials', {
    log_index: 'bigint',
    denial_id: 'text',
    token_key: 'bigint',
    action_key: 'bigint',
    resource_key: 'bigint',
    spend_micro_usd: 'bigint',
    reasons: 'text',
    created_at_ms: 'bigint',
    trace_id: 'text',
  }),
  {
    name: 'agent_counts',
    columns: { workflow_key: 'bigint', agent_key: 'bigint', count: 'bigint' },
    sql: (from) => `
      INSERT INTO workflow_tallies (workflow_key, kind, subject, count)
      SELECT u.workflow_key, ${TALLY.agent}, u.agent_key, u.count FROM ${from}
      ON CONFLICT (workflow_key, kind, subject) DO UPDATE SET ${addCount}
      RETURNING workflow_key, xmax = 0 AS is_new`,
  },
  insert(
    'other_counts',
    'workflow_tallies',
    { workflow_key: 'bigint', kind: 'smallint', subject: 'bigint', count: 'bigint', last_ms: 'bigint' },
    `ON CONFLICT (workflow_key, kind, subject) DO UPDATE SET ${addCount},
      last_ms = coalesce(excluded.last_ms, workflow_tallies.last_ms)`,
  ),
  insert(
    'kept_replays',
    'replays',
    { replay_key: 'text', fingerprint: 'text', outcome: 'bytea', expires_at_ms: 'bigint' },
    `ON CONFLICT (replay_key) DO UPDATE SET fingerprint = excluded.fingerprint, outcome = excluded.outcome,
      expires_at_ms = excluded.expires_at_ms`,
  ),
] as const satisfies readonly Part[]

export type PartName = (typeof PARTS)[number]['name']

/** Members of the head that a batch sets, after the number of the batch that it must find there. */
export const HEAD_COLUMNS = [
  'frontier',
  'last_ms',
  'last_token_key',
  'last_agent_key',
  'last_human_key',
  'last_workflow_key',
  'last_name_key',
  'last_data_key',
] as const

const BEFORE = 1 + HEAD_COLUMNS.length + 2

/** A statement that the database plans once and knows by its name from then on. */
export interface Prepared {
  readonly name: string
  readonly text: string
}

const prepared = new Map<string, Prepared>()

/**
 * Advances the head if nobody else has since batch $1, and only then writes all the rest. Answers the number of the new
 * batch, or no row at all. There is one statement for each set of parts that batches have rows for; the sets are few.
 */
export function hotStatement(parts: readonly Part[]): Prepared {
  const name = `hot ${parts.map((part) => part.name).join(' ')}`
  const known = prepared.get(name)
  if (known !== undefined) return known
  // The database cuts names off, so each gets a short one.
  const made = { name: `hot_${prepared.size}`, text: statementOf(parts) }
  prepared.set(name, made)
  return made
}

function statementOf(parts: readonly Part[]): string {
  const expressions = [HEAD_AND_WRITER, ...partsSql(parts, BEFORE)]
  if (parts.some(({ name }) => name === 'agent_counts')) expressions.push(DISTINCT_AGENTS)
  return `WITH ${expressions.join(',\n')} SELECT batch FROM head`
}

const HEAD_AND_WRITER = `
head AS (
  UPDATE log_head SET batch = batch + 1, ${HEAD_COLUMNS.map((name, index) => `${name} = $${index + 2}`).join(', ')}
  WHERE single = 1 AND batch = $1 RETURNING batch
),
kept_writer AS (
  INSERT INTO writers (writer_id, last_batch, seen_ms) SELECT $${BEFORE - 1}, batch, $${BEFORE} FROM head
  ON CONFLICT (writer_id) DO UPDATE SET last_batch = excluded.last_batch, seen_ms = excluded.seen_ms
)`

const DISTINCT_AGENTS = `
distinct_agents AS (
  INSERT INTO workflow_tallies (workflow_key, kind, subject, count)
  SELECT workflow_key, ${TALLY.agents}, 0, count(*) FROM agent_counts WHERE is_new GROUP BY workflow_key
  ON CONFLICT (workflow_key, kind, subject) DO UPDATE SET ${addCount}
)`
