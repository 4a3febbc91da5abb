import type { DatabaseSync } from 'node:sqlite'
import { setImmediate } from 'node:timers/promises'
import { ExpectedFailure } from '../../expected-failure.ts'
import type { DeliveryProgress, DeliveryStore } from '../deliveries.ts'
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
import { columnsBesideKey } from '../tables.ts'
import { integer, text } from '../values.ts'
import { openVault } from '../vault.ts'
import { reportingStoreErrors } from './reporting-store-errors.ts'
import { openSideFile } from './side-file.ts'
import { inOneCommit } from './write/in-one-commit.ts'
import { insertion } from './write/insertion.ts'

export const DELIVERIES_FILE = 'deliveries.db'
const SWEPT_AT_ONCE = 500

const SCHEMA = `
  CREATE TABLE delivery_endpoints (
    endpoint_id TEXT PRIMARY KEY,
    revision INTEGER NOT NULL,
    next_index INTEGER NOT NULL,
    failing_since_ms INTEGER,
    disabled_at_ms INTEGER,
    disabled_reason INTEGER,
    holder TEXT,
    held_until_ms INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE deliveries (
    endpoint_id TEXT NOT NULL,
    log_index INTEGER NOT NULL,
    lane TEXT NOT NULL,
    state INTEGER NOT NULL,
    attempts INTEGER NOT NULL,
    first_at_ms INTEGER NOT NULL,
    last_at_ms INTEGER NOT NULL,
    next_at_ms INTEGER NOT NULL,
    status INTEGER,
    error TEXT,
    answer BLOB,
    took_ms INTEGER,
    PRIMARY KEY (endpoint_id, log_index)
  ) STRICT;
  CREATE INDEX deliveries_waiting ON deliveries (endpoint_id, log_index) WHERE state = 0;
  CREATE INDEX deliveries_settled ON deliveries (last_at_ms) WHERE state <> 0;`

const UPDATE_DELIVERY = `ON CONFLICT DO UPDATE SET ${replaced(columnsBesideKey('deliveries'))}`

/** The file of deliveries cannot be used. The message says what to do. */
export class DeliveriesFileError extends ExpectedFailure {
  override readonly name = 'DeliveriesFileError'

  constructor(file: string, cause: unknown) {
    const why = cause instanceof Error ? cause.message : String(cause)
    super(
      `${file} cannot be used: ${why}. It holds the progress of each webhook: you may delete it, and every webhook then receives all events since its creation again`,
      { cause },
    )
  }
}

/**
 * Keeps deliveries in their own file next to the store. Commits don't wait for the disk: they outlive the process, but
 * a machine that stops at that moment loses the newest ones, cursor and rows together, so deliveries are repeated.
 */
