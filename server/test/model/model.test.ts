import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { manualClock } from '@deputize/testing/manual-clock.ts'
import { TEST_VAULT_KEY } from '@deputize/testing/test-vault-key.ts'
import fc from 'fast-check'
import { sqliteWriteStore } from '../../src/store/sqlite/write/write-store.ts'
import { type History, histories, type World } from './histories.ts'
import { memoryWriteStore } from './memory-store.ts'
import { play } from './play.ts'

const CASES = Number(process.env.MODEL_CASES ?? 15_000)
const ON_SQLITE = Math.ceil(CASES / 10)
const LIMIT_MS = 60_000 + 2 * CASES

/** Plays histories until both sides have judged enough steps. */
async function playUntil(cases: number, worldOf: (history: number) => World): Promise<number> {
  let judged = 0
  let number = 0
  for (let round = 0; judged < cases; round++) {
    await fc.assert(
      fc.asyncProperty(histories(), async (history: History) => {
        judged += await play(history, worldOf(number++))
      }),
      {
        numRuns: 50,
        ...(process.env.MODEL_SEED !== undefined && { seed: Number(process.env.MODEL_SEED) + round }),
      },
    )
  }
  return judged
}

describe('the rules agree with an independent model', () => {
  test(`${CASES - ON_SQLITE} steps of random histories`, { timeout: LIMIT_MS }, async (t) => {
    const judged = await playUntil(CASES - ON_SQLITE, (number) => {
      const clock = manualClock()
      return { store: memoryWriteStore(clock), clock, prefix: `m${number}` }
    })
    t.diagnostic(`${judged} steps judged`)
  })

  test(`${ON_SQLITE} steps on SQLite`, { timeout: LIMIT_MS }, async (t) => {
    const base = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()
    const directory = mkdtempSync(join(base, 'deputy-model-'))
    const clock = manualClock()
    const store = sqliteWriteStore({
      file: join(directory, 'deputy.db'),
      instance: 'model',
      vault_key: TEST_VAULT_KEY,
      clock,
      defers_sums: true,
    })
    t.after(() => {
      store.close()
      rmSync(directory, { recursive: true, force: true })
    })
    const judged = await playUntil(ON_SQLITE, (number) => {
      clock.advance(60_000 - (clock() % 60_000))
      return { store, clock, prefix: `s${number}` }
    })
    t.diagnostic(`${judged} steps judged`)
  })
})
