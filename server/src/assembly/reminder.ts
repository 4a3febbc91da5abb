const REMINDER_MS = 60_000
/** More are due like the first: reasons that differ each time, by a port or an ID, are not remembered without end. */
const MOST_REASONS = 16

/** Says when something that happens again and again is due in the log: once for each reason, and then once a minute. */
export class Reminder {
  readonly #remind_at_ms = new Map<string, number>()

  /** Whether it is due. The caller logs it then. */
  isDue(cause: unknown, now_ms: number): boolean {
    const reason = cause instanceof Error ? cause.message : String(cause)
    if (now_ms < (this.#remind_at_ms.get(reason) ?? 0)) return false
    if (this.#remind_at_ms.size >= MOST_REASONS) this.#remind_at_ms.clear()
    this.#remind_at_ms.set(reason, now_ms + REMINDER_MS)
    return true
  }

  /** What comes next is due at once. */
  forget(): void {
    this.#remind_at_ms.clear()
  }
}
