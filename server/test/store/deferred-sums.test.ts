import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, test } from 'node:test'
import { writeEmptyStore } from '@deputize/testing/empty-store.ts'
import { manualClock } from '@deputize/testing/manual-clock.ts'
import { temporaryDirectory } from '@deputize/testing/scope.ts'
import { TEST_VAULT_KEY } from '@deputize/testing/test-vault-key.ts'
import fc from 'fast-check'
import { needsOf } from '../../src/clerk/judge.ts'
import { sqliteTables } from '../../src/store/sqlite/store-tables.ts'
import { sqliteWriteStore } from '../../src/store/sqlite/write/write-store.ts'
import { histories } from '../model/histories.ts'
import { play } from '../model/play.ts'

const TABLES = ['agents', 'agent_days', 'counters', 'workflow_tallies']
const HISTORIES = 8

function openStore(directory: string, name: string, defers_sums: boolean) {
  const file = join(directory, name)
  writeEmptyStore(file)
  const clock = manualClock()
  const store = sqliteWriteStore({ file, instance: '', vault_key: TEST_VAULT_KEY, clock, defers_sums })
  return { file, clock, store }
}

function reopened(file: string): void {
  sqliteWriteStore({ file, instance: '', vault_key: TEST_VAULT_KEY, clock: manualClock() }).close()
}

/** The rows of all sums in the tables. */
function sumsIn(file: string): unknown {
  const db = new DatabaseSync(file, { readOnly: true })
  try {
    return TABLES.map((table) => db.prepare(`SELECT * FROM ${table} ORDER BY 1, 2, 3, 4, 5`).all())
  } finally {
    db.close()
  }
}

function deferredRows(file: string): number {
  const db = new DatabaseSync(file, { readOnly: true })
  try {
    return Number(db.prepare('SELECT count(*) AS rows FROM deferred_sums').get()?.rows)
  } finally {
    db.close()
  }
}

/** The same rows as `deputy check` reads them. */
async function sumsShown(file: string): Promise<unknown> {
  const tables = sqliteTables(file)
  assert.deepEqual(await tables.formFaults(), [])
  const shown: unknown[] = []
  for (const table of TABLES) {
    const rows: unknown[] = []
    for await (const row of tables.rows(`SELECT * FROM ${table} ORDER BY 1, 2, 3, 4, 5`)) rows.push(row)
    shown.push(rows)
  }
  await tables.close()
  return shown
}

/** Copies the store as a crash would leave it now. */
function copyOf(file: string, copy: string): string {
  const db = new DatabaseSync(file)
  db.exec(`VACUUM INTO '${copy}'`)
  db.close()
  return copy
}

describe('deferred sums', () => {
  test('end up equal to sums written at once, even after a crash and a failed batch', async (context) => {
    const directory = temporaryDirectory(context)
    let left = 0
    let number = 0
    await fc.assert(
      fc.asyncProperty(histories(), async (history) => {
        number += 1
        const late = openStore(directory, `late-${number}.db`, true)
        const prompt = openStore(directory, `prompt-${number}.db`, false)
        for (const { store, clock } of [late, prompt]) await play(history, { store, clock, prefix: 'h' })
        prompt.store.close()
        const wanted = sumsIn(prompt.file)
        left += deferredRows(late.file)

        const crashed = copyOf(late.file, join(directory, `crashed-${number}.db`))
        assert.deepEqual(await sumsShown(crashed), wanted)
        reopened(crashed)
        assert.equal(deferredRows(crashed), 0)
        assert.deepEqual(sumsIn(crashed), wanted)

        const failing = () => {
          throw new RangeError('a rule failed')
        }
        assert.throws(() => late.store.transact(needsOf([]), failing), RangeError)
        late.store.settle()
        assert.deepEqual(sumsIn(late.file), wanted)
        late.store.settle()
        late.store.close()
        assert.deepEqual(sumsIn(late.file), wanted)
      }),
      { numRuns: HISTORIES },
    )
    assert.ok(left > 0, 'nothing was put off')
  })
})
