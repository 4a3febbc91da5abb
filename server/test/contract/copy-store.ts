import { encodeFrontier } from '@deputize/protocol'
import type { Client } from 'pg'
import { ARCHIVED_TABLES } from '../../src/store/archive/archived-tables.ts'
import { copyTables } from '../../src/store/move/copy.ts'
import { openSource } from '../../src/store/move/source.ts'
import { openTarget } from '../../src/store/move/target.ts'
import { openDeliveriesFile } from '../../src/store/sqlite/deliveries.ts'

/** Copies all rows of a SQLite store to a PostgreSQL database. */
export async function copyStore(file: string, client: Client): Promise<void> {
  const deliveries_file = `${file}.deliveries`
  openDeliveriesFile(deliveries_file).close()
  const source = openSource(file, deliveries_file)
  try {
    await client.query(`TRUNCATE ${ARCHIVED_TABLES.join(', ')}`)
    await copyTables(source, openTarget(client), () => {})
    const { frontier, last_ms } = source.head()
    await client.query('UPDATE log_head SET frontier = $1, last_ms = $2', [encodeFrontier(frontier), last_ms])
  } finally {
    source.close()
  }
}
