import { MAX_HOPS } from './capacity.ts'

/** The distance of people who are on no path of at most five vouches from a root. */
export const FAR = 255

/** Vouches of people farther away than this don't count: the fourth person after an anchor makes the fifth vouch of a path. */
const LAST = MAX_HOPS - 1

/** The part of a graph that distances depend on. */
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
 * Hops from the nearest root along the vouches that count in a context. A change of the graph visits only the people whose
 * distance it may change.
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

  /** The same distances for a context in which more vouches count. Call `noteMade` for each of those. */
  copyFor(context: number): Distances {
    const copy = new Distances(this.#graph, context, this.#isRoot)
    copy.#hops = this.#hops.slice()
    return copy
  }

  /** 0 to 4, or FAR. */
  of(node: number): number {
    return this.#hops[node] ?? FAR
  }

  /** Call after the node became a root, or stopped being one. */
  noteRoot(node: number): void {
    if (this.#isRoot(node)) this.#lower(node, 0)
    else if (this.of(node) === 0) this.#raise(node)
  }

  /** Call after the vouch began to count. */
  noteMade(vouch: number): void {
    if (!this.#graph.counts(vouch, this.#context)) return
    this.#lower(this.#graph.toOf(vouch), this.of(this.#graph.fromOf(vouch)) + 1)
  }

  /** Call after the vouch stopped counting. Recomputes the distance of its subject if it depended on this vouch. */
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

  /** Sets a smaller distance, then lowers everyone it brings nearer. */
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
   * Recomputes the distance of a node, which may have grown, and the distances that depended on it. The first pass clears
   * every distance that no longer holds, nearest first. The second sets them again from the people who kept theirs. A
   * circle of people who vouch for each other can't keep itself near, because a distance depends only on smaller ones.
   */
  #raise(node: number): void {
    const lost: number[] = []
    let nearest = new Set([node])
    for (let hops = this.of(node); nearest.size > 0; hops += 1) {
      const next = new Set<number>()
      for (const person of nearest) {
        if (this.#keeps(person, hops)) continue
        this.#set(person, FAR)
        lost.push(person)
        for (const vouch of this.#graph.outsToPeople(person)) {
          const to = this.#graph.toOf(vouch)
          if (this.of(to) === hops + 1) next.add(to)
        }
      }
      nearest = next
    }
    for (const person of lost) this.#lower(person, this.#nearest(person))
  }

  /** Whether the distance still holds: the person is a root, or someone one hop nearer vouches for them. */
  #keeps(person: number, hops: number): boolean {
    if (hops === 0) return this.#isRoot(person)
    return this.#graph
      .insOf(person)
      .some(
        (vouch) =>
          this.of(this.#graph.fromOf(vouch)) === hops - 1 && this.#graph.counts(vouch, this.#context),
      )
  }

  /** One hop more than the nearest person whose vouch for the node counts. */
  #nearest(node: number): number {
    let nearest = FAR
    for (const vouch of this.#graph.insOf(node))
      if (this.#graph.counts(vouch, this.#context))
        nearest = Math.min(nearest, this.of(this.#graph.fromOf(vouch)) + 1)
    return nearest
  }
}
