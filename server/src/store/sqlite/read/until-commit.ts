import type { DatabaseSync } from 'node:sqlite'

const REMEMBERED_ANSWERS = 2_000

/** A value that differs from the one before if the reader may see anything more that was acknowledged since. */
export type CommitVersion = () => unknown

/**
 * Remembers what was read until the version changes. The version is asked before each read, so no answer is older than
 * everything acknowledged before the question.
 */
export function untilCommit<T>(version: CommitVersion, read: (id: string) => T): (id: string) => T {
  const isCommitted = commitWatch(version)
  const known = new Map<string, T>()
  return (id) => {
    if (isCommitted() || known.size >= REMEMBERED_ANSWERS) known.clear()
    const answer = known.get(id) ?? read(id)
    if (answer !== undefined) known.set(id, answer)
    return answer
  }
}

/** Tells whether the version has changed since it was last asked for. */
export function commitWatch(version: CommitVersion): () => boolean {
  let seen: unknown
  return () => {
    const before = seen
    seen = version()
    return seen !== before
  }
}

/** Has SQLite say whether another connection has committed. This takes a lock on the file for a moment. */
export function fileVersion(db: DatabaseSync): CommitVersion {
  const version = db.prepare('PRAGMA data_version')
  return () => version.get()?.data_version
}
