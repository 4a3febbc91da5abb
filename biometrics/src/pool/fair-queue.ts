/**
 * A queue in order of arrival, except that callers with fewer running items go first. No caller may exceed its share.
 */
export class FairQueue<Item extends { readonly caller: string }> {
  readonly #limit: number
  readonly #callerLimit: number
  readonly #waiting: Item[] = []
  readonly #running = new Set<Item>()

  constructor(limit: number, callerLimit: number) {
    this.#limit = limit
    this.#callerLimit = callerLimit
  }

  get waiting(): number {
    return this.#waiting.length
  }

  get running(): number {
    return this.#running.size
  }

  /** Whether one more item of this caller may wait. */
  admits(caller: string): boolean {
    const held = countOf(this.#waiting, caller) + countOf(this.#running, caller)
    return this.#waiting.length < this.#limit && held < this.#callerLimit
  }

  add(item: Item): void {
    this.#waiting.push(item)
  }

  /** Puts a running item back at the front. */
  putBack(item: Item): void {
    this.#running.delete(item)
    this.#waiting.unshift(item)
  }

  /** Returns the next item and marks it as running. */
  take(): Item | undefined {
    const next = this.#next()
    if (next === undefined) return undefined
    this.#waiting.splice(this.#waiting.indexOf(next), 1)
    this.#running.add(next)
    return next
  }

  /** Forgets an item, whether it waits or runs. */
  remove(item: Item): void {
    this.#running.delete(item)
    const place = this.#waiting.indexOf(item)
    if (place !== -1) this.#waiting.splice(place, 1)
  }

  all(): Item[] {
    return [...this.#running, ...this.#waiting]
  }

  #next(): Item | undefined {
    let [best] = this.#waiting
    let fewest = Number.POSITIVE_INFINITY
    for (const item of this.#waiting) {
      const running = countOf(this.#running, item.caller)
      if (running < fewest) [best, fewest] = [item, running]
    }
    return best
  }
}

function countOf(items: Iterable<{ readonly caller: string }>, caller: string): number {
  let count = 0
  for (const item of items) if (item.caller === caller) count += 1
  return count
}
