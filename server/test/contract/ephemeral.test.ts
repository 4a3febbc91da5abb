import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, type TestContext, test } from 'node:test'
import { type ManualClock, manualClock } from '@deputize/testing/manual-clock.ts'
import { startPostgres } from '@deputize/testing/postgres.ts'
import { temporaryDirectory } from '@deputize/testing/scope.ts'
import { TEST_VAULT_KEY } from '@deputize/testing/test-vault-key.ts'
import type { EphemeralStore } from '../../src/store/ephemeral.ts'
import { openConnection } from '../../src/store/postgres/connect.ts'
import { postgresEphemeral } from '../../src/store/postgres/ephemeral.ts'
import { migrate } from '../../src/store/postgres/migrate.ts'
import { sealedEphemeral } from '../../src/store/sealed-ephemeral.ts'
import { sqliteEphemeral } from '../../src/store/sqlite/ephemeral.ts'
import { aPool, aPostgres } from './a-postgres.ts'
import { entry, ephemeralContract, type OpenEphemeral } from './ephemeral-contract.ts'

const postgres = await aPostgres({ after })

/** Sealed, as in every deployment. */
function sealed(ephemeral: EphemeralStore): EphemeralStore {
  return sealedEphemeral(ephemeral, TEST_VAULT_KEY, assert.fail)
}

/** One process and its file. */
function openSqlite(context: TestContext, file: string, clock: ManualClock): OpenEphemeral {
  const ephemeral = sealed(sqliteEphemeral(file, clock))
  let close = () => ephemeral.close()
  context.after(() => close())
  return {
    here: ephemeral,
    there: ephemeral,
    clock,
    async reopen() {
      await close()
      close = async () => {}
      return openSqlite(context, file, clock)
    },
  }
}

/** Two nodes, each with its own connections. */
function openPostgres(context: TestContext, url: string, clock: ManualClock): OpenEphemeral {
  const pools = [aPool(url), aPool(url)] as const
  let close = async () => {
    for (const pool of pools) await pool.end()
  }
  context.after(() => close())
  return {
    here: sealed(postgresEphemeral(pools[0], clock)),
    there: sealed(postgresEphemeral(pools[1], clock)),
    clock,
    async reopen() {
      await close()
      close = async () => {}
      return openPostgres(context, url, clock)
    },
  }
}

ephemeralContract('SQLite', async (context) =>
  openSqlite(context, join(temporaryDirectory(context), 'ephemeral.db'), manualClock()),
)
ephemeralContract('PostgreSQL', async (context) =>
  openPostgres(context, await postgres.database(), manualClock()),
)

const EPHEMERAL = new URL('../../src/store/sqlite/ephemeral.ts', import.meta.url)

test('a taken entry does not return after the process is killed', async (context) => {
  const file = join(temporaryDirectory(context), 'ephemeral.db')
  const script = `
    const { sqliteEphemeral } = await import(${JSON.stringify(EPHEMERAL)})
    const ephemeral = sqliteEphemeral(${JSON.stringify(file)}, Date.now)
    const one = (key) => ({ key, value: '{}', owner: 'human_a', expires_at_ms: Date.now() + 3600000 })
    await ephemeral.add('session', one('kept'))
    for (const key of ['a', 'b', 'c']) await ephemeral.add('challenge', one(key))
    await ephemeral.take('challenge', 'a')
    await ephemeral.endOwner('all', 'human_a', 'kept')
    await ephemeral.add('session', one('newest'))
    console.log('done')
    setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script])
  const exited = once(child, 'exit')
  const [printed] = await Promise.race([once(child.stdout, 'data'), exited])
  assert.equal(String(printed), 'done\n')
  child.kill('SIGKILL')
  await exited
  const here = sqliteEphemeral(file, Date.now)
  context.after(() => here.close())
  const kept = await here.ofOwner('session', 'human_a')
  assert.deepEqual(
    kept.map(({ key }) => key),
    ['newest', 'kept'],
  )
  assert.deepEqual(await here.ofOwner('challenge', 'human_a'), [])
})

test('a taken entry does not return after the database is killed', async (context) => {
  const directory = temporaryDirectory(context)
  chmodSync(directory, 0o755) // the server runs as another user if the test runs as root
  // PostgreSQL flushes nothing on its own during this test.
  const options = { directory: join(directory, 'postgres'), settings: { wal_writer_delay: '10s' } }
  const first = await startPostgres(options)
  context.after(() => first.kill())
  const client = await openConnection(first.url(), 'test', () => {})
  await migrate(client)
  const clock = manualClock()
  const before = aPool(first.url())
  const ephemeral = sealed(postgresEphemeral(before, clock))
  for (const key of ['taken', 'ended', 'kept'])
    await ephemeral.add('session', entry(clock, key, { owner: `human_${key}` }))
  await client.query('CHECKPOINT')
  await ephemeral.take('session', 'taken')
  await ephemeral.endOwner('all', 'human_ended')
  await first.kill()
  await before.end()
  const second = await startPostgres({ ...options, port: first.port })
  context.after(() => second.stop())
  const { here } = openPostgres(context, second.url(), clock)
  assert.equal(await here.get('session', 'taken'), undefined)
  assert.equal(await here.get('session', 'ended'), undefined)
  assert.equal((await here.get('session', 'kept'))?.owner, 'human_kept')
})

test('a file of another version is refused with instructions', async (context) => {
  const file = join(temporaryDirectory(context), 'ephemeral.db')
  await sqliteEphemeral(file, Date.now).close()
  const db = new DatabaseSync(file)
  db.exec('PRAGMA user_version = 99')
  db.close()
  assert.throws(
    () => sqliteEphemeral(file, Date.now),
    /written by another version of Deputy.*you may delete it/,
  )
})
