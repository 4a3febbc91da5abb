/** The weight of the newest turn in the usual length of turns. */
const NEWEST_TURN = 0.3
/** A turn that has read more calls than this doesn't end, because new ones arrive as fast as it reads them. */
const ENDLESS = 512

/**
 * Measures how long admitted calls have kept the current turn of the event loop busy. Everything that arrives meanwhile
 * waits unread, including calls that will be refused and calls that stop an agent. The time spent on refusals doesn't
 * count: a caller that sends too much must not use up the turn for others.
 */
export class TurnWork {
  #work_ms = 0
  #calls = 0
  #began_ms = 0
  #seen_ms = 0
  #wasAdmitted = false
  #hasBegun = false
  #usual_ms = 0

  get hasBegun(): boolean {
    return this.#hasBegun
  }

  /** How long recent turns with calls took, including everything done in them. */
  get usual_ms(): number {
    return this.#usual_ms
  }

  /**
   * How long this turn has been reading calls without ending, which is about how long calls wait unread. 0 until it has
   * read more calls than a turn does under load.
   */
  get endless_ms(): number {
    return this.#calls > ENDLESS ? this.#seen_ms - this.#began_ms : 0
  }

  /**
   * Returns the work of this turn so far. The first call of a turn begins it. Returns 0 if refusals take most of the
   * turn: refusing even more wouldn't shorten it, and soon nothing would be admitted.
   */
  advance(now_ms: number): number {
    if (!this.#hasBegun) this.#began_ms = now_ms
    else if (this.#wasAdmitted) this.#work_ms += Math.max(0, now_ms - this.#seen_ms)
    this.#hasBegun = true
    this.#calls += 1
    this.#seen_ms = now_ms
    return this.#work_ms * 2 < now_ms - this.#began_ms ? 0 : this.#work_ms
  }

  /** Records whether a call was admitted. The time until the next call counts as spent on it. */
  decide(isAdmitted: boolean): void {
    this.#wasAdmitted = isAdmitted
  }

  end(now_ms: number): void {
    if (this.#hasBegun) this.#usual_ms += (now_ms - this.#began_ms - this.#usual_ms) * NEWEST_TURN
    this.#hasBegun = false
    this.#wasAdmitted = false
    this.#work_ms = 0
    this.#calls = 0
  }
}
