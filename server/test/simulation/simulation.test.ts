import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { manualClock } from '@deputize/testing/manual-clock.ts'
import { checkData } from '../../src/check/check-data.ts'
import { storeRows } from '../e2e/audit-store.ts'
import { SimulatedNode } from './simulated-node.ts'
import { MAX_ACTIONS, MAX_SPEND, type Told, tellStory } from './story.ts'

/** For a long run: SIMULATION_SEEDS=100000. To replay one story: SIMULATION_SEED=<seed>. */
const SEEDS = Number(process.env.SIMULATION_SEEDS ?? 250)
const ONLY = process.env.SIMULATION_SEED
const SEEDS_PER_STORE = 50
const LIMIT_MS = 120_000 + 500 * SEEDS

const removals: (() => void)[] = []
after(() => {
  for (const remove of removals) remove()
})

interface StoredAction {
  readonly aar_id: string
  readonly log_index: number
  readonly spend: number
  readonly root: string
  readonly revoked_at: number | null
}

/** What the store holds of one story. */
function storedActions(directory: string, name: string): StoredAction[] {
  const rows = storeRows(
    directory,
    `SELECT r.aar_id, r.log_index, r.spend_micro_usd AS spend, t.jti AS root,
      (SELECT min(l.log_index) FROM leaves l WHERE l.leaf LIKE '%"token.revoked"%' AND instr(l.leaf, t.jti) > 0) AS revoked_at
    FROM records r JOIN tokens t USING (token_key) WHERE r.aar_id LIKE 'aar_${name}k%'`,
  )
  return rows as unknown as StoredAction[] // as the query names them
}

function assertTrue({ name, wishes, revoked }: Told, directory: string): void {
  const stored = storedActions(directory, name)
  for (const { suffixes, answers, key } of wishes) {
    const kept = stored.filter(({ aar_id }) => suffixes.some((suffix) => aar_id === `aar_${suffix}`))
    assert.ok(kept.length <= 1, `${key} was done ${kept.length} times`)
    assert.ok(answers.length > 0)
    const ids = new Set(answers.map(({ id }) => id))
    assert.equal(ids.size, 1, `${key} got different answers: ${[...ids]}`)
    const [answer] = answers
    assert.deepEqual(
      kept.map(({ aar_id }) => aar_id),
      answer?.allowed ? [answer.id] : [],
      `${key} is not stored as it was answered`,
    )
  }
  for (const suffix of ['a', 'b']) {
    const root = `vat_root_${name}${suffix}`
    const own = stored.filter((action) => action.root === root)
    assert.ok(own.reduce((sum, { spend }) => sum + spend, 0) <= (suffix === 'a' ? MAX_SPEND : 1e9))
    assert.ok(own.length <= (suffix === 'b' ? MAX_ACTIONS : 1e9))
    if (!revoked.includes(root)) continue
    for (const { log_index, revoked_at } of own)
      assert.ok(revoked_at !== null && log_index < revoked_at, `an action follows the revocation of ${root}`)
  }
}

/** Everything in the store follows from its log. No checkpoint was signed. */
async function assertSound(data_dir: string): Promise<void> {
  const { faults } = await checkData({ data_dir, checkpoint_file: join(data_dir, 'checkpoint') })
  assert.deepEqual(faults.filter(({ table }) => table !== 'checkpoint').slice(0, 5), [])
}

/** Stories share a store, one after another; each has tokens of its own. */
async function tellStories(first: number, count: number): Promise<{ crashes: number; faults: number }> {
  const clock = manualClock()
  const node = new SimulatedNode(clock)
  removals.push(() => node.remove())
  let faults = 0
  for (let seed = first; seed < first + count; seed++) {
    try {
      const told = await tellStory(node, clock, seed)
      faults += told.faults
      assertTrue(told, node.directory)
    } catch (error) {
      throw new Error(
        `Replay it with: SIMULATION_SEED=${seed} npx node --test server/test/simulation/simulation.test.ts`,
        { cause: error },
      )
    }
  }
  node.close()
  await assertSound(node.directory)
  return { crashes: node.crashes, faults }
}

test('nothing acknowledged is lost, nothing is done twice and no limit is passed, whenever the node dies', {
  timeout: LIMIT_MS,
}, async (t) => {
  const seeds = ONLY === undefined ? SEEDS : 1
  let crashes = 0
  let faults = 0
  for (
    let first = Number(ONLY ?? 1), left = seeds;
    left > 0;
    left -= SEEDS_PER_STORE, first += SEEDS_PER_STORE
  ) {
    const told = await tellStories(first, Math.min(left, SEEDS_PER_STORE))
    crashes += told.crashes
    faults += told.faults
  }
  assert.ok(ONLY !== undefined || crashes > seeds, 'nodes die')
  t.diagnostic(`${seeds} seeds, ${faults} faults, ${crashes} crashes, 0 violations`)
})
