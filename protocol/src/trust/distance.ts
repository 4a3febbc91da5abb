import { MAX_HOPS } from './capacity.ts'

/** The distance of everyone from whom no way of at most five vouches begins. */
export const FAR = 255

/** Who is farther away than this vouches for nobody: the fifth vouch of a way comes from the fourth person after an anchor. */
const LAST = MAX_HOPS - 1

/** What of a graph distances follow from. */
export interface StandingVouches {
  readonly nodeCount: number
  isAgent(node: number): boolean
  counts(vouch: number, context: number): boolean
  fromOf(vouch: number): number
  toOf(vouch: number): number
  insOf(node: number): readonly number[]
  outsToPeople(node: number): readonly number[]
}

/**
 * Hops from the nearest root along the vouches that count in a context. After the graph has changed, only people whose
 * distance follows from the change are visited.
 */
export class Distances {
  readonly #graph: StandingVouches
  readonly #context: number
  readonly #isRoot: (node: number) => boolean
  #hops = new Uint8Array(0)

  constructor(graph: StandingVouches, context: number, isRoot: (node: number) => boolean) {
    this.#graph = graph
    this.#context = context
    this.#isRoot = isRoot
  }

  /** 0 to 4, or FAR. */
  of(node: number): number {
    return this.#hops[node] ?? FAR
  }

  /** The node has become a root, or is none any more. */
  noteRoot(node: number): void {
    if (this.#isRoot(node)) this.#lower(node, 0)
    else if (this.of(node) === 0) this.#raise(node)
  }

  noteMade(vouch: number): void {
    if (!this.#graph.counts(vouch, this.#context)) return
    this.#lower(this.#graph.toOf(vouch), this.of(this.#graph.fromOf(vouch)) + 1)
  }

  /** The vouch no longer counts. If the distance of its subject came from it, that distance is looked for again. */
  noteEnded(vouch: number): void {
    const to = this.#graph.toOf(vouch)
    const hops = this.of(to)
    if (hops !== FAR && hops === this.of(this.#graph.fromOf(vouch)) + 1) this.#raise(to)
  }

  #set(node: number, hops: number): void {
    if (node >= this.#hops.length) {
      const larger = new Uint8Array(Math.max(this.#graph.nodeCount, this.#hops.length * 2, 64)).fill(FAR)
      larger.set(this.#hops)
      this.#hops = larger
    }
    this.#hops[node] = hops
  }

  /** Sets a smaller distance, and those that follow from it. */
  #lower(node: number, hops: number): void {
    if (hops > LAST || hops >= this.of(node) || this.#graph.isAgent(node)) return
    this.#set(node, hops)
    let nearest = [node]
    for (let next_hops = hops + 1; next_hops <= LAST && nearest.length > 0; next_hops += 1) {
      const next: number[] = []
      for (const person of nearest)
        for (const vouch of this.#graph.outsToPeople(person)) {
          const to = this.#graph.toOf(vouch)
          if (this.of(to) <= next_hops || !this.#graph.counts(vouch, this.#context)) continue
          this.#set(to, next_hops)
          next.push(to)
        }
      nearest = next
    }
  }

  /**
   * Looks for the distance of a node again, which may have grown, and then for those that followed from it. People who
   * vouch for each other in a circle cannot keep each other near: each round adds a hop, and after four they are far.
   */
  #raise(node: number): void {
    const waiting = [node]
    for (let person = waiting.pop(); person !== undefined; person = waiting.pop()) {
      const before = this.of(person)
      const hops = this.#nearest(person, before)
      if (hops === before) continue
      this.#set(person, hops)
      for (const vouch of this.#graph.outsToPeople(person)) {
        const to = this.#graph.toOf(vouch)
        if (this.of(to) === before + 1) waiting.push(to)
      }
    }
  }

  /** The distance that the roots and the people who vouch for a node give it. None is smaller than `least`. */
  #nearest(node: number, least: number): number {
    if (this.#isRoot(node)) return 0
    let nearest = FAR
    for (const vouch of this.#graph.insOf(node)) {
      if (!this.#graph.counts(vouch, this.#context)) continue
      nearest = Math.min(nearest, this.of(this.#graph.fromOf(vouch)) + 1)
      if (nearest <= least) break
    }
    return nearest > LAST ? FAR : nearest
  }
}
