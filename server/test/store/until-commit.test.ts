import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { temporaryDirectory } from '@deputize/testing/scope.ts'
import { fileVersion, untilCommit } from '../../src/store/sqlite/read/until-commit.ts'

test('an answer is cached until another connection commits, and no longer', (context) => {
  const file = join(temporaryDirectory(context), 'answers.db')
  const writer = new DatabaseSync(file)
  writer.exec('PRAGMA journal_mode = WAL; CREATE TABLE answers (id TEXT, value INTEGER)')
  writer.exec(`INSERT INTO answers VALUES ('a', 1)`)
  const reader = new DatabaseSync(file, { readOnly: true })
  const find = reader.prepare('SELECT value FROM answers WHERE id = ?')
  let reads = 0
  const read = untilCommit(fileVersion(reader), (id) => {
    reads += 1
    return find.get(id)?.value
  })
  assert.deepEqual([read('a'), read('a'), read('b'), reads], [1, 1, undefined, 2])
  writer.exec(`BEGIN; UPDATE answers SET value = 2; INSERT INTO answers VALUES ('b', 3)`)
  assert.deepEqual([read('a'), reads], [1, 2], 'what is not committed is not seen')
  writer.exec('COMMIT')
  assert.deepEqual([read('a'), read('b'), read('b'), reads], [2, 3, 3, 4])
  reader.close()
  writer.close()
})
