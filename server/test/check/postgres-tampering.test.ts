import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { type CheckReport, checkDatabase, Uncheckable } from '../../src/check/check-data.ts'
import { openConnection } from '../../src/store/postgres/connect.ts'
import { type Edit, pick, seeded } from './edits.ts'
import { DATA_KEYS, harmlessEdits, PUT_OFF } from './harmless.ts'
import { editorOf } from './postgres-edits.ts'
import { aRichDatabase } from './rich-store.ts'

const EDITS = Number(process.env.TAMPER_EDITS ?? 6)
/**
 * Each run changes one in SHARE columns, different ones each run, and deletes or copies a row of each table. The check
 * has the same rules on both stores, and `tampering.test.ts` changes every column in every run. With TAMPER_SHARE=1, a
 * run changes every column, and both deletes and copies a row of each table.
 */
const SHARE = Number(process.env.TAMPER_SHARE ?? 6)
const SEED = Number(process.env.TAMPER_SEED ?? Math.floor(Math.random() * 2 ** 31))

const { directory, url } = await aRichDatabase({ after })
const client = await openConnection(url, 'test', () => {}, 600_000)
after(() => client.end())
const editor = await editorOf(client)
const harmless = harmlessEdits(await editor.rows(DATA_KEYS), await editor.rows(PUT_OFF))

function check(): Promise<CheckReport> {
  const checkpoint_file = join(directory, 'checkpoint')
  return checkDatabase({ url, data_dir: directory, checkpoint_file, master_key_file: undefined })
}

/** A refused check counts as detection: it does not report a sound database. */
async function isDetected(): Promise<boolean> {
  try {
    return (await check()).fault_count > 0
  } catch (error) {
    if (error instanceof Uncheckable) return true
    throw error
  }
}

const MOST_ATTEMPTS = 40

/** Makes a change, asserts that it is detected or harmless, and undoes it. */
async function assertDetected(make: () => Promise<Edit | undefined>): Promise<void> {
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
    const edit = await make()
    if (edit === undefined) continue
    const isFine = (await isDetected()) || harmless.some((one) => one.is(edit))
    await editor.restore(edit)
    assert.ok(isFine, `not detected: ${edit.sentence} (seed ${SEED})`)
    return
  }
}

describe(`the check of a changed database (TAMPER_SEED=${SEED})`, () => {
  const random = seeded(SEED)
  const chosen = editor.columns.filter((_, index) => index % SHARE === SEED % SHARE)

  test('finds no fault before any change', async () => {
    const report = await check()
    assert.deepEqual(report.faults, [])
    assert.equal(report.signed, report.leaves)
    assert.ok(report.leaves > 256, 'no full tile')
  })

  test('runs on a store with rows in every table', async () => {
    for (const table of editor.tables)
      assert.equal((await editor.rows(`SELECT 1 FROM ${table} LIMIT 1`)).length, 1, table)
  })

  for (const table of editor.tables) {
    test(`detects changes to columns of ${table}, and a deleted or copied row`, async () => {
      for (const column of chosen.filter((one) => one.table === table))
        await assertDetected(() => editor.editColumn(column, random))
      const deletes = random() < 0.5
      if (deletes || SHARE === 1) await assertDetected(() => editor.deleteRow(table, random))
      if (!deletes || SHARE === 1) await assertDetected(() => editor.doubleRow(table, random))
    })
  }

  test(`detects ${EDITS} more random changes`, { timeout: 300_000 + 5_000 * EDITS }, async () => {
    for (let count = 0; count < EDITS; count += 1) {
      const kind = random()
      await assertDetected(() => {
        if (kind < 0.2) return editor.dropObject(random)
        if (kind < 0.3) return editor.deleteRow(pick(editor.tables, random), random)
        if (kind < 0.4) return editor.doubleRow(pick(editor.tables, random), random)
        return editor.editColumn(pick(editor.columns, random), random)
      })
    }
  })

  test('finds no fault after all changes are undone', async () => {
    assert.deepEqual((await check()).faults, [])
  })
})
