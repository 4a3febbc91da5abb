import type { DatabaseSync } from 'node:sqlite'

const REMEMBERED_ANSWERS = 2_000

/** A value that changes if the reader may see anything else that was acknowledged since. */
export type CommitVersion = () => unknown

/**
 * Caches reads until the version changes. The version is checked before each read, so an answer includes everything
 * acknowledged before the question.
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

/** Returns a function that returns whether the version has changed since its last call. */
export function commitWatch(version: CommitVersion): () => boolean {
  let seen: unknown
  return () => {
    const before = seen
    seen = version()
    return seen !== before
  }
}

/** Asks SQLite whether another connection has committed. This locks the file for a moment. */
export function fileVersion(db: DatabaseSync): CommitVersion {
  const version = db.prepare('PRAGMA data_version')
  return () => version.get()?.data_version
}
