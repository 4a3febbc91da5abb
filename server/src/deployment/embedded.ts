import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { startWritingThread } from '../clerk/thread.ts'
import type { ServiceClock } from '../clock.ts'
import type { Config } from '../config.ts'
import { openKeyRing } from '../keys/key-ring.ts'
import { refusingWhenAway } from '../store/postgres/availability.ts'
import { sealedEphemeral } from '../store/sealed-ephemeral.ts'
import { settledReader } from '../store/settled-reader.ts'
import { startCheckpointer } from '../store/sqlite/checkpointer.ts'
import { DELIVERIES_FILE, sqliteDeliveries } from '../store/sqlite/deliveries.ts'
import { lockDataDirectory } from '../store/sqlite/directory-lock.ts'
import { sqliteEphemeral } from '../store/sqlite/ephemeral.ts'
import { ephemeralFile } from '../store/sqlite/ephemeral-file.ts'
import { sqliteReadStore } from '../store/sqlite/read/read-store.ts'
import { makeRoomToOpen, openReserve } from '../store/sqlite/reserve.ts'
import { stoppingOnFullDisk } from '../store/sqlite/stopping-on-full-disk.ts'
import { countFrom, type Deployment, type DeploymentListener, FOREIGN_EPHEMERAL } from './deployment.ts'
import { assertNotMoved } from './moved.ts'
import { assertRestoreFinished } from './unfinished-restore.ts'

const PROBE_EVERY_MS = 5_000

/** The methods that end sessions and grants, and webhooks of a deleted key. */
const ENDING_SESSIONS = ['take', 'endOwner'] as const
const ENDING_WEBHOOKS = ['begin', 'disable', 'remove'] as const

/** Opens a deployment in a single process, with the files in its data directory. */
export async function openEmbedded(
  config: Config,
  clock: ServiceClock,
  listener: DeploymentListener,
): Promise<Deployment> {
  const file = join(config.data_dir, 'deputy.db')
  const lock = lockDataDirectory(config.data_dir)
  assertNotMoved(config.data_dir)
  assertRestoreFinished(config.data_dir)
  const is_new = !existsSync(file)
  const keys = openKeyRing(config.data_dir, clock.now(), is_new, config.log_origin)
  const reserve_file = join(config.data_dir, 'reserve')
  makeRoomToOpen(config.data_dir, openReserve(reserve_file))
  const thread = await startWritingThread(
    { store: 'sqlite', file, reserve_file, instance: keys.instance, vault_key: keys.vault_key },
    clock.logTime,
    { ...listener, onPublished: () => listener.onHint('log') },
  )
  const checkpointer = startCheckpointer(file)
  const reader = settledReader(sqliteReadStore(file, keys.vault_key, thread.version), thread)
  const ephemeral = sealedEphemeral(
    stoppingOnFullDisk(
      sqliteEphemeral(ephemeralFile(config.data_dir), clock.now),
      openReserve(reserve_file),
      ENDING_SESSIONS,
    ),
    keys.vault_key,
    (cause) => listener.onTrouble(cause, FOREIGN_EPHEMERAL),
  )
  const deliveries_file = join(config.data_dir, DELIVERIES_FILE)
  const { vault_key } = keys
  const deliveries = stoppingOnFullDisk(
    sqliteDeliveries(deliveries_file, vault_key),
    openReserve(reserve_file),
    ENDING_WEBHOOKS,
  )
  return {
    keys,
    reader,
    ephemeral: refusingWhenAway(ephemeral, (cause) =>
      listener.onTrouble(cause, 'ephemeral data could not be read or written'),
    ),
    deliveries: refusingWhenAway(deliveries, (cause) =>
      listener.onTrouble(cause, 'deliveries could not be read or written'),
    ),
    elsewhere: { store: 'sqlite', file, deliveries_file, vault_key },
    execute: thread.execute,
    tells_growth: true,
    statusIndexes: countFrom(await reader.nextStatusIndex()),
    peers: undefined,
    probe_every_ms: PROBE_EVERY_MS,
    is_new,
    description: [{ name: 'data', text: `${config.data_dir}${is_new ? ' (new)' : ''}` }],
    async close() {
      await checkpointer.close()
      await ephemeral.close()
      await deliveries.close()
      await reader.close()
      await thread.close() // last: the last connection merges the WAL, so the store is one file
      lock.release()
    },
  }
}
