import type { DatabaseSync } from 'node:sqlite'

const REMEMBERED_ANSWERS = 2_000

/**
 * Remembers what was read until another connection commits. SQLite tells whether one did, and a commit between that question
 * and the read only makes the answer newer, so no answer is older than the question.
 */
export function untilCommit<T>(db: DatabaseSync, read: (id: string) => T): (id: string) => T {
  const isCommitted = commitWatch(db)
  const known = new Map<string, T>()
  return (id) => {
    if (isCommitted() || known.size >= REMEMBERED_ANSWERS) known.clear()
    const answer = known.get(id) ?? read(id)
    if (answer !== undefined) known.set(id, answer)
    return answer
  }
}

/** Tells whether another connection has committed since it was last asked. */
export function commitWatch(db: DatabaseSync): () => boolean {
  const version = db.prepare('PRAGMA data_version')
  let seen: unknown
  return () => {
    const before = seen
    seen = version.get()?.data_version
    return seen !== before
  }
}