export function sqliteDeliveries(file: string, vault_key: Uint8Array): DeliveryStore {
  const db = openDeliveriesFile(file)
  const key = openVault(vault_key).deployment
  const begin = db.prepare(
    'INSERT INTO delivery_endpoints (endpoint_id, revision, next_index, held_until_ms) VALUES (?, 0, ?, 0) ON CONFLICT DO NOTHING',
  )
  // Only this process has the file open, so a lease never expires and needs no renewal.
  const take = db.prepare('UPDATE delivery_endpoints SET holder = ? WHERE holder IS NOT ?')
  const held = db.prepare('SELECT endpoint_id, revision FROM delivery_endpoints WHERE disabled_at_ms IS NULL')
  const advance = db.prepare(`UPDATE delivery_endpoints SET next_index = ?, failing_since_ms = ?
    WHERE endpoint_id = ? AND revision = ? AND holder = ? AND disabled_at_ms IS NULL`)
  const put = insertion(db, 'deliveries', UPDATE_DELIVERY)
  const stateOf = db.prepare('SELECT * FROM delivery_endpoints WHERE endpoint_id = ?')
  const waitingOf = db.prepare(
    'SELECT * FROM deliveries WHERE endpoint_id = ? AND state = 0 ORDER BY log_index',
  )
  const one = db.prepare('SELECT * FROM deliveries WHERE endpoint_id = ? AND log_index = ?')
  const again = db.prepare(
    'UPDATE deliveries SET state = 0, next_at_ms = ? WHERE endpoint_id = ? AND log_index = ?',
  )
  const revise = (set: string) =>
    db.prepare(`UPDATE delivery_endpoints SET revision = revision + 1 ${set} WHERE endpoint_id = ?`)
  const touch = revise('')
  const rewind = revise(', next_index = min(next_index, ?)')
  const disable = revise(', disabled_at_ms = ?, disabled_reason = ?')
  const enable = revise(', disabled_at_ms = NULL, disabled_reason = NULL, failing_since_ms = NULL')
  const beginAnew = db.prepare(
    'UPDATE deliveries SET attempts = 0, next_at_ms = 0 WHERE endpoint_id = ? AND state = 0',
  )
  const dropFrom = db.prepare('DELETE FROM deliveries WHERE endpoint_id = ? AND state = 0 AND log_index >= ?')
  const forget = db.prepare('DELETE FROM delivery_endpoints WHERE endpoint_id = ?')
  const forgetAll = db.prepare('DELETE FROM deliveries WHERE endpoint_id = ?')
  const expire = db.prepare(`DELETE FROM deliveries WHERE rowid IN
    (SELECT rowid FROM deliveries WHERE state <> 0 AND last_at_ms < ? LIMIT ${SWEPT_AT_ONCE})`)
  const nth = db.prepare(
    'SELECT log_index FROM deliveries WHERE endpoint_id = ? AND state <> 0 ORDER BY log_index DESC LIMIT 1 OFFSET ?',
  )
  const expireBelow = db.prepare(`DELETE FROM deliveries WHERE rowid IN (SELECT rowid FROM deliveries
    WHERE endpoint_id = ? AND state <> 0 AND log_index <= ? LIMIT ${SWEPT_AT_ONCE})`)

  function isWritten(
    holder: string,
    { endpoint_id, revision, next_index, failing_since_ms, rows }: DeliveryProgress,
  ) {
    const { changes } = advance.run(next_index, failing_since_ms ?? null, endpoint_id, revision, holder)
    if (changes === 0) return false
    for (const row of rows) put(deliveryRow(endpoint_id, row, key))
    return true
  }

  const deliveries: DeliveryStore = {
    async begin(endpoints) {
      inOneCommit(db, () => {
        for (const { endpoint_id, since } of endpoints) begin.run(endpoint_id, since)
      })
    },
    async hold(holder) {
      take.run(holder, holder)
      return held.all().map(leaseOf)
    },
    async release() {},
    async state(endpoint_id) {
      const row = stateOf.get(endpoint_id)
      return row && endpointStateOf(row)
    },
    waiting: async (endpoint_id) => waitingOf.all(endpoint_id).map(waitingDeliveryOf),
    write: async (holder, progress) =>
      inOneCommit(db, () =>
        progress.filter((each) => !isWritten(holder, each)).map(({ endpoint_id }) => endpoint_id),
      ),
    async list(endpoint_id, filter, page) {
      const { sql, values } = deliverySearch(endpoint_id, filter, page)
      return deliveryPage(db.prepare(sql).all(...values), page.limit, key)
    },
    async find(endpoint_id, log_index) {
      const row = one.get(endpoint_id, log_index)
      return row && deliveryOf(row, key)
    },
    retry: async (endpoint_id, log_index, now_ms) =>
      inOneCommit(db, () => {
        if (again.run(now_ms, endpoint_id, log_index).changes === 0) return false
        return touch.run(endpoint_id).changes > 0
      }),
    rewind: async (endpoint_id, next_index) =>
      inOneCommit(db, () => {
        dropFrom.run(endpoint_id, next_index)
        return rewind.run(next_index, endpoint_id).changes > 0
      }),
    disable: async (endpoint_id, reason, now_ms) =>
      disable.run(now_ms, disabledReasonKey(reason), endpoint_id).changes > 0,
    enable: async (endpoint_id) =>
      inOneCommit(db, () => {
        beginAnew.run(endpoint_id)
        return enable.run(endpoint_id).changes > 0
      }),
    async remove(endpoint_id) {
      inOneCommit(db, () => {
        forget.run(endpoint_id)
        forgetAll.run(endpoint_id)
      })
    },
    async sweep(before_ms, most) {
      while (Number(expire.run(before_ms).changes) === SWEPT_AT_ONCE) await setImmediate()
      for (const { endpoint_id } of db.prepare('SELECT endpoint_id FROM delivery_endpoints').all()) {
        const last = nth.get(text(endpoint_id), most)
        if (last === undefined) continue
        const below = () => expireBelow.run(text(endpoint_id), integer(last.log_index))
        while (Number(below().changes) === SWEPT_AT_ONCE) await setImmediate()
      }
    },
    async close() {
      db.close()
    },
  }
  return reportingStoreErrors(deliveries, 'deliveries could not be read or written')
}

/** Opens the file, or creates it. */
export function openDeliveriesFile(file: string): DatabaseSync {
  try {
    return openSideFile({ file, synchronous: 'NORMAL', upgrades: [SCHEMA] })
  } catch (cause) {
    throw new DeliveriesFileError(file, cause)
  }
}
