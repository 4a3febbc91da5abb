import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { temporaryDirectory } from '@deputize/testing/scope.ts'
import { StoreError } from '../../src/store/port/store-error.ts'
import { refusingWhenAway } from '../../src/store/postgres/availability.ts'
import { reportingStoreErrors } from '../../src/store/sqlite/reporting-store-errors.ts'
import { stoppingOnFullDisk } from '../../src/store/sqlite/stopping-on-full-disk.ts'

/** A file that is full until its reserve is released. */
function aFullFile(context: TestContext) {
  const db = new DatabaseSync(join(temporaryDirectory(context), 'side.db'))
  context.after(() => db.close())
  db.exec('CREATE TABLE kept (value BLOB); PRAGMA max_page_count = 2')
  const insert = db.prepare('INSERT INTO kept VALUES (zeroblob(20000))')
  const released: boolean[] = []
  const reserve = {
    release() {
      released.push(released.length === 0)
      if (released.length === 1) db.exec('PRAGMA max_page_count = 10')
      return released.length === 1
    },
    restore: () => false,
  }
  const write = async () => Number(insert.run().changes)
  const room = reportingStoreErrors({ write, disable: write }, 'could not be written')
  return { released, file: stoppingOnFullDisk(room, reserve, ['disable']) }
}

const isFull = (error: unknown) => error instanceof StoreError && error.is_full

test('a method that withdraws authority can use the reserve of a full disk once', async (context) => {
  const { file, released } = aFullFile(context)
  assert.equal(await file.disable(), 1)
  await assert.rejects(file.disable(), isFull)
  assert.deepEqual(released, [true, false])
})

test('every other method fails on a full disk and leaves the reserve', async (context) => {
  const { file, released } = aFullFile(context)
  await assert.rejects(file.write(), isFull)
  assert.deepEqual(released, [])
})

test('a method without the reserve is refused as a full disk, not as an unavailable store', async (context) => {
  const { file } = aFullFile(context)
  const refusing = refusingWhenAway(file, () => {})
  await assert.rejects(refusing.write(), { name: 'AuthorityError', code: 'storage_full' })
})
