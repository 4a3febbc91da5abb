import type { Client } from 'pg'

/** The class of warnings, and the one of an operator who ends connections. Text and severity depend on the language of the server. */
const TELLING_CODE = /^(01|57)/

/**
 * Knows whether the newest commit of a connection has reached the synchronous standbys, as far as there are any.
 *
 * PostgreSQL commits on the primary first and then waits for the standby. If an operator cancels that wait, the commit
 * succeeds with a warning; if the connection ends, nothing says how far it came. Both leave a commit that everybody can
 * read and that a promoted standby may lack.
 */
export class ReplicationWatch {
  #isConfirmed = false
  #hasWarning = false

  get isConfirmed(): boolean {
    return this.#isConfirmed
  }

  /** Follows a new connection, of which nothing is known yet. */
  follow(database: Client): void {
    this.#isConfirmed = false
    this.#hasWarning = false
    database.on('notice', ({ code = '' }) => {
      if (TELLING_CODE.test(code)) this.#hasWarning = true
    })
  }

  /** Call before each commit: a warning of an earlier statement says nothing about it, and a commit has no other warnings. */
  beforeCommit(): void {
    this.#hasWarning = false
  }

  /** Call after each commit: without a warning, it has waited for everything before it, too. */
  onCommit(): void {
    this.#isConfirmed = !this.#hasWarning
  }

  /** The next answer needs a commit first. */
  doubt(): void {
    this.#isConfirmed = false
  }
}
