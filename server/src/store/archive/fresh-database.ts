import type { Client } from 'pg'
import { DATABASE_COLUMNS } from '../move/source.ts'
import { openTarget, type Target } from '../move/target.ts'
import { LAST_KEYS } from '../rows/last-keys.ts'
import type { TableName } from '../tables.ts'
import type { Row } from '../values.ts'
import type { FreshStore } from './fresh-file.ts'

const ROWS_AT_A_TIME = 1_000

/** Fills an empty database. No node starts on it until it has its keys. */
export function freshDatabase(
  client: Client,
  /** Tables whose rows are skipped. */
  left_out: readonly TableName[],
): FreshStore & Pick<Target, 'lock' | 'occupation' | 'begin' | 'handOver'> {
  const target = openTarget(client)
  let waiting: Row[] = []
  let current: TableName | undefined

  async function flush(): Promise<void> {
    if (current !== undefined && waiting.length > 0) await target.insert(current, waiting)
    waiting = []
  }

  return {
    lock: target.lock,
    occupation: target.occupation,
    handOver: target.handOver,
    async begin(marking) {
      await target.begin(marking)
      await client.query('DELETE FROM names') // the rows that a new store starts with
    },
    async beginTable({ table }) {
      await flush()
      current = table
    },
    async insert(row) {
      if (current !== undefined && left_out.includes(current)) return
      waiting.push(completed(current, row))
      if (waiting.length >= ROWS_AT_A_TIME) await flush()
    },
    async finish(head) {
      await flush()
      const { rows } = await client.query<Row>(LAST_KEYS)
      await target.writeHead({ ...head, last_keys: rows[0] ?? {} })
    },
    close: () => undefined,
  }
}

/** Returns the row with the columns that only the database has. */
function completed(table: TableName | undefined, row: Row): Row {
  const added = table === undefined ? undefined : DATABASE_COLUMNS[table]
  return added === undefined ? row : { ...row, ...added(row) }
}
