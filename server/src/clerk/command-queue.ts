/** A queue entry, with the number of items that it stands for. */
interface Weighed {
  readonly weight: number
}

/** A queue that knows the total weight of its entries. */
export class CommandQueue<T extends Weighed> {
  #waiting: T[] = []
  #weight = 0

  get weight(): number {
    return this.#weight
  }

  push(entry: T): void {
    this.#waiting.push(entry)
    this.#weight += entry.weight
  }

  /**
   * Removes and returns the oldest entries, up to a total weight. Takes the first one even if it is heavier, so that
   * nothing waits forever.
   */
  take(most: number): T[] {
    let weight = 0
    const end = this.#waiting.findIndex((entry, position) => {
      weight += entry.weight
      return position > 0 && weight > most
    })
    const taken = end === -1 ? this.#waiting : this.#waiting.slice(0, end)
    this.#waiting = end === -1 ? [] : this.#waiting.slice(end)
    for (const entry of taken) this.#weight -= entry.weight
    return taken
  }
}
