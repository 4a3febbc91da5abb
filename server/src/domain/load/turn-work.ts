/** The share of the newest turn in the usual length of turns. */
const NEWEST_TURN = 0.3
/** A turn that has read so many calls goes on because new ones arrive as fast as it reads them. */
const ENDLESS = 512

/**
 * How long admitted calls have kept the present turn of the event loop busy. Whatever arrives meanwhile waits unread, also
 * what will be refused and what stops an agent. The time that refusals take does not count: a caller who sends too much
 * must not use up the turn of the others.
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

  /** How long turns with calls took lately, with all that was done in them. */
  get usual_ms(): number {
    return this.#usual_ms
  }

  /**
   * For how long this turn has read calls without coming to an end, and so about how long calls wait unread. 0 while it has
   * read no more than a turn does under load.
   */
  get endless_ms(): number {
    return this.#calls > ENDLESS ? this.#seen_ms - this.#began_ms : 0
  }

  /**
   * The work of this turn until now. The first call of a turn begins it. 0 while refusals take more of the turn: to refuse
   * even more would not shorten it, and soon nothing would be admitted any more.
   */
  advance(now_ms: number): number {
    if (!this.#hasBegun) this.#began_ms = now_ms
    else if (this.#wasAdmitted) this.#work_ms += Math.max(0, now_ms - this.#seen_ms)
    this.#hasBegun = true
    this.#calls += 1
    this.#seen_ms = now_ms
    return this.#work_ms * 2 < now_ms - this.#began_ms ? 0 : this.#work_ms
  }

  /** The time from now to the next call is that of this one. */
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
