import assert from 'node:assert/strict'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { checkData } from '../../src/check/check-data.ts'
import {
  columnsOf,
  deleteRow,
  doubleRow,
  dropObject,
  type Edit,
  editColumn,
  pick,
  seeded,
  withoutTriggers,
  withStore,
} from './edits.ts'
import { DATA_KEYS, harmlessEdits, PUT_OFF } from './harmless.ts'
import { aRichStore } from './rich-store.ts'

const EDITS = Number(process.env.TAMPER_EDITS ?? 15)
const SEED = Number(process.env.TAMPER_SEED ?? Math.floor(Math.random() * 2 ** 31))

const { directory } = await aRichStore({ after })
const original = join(directory, 'deputy.db')
const columns = columnsOf(original)
const tables = [...new Set(columns.map(({ table }) => table))]
const harmless = withStore(original, (db) =>
  harmlessEdits(db.prepare(DATA_KEYS).all(), db.prepare(PUT_OFF).all()),
)

function check(data_dir: string) {
  return checkData({ data_dir, checkpoint_file: join(data_dir, 'checkpoint') })
}

const MOST_ATTEMPTS = 40

/** Changes a copy of the store and checks it. Undefined if constraints reject every attempt. */
async function found(edit: (file: string) => Edit | undefined) {
  const copy = mkdtempSync(join(tmpdir(), 'deputy-'))
  try {
    cpSync(directory, copy, { recursive: true })
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
      const made = edit(join(copy, 'deputy.db'))
      if (made !== undefined) return { edit: made, report: await check(copy) }
    }
    return undefined
  } finally {
    rmSync(copy, { recursive: true })
  }
}

/** Asserts that a change is detected or harmless. */
function assertDetected({ edit, report }: NonNullable<Awaited<ReturnType<typeof found>>>): void {
  if (report.fault_count > 0) return
  assert.ok(
    harmless.some((one) => one.is(edit)),
    `not detected: ${edit.sentence} (seed ${SEED})`,
  )
}

describe(`the check of a changed store (TAMPER_SEED=${SEED})`, () => {
  const random = seeded(SEED)

  test('finds no fault before any change', async () => {
    const report = await check(directory)
    assert.deepEqual(report.faults, [])
    assert.equal(report.signed, report.leaves)
    assert.ok(report.leaves > 256, 'no full tile')
  })

  test('runs on a store with rows in every table', () => {
    const isEmpty = (table: string) =>
      withStore(original, (db) => db.prepare(`SELECT 1 FROM ${table} LIMIT 1`).get() === undefined)
    assert.deepEqual(tables.filter(isEmpty), [])
  })

  for (const table of tables) {
    test(`detects changes to every column of ${table}, and deleted or copied rows`, async () => {
      for (const column of columns.filter((one) => one.table === table)) {
        const result = await found((file) => editColumn(file, column, random))
        if (result !== undefined) assertDetected(result)
      }
      for (const edit of [deleteRow, doubleRow]) {
        const result = await found((file) => edit(file, table, random))
        if (result !== undefined) assertDetected(result)
      }
    })
  }

  test('names a leaf that is not JSON, although scores depend on the log', async () => {
    const result = await found((file) =>
      withoutTriggers(file, (db) => {
        assert.ok(db.prepare('SELECT 1 FROM vouch_scores LIMIT 1').get(), 'no score is kept')
        db.exec(`UPDATE leaves SET leaf = leaf || 'x' WHERE log_index = 3`)
        return { table: 'leaves', how: 'changed', sentence: 'leaf 3 ends with an x' }
      }),
    )
    const sentences = result?.report.faults.map(({ sentence }) => sentence) ?? []
    assert.ok(sentences.includes('Leaf 3 is not canonical JSON.'), sentences.join('\n'))
  })

  test(`detects ${EDITS} more random changes`, { timeout: 300_000 + 2_000 * EDITS }, async () => {
    for (let count = 0; count < EDITS; count += 1) {
      const kind = random()
      const result = await found((file) => {
        if (kind < 0.1) return dropObject(file, random)
        if (kind < 0.2) return deleteRow(file, pick(tables, random), random)
        if (kind < 0.3) return doubleRow(file, pick(tables, random), random)
        return editColumn(file, pick(columns, random), random)
      })
      if (result !== undefined) assertDetected(result)
    }
  })
})
