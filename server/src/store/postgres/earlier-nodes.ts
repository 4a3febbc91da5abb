import { type Database, WRITER } from './connect.ts'

/** From this schema on, nodes handle sums that aren't in their tables yet. */
export const KNOWS_DEFERRED_SUMS = 16

/** How long earlier nodes must not have written: one may have lost its connection for a moment. */
const QUIET_MS = 60_000

/** Counts as a batch, so that every node rereads the head. */
const SHUT_OUT = `
  WITH connected AS (
    SELECT substring(application_name FROM char_length($2) + 1) AS name,
      coalesce(substring(application_name FROM ' s(\\d{1,9})$')::bigint, 0) AS schema
    FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE $2 || '%')
  UPDATE log_head SET oldest_schema = $1, batch = batch + 1
  WHERE single = 1 AND oldest_schema < $1 AND NOT EXISTS (SELECT FROM connected WHERE schema < $1)
    AND NOT EXISTS (
      SELECT FROM writers w WHERE w.seen_ms > extract(epoch FROM clock_timestamp()) * 1000 - ${QUIET_MS}
        AND NOT EXISTS (SELECT FROM connected c WHERE c.name LIKE w.writer_id || ' s%'))`

/**
 * Shuts out nodes that can't handle deferred sums, once none of them is connected or has written in the last minute.
 * Until then, nodes of the previous version keep running and no sums are deferred. Resolves to whether such nodes are
 * shut out.
 */
export async function shutOutEarlierNodes(database: Database): Promise<boolean> {
  await database.query(SHUT_OUT, [KNOWS_DEFERRED_SUMS, WRITER])
  const { rows } = await database.query('SELECT oldest_schema >= $1 AS is_shut FROM log_head', [
    KNOWS_DEFERRED_SUMS,
  ])
  return rows[0]?.is_shut === true
}
