import { AGENT_COLUMNS } from '../../rows/agents.ts'
import { ADDED_COLUMNS, COUNTER_KEY, counterUpdate } from '../../rows/counters.ts'
import { CLOSING_COLUMNS } from '../../rows/records.ts'
import { TALLY } from '../../rows/tallies.ts'
import { CHANGED_STATE_COLUMNS, STATE_COLUMNS } from '../../rows/tokens.ts'
import { added, listed, replaced } from '../../sql-text.ts'
import { columnsBesideKey, columnsIn, SUM_COLUMNS } from '../../tables.ts'
import { knownSchema } from '../migration-files.ts'
import { insertion, type Part, partialInsertion, partOf, partsSql } from './insertion.ts'
import { keptReplays } from './kept-replays.ts'

const COUNTED = `ON CONFLICT (workflow_key, kind, subject) DO UPDATE SET ${added('workflow_tallies', ['count'])}`

/**
 * What almost every batch changes, as parts of one statement. Each part writes any number of rows, and because of `FROM
 * head` writes none unless the head advances. Parts that add to sums give the same result in any order of batches.
 */
export const PARTS = {
  new_leaves: insertion('leaves'),
  new_nodes: insertion('log_nodes'),
  new_names: insertion('names'),
  new_workflows: insertion('workflows'),
  kept_humans: insertion(
    'humans',
    `ON CONFLICT (human_key) DO UPDATE SET ${replaced(['revoked_below', 'data_key', 'erased_at_ms', 'refused_at_ms'])}`,
  ),
  new_data_keys: insertion('data_keys'),
  kept_agents: partialInsertion(
    'agents',
    AGENT_COLUMNS,
    `ON CONFLICT (agent_key) DO UPDATE SET
      last_action_ms = greatest(excluded.last_action_ms, agents.last_action_ms), ${added('agents', SUM_COLUMNS)}`,
  ),
  kept_days: insertion(
    'agent_days',
    `ON CONFLICT (agent_key, day) DO UPDATE SET ${added('agent_days', SUM_COLUMNS)}`,
  ),
  kept_counters: insertion(
    'counters',
    `ON CONFLICT (${listed(COUNTER_KEY)}) DO UPDATE SET ${counterUpdate(
      ADDED_COLUMNS,
      (column) => `counters.${column}`,
      (column) => `excluded.${column}`,
      { least: 'least', greatest: 'greatest' },
    )}, first_index = least(counters.first_index, excluded.first_index)`,
  ),
  new_tokens: insertion('tokens'),
  kept_states: partialInsertion(
    'token_states',
    STATE_COLUMNS,
    `ON CONFLICT (token_key) DO UPDATE SET ${replaced(CHANGED_STATE_COLUMNS)}`,
  ),
  new_records: insertion('records'),
  closed_records: partOf(
    'records',
    ['log_index', 'metadata', ...CLOSING_COLUMNS],
    (from) => `
      UPDATE records r SET ${CLOSING_COLUMNS.map((column) => `${column} = u.${column}`).join(', ')},
        metadata = coalesce(u.metadata, r.metadata)
      FROM ${from} WHERE r.log_index = u.log_index`,
  ),
  new_ratings: insertion('ratings'),
  new_denials: insertion('denials'),
  agent_tallies: insertion('workflow_tallies', `${COUNTED} RETURNING workflow_key, xmax = 0 AS is_new`),
  other_tallies: insertion(
    'workflow_tallies',
    `${COUNTED}, last_ms = greatest(excluded.last_ms, workflow_tallies.last_ms)`,
  ),
  new_sums: insertion('deferred_sums'),
  kept_replays: insertion(
    'replays',
    `ON CONFLICT (replay_key) DO UPDATE SET ${replaced(columnsBesideKey('replays'))}`,
  ),
} as const

/** The parts that add to sums. */
const SUM_PARTS = ['kept_agents', 'kept_days', 'kept_counters', 'agent_tallies', 'other_tallies'] as const

export type PartName = keyof typeof PARTS
type RowIn<P> = P extends Part<infer Row> ? Row : never
/** The rows of a batch, by the part that writes them. */
export type PartRows = { readonly [N in PartName]: readonly RowIn<(typeof PARTS)[N]>[] }

/** A statement with numbered parameters, and its values. */
export interface RowStatement {
  readonly sql: string
  readonly values: unknown[]
}

