import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { encodeBase64, rootOf } from '@deputize/protocol'
import { ExpectedFailure } from '../expected-failure.ts'
import { keyFile, openKeyFile } from '../keys/key-file.ts'
import { keyRing } from '../keys/key-ring.ts'
import type { KeptKeys } from '../keys/key-storage.ts'
import { masterKeyAt } from '../keys/master-key.ts'
import { FIRST_REVISION, sealDocument } from '../keys/shared-keys.ts'
import { assertExtends, openCheckpointFile } from '../log/checkpoint-file.ts'
import { logTree } from '../log/tree.ts'
import { compareTables, copyTables, type MoveProgress } from '../store/move/copy.ts'
import { assertSound, openSource, type Source } from '../store/move/source.ts'
import { openTarget, type Target } from '../store/move/target.ts'
import { addressOf, connectAtStart } from '../store/postgres/address.ts'
import { assertDurable } from '../store/postgres/connect.ts'
import { type MigrationListener, migrate } from '../store/postgres/migrate.ts'
import { DELIVERIES_FILE, openDeliveriesFile } from '../store/sqlite/deliveries.ts'
import { lockDataDirectory } from '../store/sqlite/directory-lock.ts'
import type { RecoveryListener } from '../store/sqlite/journal/replay.ts'
import { sqliteReadStore } from '../store/sqlite/read/read-store.ts'
import { sqliteWriteStore } from '../store/sqlite/write/write-store.ts'
import { bytes } from '../store/values.ts'
import { assertNotMoved, markMoved, markMoving } from './moved.ts'

const LEAVES_AT_A_TIME = 5_000

export interface MoveOptions extends RecoveryListener, MigrationListener {
  readonly data_dir: string
  readonly url: string
  /** If undefined, `master.key` in the data directory, created if it is missing. */
  readonly master_key_file: string | undefined
  /** If undefined, `checkpoint` in the data directory. */
  readonly checkpoint_file: string | undefined
  readonly allow_unsafe: boolean
  onProgress(progress: MoveProgress): void
}

export interface Moved {
  readonly address: string
  readonly log_size: number
  /** Root hash over the whole log, in base64. */
  readonly root: string
  /** The master key file. Every node needs a copy. */
  readonly master_key: string
}

/** The deployment can't be moved there, or not now. The message says why. */
export class MoveRefused extends ExpectedFailure {
  override readonly name = 'MoveRefused'
}

/**
 * Moves an embedded deployment into a database. A crash leaves one of three states: the source complete and the target
 * partly filled, which the next attempt continues; both complete, which the next attempt verifies and finishes; or the
 * move done. From the first mark on, the embedded store no longer starts, so there is never more than one history.
 */
export async function moveToDatabase(options: MoveOptions): Promise<Moved> {
  const { data_dir, url } = options
  const file = join(data_dir, 'deputy.db')
  const deliveries_file = join(data_dir, DELIVERIES_FILE)
  if (!existsSync(file)) throw new MoveRefused(`${data_dir} does not contain an embedded store.`)
  const lock = lockDataDirectory(data_dir)
  try {
    assertNotMoved(data_dir, 'finished')
    const kept = openKeyFile(data_dir, Date.now(), false, undefined)
    await assertSourceSound(options, file, deliveries_file, kept)
    const client = await connectAtStart(url, 'move')
    const source = openSource(file, deliveries_file)
    try {
      await assertDurable(client, options.allow_unsafe)
      await migrate(client, options)
      return await moveInto(options, source, openTarget(client), kept)
    } finally {
      source.close()
      await client.end()
    }
  } finally {
    lock.release()
  }
}

async function moveInto(
  options: MoveOptions,
  source: Source,
  target: Target,
  kept: KeptKeys,
): Promise<Moved> {
  const { data_dir, url, onProgress } = options
  const address = addressOf(url)
  if (!(await target.lock())) throw new MoveRefused(`Another move into ${address} is in progress.`)
  const head = source.head()
  const root = encodeBase64(rootOf(head.frontier))
  const path = options.master_key_file ?? join(data_dir, 'master.key')
  const done = { address, log_size: head.frontier.size, root, master_key: path }
  const state = `${kept.document.instance} ${head.frontier.size} ${root}`
  const { is_empty, moving, instance } = await target.occupation()
  if (moving === undefined && instance === kept.document.instance) {
    // An earlier attempt compared everything and crashed between `finish` and `markMoved`. Nodes may have used the
    // database since, and not everything that they change adds to the log.
    if (!(await holdsLog(source, target, head.frontier.size)))
      throw new MoveRefused(forked(address, data_dir))
    markMoved(data_dir, address)
    return done
  }
  if (!is_empty && moving !== state) throw new MoveRefused(occupied(address, moving))
  markMoving(data_dir, address) // a crash after this leaves an embedded store that refuses to start until moved
  if (is_empty) await target.begin(state)
  await copyTables(source, target, onProgress) // a crash leaves some tables copied; the next attempt continues
  await compareTables(source, target, onProgress)
  // A crash after the master key is made leaves the file, which the next attempt uses.
  const keys = sealDocument(
    masterKeyAt(path, options.master_key_file !== undefined),
    kept.document,
    FIRST_REVISION,
  )
  await target.finish({ ...head, last_keys: source.lastKeys() }, keys) // one transaction; after it the target is complete
  markMoved(data_dir, address)
  return done
}

/** Whether the target holds the log of the source. Every leaf is unique, so the last one stands for all. */
async function holdsLog(source: Source, target: Target, size: number): Promise<boolean> {
  const before_last = { log_index: size - 2 }
  const [last] = source.page('leaves', before_last, 1)
  const [same] = await target.page('leaves', before_last, 1)
  if (last === undefined) return true // an empty log
  return same !== undefined && Buffer.compare(bytes(last.leaf_hash), bytes(same.leaf_hash)) === 0
}

function forked(address: string, data_dir: string): string {
  return `The database at ${address} belongs to this deployment, but lacks the last log entry in ${data_dir}. Keep both, and find out with deputy check which of them has the entries that were published.`
}

function occupied(address: string, moving: string | undefined): string {
  return moving === undefined
    ? `The database at ${address} is not empty. Choose an empty one.`
    : `The database at ${address} contains an unfinished move of another deployment, or of an older state of this one. Empty it and move again.`
}

/** Migrates the files, then checks that the log is complete and extends the last signed checkpoint. */
async function assertSourceSound(
  { data_dir, checkpoint_file, onLeftOut = () => {} }: MoveOptions,
  file: string,
  deliveries_file: string,
  kept: KeptKeys,
): Promise<void> {
  const { instance, vault_key, log } = keyRing(kept, keyFile(data_dir), Date.now)
  await sqliteWriteStore({ file, instance, vault_key, clock: Date.now, onLeftOut }).close()
  openDeliveriesFile(deliveries_file).close()
  const source = openSource(file, deliveries_file)
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
