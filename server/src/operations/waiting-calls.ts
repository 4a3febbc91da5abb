/** How many calls wait for something at the same time. */
export class WaitingCalls {
  readonly #most: number
  #count = 0

  constructor(most: number) {
    this.#most = most
  }

  get count(): number {
    return this.#count
  }

  /** False when too many wait already: the call then answers at once. */
  enter(): boolean {
    if (this.#count >= this.#most) return false
    this.#count += 1
    return true
  }

  leave(): void {
    this.#count -= 1
  }
}
