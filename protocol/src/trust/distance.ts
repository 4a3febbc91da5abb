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

  /** The same distances for a context in which more vouches count. Each of those has to be noted as made. */
  copyFor(context: number): Distances {
    const copy = new Distances(this.#graph, context, this.#isRoot)
    copy.#hops = this.#hops.slice()
    return copy
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
   * Looks for the distance of a node again, which may have grown, and for those that followed from it: first who has lost
   * theirs, the nearest first and everyone once, then what the others give them. People who vouch for each other in a
   * circle cannot keep each other near, because a distance only ever follows from a smaller one.
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

  /** Whether a person is still that far away: a root, or somebody who is one hop nearer vouches for them. */
  #keeps(person: number, hops: number): boolean {
    if (hops === 0) return this.#isRoot(person)
    return this.#graph
      .insOf(person)
      .some(
        (vouch) =>
          this.of(this.#graph.fromOf(vouch)) === hops - 1 && this.#graph.counts(vouch, this.#context),
      )
  }

  /** The distance that the people who vouch for a node give it. */
  #nearest(node: number): number {
    let nearest = FAR
    for (const vouch of this.#graph.insOf(node))
      if (this.#graph.counts(vouch, this.#context))
        nearest = Math.min(nearest, this.of(this.#graph.fromOf(vouch)) + 1)
    return nearest
  }
}
