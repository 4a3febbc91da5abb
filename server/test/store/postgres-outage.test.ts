import assert from 'node:assert/strict'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { eventually } from '@deputize/testing/eventually.ts'
import { startPostgres } from '@deputize/testing/postgres.ts'
import { temporaryDirectory } from '@deputize/testing/scope.ts'
import { TEST_VAULT_KEY } from '@deputize/testing/test-vault-key.ts'
import { StoreError } from '../../src/store/port/store-error.ts'
import { refusingWhenAway } from '../../src/store/postgres/availability.ts'
import { openConnection } from '../../src/store/postgres/connect.ts'
import { migrate } from '../../src/store/postgres/migrate.ts'
import { postgresReadStore } from '../../src/store/postgres/read/read-store.ts'
import { readingFrom } from '../../src/store/postgres/read/reading.ts'
import { reserveStatusPlaces } from '../../src/store/postgres/status-places.ts'
import { aPool, aPostgres, READ_CONNECTIONS } from '../contract/a-postgres.ts'

const postgres = await aPostgres({ after })
const unavailable = (error: unknown) => error instanceof StoreError && error.outcome === 'nothing_written'

describe('the store on PostgreSQL', () => {
  test('refuses reads while the server is down, and recovers when it is back', async (context) => {
    const directory = temporaryDirectory(context)
    chmodSync(directory, 0o755)
    const first = await startPostgres({ directory: join(directory, 'postgres') })
    context.after(() => first.kill())
    const client = await openConnection(first.url(), 'test', () => {})
    await migrate(client)
    const reader = postgresReadStore(aPool(first.url()), TEST_VAULT_KEY)
    context.after(() => reader.close())
    assert.equal(await reader.record('aar_x'), undefined)

    await first.kill()
    // The last processes of the server end a little later.
    const isRefused = () =>
      reader.record('aar_x').then(
        () => false,
        (error) => unavailable(error),
      )
    await eventually('reads are refused', isRefused)
    await assert.rejects(reader.workflows.graph('prov_x', 1, { records_from: 0 }), unavailable)

    const second = await startPostgres({ directory: join(directory, 'postgres'), port: first.port })
    context.after(() => second.kill())
    assert.equal(await reader.record('aar_x'), undefined)
  })

  test('refuses reads, but not as a bug, while its user is rejected', async (context) => {
    const url = new URL(await postgres.database())
    url.username = 'nobody_knows'
    const causes: unknown[] = []
    const store = postgresReadStore(aPool(url.href), TEST_VAULT_KEY)
    context.after(() => store.close())
    const reader = refusingWhenAway(store, (cause) => causes.push(cause))
    await assert.rejects(reader.record('aar_x'), { name: 'AuthorityError', code: 'storage_unavailable' })
    const refusal = new StoreError('the store could not be written', 'nothing_written', causes[0])
    assert.match(refusal.detail ?? '', /rejects the user, the password .* Nothing was acknowledged/)
  })

  test('survives a connection lost during a snapshot', async (context) => {
    const pool = aPool(await postgres.database())
    context.after(() => pool.end())
    const reading = readingFrom(pool)
    const cut = reading.atOneMoment(async (database) => {
      const { rows } = await database.query('SELECT pg_backend_pid() AS pid')
      await reading.query('SELECT pg_terminate_backend($1)', [rows[0]?.pid])
      for (;;) await database.query('SELECT 1') // until the end of the connection has arrived
    })
    await assert.rejects(cut, unavailable)
    assert.equal((await reading.query('SELECT 1 AS one')).rows[0]?.one, 1)
  })

  test('reads from one snapshot during concurrent writes', async (context) => {
    const pool = aPool(await postgres.database())
    context.after(() => pool.end())
    const reading = readingFrom(pool)
    const next = (rows: readonly { readonly next?: unknown }[]) => rows[0]?.next
    await reading.atOneMoment(async (database) => {
      assert.equal(next((await database.query('SELECT next FROM status_places')).rows), 0)
      await reserveStatusPlaces(reading, 5)
      assert.equal(next((await database.query('SELECT next FROM status_places')).rows), 0)
    })
    assert.equal(next((await reading.query('SELECT next FROM status_places')).rows), 5)
  })

  test('limits the wait for a connection when all are busy', async (context) => {
    const pool = aPool(await postgres.database())
    const reading = readingFrom(pool)
    const held = await Promise.all(Array.from({ length: READ_CONNECTIONS }, () => pool.connect()))
    context.after(() => pool.end())
    await assert.rejects(reading.query('SELECT 1'), unavailable)
    for (const client of held) client.release()
    assert.equal((await reading.query('SELECT 1 AS one')).rows[0]?.one, 1)
  })

  test('distinguishes an invalid query from an unreachable database', async (context) => {
    const pool = aPool(await postgres.database())
    context.after(() => pool.end())
    await assert.rejects(readingFrom(pool).query('SELECT nothing'), (error) => !unavailable(error))
  })

  test('refuses to read from a standby', async (context) => {
    const directory = temporaryDirectory(context)
    chmodSync(directory, 0o755)
    const data = join(directory, 'postgres')
    const primary = await startPostgres({ directory: data })
    await primary.stop()
    writeFileSync(join(data, 'standby.signal'), '')
    const standby = await startPostgres({ directory: data })
    context.after(() => standby.kill())
    const pool = aPool(standby.url())
    context.after(() => pool.end())
    await assert.rejects(readingFrom(pool).query('SELECT 1'), unavailable)
  })
})

describe('places in the status list', () => {
  test('are never assigned twice under concurrency', async (context) => {
    const pool = aPool(await postgres.database())
    context.after(() => pool.end())
    const counts = Array.from({ length: 200 }, (_, index) => 1 + (index % 7))
    const blocks = await Promise.all(
      counts.map(async (count) => ({ count, first: await reserveStatusPlaces(readingFrom(pool), count) })),
    )
    const places = blocks.flatMap(({ first, count }) =>
      Array.from({ length: count }, (_, index) => first + index),
    )
    assert.equal(new Set(places).size, places.length)
    assert.equal(Math.min(...places), 0)
    assert.equal(Math.max(...places), places.length - 1)
  })
})
