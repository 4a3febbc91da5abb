/** Counts each caller's calls in progress. Memory is bounded by these calls: a caller without any is forgotten. */
export class CallerShares {
  readonly #counts = new Map<string, number>()
  #total = 0

  begin(caller: string): void {
    this.#counts.set(caller, (this.#counts.get(caller) ?? 0) + 1)
    this.#total += 1
  }

  end(caller: string): void {
    const count = this.#counts.get(caller)
    if (count === undefined) return
    if (count === 1) this.#counts.delete(caller)
    else this.#counts.set(caller, count - 1)
    this.#total -= 1
  }

  /**
   * Compares a caller's calls in progress with an even share: negative if below, positive if above. 0 for the only
   * caller.
   */
  excessOf(caller: string): number {
    const own = this.#counts.get(caller)
    const callers = this.#counts.size + (own === undefined ? 1 : 0)
    return (own ?? 0) * callers - this.#total
  }
}
