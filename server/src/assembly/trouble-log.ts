import { AuthorityError } from '@deputize/protocol'
import { Reminder } from './reminder.ts'

/**
 * Logs what a node could not do. Most of it is tried again every second: while the same thing fails for the same reason,
 * that is one line a minute, with how often it failed since the line before.
 */
export class TroubleLog {
  readonly #write: (about: object, text: string) => void
  readonly #clock: () => number
  /** By what failed, of which there is a fixed number of kinds. */
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

/** A refusal says to callers that they may come back. What made it necessary says more to operators. */
function forOperators(cause: unknown): unknown {
  return cause instanceof AuthorityError ? (cause.cause ?? cause) : cause
}
