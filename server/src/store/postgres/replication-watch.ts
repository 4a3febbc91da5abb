import type { Client } from 'pg'

const MERE_NOTICE = '00000'

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

  /** Of a new connection nothing is known. */
  follow(database: Client): void {
    this.#isConfirmed = false
    this.#hasWarning = false
    // Text and severity depend on the language of the server. Commits have no other warnings.
    database.on('notice', ({ code }) => {
      if (code !== MERE_NOTICE) this.#hasWarning = true
    })
  }

  /** Call after each commit: without a warning, it has waited for everything before it, too. */
  onCommit(): void {
    this.#isConfirmed = !this.#hasWarning
    this.#hasWarning = false
  }

  /** The next answer needs a commit first. */
  doubt(): void {
    this.#isConfirmed = false
  }
}
