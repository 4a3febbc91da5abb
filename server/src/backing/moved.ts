import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeDurably } from '../keys/write-durably.ts'

const FILE = 'moved'
const UNFINISHED = 'unfinished '

/** The data directory is no longer the place of its deployment. The message says where that went. */
export class DeploymentMoved extends Error {
  override readonly name = 'DeploymentMoved'
}

/**
 * Two places that both take the deployment's changes would be two histories, so the old one is closed for good, and
 * while it moves. `finished`: only a move that came to its end counts.
 */
export function assertNotMoved(data_dir: string, which: 'any' | 'finished' = 'any'): void {
  const path = join(data_dir, FILE)
  const mark = existsSync(path) ? readFileSync(path, 'utf8').trim() : undefined
  if (mark === undefined) return
  if (!mark.startsWith(UNFINISHED))
    throw new DeploymentMoved(
      `The deployment in ${data_dir} moved to ${mark}. Set DEPUTY_DATABASE_URL to start it there.`,
    )
  if (which === 'any')
    throw new DeploymentMoved(
      `The deployment in ${data_dir} is half moved to ${mark.slice(UNFINISHED.length)}. Run deputy move again to finish, or empty that database and delete ${path} to stay here.`,
    )
}

/** `address` names host and database, never a password. */
export function markMoved(data_dir: string, address: string): void {
  writeDurably(join(data_dir, FILE), `${address}\n`)
}

export function markMoving(data_dir: string, address: string): void {
  writeDurably(join(data_dir, FILE), `${UNFINISHED}${address}\n`)
}
