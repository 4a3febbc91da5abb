const REMINDER_MS = 60_000
/** Beyond this number all are forgotten: reasons may differ each time, by a port or an ID, and must not accumulate. */
const MOST_REASONS = 16

/** Decides when a recurring failure is due in the log: once for each reason, and then once a minute. */
export class Reminder {
  readonly #remind_at_ms = new Map<string, number>()

  /** Whether it is due. If so, the caller logs it. */
  isDue(cause: unknown, now_ms: number): boolean {
    const reason = cause instanceof Error ? cause.message : String(cause)
    if (now_ms < (this.#remind_at_ms.get(reason) ?? 0)) return false
    if (this.#remind_at_ms.size >= MOST_REASONS) this.#remind_at_ms.clear()
    this.#remind_at_ms.set(reason, now_ms + REMINDER_MS)
    return true
  }

  /** Makes the next failure due at once. */
  forget(): void {
    this.#remind_at_ms.clear()
  }
}
