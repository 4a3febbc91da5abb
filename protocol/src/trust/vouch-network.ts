import { personCapacity } from './capacity.ts'
import type { Network } from './max-flow.ts'
import type { CutPart, VouchStep } from './score-types.ts'
import type { Surroundings } from './surroundings.ts'

/** What an arc of the network stands for: a vouch, or what a person adds or passes on. */
const VOUCH = 0
const BASE = 1
const PERSON = 2

const SUBJECT = 0
const ANCHORS = 1
const NEW = -1

/** The most arcs per vouch: its own, and two of its voucher. In a region everyone but the subject vouches. */
const ARCS_OF_VOUCH = 3

/**
 * The network of a score, from the subject back to the anchors. In this direction, a search ends where the subject's
 * own vouches are full, however large the rest is. Each person is an arc that everything they pass on goes through. A
 * vouch leads from the end of its subject's arc to the beginning of its voucher's. An anchor's arc ends at the sink
 * too, as wide as its base.
 */
export class VouchNetwork implements Network {
  readonly source = SUBJECT
  readonly sink = ANCHORS
  size = 2
  arcCount = 0
  anchors = 0
  readonly tails: Int32Array
  readonly heads: Int32Array
  readonly capacities: Int32Array
  readonly #kinds: Uint8Array
  /** The number of the vouch or person of each arc. */
  readonly #numbers: Int32Array
  readonly #around: Surroundings
  /** The node where a person's arc begins; it ends at the next one. */
  readonly #nodes: Int32Array

  constructor(around: Surroundings, vouches: Int32Array) {
    this.#around = around
    const most_arcs = vouches.length * ARCS_OF_VOUCH
    const { scratch } = around.graph
    this.tails = scratch.ints('network.tails', most_arcs)
    this.heads = scratch.ints('network.heads', most_arcs)
    this.capacities = scratch.ints('network.capacities', most_arcs)
    this.#kinds = scratch.bytes('network.kinds', most_arcs)
    this.#numbers = scratch.ints('network.numbers', most_arcs)
    this.#nodes = scratch.ints('network.nodes', around.graph.nodeCount, NEW)
    for (const vouch of vouches) this.#addVouch(vouch)
  }

  /** The arc as a step of a path; undefined if it is not a vouch. */
  stepOf(arc: number): VouchStep | undefined {
    if (this.#kinds[arc] !== VOUCH) return undefined
    const { graph } = this.#around
    const vouch = this.#numbers[arc] ?? NEW
    const from = graph.nameOf(graph.fromOf(vouch))
    return { vouch_id: graph.idOf(vouch), from, capacity: this.capacities[arc] ?? 0 }
  }

  /** The arc as a part of a cut. */
  cutPartOf(arc: number): CutPart {
    const { graph } = this.#around
    const capacity = this.capacities[arc] ?? 0
    const number = this.#numbers[arc] ?? NEW
    const kind = this.#kinds[arc] ?? VOUCH
    if (kind === VOUCH) return { limit: 'vouch', vouch_id: graph.idOf(number), capacity }
    return { limit: kind === BASE ? 'base' : 'person', human_ref: graph.nameOf(number), capacity }
  }

  #addVouch(vouch: number): void {
    const { graph, subject, distances } = this.#around
    const [from, to] = [graph.fromOf(vouch), graph.toOf(vouch)]
    const tail = to === subject ? SUBJECT : this.#nodeOf(to) + 1
    const capacity = graph.capacityOf(vouch, distances.of(from))
    this.#addArc(tail, this.#nodeOf(from), capacity, VOUCH, vouch)
  }

  #nodeOf(person: number): number {
    const known = this.#nodes[person] ?? NEW
    return known === NEW ? this.#addPerson(person) : known
  }

  #addPerson(person: number): number {
    const { graph, distances, baseOf } = this.#around
    const node = this.size
    this.size += 2
    this.#nodes[person] = node
    const capacity = personCapacity(distances.of(person), graph.accuracyOf(person))
    this.#addArc(node, node + 1, capacity, PERSON, person)
    const base = baseOf(person)
    if (base === 0) return node
    this.anchors += 1
    this.#addArc(node + 1, ANCHORS, base, BASE, person)
    return node
  }

  #addArc(tail: number, head: number, capacity: number, kind: number, number: number): void {
    const arc = this.arcCount
    this.arcCount += 1
    this.tails[arc] = tail
    this.heads[arc] = head
    this.capacities[arc] = capacity
    this.#kinds[arc] = kind
    this.#numbers[arc] = number
  }
}
