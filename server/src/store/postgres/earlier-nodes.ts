import type { Database } from './connect.ts'
import { WRITER } from './connect.ts'

/** From this schema on, nodes know of sums that are not in their tables yet. */
export const KNOWS_DEFERRED_SUMS = 16

/** Counts as a batch, so that every node reads the head again. */
const SHUT_OUT = `
  UPDATE log_head SET oldest_schema = $1, batch = batch + 1
  WHERE single = 1 AND oldest_schema < $1 AND NOT EXISTS (
    SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE $2 || '%'
      AND coalesce(substring(application_name FROM ' s(\\d+)$')::bigint, 0) < $1)`

/**
 * Shuts nodes out that do not know of sums that are put off, unless one of them is connected: nodes of the version before go
 * on until they are replaced. Only then sums are put off. Resolves to whether such nodes are shut out.
 */
export async function shutOutEarlierNodes(database: Database): Promise<boolean> {
  await database.query(SHUT_OUT, [KNOWS_DEFERRED_SUMS, WRITER])
  const { rows } = await database.query('SELECT oldest_schema >= $1 AS is_shut FROM log_head', [
    KNOWS_DEFERRED_SUMS,
  ])
  return rows[0]?.is_shut === true
}
