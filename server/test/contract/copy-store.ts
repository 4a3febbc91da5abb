import { encodeFrontier } from '@deputize/protocol'
import type { Client } from 'pg'
import { copyTables } from '../../src/store/move/copy.ts'
import { openSource } from '../../src/store/move/source.ts'
import { openTarget } from '../../src/store/move/target.ts'
import { DATA_TABLES } from '../../src/store/tables.ts'

/** Copies all rows of a SQLite store to a PostgreSQL database. */
export async function copyStore(file: string, client: Client): Promise<void> {
  const source = openSource(file)
  try {
    await client.query(`TRUNCATE ${DATA_TABLES.join(', ')}`)
    await copyTables(source, openTarget(client), () => {})
    const { frontier, last_ms } = source.head()
    await client.query('UPDATE log_head SET frontier = $1, last_ms = $2', [encodeFrontier(frontier), last_ms])
  } finally {
    source.close()
  }
}
