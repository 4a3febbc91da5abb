import { Reminder } from './reminder.ts'

interface FailureLogger {
  error(about: object, text: string): void
  warn(about: object, text: string): void
}

/**
 * Logs failed batches: at the first one, when the reason changes and once a minute, with their number. A line for each
 * would fill a disk that may already be full.
 */
export class BatchFailureLog {
  readonly #logger: FailureLogger
  readonly #clock: () => number
  readonly #reminder = new Reminder()
  #failed = 0

  constructor(logger: FailureLogger, clock: () => number = () => performance.now()) {
    this.#logger = logger
    this.#clock = clock
  }

  onFailure(cause: unknown): void {
    this.#failed += 1
    if (!this.#reminder.isDue(cause, this.#clock())) return
    this.#logger.error(
      { err: cause, failed_batches: this.#failed },
      'batch failed: its changes are not durable and were refused',
    )
  }

  /** Must be called when a batch succeeds and the store has no fault. */
  onSuccess(): void {
    if (this.#failed === 0) return
    this.#logger.warn({ failed_batches: this.#failed }, 'the store accepts changes again')
    this.#failed = 0
    this.#reminder.forget()
  }
}
