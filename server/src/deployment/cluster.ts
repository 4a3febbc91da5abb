import { randomUUID } from 'node:crypto'
import type { ExecuteBatch } from '../clerk/clerk.ts'
import { startWritingThread } from '../clerk/thread.ts'
import type { ServiceClock } from '../clock.ts'
import type { Config } from '../config.ts'
import { keyRing } from '../keys/key-ring.ts'
import { openSharedKeys } from '../keys/shared-keys.ts'
import type { DatabaseConfig } from '../settings/database.ts'
import type { ReadStore } from '../store/port.ts'
import { addressOf, connectAtStart } from '../store/postgres/address.ts'
import { refusingWhenAway } from '../store/postgres/availability.ts'
import { assertDurable, connectionPool, type Database, primaryPool } from '../store/postgres/connect.ts'
import { databaseTime } from '../store/postgres/database-time.ts'
import { postgresDeliveries } from '../store/postgres/deliveries.ts'
import { shutOutEarlierNodes } from '../store/postgres/earlier-nodes.ts'
import { postgresEphemeral } from '../store/postgres/ephemeral.ts'
import { giveHint, hearHints } from '../store/postgres/hints.ts'
import { migrate } from '../store/postgres/migrate.ts'
import { postgresReadStore } from '../store/postgres/read/read-store.ts'
import { sealedKeysTable } from '../store/postgres/sealed-keys.ts'
import { signingLock } from '../store/postgres/signing-lock.ts'
import { firstFreePlace, reserveStatusPlaces } from '../store/postgres/status-places.ts'
import { DeferredLook, settlingSums } from '../store/postgres/write/deferred-sums.ts'
import { type ReplicaReader, readingFromReplica } from '../store/replica.ts'
import { sealedEphemeral } from '../store/sealed-ephemeral.ts'
import { settledReader } from '../store/settled-reader.ts'
import { text } from '../store/values.ts'
import {
  countInBlocks,
  type Deployment,
  type DeploymentListener,
  FOREIGN_EPHEMERAL,
  type StartLine,
} from './deployment.ts'
import { assertMovedAway } from './moved.ts'
import { openOneClerk } from './one-clerk.ts'

const PROBE_EVERY_MS = 1_000
const REFRESH_KEYS_EVERY_MS = 5_000
const COMPARE_CLOCKS_EVERY_MS = 2_000
const SHUT_OUT_EVERY_MS = 5_000
const MOST_TO_COMPARE_MS = 1_000
const INDEXES_AT_A_TIME = 1_000
const HINT_EVERY_MS = 20
/** Connections of the delivery thread. */
const CONNECTIONS_ELSEWHERE = 4

/** Opens one of several nodes on the same PostgreSQL. No node holds state that another one needs. */
export async function openCluster(
  config: Config,
  settings: DatabaseConfig,
  clock: ServiceClock,
  listener: DeploymentListener,
): Promise<Deployment> {
  assertMovedAway(config.data_dir)
  const store = await prepareDatabase(settings, clock, listener)
  const pool = primaryPool(settings.url, 'reading', settings.pool)
  const shared = await openSharedKeys({
    place: refusingWhenAway(
      sealedKeysTable(pool, `the database at ${addressOf(settings.url)}`, () => giveHint(pool, 'keys')),
      listener.onAway,
    ),
    data_dir: config.data_dir,
    master_key_file: settings.master_key_file,
    log_origin: config.log_origin,
    now_ms: clock.now(),
  })
  const keys = keyRing(shared.kept, shared.storage, clock.now)
  const writer_id = randomUUID()
  const thread = await startWritingThread(
    {
      store: 'postgres',
      url: settings.url,
      allow_unsafe: settings.allow_unsafe,
      writer_id,
      instance: keys.instance,
      vault_key: keys.vault_key,
    },
    clock.logTime,
    listener,
  )
  const clerk = await openOneClerk(settings, {
    writer_id,
    vault_key: keys.vault_key,
    thread,
    clock,
    listener,
  })
  const settling = settlingSums(pool, async () => {
    const { replies } = await clerk.execute([{ kind: 'settle_sums' }])
    return replies.every((reply) => 'outcome' in reply)
  })
  const primary = {
    ...settledReader(postgresReadStore(pool, keys.vault_key), settling),
    nextStatusIndex: () => firstFreePlace(pool), // other nodes may have reserved indexes without a token yet
  }
  const reading = readerOf(settings, refusingWhenAway(primary, listener.onAway), {
    vault_key: keys.vault_key,
    clock,
    listener,
  })
  const ephemeral = sealedEphemeral(postgresEphemeral(pool, clock.now), keys.vault_key, (cause) =>
    listener.onTrouble(cause, FOREIGN_EPHEMERAL),
  )
  const turn = signingLock(settings.url)
  const statusBlocks = refusingWhenAway(
    { reserve: (count: number) => reserveStatusPlaces(pool, count) },
    listener.onAway,
  )
  const refresh = () =>
    void keys.refresh().catch((cause) => listener.onTrouble(cause, 'the signing keys could not be refreshed'))
  const hints = hearHints(settings.url, (hint) => (hint === 'keys' ? refresh() : listener.onHint(hint)))
  const compare = () =>
    void compareClocks(pool, clock).catch((cause) =>
      listener.onTrouble(cause, 'the clock could not be compared with that of the database'),
    )
  const shutOut = setInterval(
    () =>
      void shutOutEarlierNodes(pool).then(
        (isShut) => isShut && clearInterval(shutOut),
        () => {}, // tried again
      ),
    SHUT_OUT_EVERY_MS,
  )
  const timers = [
    setInterval(refresh, REFRESH_KEYS_EVERY_MS),
    setInterval(compare, COMPARE_CLOCKS_EVERY_MS),
    shutOut,
  ]

  return {
    keys,
    reader: reading.reader,
    ephemeral: refusingWhenAway(ephemeral, listener.onAway),
    deliveries: refusingWhenAway(postgresDeliveries(pool, keys.vault_key), listener.onAway),
    elsewhere: {
      store: 'postgres',
      url: settings.url,
      connections: CONNECTIONS_ELSEWHERE,
      vault_key: keys.vault_key,
    },
    execute: hinting(fencing(clerk.execute, reading), () => giveHint(pool, 'log')),
    database: async () => ({
      waiting: pool.waitingCount,
      replica_entries: await reading.replicaEntries(),
      holds_lease: clerk.isHolder(),
    }),
    statusIndexes: countInBlocks(statusBlocks.reserve, INDEXES_AT_A_TIME),
    peers: {
      takeTurn: turn.take,
      awaitTurn: turn.await,
      notify: () => giveHint(pool, 'checkpoint'),
      onRolledBack: listener.onDeath,
    },
    probe_every_ms: PROBE_EVERY_MS,
    is_new: shared.is_new,
    description: startLines(store, settings, shared.made_master_key),
    async close() {
      for (const timer of timers) clearInterval(timer)
      await clerk.close()
      await hints.close()
      await turn.close()
      await reading.reader.close()
      await thread.close()
    },
  }
}

