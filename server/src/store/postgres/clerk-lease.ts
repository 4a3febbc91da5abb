import type { Client } from 'pg'
import { integer, type Row, text } from '../values.ts'
import { openConnection } from './connect.ts'

/** How long the lease lasts after each renewal, by the clock of the database. */
const LEASE_MS = 1_500
/** How often nodes check the lease. If its holder stops renewing it, another node takes it within two seconds. */
export const LOOK_EVERY_MS = 400
const STATEMENT_MS = 1_000

/** The node that writes for all nodes, and where the others reach it. */
export interface LeaseHolder {
  readonly holder: string
  readonly host: string
  readonly port: number
  readonly version: string
}

const NOW_MS = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint'
const LOOK = `SELECT *, expires_at_ms <= ${NOW_MS} AS is_over FROM clerk_lease`
const RENEW = `UPDATE clerk_lease SET expires_at_ms = ${NOW_MS} + ${LEASE_MS} WHERE holder = $1`
const RELEASE = 'UPDATE clerk_lease SET expires_at_ms = 0 WHERE holder = $1'
/** If several nodes try, the first wins: the others find a lease that has not expired. */
const TAKE = `
  INSERT INTO clerk_lease (single, epoch, holder, host, port, version, expires_at_ms)
  VALUES (1, 1, $1, $2, $3, $4, ${NOW_MS} + ${LEASE_MS})
  ON CONFLICT (single) DO UPDATE SET epoch = clerk_lease.epoch + 1, holder = excluded.holder, host = excluded.host,
    port = excluded.port, version = excluded.version, expires_at_ms = excluded.expires_at_ms
  WHERE clerk_lease.expires_at_ms <= ${NOW_MS}
  RETURNING *`

/** The lease of the node that writes for all. It has its own connection, so that a busy pool never costs the lease. */
export class ClerkLease {
  readonly #url: string
  readonly #self: LeaseHolder
  #client: Client | undefined

  constructor(url: string, self: LeaseHolder) {
    this.#url = url
    this.#self = self
  }

  /**
   * Renews the lease if this node holds it, or takes it if free. Returns the holder. Rejects if the database is away.
   */
  async look(): Promise<LeaseHolder | undefined> {
    const { holder, host, port, version } = this.#self
    try {
      const database = await this.#connected()
      const { rows } = await database.query<Row>(LOOK)
      const [found] = rows
      if (found !== undefined && found.is_over !== true) {
        if (found.holder === holder) await database.query(RENEW, [holder])
        return holderOf(found)
      }
      const taken = await database.query<Row>(TAKE, [holder, host, port, version])
      return taken.rows[0] === undefined ? undefined : holderOf(taken.rows[0])
    } catch (error) {
      this.#forget()
      throw error
    }
  }

  /** Ends this node's lease, so that the next node doesn't have to wait. */
  async close(): Promise<void> {
    try {
      await this.#client?.query(RELEASE, [this.#self.holder])
    } catch {
      // The database is away, and the lease expires by itself.
    }
    this.#forget()
  }

  async #connected(): Promise<Client> {
    if (this.#client !== undefined) return this.#client
    const fresh = await openConnection(this.#url, 'lease', () => this.#forget(), STATEMENT_MS)
    // A lease that a crash of the database undoes has expired anyway.
    await fresh.query('SET synchronous_commit = off')
    this.#client = fresh
    return fresh
  }

  #forget(): void {
    const lost = this.#client
    this.#client = undefined
    lost?.end().catch(() => {})
  }
}

function holderOf(row: Row): LeaseHolder {
  return {
    holder: text(row.holder),
    host: text(row.host),
    port: integer(row.port),
    version: text(row.version),
  }
}
