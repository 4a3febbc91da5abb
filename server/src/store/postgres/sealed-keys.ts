import { bytes, integer, type Row } from '../values.ts'
import type { Database } from './connect.ts'

export interface SealedKeysRow {
  readonly revision: number
  readonly sealed: Uint8Array
}

/** The database row that holds the deployment's sealed keys. */
export interface SealedKeysTable {
  readonly name: string
  read(): Promise<SealedKeysRow | undefined>
  newer(revision: number): Promise<SealedKeysRow | undefined>
  create(row: SealedKeysRow): Promise<boolean>
  replace(row: SealedKeysRow): Promise<boolean>
  hasHistory(): Promise<boolean>
}

/** `onChange` is called after this node replaced the keys, so that it can send the other nodes a hint. */
export function sealedKeysTable(
  database: Database,
  name: string,
  onChange: () => void = () => {},
): SealedKeysTable {
  async function first(text: string, values?: unknown[]): Promise<Row | undefined> {
    const { rows } = await database.query(text, values)
    return rows[0]
  }
  return {
    name,
    read: async () => rowOf(await first('SELECT revision, sealed FROM sealed_keys')),
    newer: async (revision) =>
      rowOf(await first('SELECT revision, sealed FROM sealed_keys WHERE revision > $1', [revision])),
    async create({ revision, sealed }) {
      const made = await first(
        'INSERT INTO sealed_keys VALUES (1, $1, $2) ON CONFLICT DO NOTHING RETURNING revision',
        [revision, sealed],
      )
      return made !== undefined
    },
    async replace({ revision, sealed }) {
      const changed = await first(
        'UPDATE sealed_keys SET revision = $1, sealed = $2 WHERE revision = $1 - 1 RETURNING revision',
        [revision, sealed],
      )
      if (changed !== undefined) onChange()
      return changed !== undefined
    },
    async hasHistory() {
      const head = await first(
        'SELECT batch > 0 OR EXISTS (SELECT FROM deployment) AS has_history FROM log_head',
      )
      return head?.has_history === true
    },
  }
}

function rowOf(row: Row | undefined): SealedKeysRow | undefined {
  return row === undefined ? undefined : { revision: integer(row.revision), sealed: bytes(row.sealed) }
}
