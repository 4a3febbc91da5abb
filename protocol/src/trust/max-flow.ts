/** A maximum flow in whole numbers, by Dinic's algorithm. The same network gives the same flow on every machine. */

import type { Scratch } from './scratch.ts'

/** Nodes are numbered from 0. Arcs are numbered by their position in the three lists, which may have room for more. */
export interface Network {
  readonly size: number
  readonly arcCount: number
  readonly source: number
  readonly sink: number
  readonly tails: Int32Array
  readonly heads: Int32Array
  readonly capacities: Int32Array
}

const UNSEEN = -1

/** A flow through a network. What flows through an arc can be sent back, which is what odd halves of arcs are for. */
export class MaximumFlow {
  readonly #source: number
  readonly #sink: number
  readonly #size: number
  /** Arc n has the halves 2n, there, and 2n + 1, back. */
  readonly #heads: Int32Array
  readonly #left: Float64Array
  /** The halves that begin at each node, grouped by node. */
  readonly #halves: Int32Array
  readonly #begins: Int32Array
  /** Hops from the source along halves with something left; UNSEEN if there is no way. */
  readonly #levels: Int32Array
  /** The place in a node's halves where the search continues. */
  readonly #cursors: Int32Array
  readonly #queue: Int32Array

  constructor({ size, arcCount, source, sink, tails, heads, capacities }: Network, scratch: Scratch) {
    this.#source = source
    this.#sink = sink
    this.#size = size
    this.#heads = scratch.ints('flow.heads', arcCount * 2)
    this.#left = scratch.reals('flow.left', arcCount * 2)
    for (let arc = 0; arc < arcCount; arc += 1) {
      this.#heads[arc * 2] = heads[arc] ?? 0
      this.#heads[arc * 2 + 1] = tails[arc] ?? 0
      this.#left[arc * 2] = capacities[arc] ?? 0
    }
    this.#begins = beginnings(size, this.#heads, scratch)
    this.#halves = scratch.ints('flow.halves', this.#heads.length)
    this.#cursors = scratch.ints('flow.cursors', size)
    this.#cursors.set(this.#begins.subarray(0, size))
    for (let half = 0; half < this.#heads.length; half += 1) {
      const tail = this.#headOf(half ^ 1)
      this.#halves[this.#cursors[tail] ?? 0] = half
      this.#cursors[tail] = (this.#cursors[tail] ?? 0) + 1
    }
    this.#levels = scratch.ints('flow.levels', size)
    this.#queue = scratch.ints('flow.queue', size)
  }

  /** What flows through an arc. */
  of(arc: number): number {
    return this.#leftOf(arc * 2 + 1)
  }

  /** Sends as much as possible from the source to the sink, and returns how much that is. */
  maximize(): number {
    let flow = 0
    while (this.#setLevels()) {
      this.#cursors.set(this.#begins.subarray(0, this.#size))
      for (let sent = this.#augment(); sent > 0; sent = this.#augment()) flow += sent
    }
    return flow
  }

  /**
   * Whether more could still reach a node from the source. With a maximum flow, the arcs that lead out of the set of these
   * nodes are full, and together they are as wide as the flow: a minimum cut, the one nearest to the source.
   */
  couldReach(node: number): boolean {
    return this.#levelOf(node) !== UNSEEN
  }

  #headOf(half: number): number {
    return this.#heads[half] ?? 0
  }

  #leftOf(half: number): number {
    return this.#left[half] ?? 0
  }

  #levelOf(node: number): number {
    return this.#levels[node] ?? UNSEEN
  }

  /** Levels of the nodes before the sink. Returns whether the sink can be reached. */
  #setLevels(): boolean {
    this.#levels.fill(UNSEEN)
    this.#levels[this.#source] = 0
    this.#queue[0] = this.#source
    let queued = 1
    for (let taken = 0; taken < queued; taken += 1) {
      const node = this.#queue[taken] ?? 0
      const end = this.#begins[node + 1] ?? 0
      for (let place = this.#begins[node] ?? 0; place < end; place += 1) {
        const half = this.#halves[place] ?? 0
        const head = this.#headOf(half)
        if (this.#leftOf(half) === 0 || this.#levelOf(head) !== UNSEEN) continue
        this.#levels[head] = this.#levelOf(node) + 1
        if (head === this.#sink) return true
        this.#queue[queued] = head
        queued += 1
      }
    }
    return false
  }

  /** Sends what fits through one shortest way. Returns 0 if no way of this length is left. */
  #augment(): number {
    const way: number[] = []
    for (let node = this.#source; node !== this.#sink; ) {
      const half = this.#nextHalf(node)
      if (half !== undefined) {
        way.push(half)
        node = this.#headOf(half)
        continue
      }
      const back = way.pop()
      if (back === undefined) return 0
      node = this.#headOf(back ^ 1)
      this.#cursors[node] = (this.#cursors[node] ?? 0) + 1
    }
    return this.#send(way)
  }

  /** The next half that leads to the next level and has something left. */
  #nextHalf(node: number): number | undefined {
    const end = this.#begins[node + 1] ?? 0
    const level = this.#levelOf(node) + 1
    for (let place = this.#cursors[node] ?? 0; place < end; place += 1) {
      const half = this.#halves[place] ?? 0
      if (this.#leftOf(half) === 0 || this.#levelOf(this.#headOf(half)) !== level) continue
      this.#cursors[node] = place
      return half
    }
    this.#cursors[node] = end
    return undefined
  }

  #send(way: readonly number[]): number {
    const most = way.reduce((least, half) => Math.min(least, this.#leftOf(half)), Number.MAX_SAFE_INTEGER)
    for (const half of way) {
      this.#left[half] = this.#leftOf(half) - most
      this.#left[half ^ 1] = this.#leftOf(half ^ 1) + most
    }
    return most
  }
}

/** Where the halves of each node begin in a list that is sorted by node, and where the last ends. */
function beginnings(size: number, heads: Int32Array, scratch: Scratch): Int32Array {
  const begins = scratch.ints('flow.begins', size + 1)
  for (const tail of heads) begins[tail + 1] = (begins[tail + 1] ?? 0) + 1
  for (let node = 0; node < size; node += 1) begins[node + 1] = (begins[node + 1] ?? 0) + (begins[node] ?? 0)
  return begins
}
