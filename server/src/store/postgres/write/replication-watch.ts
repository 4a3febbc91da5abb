import type { Client } from 'pg'

/** The SQLSTATE classes of warnings and of an operator ending connections. Text and severity depend on the language. */
const TELLING_CODE = /^(01|57)/

/**
 * Tracks whether a connection's newest commit has reached the synchronous standbys, if there are any.
 *
 * PostgreSQL commits on the primary first and then waits for the standby. If an operator cancels that wait, the commit
 * succeeds with a warning; if the connection ends, nothing shows how far the commit got. Both leave a commit that
 * everyone can read and that a promoted standby may lack.
 */
export class ReplicationWatch {
  #isConfirmed = false
  #hasWarning = false

  get isConfirmed(): boolean {
    return this.#isConfirmed
  }

  /** Follows a new connection, about which nothing is known yet. */
  follow(database: Client): void {
    this.#isConfirmed = false
    this.#hasWarning = false
    database.on('notice', ({ code = '' }) => {
      if (TELLING_CODE.test(code)) this.#hasWarning = true
    })
  }

  /**
   * Call before each commit: an earlier statement's warning says nothing about it, and a commit has no other warnings.
   */
  beforeCommit(): void {
    this.#hasWarning = false
  }

  /** Call after each commit: without a warning, it has also waited for everything before it. */
  onCommit(): void {
    this.#isConfirmed = !this.#hasWarning
  }

  /** Requires a commit before the next answer. */
  doubt(): void {
    this.#isConfirmed = false
  }
}
