import { integer } from '../values.ts'
import type { Database } from './connect.ts'
import { rowsOf } from './read/reading.ts'

/** Reserves places in the status list and returns the first. No other node ever gets one of them. */
export async function reserveStatusPlaces(database: Database, count: number): Promise<number> {
  const [row] = await rowsOf(
    database,
    'UPDATE status_places SET next = next + ? RETURNING next AS after_last',
    count,
  )
  return integer(row?.after_last) - count
}

/** Returns the first place that isn't reserved. Places before it may have no token yet. */
export async function firstFreePlace(database: Database): Promise<number> {
  const [row] = await rowsOf(database, 'SELECT next FROM status_places')
  return integer(row?.next)
}
