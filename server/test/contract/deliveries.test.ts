import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, type TestContext, test } from 'node:test'
import { temporaryDirectory } from '@deputize/testing/scope.ts'
import { TEST_VAULT_KEY } from '@deputize/testing/test-vault-key.ts'
import { postgresDeliveries } from '../../src/store/postgres/deliveries.ts'
import { sqliteDeliveries } from '../../src/store/sqlite/deliveries.ts'
import { aPool, aPostgres, look } from './a-postgres.ts'
import { deliveryContract, type OpenDeliveries } from './delivery-contract.ts'

const postgres = await aPostgres({ after })

/** One process and its file. */
function openSqlite(context: TestContext, file: string): OpenDeliveries {
  const store = sqliteDeliveries(file, TEST_VAULT_KEY)
  let close = () => store.close()
  context.after(() => close())
  return {
    here: store,
    there: store,
    async reopen() {
      await close()
      close = async () => {}
      return openSqlite(context, file)
    },
  }
}

/** Two nodes, each with its own connections. */
function openPostgres(context: TestContext, url: string): OpenDeliveries {
  const pools = [aPool(url), aPool(url)] as const
  let close = async () => {
    for (const pool of pools) await pool.end()
  }
  context.after(() => close())
  return {
    here: postgresDeliveries(pools[0], TEST_VAULT_KEY),
    there: postgresDeliveries(pools[1], TEST_VAULT_KEY),
    async reopen() {
      await close()
      close = async () => {}
      return openPostgres(context, url)
    },
  }
}

deliveryContract('SQLite', async (context) =>
  openSqlite(context, join(temporaryDirectory(context), 'deliveries.db')),
)
deliveryContract('PostgreSQL', async (context) => openPostgres(context, await postgres.database()))

test('a node takes over only when the lease of another expires or is released', async (context) => {
  const url = await postgres.database()
  const { here, there } = openPostgres(context, url)
  await here.begin([{ endpoint_id: 'whk_one', since: 0 }])
  assert.equal((await here.hold('first', 60_000)).length, 1)
  assert.deepEqual(await there.hold('second', 60_000), [])
  await look(url, 'UPDATE delivery_endpoints SET held_until_ms = held_until_ms - 60000')
  assert.equal((await there.hold('second', 60_000)).length, 1)
  const change = { endpoint_id: 'whk_one', revision: 0, next_index: 9, failing_since_ms: undefined, rows: [] }
  assert.deepEqual(await here.write('first', [change]), ['whk_one'])
  assert.deepEqual(await here.hold('first', 60_000), [])
  await there.release('second')
  assert.equal((await here.hold('first', 60_000)).length, 1)
})

test('the answer of a receiver is encrypted in the file, and readable only in its own row', async (context) => {
  const file = join(temporaryDirectory(context), 'deliveries.db')
  const store = sqliteDeliveries(file, TEST_VAULT_KEY)
  context.after(() => store.close())
  await store.begin([{ endpoint_id: 'whk_one', since: 0 }])
  await store.hold('node', 1_000)
  const row = {
    lane: 'a',
    state: 'delivered',
    attempts: 1,
    first_at_ms: 1,
    last_at_ms: 1,
    next_at_ms: 1,
    status: 200,
    error: undefined,
    took_ms: 1,
  } as const
  const rows = [
    { ...row, log_index: 1, answer: 'a private answer' },
    { ...row, log_index: 2, answer: 'another one' },
  ]
  await store.write('node', [
    { endpoint_id: 'whk_one', revision: 0, next_index: 3, failing_since_ms: undefined, rows },
  ])
  const db = new DatabaseSync(file)
  const stored = db.prepare('SELECT answer FROM deliveries ORDER BY log_index').all()
  assert.equal(
    stored.some(({ answer }) => Buffer.from(answer as Uint8Array).includes('private')),
    false,
  )
  db.exec(
    'UPDATE deliveries SET answer = (SELECT answer FROM deliveries WHERE log_index = 1) WHERE log_index = 2',
  )
  db.close()
  assert.equal((await store.find('whk_one', 1))?.answer, 'a private answer')
  assert.equal((await store.find('whk_one', 2))?.answer, undefined)
})

test('a file of another version is refused with instructions', async (context) => {
  const file = join(temporaryDirectory(context), 'deliveries.db')
  await sqliteDeliveries(file, TEST_VAULT_KEY).close()
  const db = new DatabaseSync(file)
  db.exec('PRAGMA user_version = 99')
  db.close()
  assert.throws(() => sqliteDeliveries(file, TEST_VAULT_KEY), /another version of Deputy.*you may delete it/)
})
