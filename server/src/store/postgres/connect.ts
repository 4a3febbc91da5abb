import { Client, type ClientConfig, Pool, types } from 'pg'
import { StoreError } from '../port.ts'
import type { Row } from '../values.ts'

const CONNECT_MS = 3_000
const STATEMENT_MS = 10_000
/** How much longer than the server's own limit, for a server that no longer answers at all. */
const ANSWER_MS = 2_000

/** Something that answers questions: a client or a pool. */
export interface Database {
  query(text: string, values?: unknown[]): Promise<{ readonly rows: Row[]; readonly rowCount: number | null }>
}

/** How every connection is made: bounded waiting everywhere, and integers of eight bytes as numbers. */
function settingsOf(url: string, name: string, statement_ms: number): ClientConfig {
  return {
    connectionString: url,
    application_name: `deputy ${name}`,
    connectionTimeoutMillis: CONNECT_MS,
    statement_timeout: statement_ms,
    lock_timeout: STATEMENT_MS,
    idle_in_transaction_session_timeout: statement_ms,
    query_timeout: statement_ms + ANSWER_MS,
    keepAlive: true,
    types: {
      // Keys, times and amounts are all safe integers; the driver would give them as texts.
      getTypeParser: (id, format) => (id === types.builtins.INT8 ? Number : types.getTypeParser(id, format)),
    },
  }
}

/** One connection of its own, for what must happen in one session. Errors between questions are the caller's to hear. */
export async function connect(
  url: string,
  name: string,
  onLost: (cause: Error) => void,
  statement_ms = STATEMENT_MS,
): Promise<Client> {
  const client = new Client(settingsOf(url, name, statement_ms))
  client.on('error', onLost)
  await client.connect()
  return client
}

/** Connections for reading, made as they are needed. Whoever waits too long for one is refused. */
export function connectionPool(url: string, name: string, most: number): Pool {
  return poolOf(url, name, most, async () => {})
}

/** As above, and every connection leads to the primary: a standby may not know yet what was acknowledged. */
export function primaryPool(url: string, name: string, most: number): Pool {
  return poolOf(url, name, most, assertPrimary)
}

function poolOf(url: string, name: string, most: number, admit: (database: Database) => Promise<void>): Pool {
  const pool = new Pool({
    ...settingsOf(url, name, STATEMENT_MS),
    max: most,
    idleTimeoutMillis: 30_000,
    async onConnect(client) {
      client.on('error', () => {}) // whoever asks next is told; nobody else has to end for it
      await admit(client)
    },
  })
  pool.on('error', () => {}) // an idle connection that was lost is replaced when one is needed
  return pool
}

/** After a failover an address may lead to a standby. */
async function assertPrimary(database: Database): Promise<void> {
  const { rows } = await database.query('SELECT pg_is_in_recovery() AS is_standby')
  if (rows[0]?.is_standby === false) return
  throw new StoreError('the database is a standby and may be behind', 'nothing_written', undefined)
}

/** The database cannot promise what we promise, or is not one that we know. The message says what to do. */
export class DatabaseRefused extends Error {
  override readonly name = 'DatabaseRefused'
}

const LEAST_VERSION = 150_000

/**
 * Refuses settings with which an acknowledged commit could be lost. Whoever wants them all the same, for a test that may
 * lose everything, says so.
 */
export async function assertDurable(database: Database, allowUnsafe: boolean): Promise<void> {
  const { rows } = await database.query(`
    SELECT current_setting('server_version_num')::int AS version, current_setting('fsync') AS fsync,
      current_setting('full_page_writes') AS full_page_writes,
      current_setting('synchronous_commit') AS synchronous_commit, pg_is_in_recovery() AS is_standby`)
  const [found = {}] = rows
  if (Number(found.version) < LEAST_VERSION) throw new DatabaseRefused('PostgreSQL 15 or newer is needed.')
  if (found.is_standby === true)
    throw new DatabaseRefused('DEPUTY_DATABASE_URL names a standby, which takes no writes. Name the primary.')
  const unsafe = [
    ['fsync', 'off'],
    ['full_page_writes', 'off'],
    ['synchronous_commit', 'off'],
  ].filter(([name = '', value]) => found[name] === value)
  if (unsafe.length === 0 || allowUnsafe) return
  throw new DatabaseRefused(
    `The database runs with ${unsafe.map((setting) => setting.join(' = ')).join(', ')}: what is acknowledged could be lost. Turn it on, or set DEPUTY_UNSAFE_DATABASE=I_MAY_LOSE_DATA for a database that may.`,
  )
}
