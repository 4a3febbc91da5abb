/** Something that waits, and how many items it stands for. */
interface Weighed {
  readonly weight: number
}

/** A queue that knows the weight of everything in it. */
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

  /** The oldest entries up to a weight. The first one is taken even if it is heavier, so that nothing waits forever. */
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
