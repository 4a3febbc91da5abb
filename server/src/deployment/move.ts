import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { encodeBase64, rootOf } from '@deputize/protocol'
import { keyFile, openKeyFile } from '../keys/key-file.ts'
import { keyRing } from '../keys/key-ring.ts'
import type { KeptKeys } from '../keys/key-storage.ts'
import { type MasterKey, makeMasterKey, readMasterKey } from '../keys/master-key.ts'
import { FIRST_REVISION, sealed } from '../keys/shared-keys.ts'
import { assertExtends, openCheckpointFile } from '../log/checkpoint-file.ts'
import { logTree } from '../log/tree.ts'
import { compareTables, copyTables, type Progress } from '../store/move/copy.ts'
import { assertSound, openSource, type Source } from '../store/move/source.ts'
import { openTarget, type Target } from '../store/move/target.ts'
import { addressOf, connectAtStart } from '../store/postgres/address.ts'
import { assertDurable } from '../store/postgres/connect.ts'
import { migrate } from '../store/postgres/migrate.ts'
import { lockDataDirectory } from '../store/sqlite/directory-lock.ts'
import { sqliteReadStore } from '../store/sqlite/read-store.ts'
import { sqliteWriteStore } from '../store/sqlite/write-store.ts'
import { assertNotMoved, markMoved, markMoving } from './moved.ts'

const LEAVES_AT_A_TIME = 5_000

export interface MoveOptions {
  readonly data_dir: string
  readonly url: string
  /** Undefined: `master.key` in the data directory, made when it is not there. */
  readonly master_key_file: string | undefined
  /** Undefined: `checkpoint` in the data directory. */
  readonly checkpoint_file: string | undefined
  readonly allow_unsafe: boolean
  onProgress(progress: Progress): void
}

export interface Moved {
  readonly address: string
  readonly log_size: number
  /** Base64 of the root hash over all of it. */
  readonly root: string
  /** What every node needs a copy of. */
  readonly master_key: string
}

/** The deployment cannot move there, or not now. The message says why. */
export class MoveRefused extends Error {
  override readonly name = 'MoveRefused'
}

/**
 * Moves an embedded deployment into a database. A crash at any line leaves one of three things: the old place whole and
 * the new one half filled, which the next attempt goes on with; both whole, which it finds out and finishes; or it done.
 */
export async function moveToDatabase(options: MoveOptions): Promise<Moved> {
  const { data_dir, url } = options
  const file = join(data_dir, 'deputy.db')
  if (!existsSync(file)) throw new MoveRefused(`There is no embedded store in ${data_dir}.`)
  const lock = lockDataDirectory(data_dir)
  try {
    assertNotMoved(data_dir, 'finished')
    const kept = openKeyFile(data_dir, Date.now(), false, undefined)
    await assertSourceSound(options, file, kept)
    const client = await connectAtStart(url, 'move')
    const source = openSource(file)
    try {
      await assertDurable(client, options.allow_unsafe)
      await migrate(client)
      return await move(options, source, openTarget(client), kept)
    } finally {
      source.close()
      await client.end()
    }
  } finally {
    lock.release()
  }
}

async function move(options: MoveOptions, source: Source, target: Target, kept: KeptKeys): Promise<Moved> {
  const { data_dir, url, onProgress } = options
  const address = addressOf(url)
  if (!(await target.lock())) throw new MoveRefused(`Something else is being moved into ${address} just now.`)
  const head = source.head()
  const root = encodeBase64(rootOf(head.frontier))
  const path = options.master_key_file ?? join(data_dir, 'master.key')
  const done = { address, log_size: head.frontier.size, root, master_key: path }
  const state = `${kept.document.instance} ${head.frontier.size} ${root}`
  const { is_empty, moving, instance } = await target.occupation()
  if (moving === undefined && instance === kept.document.instance) {
    await compareTables(source, target, onProgress) // an earlier attempt ended right before its last line
    markMoved(data_dir, address)
    return done
  }
  if (!is_empty && moving !== state) throw new MoveRefused(occupied(address, moving))
  markMoving(data_dir, address)
  if (is_empty) await target.begin(state)
  await copyTables(source, target, onProgress)
  await compareTables(source, target, onProgress)
  const keys = sealed(masterKeyAt(path, options.master_key_file), kept.document, FIRST_REVISION)
  await target.finish({ ...head, last_keys: source.lastKeys() }, keys)
  markMoved(data_dir, address)
  return done
}

function occupied(address: string, moving: string | undefined): string {
  return moving === undefined
    ? `The database at ${address} is not empty. Choose an empty one.`
    : `The database at ${address} holds a half-finished move of another deployment, or of an older state of this one. Empty it, and move again.`
}

/** Brings the files up to date, then makes sure that the log is whole and goes on from the last signed checkpoint. */
async function assertSourceSound(
  { data_dir, checkpoint_file }: MoveOptions,
  file: string,
  kept: KeptKeys,
): Promise<void> {
  const { instance, vault_key, log } = keyRing(kept, keyFile(data_dir), Date.now)
  await sqliteWriteStore({ file, instance, vault_key, clock: Date.now }).close()
  const source = openSource(file)
  const reader = sqliteReadStore(file, vault_key)
  try {
    assertSound(source, LEAVES_AT_A_TIME)
    const file = openCheckpointFile(checkpoint_file ?? join(data_dir, 'checkpoint'))
    await assertExtends(file, log.key, reader.log, logTree(reader.log))
  } finally {
    source.close()
    await reader.close()
  }
}

function masterKeyAt(path: string, given: string | undefined): MasterKey {
  const found = readMasterKey(path)
  if (found !== undefined) return found
  if (given !== undefined) throw new MoveRefused(`${path} does not exist.`)
  return makeMasterKey(path)
}
