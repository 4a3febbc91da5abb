import assert from 'node:assert/strict'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { manualClock } from '@deputize/testing/manual-clock.ts'
import { TEST_VAULT_KEY } from '@deputize/testing/test-vault-key.ts'
import type { Command } from '../../src/clerk/command.ts'
import { runBatch } from '../../src/clerk/run-batch.ts'
import { postgresWriteStore } from '../../src/store/postgres/write-store.ts'
import { bytes } from '../../src/store/values.ts'
import { aPostgres, look } from './a-postgres.ts'
import { erase, everyWord } from './store-contract.ts'

const postgres = await aPostgres({ after })

/** Whether a file of the server below a directory contains these bytes. */
function holds(below: string, wanted: Buffer): boolean {
  const directory = join(postgres.server.directory, below)
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .map((name) => join(directory, name))
    .some((file) => statSync(file).isFile() && readFileSync(file).includes(wanted))
}

test('the key of an erased person stays in the write-ahead log until its segments are removed', async (context) => {
  const url = await postgres.database()
  const server = postgres.server.url()
  // With wal_recycle, PostgreSQL would rename old segments and keep their content until they are used again.
  await look(server, 'ALTER SYSTEM SET wal_recycle = off')
  await look(server, 'SELECT pg_reload_conf()')
  // The whole test fits into one new segment.
  await look(server, 'SELECT pg_switch_wal()')
  const store = await postgresWriteStore({
    url,
    instance: 'test',
    vault_key: TEST_VAULT_KEY,
    clock: manualClock(),
    allow_unsafe: true,
    writer_id: 'test',
  })
  context.after(() => store.close())
  const run = (commands: Command[]) =>
    runBatch(store, commands, (cause) => {
      throw cause
    })
  await run(everyWord('a'))
  const [row] = await look(url, 'SELECT wrapped FROM data_keys')
  const wrapped = Buffer.from(bytes(row?.wrapped))

  await run([erase('sha256:someone')])
  await look(server, 'CHECKPOINT')
  assert.equal(holds('base', wrapped), false, 'the table has no copy')
  assert.equal(holds('pg_wal', wrapped), true, 'the write-ahead log has one')

  await look(server, 'SELECT pg_switch_wal()')
  await look(server, 'CHECKPOINT')
  assert.equal(holds('pg_wal', wrapped), false, 'a checkpoint after the switch removes it')
})
