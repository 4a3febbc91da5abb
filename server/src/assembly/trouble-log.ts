import { AuthorityError } from '@deputize/protocol'
import { Reminder } from './reminder.ts'

/**
 * Logs what a node couldn't do. Most of it is retried every second: while the same thing fails for the same reason,
 * there is one line a minute, with the number of failures since the previous line.
 */
export class TroubleLog {
  readonly #write: (about: object, text: string) => void
  readonly #clock: () => number
  /** By what failed. The number of kinds is fixed. */
  readonly #repeated = new Map<string, { readonly reminder: Reminder; failed: number }>()

  constructor(write: (about: object, text: string) => void, clock: () => number = () => performance.now()) {
    this.#write = write
    this.#clock = clock
  }

  readonly onTrouble = (cause: unknown, what: string): void => {
    const repeated = this.#repeated.get(what) ?? { reminder: new Reminder(), failed: 0 }
    this.#repeated.set(what, repeated)
    repeated.failed += 1
    const err = forOperators(cause)
    if (!repeated.reminder.isDue(err, this.#clock())) return
    this.#write({ err, failed: repeated.failed }, what)
    repeated.failed = 0
  }
}

/** Returns the cause of a refusal. The refusal tells callers that they may retry; its cause tells operators more. */
function forOperators(cause: unknown): unknown {
  return cause instanceof AuthorityError ? (cause.cause ?? cause) : cause
}
