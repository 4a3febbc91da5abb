import { statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** Every check costs a few system calls, and what is written between two checks is lost like everything before it. */
const LOOK_EVERY_MS = 250
const OWN_FILES = ['', '-wal', '.journal-0', '.journal-1'] as const

/**
 * Notices if files of an open store were removed or replaced. The process would continue with the files that it has
 * open, and everything that it acknowledges would be lost with them. Without its lock, a second process could use the
 * store.
 */
export class FilesInPlace {
  readonly #opened: ReadonlyMap<string, string>
  #looked_at_ms = Number.NEGATIVE_INFINITY
  #displaced: string | undefined

  /** Watches the files that exist now. */
  constructor(file: string) {
    const files = [...OWN_FILES.map((suffix) => `${file}${suffix}`), join(dirname(file), 'deputy.lock')]
    this.#opened = new Map(
      files.flatMap((name) => {
        const identity = identityOf(name)
        return identity === undefined ? [] : [[name, identity]]
      }),
    )
  }

  /**
   * Returns the name of a file that is no longer the opened one. Undefined while all are, even if they were moved back.
   */
  displaced(): string | undefined {
    const now_ms = performance.now()
    if (now_ms - this.#looked_at_ms < LOOK_EVERY_MS) return this.#displaced
    this.#looked_at_ms = now_ms
    const [found] = [...this.#opened].find(([name, identity]) => identityOf(name) !== identity) ?? []
    this.#displaced = found === undefined ? undefined : basename(found)
    return this.#displaced
  }
}

/** Identifies a file as SQLite does. Undefined if there is none. */
function identityOf(name: string): string | undefined {
  const found = statSync(name, { bigint: true, throwIfNoEntry: false })
  return found === undefined ? undefined : `${found.dev}:${found.ino}`
}
