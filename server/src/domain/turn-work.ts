/**
 * How long admitted calls have kept the present turn of the event loop busy. Whatever arrives meanwhile waits unread, also
 * what will be refused and what stops an agent. The time that refusals take does not count: a caller who sends too much
 * must not use up the turn of the others.
 */
export class TurnWork {
  #work_ms = 0
  #seen_ms = 0
  #wasAdmitted = false
  #hasBegun = false

  get hasBegun(): boolean {
    return this.#hasBegun
  }

  /** The work of this turn until now. The first call of a turn begins it. */
  advance(now_ms: number): number {
    if (this.#hasBegun && this.#wasAdmitted) this.#work_ms += Math.max(0, now_ms - this.#seen_ms)
    this.#hasBegun = true
    this.#seen_ms = now_ms
    return this.#work_ms
  }

  /** The time from now to the next call is that of this one. */
  decide(isAdmitted: boolean): void {
    this.#wasAdmitted = isAdmitted
  }

  end(): void {
    this.#hasBegun = false
    this.#wasAdmitted = false
    this.#work_ms = 0
  }
}
