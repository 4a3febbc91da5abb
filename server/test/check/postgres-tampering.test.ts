import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { checkDatabase, type Report, Uncheckable } from '../../src/check/check-data.ts'
import { connect } from '../../src/store/postgres/connect.ts'
import { type Edit, pick, seeded } from './edits.ts'
import { DATA_KEYS, harmlessEdits } from './harmless.ts'
import { editorOf } from './postgres-edits.ts'
import { aRichDatabase } from './rich-store.ts'

const EDITS = Number(process.env.TAMPER_EDITS ?? 10)
const SEED = Number(process.env.TAMPER_SEED ?? Math.floor(Math.random() * 2 ** 31))

const { directory, url } = await aRichDatabase({ after })
const client = await connect(url, 'test', () => {}, 600_000)
after(() => client.end())
const editor = await editorOf(client)
const harmless = harmlessEdits(await editor.rows(DATA_KEYS))

function check(): Promise<Report> {
  const checkpoint_file = join(directory, 'checkpoint')
  return checkDatabase({ url, data_dir: directory, checkpoint_file, master_key_file: undefined })
}

/** Keys that do not open, or a newer version: then nobody is told that all is sound. */
async function isSeen(): Promise<boolean> {
  try {
    return (await check()).fault_count > 0
  } catch (error) {
    if (error instanceof Uncheckable) return true
    throw error
  }
}

const MOST_ATTEMPTS = 40

/** Makes a change, asserts that the check sees it or that it harms nobody, and takes it back. */
async function assertSeen(make: () => Promise<Edit | undefined>): Promise<void> {
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
    const edit = await make()
    if (edit === undefined) continue
    const isFine = (await isSeen()) || harmless.some((one) => one.is(edit))
    await editor.restore(edit)
    assert.ok(isFine, `not seen: ${edit.sentence} (seed ${SEED})`)
    return
  }
}

describe(`a database that was changed behind its back (TAMPER_SEED=${SEED})`, () => {
  const random = seeded(SEED)

  test('has no faults before', async () => {
    const report = await check()
    assert.deepEqual(report.faults, [])
    assert.equal(report.signed, report.leaves)
    assert.ok(report.leaves > 256, 'no full tile')
  })

  test('holds rows of every table', async () => {
    for (const table of editor.tables)
      assert.equal((await editor.rows(`SELECT 1 FROM ${table} LIMIT 1`)).length, 1, table)
  })

  for (const table of editor.tables) {
    test(`shows every column of ${table}, and rows that are gone or there twice`, async () => {
      for (const column of editor.columns.filter((one) => one.table === table))
        await assertSeen(() => editor.editColumn(column, random))
      await assertSeen(() => editor.deleteRow(table, random))
      await assertSeen(() => editor.doubleRow(table, random))
    })
  }

  test(`shows ${EDITS} more changes, wherever they are`, async () => {
    for (let made = 0; made < EDITS; made += 1) {
      const kind = random()
      await assertSeen(() => {
        if (kind < 0.2) return editor.dropObject(random)
        if (kind < 0.3) return editor.deleteRow(pick(editor.tables, random), random)
        if (kind < 0.4) return editor.doubleRow(pick(editor.tables, random), random)
        return editor.editColumn(pick(editor.columns, random), random)
      })
    }
  })

  test('has no faults once every change was taken back', async () => {
    assert.deepEqual((await check()).faults, [])
  })
})
