import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { manualClock } from '@deputize/testing/manual-clock.ts'
import { checkData } from '../../src/check/check-data.ts'
import { storeRows } from '../e2e/audit-store.ts'
import { SimulatedNode } from './simulated-node.ts'
import { assertTrue, storedBy } from './stored-story.ts'
import { tellStory } from './story.ts'
import { outlineOf, type Told } from './wishes.ts'

/**
 * For a long run: SIMULATION_SEEDS=1000000. To replay the stories that share a store with one: SIMULATION_SEED=<seed>.
 */
const SEEDS = Number(process.env.SIMULATION_SEEDS ?? 3_000)
const ONLY = process.env.SIMULATION_SEED
const SEEDS_PER_STORE = 250
const LIMIT_MS = 120_000 + 100 * SEEDS

/** Directories of stores with a story that failed. */
const directories = new Set<string>()
after(() => {
  for (const directory of directories) rmSync(directory, { recursive: true, force: true })
})

/** Asserts that everything in the store follows from its log. No checkpoint was signed. */
async function assertSound(data_dir: string): Promise<void> {
  const { faults } = await checkData({ data_dir, checkpoint_file: join(data_dir, 'checkpoint') })
  assert.deepEqual(faults.filter(({ table }) => table !== 'checkpoint').slice(0, 5), [])
}

/** Plays stories on one store, in turn. Each has its own tokens. All are checked after the last crash. */
async function tellStories(first: number, count: number): Promise<{ crashes: number; told: Told[] }> {
  const clock = manualClock()
  const node = new SimulatedNode(clock, first)
  directories.add(node.directory)
  const told: Told[] = []
  for (let seed = first; seed < first + count; seed++)
    await named(seed, async () => {
      told.push(await tellStory(node, clock, seed).catch((error) => Promise.reject(node.failure ?? error)))
    })
  await node.close()
  const stored = await storedBy(async (sql) => storeRows(node.directory, sql))
  for (const story of told) await named(story.seed, () => assertTrue(story, stored))
  await named(first, () => assertSound(node.directory))
  rmSync(node.directory, { recursive: true, force: true })
  directories.delete(node.directory)
  return { crashes: node.crashes, told }
}

/** Adds to a failure how to replay it. */
async function named(seed: number, body: () => unknown): Promise<void> {
  try {
    await body()
  } catch (error) {
    throw new Error(
      `Replay it with: SIMULATION_SEED=${seed} npx node --test server/test/simulation/simulation.test.ts`,
      { cause: error },
    )
  }
}

test('nothing acknowledged is lost, nothing is done twice and no limit is exceeded, whenever the node dies', {
  timeout: LIMIT_MS,
}, async (t) => {
  const wanted = ONLY === undefined ? undefined : Number(ONLY) - (Number(ONLY) % SEEDS_PER_STORE)
  const first = wanted ?? 0
  const end = wanted === undefined ? SEEDS : wanted + SEEDS_PER_STORE
  let crashes = 0
  let faults = 0
  for (let seed = first; seed < end; seed += SEEDS_PER_STORE) {
    const part = await tellStories(seed, Math.min(end - seed, SEEDS_PER_STORE))
    crashes += part.crashes
    for (const story of part.told) faults += story.faults
  }
  const seeds = end - first
  assert.ok(crashes > seeds / 4, 'nodes die')
  t.diagnostic(`${seeds} seeds, ${faults} faults, ${crashes} crashes, 0 violations`)
})

test('a seed replays the same story', async () => {
  const outline = async () => {
    const { crashes, told } = await tellStories(0, 60)
    return { crashes, told: told.map(({ faults, wishes }) => ({ faults, wishes: wishes.map(outlineOf) })) }
  }
  assert.deepEqual(await outline(), await outline())
})
