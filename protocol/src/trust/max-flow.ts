/** A maximum flow in whole numbers, by Dinic's algorithm. The same network gives the same flow on every machine. */

/** Nothing has more capacity than this. */
export const UNLIMITED = 2 ** 40

const UNSEEN = -1

/**
 * A network whose arcs are added one by one. An arc and the arc back have the numbers 2n and 2n+1; what flows through an
 * arc can be sent back.
 */
export class FlowNetwork {
  readonly source = 0
  readonly sink = 1
  readonly #heads: number[] = []
  readonly #left: number[] = []
  readonly #arcs: number[][] = [[], []]
  /** Hops from the source where something is left; UNSEEN without a way. */
  #levels = new Int32Array(0)
  /** The place in a node's arcs where the search goes on. */
  #cursors = new Int32Array(0)

  get size(): number {
    return this.#arcs.length
  }

  addNode(): number {
    return this.#arcs.push([]) - 1
  }

  addArc(from: number, to: number, capacity: number): number {
    const arc = this.#heads.push(to) - 1
    this.#heads.push(from)
    this.#left.push(capacity, 0)
    this.#arcs[from]?.push(arc)
    this.#arcs[to]?.push(arc + 1)
    return arc
  }

  headOf(arc: number): number {
    return this.#heads[arc] ?? 0
  }

  /** What flows through an arc. */
  flowOf(arc: number): number {
    return this.#leftOf(arc + 1)
  }

  arcsFrom(node: number): readonly number[] {
    return this.#arcs[node] ?? []
  }

  /** Sends as much as possible from the source to the sink, and returns how much that is. */
  maximize(): number {
    let flow = 0
    while (this.#setLevels()) {
      this.#cursors = new Int32Array(this.size)
      for (let sent = this.#augment(); sent > 0; sent = this.#augment()) flow += sent
    }
    return flow
  }

  /**
   * The nodes from which something could still reach the sink. With a maximum flow, the arcs that lead into this set are
   * full, and together they are as wide as the flow: a minimum cut, the one nearest to the sink.
   */
  sinkSide(): Uint8Array {
    const reaches = new Uint8Array(this.size)
    reaches[this.sink] = 1
    const waiting = [this.sink]
    for (let node = waiting.pop(); node !== undefined; node = waiting.pop())
      for (const arc of this.arcsFrom(node)) {
        const before = this.headOf(arc)
        // The arc that leads here is the other one of the pair.
        if (reaches[before] === 1 || this.#leftOf(arc ^ 1) === 0) continue
        reaches[before] = 1
        waiting.push(before)
      }
    return reaches
  }

  #leftOf(arc: number): number {
    return this.#left[arc] ?? 0
  }

  #levelOf(node: number): number {
    return this.#levels[node] ?? UNSEEN
  }

  /** Levels of all nodes before the sink. Returns whether the sink can be reached. */
  #setLevels(): boolean {
    this.#levels = new Int32Array(this.size).fill(UNSEEN)
    this.#levels[this.source] = 0
    const queue = [this.source]
    for (const node of queue)
      for (const arc of this.arcsFrom(node)) {
        const head = this.headOf(arc)
        if (this.#leftOf(arc) === 0 || this.#levelOf(head) !== UNSEEN) continue
        this.#levels[head] = this.#levelOf(node) + 1
        if (head === this.sink) return true
        queue.push(head)
      }
    return false
  }

  /** Sends what fits through one shortest way. Returns 0 when no way of this length is left. */
  #augment(): number {
    const way: number[] = []
    for (let node: number = this.source; node !== this.sink; ) {
      const arc = this.#nextArc(node)
      if (arc !== undefined) {
        way.push(arc)
        node = this.headOf(arc)
        continue
      }
      const back = way.pop()
      if (back === undefined) return 0
      node = this.headOf(back ^ 1)
      this.#cursors[node] = (this.#cursors[node] ?? 0) + 1
    }
    return this.#send(way)
  }

  /** The next arc that leads one level on and has something left. */
  #nextArc(node: number): number | undefined {
    const arcs = this.arcsFrom(node)
    const level = this.#levelOf(node) + 1
    for (let place = this.#cursors[node] ?? 0; place < arcs.length; place += 1) {
      const arc = arcs[place] ?? 0
      if (this.#leftOf(arc) === 0 || this.#levelOf(this.headOf(arc)) !== level) continue
      this.#cursors[node] = place
      return arc
    }
    this.#cursors[node] = arcs.length
    return undefined
  }

  #send(way: readonly number[]): number {
    let most = UNLIMITED
    for (const arc of way) most = Math.min(most, this.#leftOf(arc))
    for (const arc of way) {
      this.#left[arc] = this.#leftOf(arc) - most
      this.#left[arc ^ 1] = this.#leftOf(arc ^ 1) + most
    }
    return most
  }
}
