import type { Pool } from 'pg'
import type { DeliveryStore } from '../deliveries.ts'
import {
  deliveryOf,
  deliveryPage,
  deliveryRow,
  deliverySearch,
  disabledReasonKey,
  endpointStateOf,
  leaseOf,
  waitingDeliveryOf,
} from '../rows/deliveries.ts'
import { replaced } from '../sql-text.ts'
import { columnOf, columnsBesideKey, columnsIn, STORED_AS } from '../tables.ts'
import { integer, text } from '../values.ts'
import { openVault } from '../vault.ts'
import { type Reading, readingFrom, rowsOf } from './read/reading.ts'
import { columnArrays } from './write/insertion.ts'

const SWEPT_AT_ONCE = 1_000

/** Deliveries on the primary that all nodes share. The pool must lead to it; the caller closes the pool. */
export function postgresDeliveries(pool: Pool, vault_key: Uint8Array): DeliveryStore {
  const db = readingFrom(pool)
  const key = openVault(vault_key).deployment

  return {
    async begin(endpoints) {
      await db.query(BEGIN_ENDPOINTS, [
        endpoints.map(({ endpoint_id }) => endpoint_id),
        endpoints.map(({ since }) => since),
      ])
    },
    async hold(holder, lease_ms) {
      const { rows } = await db.query(HOLD, [holder, lease_ms])
      return rows.map(leaseOf)
    },
    async release(holder) {
      await db.query('UPDATE delivery_endpoints SET holder = NULL, held_until_ms = 0 WHERE holder = $1', [
        holder,
      ])
    },
    async state(endpoint_id) {
      const [row] = await rowsOf(db, 'SELECT * FROM delivery_endpoints WHERE endpoint_id = ?', endpoint_id)
      return row && endpointStateOf(row)
    },
    async waiting(endpoint_id) {
      const sql = 'SELECT * FROM deliveries WHERE endpoint_id = ? AND state = 0 ORDER BY log_index'
      return (await rowsOf(db, sql, endpoint_id)).map(waitingDeliveryOf)
    },
    async write(holder, progress) {
      const rows = progress.flatMap(({ endpoint_id, rows }) =>
        rows.map((row) => deliveryRow(endpoint_id, row, key)),
      )
      const written = await db.query(WRITE, [
        holder,
        progress.map(({ endpoint_id }) => endpoint_id),
        progress.map(({ revision }) => revision),
        progress.map(({ next_index }) => next_index),
        progress.map(({ failing_since_ms }) => failing_since_ms ?? null),
        ...columnArrays(DELIVERY_COLUMNS, rows),
      ])
      const held = new Set(written.rows.map(({ endpoint_id }) => endpoint_id))
      return progress.flatMap(({ endpoint_id }) => (held.has(endpoint_id) ? [] : endpoint_id))
    },
    async list(endpoint_id, filter, page) {
      const { sql, values } = deliverySearch(endpoint_id, filter, page)
      return deliveryPage(await rowsOf(db, sql, ...values), page.limit, key)
    },
    async find(endpoint_id, log_index) {
      const sql = 'SELECT * FROM deliveries WHERE endpoint_id = ? AND log_index = ?'
      const [row] = await rowsOf(db, sql, endpoint_id, log_index)
      return row && deliveryOf(row, key)
    },
    retry: async (endpoint_id, log_index, now_ms) => isChanged(db, RETRY, [endpoint_id, log_index, now_ms]),
    rewind: async (endpoint_id, next_index) => isChanged(db, REWIND, [endpoint_id, next_index]),
    disable: async (endpoint_id, reason, now_ms) =>
      isChanged(db, DISABLE, [endpoint_id, now_ms, disabledReasonKey(reason)]),
    enable: async (endpoint_id) => isChanged(db, ENABLE, [endpoint_id]),
    async remove(endpoint_id) {
      await db.query(REMOVE, [endpoint_id])
    },
    async sweep(before_ms, most) {
      await repeatedly(() => db.query(EXPIRE, [before_ms, SWEPT_AT_ONCE]))
      for (const row of await rowsOf(db, 'SELECT endpoint_id FROM delivery_endpoints')) {
        const [last] = await rowsOf(db, NTH, row.endpoint_id, most)
        if (last === undefined) continue
        const below = [text(row.endpoint_id), integer(last.log_index), SWEPT_AT_ONCE]
        await repeatedly(() => db.query(EXPIRE_BELOW, below))
      }
    },
    async close() {},
  }
}

async function isChanged(db: Reading, sql: string, values: unknown[]): Promise<boolean> {
  return (await db.query(sql, values)).rowCount === 1
}

async function repeatedly(sweep: () => Promise<{ readonly rowCount: number | null }>): Promise<void> {
  while ((await sweep()).rowCount === SWEPT_AT_ONCE);
}

