import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, mock, test } from 'node:test'
import { temporaryDirectory } from '@deputize/testing/scope.ts'
import { checkDatabase } from '../../src/check/check-data.ts'
import { keyRing } from '../../src/keys/key-ring.ts'
import { openSharedKeys } from '../../src/keys/shared-keys.ts'
import { openConnection } from '../../src/store/postgres/connect.ts'
import { sealedKeysTable } from '../../src/store/postgres/sealed-keys.ts'
import { reserveStatusPlaces } from '../../src/store/postgres/status-places.ts'
import { aPool, aPostgres } from '../contract/a-postgres.ts'
import { tellClusterStory } from './cluster-story.ts'
import { SimulatedCluster } from './simulated-cluster.ts'
import { assertTrue, storedBy } from './stored-story.ts'
import { MOST_STORIES, outlineOf, type Told } from './wishes.ts'

/**
 * For a long run: CLUSTER_SEEDS=100000. To replay the stories that share a database with one: CLUSTER_SEED=<seed>.
 *
 * The seed decides which node continues after each request and answer, what is lost, the time of each node, when a wait
 * for a turn ends, and when a node dies. The database is real and runs on its own, so some things don't follow from the
 * seed: which of several requests gets a lock that they wait for, random keys, and the limit of ten seconds for a
 * statement if the machine pauses for that long.
 */
const SEEDS = Number(process.env.CLUSTER_SEEDS ?? 40)
const ONLY = process.env.CLUSTER_SEED
const SEEDS_PER_DATABASE = 100
const LIMIT_MS = 180_000 + 5_000 * SEEDS

const postgres = await aPostgres({ after })
let clusters = 0

/** Plays stories on one database, in turn. Each has its own tokens. All are checked after the last fault. */
async function tellStories(first: number, count: number): Promise<{ crashes: number; told: Told[] }> {
  const url = await postgres.database()
  const data_dir = temporaryDirectory({ after })
  const pool = aPool(url)
  const { kept, storage } = await openSharedKeys({
    place: sealedKeysTable(pool, 'the database', async () => {}),
    data_dir,
    master_key_file: undefined,
    log_origin: undefined,
    now_ms: Date.now(),
  })
  const { instance, vault_key } = keyRing(kept, storage, Date.now)
  await reserveStatusPlaces(pool, 2 * MOST_STORIES)
  const control = await openConnection(url, 'simulation', () => {})
  clusters += 1
  const cluster = new SimulatedCluster(clusters, { url, instance, vault_key }, control)
  const told: Told[] = []
  let steady_ms = 0
  mock.timers.enable({ apis: ['setTimeout'] })
  mock.method(performance, 'now', () => steady_ms)
  const tick = (ms: number) => {
    steady_ms += ms
    mock.timers.tick(ms)
  }
  try {
    await cluster.network.run(cluster.start(), () => tick(1))
    for (let seed = first; seed < first + count; seed++)
      await named(seed, async () => told.push(await tellClusterStory(cluster, seed, tick)))
    await cluster.network.close()
  } finally {
    mock.reset()
    cluster.network.uninstall()
  }
  const stored = await storedBy(async (sql) => (await pool.query(sql)).rows)
  for (const story of told) await named(story.seed, () => assertTrue(story, stored))
  const report = await checkDatabase({
    url,
    data_dir,
    master_key_file: undefined,
    checkpoint_file: join(data_dir, 'checkpoint'),
  })
  const faults = report.faults.filter(({ table }) => table !== 'checkpoint') // none was signed
  await named(first, () => assert.deepEqual(faults.slice(0, 5), []))
  await Promise.all([control.end(), pool.end()])
  return { crashes: cluster.crashes, told }
}

/** Adds to a failure how to replay it. */
async function named(seed: number, body: () => unknown): Promise<void> {
  try {
    await body()
  } catch (error) {
    throw new Error(
      `Replay it with: CLUSTER_SEED=${seed} npx node --test server/test/simulation/cluster.test.ts`,
      { cause: error },
    )
  }
}

test('two nodes lose and duplicate nothing and exceed no limit, whatever the network loses and whenever one dies', {
  timeout: LIMIT_MS,
}, async (t) => {
  const wanted = ONLY === undefined ? undefined : Number(ONLY) - (Number(ONLY) % SEEDS_PER_DATABASE)
  const first = wanted ?? 0
  const end = wanted === undefined ? SEEDS : wanted + SEEDS_PER_DATABASE
  let crashes = 0
  let faults = 0
  for (let seed = first; seed < end; seed += SEEDS_PER_DATABASE) {
    const part = await tellStories(seed, Math.min(end - seed, SEEDS_PER_DATABASE))
    crashes += part.crashes
    for (const story of part.told) faults += story.faults
  }
  const seeds = end - first
  assert.ok(faults > seeds, 'the network loses something')
  t.diagnostic(`${seeds} seeds, ${faults} faults of the network, ${crashes} crashes, 0 violations`)
})

test('a seed replays the same story', { timeout: LIMIT_MS }, async () => {
  const outline = async () => {
    const { crashes, told } = await tellStories(0, 5)
    return { crashes, told: told.map(({ faults, wishes }) => ({ faults, wishes: wishes.map(outlineOf) })) }
  }
  assert.deepEqual(await outline(), await outline())
})
