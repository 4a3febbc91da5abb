import type { DatabaseSync } from 'node:sqlite'
import { StoreError } from '../../port/store-error.ts'

/** How batches become durable. Between `begin` and `end`, the connection reads and writes for one batch. */
export interface Commits {
  begin(): void
  /**
   * Makes the batch durable. The promise, if any, resolves once it is. Throws a StoreError that says what was written.
   */
  end(): Promise<void> | undefined
  /** Undoes what was done since `begin`. Reads nothing, because the store may be unreadable. */
  abort(): void
  /** Whether there are acknowledged batches that other connections don't see yet. */
  isHidden(): boolean
  /** Lets other connections see every acknowledged batch. */
  publish(): Promise<void> | undefined
  /** Resolves when the next batch may begin. Undefined if it may at once. */
  room(): Promise<void> | undefined
  /** Forgets every copy of what batches wrote. Call it when nothing is hidden and the store's file holds everything. */
  clear(): void
  close(): void
}

/** Commits each batch in a durable transaction of its own. */
export function directCommits(db: DatabaseSync, forget: () => void): Commits {
  function abort(): void {
    if (db.isTransaction) db.exec('ROLLBACK')
    forget()
  }
  return {
    begin: () => beginWriting(db),
    end() {
      try {
        db.exec('COMMIT')
        return undefined
      } catch (cause) {
        abort()
        throw new StoreError('the commit failed', 'unknown', cause)
      }
    },
    abort,
    isHidden: () => false,
    publish: () => undefined,
    room: () => undefined,
    clear() {},
    close() {},
  }
}

export function beginWriting(db: DatabaseSync): void {
  try {
    db.exec('BEGIN IMMEDIATE')
  } catch (cause) {
    throw new StoreError('the store does not accept writes', 'nothing_written', cause)
  }
}
