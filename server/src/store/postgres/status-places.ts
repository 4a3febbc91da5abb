import { integer } from '../values.ts'
import type { Database } from './connect.ts'
import { rowsOf } from './reading.ts'

/** Takes places in the status list, and answers the first of them. Nobody else is ever given one of these. */
export async function reserveStatusPlaces(database: Database, count: number): Promise<number> {
  const [row] = await rowsOf(
    database,
    'UPDATE status_places SET next = next + ? RETURNING next AS after_last',
    count,
  )
  return integer(row?.after_last) - count
}

/** The first place that no node has been given. Some before it may still be without a token. */
export async function firstFreePlace(database: Database): Promise<number> {
  const [row] = await rowsOf(database, 'SELECT next FROM status_places')
  return integer(row?.next)
}