/** A batch ready for its hot statement. */
export interface HotBatch {
  readonly statement: Prepared
  /** The values of the parts. */
  readonly arrays: readonly Buffer[]
}

/** Prepares the parts that have rows. */
export function hotBatch(rows: PartRows): HotBatch {
  const { used, arrays } = partsWithRows(Object.keys(PARTS) as PartName[], rows)
  return { statement: hotStatement(used), arrays }
}

/** Adds sums to their tables, as a separate statement. */
export function sumsStatement(rows: Pick<PartRows, (typeof SUM_PARTS)[number]>): RowStatement {
  const { used, arrays } = partsWithRows(SUM_PARTS, rows)
  return { sql: `WITH ${['head AS (SELECT 1)', ...writtenBy(used, 0)].join(',\n')} SELECT 1`, values: arrays }
}

function partsWithRows<N extends PartName>(names: readonly N[], rows: Pick<PartRows, N>) {
  const used: [string, Part<never>][] = []
  const arrays: Buffer[] = []
  for (const name of names) {
    if (rows[name].length === 0) continue
    const part: Part<never> = PARTS[name]
    used.push([name, part])
    arrays.push(...part.arrays(rows[name] as readonly never[])) // PartRows pairs each part with its own rows
  }
  return { used, arrays }
}

/** The columns of the head that a batch sets. They follow $1, the batch that the head must be at. */
export const HEAD_COLUMNS = columnsIn('log_head', 'postgres').filter(
  (name) => name !== 'single' && name !== 'batch' && name !== 'oldest_schema',
)

/** The numbers of the parameters that precede those of the parts. */
const WRITER = HEAD_COLUMNS.length + 2
const NOW = WRITER + 1
const ASSUMED_NEW = NOW + 1
const BEFORE = ASSUMED_NEW

/** A statement. The database plans a named one once and then finds the plan by name. */
export interface Prepared {
  readonly name?: string
  readonly text: string
}

const prepared = new Map<string, Prepared>()
/** The connection keeps each of them and its plan until it ends. */
const MOST_PREPARED = 128

/**
 * Advances the head if it is still at batch $1 and open to this version, and if no request assumed to be new was
 * answered before. Only then does it write the rest. Returns the number of the new batch, or no row. There is one
 * statement for each set of parts that batches use.
 */
function hotStatement(parts: readonly (readonly [string, Part<never>])[]): Prepared {
  const name = parts.map(([part]) => part).join(' ')
  const known = prepared.get(name)
  if (known !== undefined) return known
  if (prepared.size >= MOST_PREPARED) return { text: statementOf(parts) }
  // PostgreSQL truncates long names, so each statement gets a short one.
  const made = { name: `hot_${prepared.size}`, text: statementOf(parts) }
  prepared.set(name, made)
  return made
}

function statementOf(parts: readonly (readonly [string, Part<never>])[]): string {
  return `WITH ${[headAndWriter(), ...writtenBy(parts, BEFORE)].join(',\n')} SELECT batch FROM head`
}

function writtenBy(parts: readonly (readonly [string, Part<never>])[], before: number): string[] {
  const countsAgents = parts.some(([name]) => name === 'agent_tallies')
  return [...partsSql(parts, before), ...(countsAgents ? [DISTINCT_AGENTS] : [])]
}

/** A migration may have shut this node out since it read the head. */
const headAndWriter = () => `
head AS (
  UPDATE log_head SET batch = batch + 1, ${HEAD_COLUMNS.map((name, index) => `${name} = $${index + 2}`).join(', ')}
  WHERE single = 1 AND batch = $1 AND oldest_schema <= ${knownSchema()} 
    AND NOT EXISTS (SELECT FROM ${keptReplays(`$${ASSUMED_NEW}`, `$${NOW}`)}) RETURNING batch
),
kept_writer AS (
  INSERT INTO writers (writer_id, last_batch, seen_ms) SELECT $${WRITER}, batch, $${NOW} FROM head
  ON CONFLICT (writer_id) DO UPDATE SET last_batch = excluded.last_batch, seen_ms = excluded.seen_ms
)`

const DISTINCT_AGENTS = `
distinct_agents AS (
  INSERT INTO workflow_tallies (workflow_key, kind, subject, count)
  SELECT workflow_key, ${TALLY.agents}, 0, count(*) FROM agent_tallies WHERE is_new GROUP BY workflow_key
  ${COUNTED}
)`
