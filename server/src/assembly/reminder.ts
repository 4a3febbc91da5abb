const REMINDER_MS = 60_000

/** Says when something that happens again and again is due in the log: at first, for another reason, and once a minute. */
export class Reminder {
  #reason: string | undefined
  #remind_at_ms = 0

  /** Whether it is due. The caller logs it then. */
  isDue(cause: unknown, now_ms: number): boolean {
    const reason = cause instanceof Error ? cause.message : String(cause)
    if (reason === this.#reason && now_ms < this.#remind_at_ms) return false
    this.#reason = reason
    this.#remind_at_ms = now_ms + REMINDER_MS
    return true
  }

  /** What comes next is due at once. */
  forget(): void {
    this.#reason = undefined
  }
}
