import { seenKeys } from '../../seen-keys.ts'
import { integer, type Row, text } from '../../values.ts'
import type { Database } from '../connect.ts'
import { pagesOfRanges } from './ranges.ts'
import { pagesOf } from './reading.ts'
import { workflowKey } from './workflows.ts'

const TOKENS_AT_A_TIME = 500

const TOKENS = `
  SELECT t.token_key, t.log_index, t.agent_key, a.agent_id FROM tokens t JOIN agents a ON a.agent_key = t.agent_key
  WHERE t.workflow_key = ? AND t.log_index < ? AND t.token_key > ? ORDER BY t.token_key LIMIT ?`

const RESOURCES = `
  SELECT g.key AS range_key, one.log_index AS place, one.resource_key, n.name
  FROM unnest(?::bigint[], ?::bigint[]) AS g(key, place) CROSS JOIN LATERAL (
      SELECT log_index, resource_key FROM records
      WHERE token_key = g.key AND log_index > g.place AND log_index < ? ORDER BY log_index LIMIT ?
    ) AS one JOIN names n ON n.name_key = one.resource_key
  ORDER BY 1, 2`

/** Yields the tokens of a workflow that the log contains below `end`, in key order. */
export async function* tokensOfWorkflow(
  database: Database,
  provenance_ref: string,
  end: number,
): AsyncGenerator<Row[]> {
  const workflow_key = await workflowKey(database, provenance_ref)
  if (workflow_key === undefined) return
  yield* pagesOf(database, { sql: TOKENS, values: [workflow_key, end] }, 'token_key', TOKENS_AT_A_TIME)
}

/** Yields each agent that holds a token of a workflow, once. Keeps one bit for each in memory. */
export async function* agentsOfWorkflow(
  database: Database,
  provenance_ref: string,
  end: number,
): AsyncGenerator<string> {
  const seen = seenKeys()
  for await (const tokens of tokensOfWorkflow(database, provenance_ref, end))
    for (const { agent_key, agent_id } of tokens) if (seen.isFirst(integer(agent_key))) yield text(agent_id)
}

/** Yields each resource that was acted on, once. Keeps one bit for each in memory. */
export async function* resourcesOfWorkflow(
  database: Database,
  provenance_ref: string,
  end: number,
): AsyncGenerator<string> {
  const seen = seenKeys()
  for await (const tokens of tokensOfWorkflow(database, provenance_ref, end)) {
    const ranges = tokens.map(({ token_key }) => ({ key: integer(token_key), after: -1 }))
    for await (const rows of pagesOfRanges(database, RESOURCES, ranges, () => [end]))
      for (const { resource_key, name } of rows) if (seen.isFirst(integer(resource_key))) yield text(name)
  }
}
