/** A restore from a backup: log entries from `log_size` on differ from those before the restore. */
export interface LogRestore {
  readonly log_size: number
  /**
   * Distinguishes event numbers after the restore from those before. Random, because a restore forgets earlier marks.
   */
  readonly mark: number
}

/** No log has more entries. */
const ENTRIES = 10_000_000_000

/**
 * Event numbers, from which event IDs and cursors are made. A number is the log index, until the deployment is restored
 * from a backup. Then entries with the same index may differ from those read before, so all later numbers carry the
 * mark of that restore.
 */
export class EventNumbers {
  readonly #restores: readonly LogRestore[]

  /** `restores` are in log order. */
  constructor(restores: readonly LogRestore[] = []) {
    this.#restores = restores
  }

  of(log_index: number): number {
    return log_index < 0 ? log_index : this.#markAt(log_index) * ENTRIES + log_index
  }

  /** Undefined for the number of an event that a restore has replaced. */
  indexOf(number: number): number | undefined {
    if (this.#restores.length === 0) return number
    const log_index = number % ENTRIES
    return this.of(log_index) === number ? log_index : undefined
  }

  /** The number of the newest event that no restore has replaced since this number was issued. */
  lastCommon(number: number): number {
    const mark = Math.floor(number / ENTRIES)
    const known = mark === 0 ? 0 : this.#restores.findIndex((restore) => restore.mark === mark) + 1
    const replaced = this.#restores[known] ?? this.#restores[0] // an unknown mark: nothing after the first is certain
    return this.of((replaced?.log_size ?? 0) - 1)
  }

  #markAt(log_index: number): number {
    return this.#restores.findLast(({ log_size }) => log_size <= log_index)?.mark ?? 0
  }
}
