/** A queue of numbers: the highest priority comes first, and among equals the smallest number. */
export class PriorityQueue {
  readonly #items: number[] = []
  readonly #priorities: number[] = []

  add(item: number, priority: number): void {
    let place = this.#items.length
    while (place > 0) {
      const above = (place - 1) >> 1
      if (!this.#isAfter(above, item, priority)) break
      this.#move(above, place)
      place = above
    }
    this.#items[place] = item
    this.#priorities[place] = priority
  }

  /** The highest priority in the queue. */
  peek(): number | undefined {
    return this.#priorities[0]
  }

  take(): { readonly item: number; readonly priority: number } | undefined {
    const [item, priority] = [this.#items[0], this.#priorities[0]]
    const [last, last_priority] = [this.#items.pop(), this.#priorities.pop()]
    if (item === undefined || priority === undefined) return undefined
    if (last !== undefined && last_priority !== undefined && this.#items.length > 0)
      this.#sink(last, last_priority)
    return { item, priority }
  }

  /** Puts an item at the top, then below everything that goes before it. */
  #sink(item: number, priority: number): void {
    const { length } = this.#items
    let place = 0
    for (let below = 1; below < length; below = place * 2 + 1) {
      const other = below + 1
      const first = other < length && this.#goesBefore(other, below) ? other : below
      if (this.#isAfter(first, item, priority)) break
      this.#move(first, place)
      place = first
    }
    this.#items[place] = item
    this.#priorities[place] = priority
  }

  #goesBefore(place: number, other: number): boolean {
    return this.#isAfter(other, this.#items[place] ?? 0, this.#priorities[place] ?? 0)
  }

  /** Whether what is at `place` is taken after this item. */
  #isAfter(place: number, item: number, priority: number): boolean {
    const own = this.#priorities[place] ?? 0
    return own < priority || (own === priority && (this.#items[place] ?? 0) > item)
  }

  #move(from: number, to: number): void {
    this.#items[to] = this.#items[from] ?? 0
    this.#priorities[to] = this.#priorities[from] ?? 0
  }
}
