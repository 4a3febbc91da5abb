import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ExpectedFailure } from '../expected-failure.ts'
import { writeDurably } from '../keys/write-durably.ts'

const MARK_FILE = 'moved'
const UNFINISHED = 'unfinished '

/** The deployment is not in the place that is being started. The message says where it is. */
export class LivesElsewhere extends ExpectedFailure {
  override readonly name = 'LivesElsewhere'
}

/**
 * Throws if the deployment of a data directory was moved or is being moved: two places that accept changes would be two
 * histories. With `finished`, only a completed move counts.
 */
export function assertNotMoved(data_dir: string, which: 'any' | 'finished' = 'any'): void {
  const mark = markOf(data_dir)
  if (mark === undefined) return
  if (!mark.startsWith(UNFINISHED))
    throw new LivesElsewhere(
      `The deployment in ${data_dir} moved to ${mark}. Set DEPUTY_DATABASE_URL to start it there.`,
    )
  if (which === 'any')
    throw new LivesElsewhere(
      `The deployment in ${data_dir} is half moved to ${mark.slice(UNFINISHED.length)}. Run deputy move again to finish the move. To cancel it, empty that database and delete ${join(data_dir, MARK_FILE)}.`,
    )
}

/** Whether the directory has an embedded store that was not moved into a database. The directory of a node has none. */
export function holdsDeployment(data_dir: string): boolean {
  if (!existsSync(join(data_dir, 'deputy.db'))) return false
  const mark = markOf(data_dir)
  return mark === undefined || mark.startsWith(UNFINISHED)
}

/** Throws if the directory has an embedded store that was not moved into the database, so that no node starts in it. */
export function assertMovedAway(data_dir: string): void {
  if (!holdsDeployment(data_dir)) return
  throw new LivesElsewhere(
    `${data_dir} contains a deployment with an embedded store. Move it into the database with deputy move, or set DEPUTY_DATA_DIR to another directory.`,
  )
}

function markOf(data_dir: string): string | undefined {
  const path = join(data_dir, MARK_FILE)
  return existsSync(path) ? readFileSync(path, 'utf8').trim() : undefined
}

/** `address` contains host and database, never a password. */
export function markMoved(data_dir: string, address: string): void {
  writeDurably(join(data_dir, MARK_FILE), `${address}\n`)
}

export function markMoving(data_dir: string, address: string): void {
  writeDurably(join(data_dir, MARK_FILE), `${UNFINISHED}${address}\n`)
}
