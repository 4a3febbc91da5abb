import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { startWritingThread } from '../clerk/thread.ts'
import type { Config } from '../config.ts'
import { openKeyRing } from '../keys/key-ring.ts'
import { refusingWhenAway } from '../store/postgres/availability.ts'
import { sealedEphemeral } from '../store/sealed-ephemeral.ts'
import { startCheckpointer } from '../store/sqlite/checkpointer.ts'
import { lockDataDirectory } from '../store/sqlite/directory-lock.ts'
import { sqliteEphemeral } from '../store/sqlite/ephemeral.ts'
import { ephemeralFile } from '../store/sqlite/ephemeral-file.ts'
import { sqliteReadStore } from '../store/sqlite/read-store.ts'
import { countFrom, type Deployment, type DeploymentListener, FOREIGN_EPHEMERAL } from './deployment.ts'
import { assertNotMoved } from './moved.ts'

const PROBE_EVERY_MS = 5_000

/** A single process with the files in its data directory. */
export async function openEmbedded(config: Config, listener: DeploymentListener): Promise<Deployment> {
  const file = join(config.data_dir, 'deputy.db')
  const lock = lockDataDirectory(config.data_dir)
  assertNotMoved(config.data_dir)
  const is_new = !existsSync(file)
  const keys = openKeyRing(config.data_dir, Date.now(), is_new, config.log_origin)
  const thread = await startWritingThread(
    { store: 'sqlite', file, instance: keys.instance, vault_key: keys.vault_key },
    listener,
  )
  const checkpointer = startCheckpointer(file)
  const reader = sqliteReadStore(file, keys.vault_key)
  const ephemeral = sealedEphemeral(
    sqliteEphemeral(ephemeralFile(config.data_dir), Date.now),
    keys.vault_key,
    (cause) => listener.onTrouble(cause, FOREIGN_EPHEMERAL),
  )
  return {
    keys,
    reader,
    ephemeral: refusingWhenAway(ephemeral, (cause) =>
      listener.onTrouble(cause, 'ephemeral data could not be read or written'),
    ),
    execute: thread.execute,
    statusIndexes: countFrom(await reader.nextStatusIndex()),
    peers: undefined,
    probe_every_ms: PROBE_EVERY_MS,
    is_new,
    description: [{ name: 'data', text: `${config.data_dir}${is_new ? ' (new)' : ''}` }],
    async close() {
      await checkpointer.close()
      await ephemeral.close()
      await reader.close()
      await thread.close() // last: the last connection merges the WAL, so the store is one file
      lock.release()
    },
  }
}
