import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeDurably } from '../keys/write-durably.ts'

const FILE = 'moved'
const UNFINISHED = 'unfinished '

/** The deployment lives in another place than the one that is to be started. The message says where. */
export class LivesElsewhere extends Error {
  override readonly name = 'LivesElsewhere'
}

/**
 * Two places that both take the deployment's changes would be two histories, so the old one is closed for good, and
 * while it moves. `finished`: only a move that came to its end counts.
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
      `The deployment in ${data_dir} is half moved to ${mark.slice(UNFINISHED.length)}. Run deputy move again to finish, or empty that database and delete ${join(data_dir, FILE)} to stay here.`,
    )
}

/** A directory with an embedded store in it is not the directory of a node: somebody forgot to move. */
export function assertMovedAway(data_dir: string): void {
  if (!existsSync(join(data_dir, 'deputy.db'))) return
  const mark = markOf(data_dir)
  if (mark !== undefined && !mark.startsWith(UNFINISHED)) return
  throw new LivesElsewhere(
    `${data_dir} holds a deployment with an embedded store. Move it into the database with deputy move, or choose another directory with DEPUTY_DATA_DIR.`,
  )
}

function markOf(data_dir: string): string | undefined {
  const path = join(data_dir, FILE)
  return existsSync(path) ? readFileSync(path, 'utf8').trim() : undefined
}

/** `address` names host and database, never a password. */
export function markMoved(data_dir: string, address: string): void {
  writeDurably(join(data_dir, FILE), `${address}\n`)
}

export function markMoving(data_dir: string, address: string): void {
  writeDurably(join(data_dir, FILE), `${UNFINISHED}${address}\n`)
}
