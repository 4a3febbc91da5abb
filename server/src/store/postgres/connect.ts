import { Client, type ClientConfig, Pool, types } from 'pg'
import { ExpectedFailure } from '../../expected-failure.ts'
import { StoreError } from '../port/store-error.ts'
import type { Row } from '../values.ts'

const CONNECT_MS = 3_000
const STATEMENT_MS = 10_000
/** How much longer the client waits than the server's own limit, for a server that stopped responding. */
const ANSWER_MS = 2_000

/** A statement with its values. Each connection plans it once and then finds the plan by name. */
export interface NamedStatement {
  readonly name: string
  readonly text: string
  readonly values: unknown[]
}

/** A client or a pool. */
export interface Database {
  query(
    statement: string | NamedStatement,
    values?: unknown[],
  ): Promise<{ readonly rows: Row[]; readonly rowCount: number | null }>
}

const OURS = 'deputy '

/**
 * Prefix of the connection names of nodes that write, in every version. Since schema 16 the names end with the schema
 * that the node knows, as in ` s16`.
 */
export const WRITER = `${OURS}writer `

/** Settings of every connection: every wait is bounded, and 8-byte integers are read as numbers. */
function settingsOf(url: string, name: string, statement_ms: number): ClientConfig {
  return {
    connectionString: nameless(url),
    application_name: `${OURS}${name}`,
    connectionTimeoutMillis: CONNECT_MS,
    statement_timeout: statement_ms,
    lock_timeout: STATEMENT_MS,
    idle_in_transaction_session_timeout: statement_ms,
    query_timeout: statement_ms + ANSWER_MS,
    keepAlive: true,
    types: {
      getTypeParser: (id, format) =>
        id === types.builtins.INT8 ? safeNumber : types.getTypeParser(id, format),
    },
  }
}

/** Removes the connection name from an address: nodes recognize each other by the names that they choose. */
function nameless(url: string): string {
  const address = new URL(url)
  if (!address.searchParams.has('application_name')) return url
  address.searchParams.delete('application_name')
  return address.href
}

/**
 * Keys, times and amounts are safe integers, but the driver would return them as strings. A sum beyond the safe
 * integers is read as the largest one, so that its row can still be read and written back.
 */
function safeNumber(text: string): number {
  return Math.min(Number(text), Number.MAX_SAFE_INTEGER)
}

/**
 * Rows are looked up by their keys, and a cached plan must keep doing so once a table that was nearly empty has grown.
 * Up to PostgreSQL 17, a scan without an alternative then has so high a cost, even on a table with one row, that the
 * server would compile the statement on every run.
 */
export const BY_KEYS = 'SET enable_seqscan = off; SET jit = off'

/** Opens a single connection, for work that needs one session. `onLost` gets errors between queries. */
export async function openConnection(
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

/** Opens a pool of connections for reading. A caller that waits too long for one gets an error. */
export function connectionPool(url: string, name: string, most: number): Pool {
  return poolOf(url, name, most, async () => {})
}

/** Opens a pool whose connections all lead to the primary, because a standby may lack acknowledged changes. */
export function primaryPool(url: string, name: string, most: number): Pool {
  return poolOf(url, name, most, assertPrimary)
}

function poolOf(url: string, name: string, most: number, admit: (database: Database) => Promise<void>): Pool {
  const pool = new Pool({
    ...settingsOf(url, name, STATEMENT_MS),
    max: most,
    idleTimeoutMillis: 30_000,
    async onConnect(client) {
      client.on('error', () => {}) // the next query reports it
      await admit(client)
      await client.query(BY_KEYS)
    },
  })
  pool.on('error', () => {}) // the pool replaces a lost idle connection on demand
  return pool
}

/** After a failover, the address may lead to a standby. */
async function assertPrimary(database: Database): Promise<void> {
  const { rows } = await database.query('SELECT pg_is_in_recovery() AS is_standby')
  if (rows[0]?.is_standby === false) return
  throw new StoreError('the database is a standby and may be behind', 'nothing_written', undefined)
}

/** The database can't keep Deputy's promises, or belongs to another deployment. The message says what to do. */
export class DatabaseRefused extends ExpectedFailure {
  override readonly name = 'DatabaseRefused'
}

/** The database can't be used now. It may come back by itself, so it is worth trying to start again. */
export class DatabaseAway extends DatabaseRefused {
  readonly is_temporary = true
}

const LEAST_VERSION = 150_000

/**
 * Throws if an acknowledged commit could be lost with the database's settings. `allowUnsafe` accepts that, for tests.
 */
export async function assertDurable(database: Database, allowUnsafe: boolean): Promise<void> {
  const { rows } = await database.query(`
    SELECT current_setting('server_version_num')::int AS version, current_setting('fsync') AS fsync,
      current_setting('full_page_writes') AS full_page_writes,
      current_setting('synchronous_commit') AS synchronous_commit, pg_is_in_recovery() AS is_standby`)
  const [found = {}] = rows
  if (Number(found.version) < LEAST_VERSION) throw new DatabaseRefused('Deputy needs PostgreSQL 15 or newer.')
  if (found.is_standby === true)
    throw new DatabaseAway(
      'DEPUTY_DATABASE_URL leads to a standby, which does not accept writes. Use the address of the primary.',
    )
  const unsafe = [
    ['fsync', 'off'],
    ['full_page_writes', 'off'],
    ['synchronous_commit', 'off'],
  ].filter(([name = '', value]) => found[name] === value)
  if (unsafe.length === 0 || allowUnsafe) return
  throw new DatabaseRefused(
    `The database runs with ${unsafe.map((setting) => setting.join(' = ')).join(', ')}: acknowledged changes could be lost. Turn it on, or set DEPUTY_UNSAFE_DATABASE=I_MAY_LOSE_DATA to accept that.`,
  )
}
