import type { DatabaseSync } from 'node:sqlite'

const REMEMBERED_ANSWERS = 2_000

/**
 * Remembers what was read until another connection commits. SQLite tells whether one did, and a commit between that question
 * and the read only makes the answer newer, so no answer is older than the question.
 */
export function untilCommit<T>(db: DatabaseSync, read: (id: string) => T): (id: string) => T {
  const version = db.prepare('PRAGMA data_version')
  const known = new Map<string, T>()
  let seen: unknown
  return (id) => {
    const current = version.get()?.data_version
    if (current !== seen || known.size >= REMEMBERED_ANSWERS) known.clear()
    seen = current
    const answer = known.get(id) ?? read(id)
    if (answer !== undefined) known.set(id, answer)
    return answer
  }
}
