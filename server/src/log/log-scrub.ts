import { leafHash, TILE_WIDTH } from '@deputize/protocol'
import { isDamagedFile } from '../sqlite-code.ts'
import type { LogReader } from '../store/port/log-reader.ts'
import { subtreeRoot } from './tree.ts'

export interface LogScrubOptions {
  readonly reader: LogReader
  readonly clock: () => number
  /** Called once, for the first damaged part that is found. */
  onDamage(detail: string): void
}

/**
 * Reads the log back in small portions and compares it with its hashes, so that a disk that silently loses data is
 * noticed before a backup or an auditor needs the data. Never repairs anything.
 */
export class LogScrub {
  readonly #options: LogScrubOptions
  #next = 0
  #damage: string | undefined
  #finished_at_ms: number | undefined
  #isRunning = false

  constructor(options: LogScrubOptions) {
    this.#options = options
  }

  /** Returns the first damage that was found. It stays until the service starts on other data. */
  damage(): string | undefined {
    return this.#damage
  }

  /** Returns when the whole log was last found sound. */
  finishedAtMs(): number | undefined {
    return this.#finished_at_ms
  }

  /** Checks the next 256 entries. Starts over after the newest. If the store is away, a later call tries again. */
  async runOnce(): Promise<void> {
    if (this.#isRunning) return
    this.#isRunning = true
    try {
      const { size } = await this.#options.reader.head()
      const end = Math.min(this.#next + TILE_WIDTH, size)
      const fault = await this.#faultIn(this.#next, end)
      if (fault !== undefined) this.#report(fault)
      this.#next = end
      if (end < size) return
      this.#next = 0
      if (this.#damage === undefined) this.#finished_at_ms = this.#options.clock()
    } catch (error) {
      if (isDamagedFile(error))
        this.#report(`The log cannot be read from entry ${this.#next} on: ${error.message}.`)
    } finally {
      this.#isRunning = false
    }
  }

  #report(detail: string): void {
    if (this.#damage === undefined) this.#options.onDamage(detail)
    this.#damage ??= detail
  }

  async #faultIn(start: number, end: number): Promise<string | undefined> {
    const { reader } = this.#options
    const leaves = await reader.leaves(start, end)
    const hashes = await reader.leafHashes(start, end)
    if (leaves.length < end - start || hashes.length < end - start)
      return `Entries between ${start} and ${end} of the log are missing.`
    const wrong = leaves.findIndex((leaf, place) => !isEqual(leafHash(leaf), hashes[place]))
    if (wrong >= 0) return `Entry ${start + wrong} of the log doesn't match its hash.`
    if (end - start < TILE_WIDTH) return undefined
    const [root] = await reader.nodes(1, start / TILE_WIDTH, start / TILE_WIDTH + 1)
    if (!isEqual(subtreeRoot(Buffer.concat(hashes)), root))
      return `The tree of the log is damaged between entries ${start} and ${end}.`
    return undefined
  }
}

function isEqual(hash: Uint8Array, stored: Uint8Array | undefined): boolean {
  return stored !== undefined && Buffer.compare(hash, stored) === 0
}