const NOW_MS = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint'
/** Lets its statement's commit return before the disk is synced. */
const QUICKLY = `quickly AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true))`

const BEGIN_ENDPOINTS = `
  INSERT INTO delivery_endpoints (endpoint_id, revision, next_index, held_until_ms)
  SELECT one.endpoint_id, 0, one.since, 0 FROM unnest($1::text[], $2::bigint[]) AS one (endpoint_id, since)
  ON CONFLICT DO NOTHING`
const HOLD = `
  WITH ${QUICKLY}, free AS (
    SELECT endpoint_id FROM delivery_endpoints
    WHERE disabled_at_ms IS NULL AND (holder = $1 OR held_until_ms <= ${NOW_MS})
    ORDER BY endpoint_id FOR UPDATE
  )
  UPDATE delivery_endpoints AS endpoint SET holder = $1, held_until_ms = ${NOW_MS} + $2
  FROM free, quickly WHERE endpoint.endpoint_id = free.endpoint_id
  RETURNING endpoint.endpoint_id, endpoint.revision`

const DELIVERY_COLUMNS = columnsIn('deliveries', 'postgres').map((name) => ({
  name,
  type: STORED_AS[columnOf('deliveries', name).type].postgres,
}))
const COLUMN_NAMES = DELIVERY_COLUMNS.map(({ name }) => name).join(', ')
const FIRST_ROW_PARAMETER = 6

const WRITE = `
  WITH ${QUICKLY}, held AS (
    UPDATE delivery_endpoints AS endpoint
    SET next_index = progress.next_index, failing_since_ms = progress.failing_since_ms
    FROM quickly, unnest($2::text[], $3::bigint[], $4::bigint[], $5::bigint[])
      AS progress (endpoint_id, revision, next_index, failing_since_ms)
    WHERE endpoint.endpoint_id = progress.endpoint_id AND endpoint.revision = progress.revision
      AND endpoint.holder = $1 AND endpoint.disabled_at_ms IS NULL
    RETURNING endpoint.endpoint_id
  ), written AS (
    INSERT INTO deliveries (${COLUMN_NAMES})
    SELECT ${DELIVERY_COLUMNS.map(({ name }) => `one.${name}`).join(', ')}
    FROM held JOIN unnest(${DELIVERY_COLUMNS.map(
      ({ type }, index) => `$${FIRST_ROW_PARAMETER + index}::${type}[]`,
    ).join(', ')}) AS one (${COLUMN_NAMES}) ON one.endpoint_id = held.endpoint_id
    ON CONFLICT (endpoint_id, log_index) DO UPDATE SET ${replaced(columnsBesideKey('deliveries'))}
  )
  SELECT endpoint_id FROM held`

const REVISED = 'UPDATE delivery_endpoints SET revision = revision + 1'
const RETRY = `
  WITH again AS (
    UPDATE deliveries SET state = 0, next_at_ms = $3 WHERE endpoint_id = $1 AND log_index = $2 RETURNING endpoint_id
  )
  ${REVISED} FROM again WHERE delivery_endpoints.endpoint_id = again.endpoint_id`
const REWIND = `
  WITH dropped AS (DELETE FROM deliveries WHERE endpoint_id = $1 AND state = 0 AND log_index >= $2)
  ${REVISED}, next_index = least(next_index, $2) WHERE endpoint_id = $1`
const DISABLE = `${REVISED}, disabled_at_ms = $2, disabled_reason = $3 WHERE endpoint_id = $1`
const ENABLE = `
  WITH anew AS (UPDATE deliveries SET attempts = 0, next_at_ms = 0 WHERE endpoint_id = $1 AND state = 0)
  ${REVISED}, disabled_at_ms = NULL, disabled_reason = NULL, failing_since_ms = NULL WHERE endpoint_id = $1`
const REMOVE = `
  WITH rows AS (DELETE FROM deliveries WHERE endpoint_id = $1)
  DELETE FROM delivery_endpoints WHERE endpoint_id = $1`
const EXPIRE = `
  DELETE FROM deliveries WHERE ctid = ANY(ARRAY(
    SELECT ctid FROM deliveries WHERE state <> 0 AND last_at_ms < $1 LIMIT $2 FOR UPDATE SKIP LOCKED
  ))`
const NTH =
  'SELECT log_index FROM deliveries WHERE endpoint_id = ? AND state <> 0 ORDER BY log_index DESC LIMIT 1 OFFSET ?'
const EXPIRE_BELOW = `
  DELETE FROM deliveries WHERE ctid = ANY(ARRAY(
    SELECT ctid FROM deliveries WHERE endpoint_id = $1 AND state <> 0 AND log_index <= $2 LIMIT $3
    FOR UPDATE SKIP LOCKED
  ))`
