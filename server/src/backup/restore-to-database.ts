import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import { checkDatabase } from '../check/check-data.ts'
import { checkingKeys } from '../keys/key-ring.ts'
import { masterKeyAt } from '../keys/master-key.ts'
import { FIRST_REVISION, sealDocument } from '../keys/shared-keys.ts'
import { openCheckpointFile } from '../log/checkpoint-file.ts'
import { makeDirectory } from '../make-directory.ts'
import { freshDatabase } from '../store/archive/fresh-database.ts'
import { addressOf, connectAtStart } from '../store/postgres/address.ts'
import { assertDurable, primaryPool } from '../store/postgres/connect.ts'
import { clockWithin } from '../store/postgres/database-time.ts'
import { migrate } from '../store/postgres/migrate.ts'
import { postgresReadStore } from '../store/postgres/read/read-store.ts'
import { postgresWriteStore } from '../store/postgres/write/write-store.ts'
import { finishRestore, type RestoreSource } from './finish-restore.ts'
import { judgeContinuity } from './judge-continuity.ts'
import {
  type RestoreOptions,
  RestoreRefused,
  type RestoreReport,
  type RestoreTarget,
} from './restore-options.ts'
import { unpack } from './unpack.ts'

/**
 * Restores into a database, which has no keys until the last step, so that no node starts on it. A crash leaves a
 * database that is neither empty nor a deployment, and that must be emptied before another attempt.
 */
export async function restoreToDatabase(
  options: RestoreOptions,
  target: Extract<RestoreTarget, { url: string }>,
  { backup, later }: RestoreSource,
): Promise<RestoreReport> {
  const { url, data_dir, allow_unsafe } = target
  const { manifest } = backup
  if (existsSync(join(data_dir, 'deputy.db')))
    throw new RestoreRefused(`${data_dir} holds a deployment. Choose another data directory for the node.`)
  const { continuity, known } = await judgeContinuity(options, manifest)
  makeDirectory(data_dir)
  await chmod(data_dir, 0o700) // it may have existed
  await openCheckpointFile(options.checkpoint_file).assertWritable() // it is written last
  const master_key = target.master_key_file ?? join(data_dir, 'master.key')
  const master = masterKeyAt(master_key, target.master_key_file !== undefined)
  const client = await connectAtStart(url, 'restore')
  try {
    await assertDurable(client, allow_unsafe)
    await migrate(client, options)
    const database = freshDatabase(client, continuity.continues ? [] : ['checkpoints'])
    await assertVacant(database, url)
    await database.begin(`restore of ${manifest.log.origin} ${manifest.created_at}`)
    const { opening } = await unpack(
      backup,
      () => database,
      (done) => options.onProgress({ step: 'restore', done, total: undefined }),
    )
    const { instance, vault_key } = checkingKeys(opening.keys, 'the backup')
    const writer = await postgresWriteStore({
      url,
      instance,
      vault_key,
      clock: await clockWithin(client),
      writer_id: randomUUID(),
      allow_unsafe,
    })
    const restoring = { backup, later, keys: opening.keys, known, continuity }
    const { keys, report } = await finishRestore(options, restoring, writer, () =>
      postgresReadStore(primaryPool(url, 'restore', 2), vault_key),
    )
    await database.handOver(sealDocument(master, keys, FIRST_REVISION))
    const check = await checkDatabase({
      url,
      data_dir,
      master_key_file: master_key,
      checkpoint_file: options.checkpoint_file,
      onProgress: (done) => options.onProgress({ step: 'check', done, total: report.log.size }),
    })
    return { ...report, manifest, continuity, check, master_key }
  } finally {
    await client.end()
  }
}

async function assertVacant(database: ReturnType<typeof freshDatabase>, url: string): Promise<void> {
  const address = addressOf(url)
  if (!(await database.lock()))
    throw new RestoreRefused(`Another command is filling the database at ${address}.`)
  const { is_empty, moving } = await database.occupation()
  if (is_empty) return
  throw new RestoreRefused(
    moving === undefined
      ? `The database at ${address} is not empty. A backup is restored into an empty one only: choose another one.`
      : `The database at ${address} holds an unfinished restore or move. Empty it and try again.`,
  )
}
