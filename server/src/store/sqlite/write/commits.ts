import type { DatabaseSync } from 'node:sqlite'
import { StoreError } from '../../port/store-error.ts'

/** How batches become durable. Between `begin` and `end` the connection reads and writes what one batch does. */
export interface Commits {
  begin(): void
  /** Makes the batch durable. What it returns, if anything, resolves once it is. Throws if nothing of it was written. */
  end(): Promise<void> | undefined
  /** Undoes what was done since `begin`. It reads nothing: the store may be unreadable. */
  abort(): void
  /** Whether batches were acknowledged that other connections do not see yet. */
  isHidden(): boolean
  /** Lets other connections see every batch that was acknowledged. */
  publish(): Promise<void> | undefined
  /** Resolves when the next batch may begin. Undefined if it may at once. */
  room(): Promise<void> | undefined
  /** Forgets every copy of what batches wrote. Call it when nothing is hidden and the store file holds everything. */
  clear(): void
  close(): void
}

/** One durable transaction for each batch. */
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
