import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { filesBelow } from '@deputize/testing/files-below.ts'
import { manualClock } from '@deputize/testing/manual-clock.ts'
import type { TestScope } from '@deputize/testing/scope.ts'
import { TEST_VAULT_KEY } from '@deputize/testing/test-vault-key.ts'
import type { Command, RegisterCommand } from '../../src/clerk/command.ts'
import { runBatch } from '../../src/clerk/run-batch.ts'
import { openConnection } from '../../src/store/postgres/connect.ts'
import { postgresWriteStore } from '../../src/store/postgres/write/write-store.ts'
import { bytes } from '../../src/store/values.ts'
import { aPostgres, look } from './a-postgres.ts'
import { erase, everyWord } from './store-contract.ts'

const postgres = await aPostgres({ after })

/** True if a file of the server below this directory contains these bytes. */
function holds(below: string, wanted: Buffer): boolean {
  return filesBelow(join(postgres.server.directory, below)).some(({ bytes }) => bytes.includes(wanted))
}

async function aStore(scope: TestScope, url: string) {
  const store = await postgresWriteStore({
    url,
    instance: 'test',
    vault_key: TEST_VAULT_KEY,
    clock: manualClock(),
    allow_unsafe: true,
    writer_id: 'test',
  })
  scope.after(() => store.close())
  return (commands: Command[]) =>
    runBatch(store, commands, (cause) => {
      throw cause
    })
}

test('the key of an erased person stays in the write-ahead log until its segments are removed', async (context) => {
  const url = await postgres.database()
  const server = postgres.server.url()
  // With wal_recycle, PostgreSQL would rename old segments and keep their content until they are used again.
  await look(server, 'ALTER SYSTEM SET wal_recycle = off')
  await look(server, 'SELECT pg_reload_conf()')
  // The whole test fits into one new segment.
  await look(server, 'SELECT pg_switch_wal()')
  const run = await aStore(context, url)
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

test('a template is deleted while others read the registry, and its key goes with its person', async (context) => {
  const url = await postgres.database()
  const run = await aStore(context, url)
  const template: RegisterCommand = {
    kind: 'register',
    entry_kind: 'biometric',
    id: 'bio_1',
    tenant_id: 'default',
    owner: 'sha256:someone',
    document: JSON.stringify({ face: randomBytes(3000).toString('base64') }), // too long for one page
    expects: 'any',
  }
  await run([template])
  const sealed = `SELECT document FROM registry WHERE kind = 'biometric'`
  const [before] = await look(url, sealed)
  assert.ok(bytes(before?.document).length > 3000)
  const [row] = await look(url, 'SELECT wrapped FROM data_keys')

  // A lock that a rewrite of the table would wait for.
  const reader = await openConnection(url, 'test', () => {})
  context.after(() => reader.end())
  await reader.query('BEGIN')
  await reader.query('SELECT count(*) FROM registry')
  const [reply] = (await run([{ ...template, document: undefined }])).replies
  assert.ok(reply !== undefined && 'outcome' in reply, JSON.stringify(reply))
  await reader.query('COMMIT')
  assert.equal((await look(url, sealed))[0]?.document, null)

  await run([erase('sha256:someone')])
  await look(postgres.server.url(), 'CHECKPOINT')
  assert.equal(holds('base', Buffer.from(bytes(row?.wrapped))), false)
})