/** Checks that the database commits durably and migrates its schema. Returns its line for the start screen. */
async function prepareDatabase(
  { url, allow_unsafe }: DatabaseConfig,
  clock: ServiceClock,
  { onNotice }: DeploymentListener,
): Promise<string> {
  const client = await connectAtStart(url, 'start')
  try {
    await assertDurable(client, allow_unsafe)
    await compareClocks(client, clock)
    const { applied } = await migrate(client, {
      onMigrationWait: (holder) =>
        onNotice('start waits for another node that migrates the database', holder),
    })
    const { rows } = await client.query(`SELECT current_setting('server_version') AS version`)
    const [version = ''] = text(rows[0]?.version).split(' ')
    const migrations = applied.length === 1 ? '1 migration' : `${applied.length} migrations`
    return `PostgreSQL ${version} at ${addressOf(url)}${applied.length === 0 ? '' : ` (${migrations} applied)`}`
  } finally {
    await client.end()
  }
}

/** Compares this node's clock with the database's. Ignores an answer that took too long to say much about the time. */
async function compareClocks(database: Database, clock: ServiceClock): Promise<void> {
  const asked_at_ms = performance.now()
  const database_ms = await databaseTime(database)
  const took_ms = performance.now() - asked_at_ms
  if (took_ms < MOST_TO_COMPARE_MS) clock.compare(database_ms + took_ms / 2)
}

interface ReplicaParts {
  readonly vault_key: Uint8Array
  readonly clock: ServiceClock
  readonly listener: DeploymentListener
}

/** Sends reads that may be slightly stale to the standby, if there is one. */
function readerOf(
  { replica_url, pool: most }: DatabaseConfig,
  primary: ReadStore,
  { vault_key, clock, listener }: ReplicaParts,
): ReplicaReader {
  if (replica_url === undefined)
    return { reader: primary, fence: () => {}, replicaEntries: async () => undefined }
  const pool = connectionPool(replica_url, 'reading', most)
  const deferred = new DeferredLook(pool)
  return readingFromReplica({
    primary,
    replica: postgresReadStore(pool, vault_key),
    hasDeferredSums: async () => (await deferred.unsettled()) !== undefined,
    clock: clock.now,
    onTrouble: (cause) =>
      listener.onTrouble(cause, 'the standby does not answer; reading from the primary instead'),
  })
}

/** After each batch, this node reads from the standby only once it has caught up, so callers see their own writes. */
function fencing(execute: ExecuteBatch, { fence }: ReplicaReader): ExecuteBatch {
  return async (commands, lane) => {
    try {
      return await execute(commands, lane)
    } finally {
      fence()
    }
  }
}

/**
 * Hints to other nodes after commits that the log has grown, once per `HINT_EVERY_MS`: one hint covers many commits.
 */
function hinting(execute: ExecuteBatch, give: () => void): ExecuteBatch {
  let isDue = false
  const giveLater = () => {
    if (isDue) return
    isDue = true
    setTimeout(() => {
      isDue = false
      give()
    }, HINT_EVERY_MS).unref()
  }
  return async (commands, lane) => {
    const result = await execute(commands, lane)
    if (result.wrote) giveLater()
    return result
  }
}

function startLines(
  store: string,
  { replica_url }: DatabaseConfig,
  made_master_key: string | undefined,
): StartLine[] {
  return [
    { name: 'store', text: store },
    ...(replica_url === undefined ? [] : [{ name: 'replica', text: addressOf(replica_url) }]),
    ...(made_master_key === undefined
      ? []
      : [
          {
            name: 'keys',
            text: `created ${made_master_key}: copy this file to every node and keep it safe`,
          },
        ]),
  ]
}
