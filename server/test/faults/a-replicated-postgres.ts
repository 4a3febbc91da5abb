import { execFileSync } from 'node:child_process'
import { chownSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { command } from '@deputize/testing/a-database.ts'
import { eventually } from '@deputize/testing/eventually.ts'
import { type Postgres, startPostgres } from '@deputize/testing/postgres.ts'
import type { TestScope } from '@deputize/testing/scope.ts'
import { openConnection } from '../../src/store/postgres/connect.ts'

const NAME = 'deputy_standby'
const PATIENCE_MS = 60_000
const SETTINGS = { synchronous_commit: 'remote_apply', wal_keep_size: '512MB', shared_buffers: '64MB' }

/** A real primary and a real standby that switch roles as in a failover. */
export interface ReplicatedPostgres {
  primary(): Postgres
  standby(): Postgres
  /** Starts a new standby of the primary. With `isSynchronous`, the primary acknowledges only what the standby has. */
  follow(isSynchronous: boolean): Promise<void>
  /** Stops replication to the standby. */
  deafen(): Promise<void>
  /** Kills the primary. */
  killPrimary(): Promise<void>
  /** Promotes the standby. */
  promote(): Promise<void>
}

export async function aReplicatedPostgres(scope: TestScope): Promise<ReplicatedPostgres> {
  const started: Postgres[] = []
  scope.after(async () => {
    for (const server of started) {
      await server.kill()
      rmSync(server.directory, { recursive: true, force: true })
    }
  })

  async function start(directory: string, settings: Record<string, string> = {}): Promise<Postgres> {
    const server = await startPostgres({ directory, settings: { ...SETTINGS, ...settings } })
    started.push(server)
    return server
  }

  let primary = await start(newDirectory())
  let standby: Postgres | undefined

  function theStandby(): Postgres {
    if (standby === undefined) throw new Error('there is no standby')
    return standby
  }

  return {
    primary: () => primary,
    standby: theStandby,
    async follow(isSynchronous) {
      const directory = newDirectory()
      await copyRunning(primary, directory)
      standby = await start(directory, {
        primary_conninfo: `host=127.0.0.1 port=${primary.port} user=deputy application_name=${NAME}`,
      })
      if (isSynchronous) await configure(primary, `SET synchronous_standby_names = '${NAME}'`)
      await until(async () => (await stateOf(primary)) === (isSynchronous ? 'sync' : 'async'))
    },
    async deafen() {
      const { directory } = theStandby()
      await theStandby().stop()
      standby = await start(directory, { primary_conninfo: '' })
    },
    killPrimary: () => primary.kill(),
    async promote() {
      const promoted = theStandby()
      await command(promoted.url(), 'SELECT pg_promote(true, 30)')
      await configure(promoted, 'RESET synchronous_standby_names') // or it would wait for its own standby
      primary = promoted
      standby = undefined
    },
  }
}

function newDirectory(): string {
  return mkdtempSync(join(tmpdir(), 'deputy-failover-'))
}

/** A base backup of a running server, from which a standby can start. */
async function copyRunning(server: Postgres, directory: string): Promise<void> {
  const client = await openConnection(server.url(), 'copy', () => {})
  try {
    await client.query(`SELECT pg_backup_start('standby', true)`)
    execFileSync('cp', ['-a', `${server.directory}/.`, directory])
    const { rows } = await client.query('SELECT labelfile FROM pg_backup_stop(false)')
    writeFor(server, join(directory, 'backup_label'), String(rows[0]?.labelfile))
  } finally {
    await client.end()
  }
  rmSync(join(directory, 'postmaster.pid'), { force: true })
  writeFor(server, join(directory, 'standby.signal'), '')
}

/** Writes a file that belongs to the user of the server. */
function writeFor(server: Postgres, path: string, text: string): void {
  writeFileSync(path, text, { mode: 0o600 })
  const { uid, gid } = statSync(join(server.directory, 'PG_VERSION'))
  chownSync(path, uid, gid)
}

async function configure(server: Postgres, change: string): Promise<void> {
  await command(server.url(), `ALTER SYSTEM ${change}`)
  await command(server.url(), 'SELECT pg_reload_conf()')
}

async function stateOf(server: Postgres): Promise<unknown> {
  const rows = await command(
    server.url(),
    `SELECT sync_state FROM pg_stat_replication WHERE application_name = '${NAME}' AND state = 'streaming'`,
  )
  return rows[0]?.sync_state
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  await eventually('the standby follows the primary', isSo, PATIENCE_MS)
}
