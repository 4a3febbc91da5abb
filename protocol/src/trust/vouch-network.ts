import { personCapacity } from './capacity.ts'
import type { Network } from './max-flow.ts'
import type { CutPart, VouchStep } from './score-types.ts'
import type { Surroundings } from './surroundings.ts'

/** What an arc of the network stands for: a vouch by its number, or a person with what they add or pass on. */
type ArcPart = Readonly<{ limit: 'base' | 'person' | 'vouch'; number: number }>

const SUBJECT = 0
const ANCHORS = 1
const NEW = -1

/**
 * The network of a score, from the subject back to the anchors: that way a search ends where the subject's own vouches are
 * full, however large the rest is. Each person is an arc that everything they pass on goes through. A vouch leads from the
 * end of its subject's arc to the beginning of its voucher's. An anchor's arc ends at the sink too, as wide as its base.
 */
export class VouchNetwork implements Network {
  readonly source = SUBJECT
  readonly sink = ANCHORS
  size = 2
  anchors = 0
  readonly tails: number[] = []
  readonly heads: number[] = []
  readonly capacities: number[] = []
  readonly #parts: ArcPart[] = []
  readonly #around: Surroundings
  /** The node where a person's arc begins; it ends at the next one. */
  readonly #nodes: Int32Array

  constructor(around: Surroundings, vouches: readonly number[]) {
    this.#around = around
    this.#nodes = new Int32Array(around.graph.nodeCount).fill(NEW)
    for (const vouch of vouches) this.#addVouch(vouch)
  }

  /** The arc as a step of a path; undefined if it is not a vouch. */
  stepOf(arc: number): VouchStep | undefined {
    const part = this.#parts[arc]
    if (part?.limit !== 'vouch') return undefined
    const { graph } = this.#around
    const from = graph.nameOf(graph.fromOf(part.number))
    return { vouch_id: graph.idOf(part.number), from, capacity: this.capacities[arc] ?? 0 }
  }

  /** The arc as a part of a cut. */
  cutPartOf(arc: number): CutPart {
    const { graph } = this.#around
    const capacity = this.capacities[arc] ?? 0
    const { limit, number } = this.#parts[arc] ?? { limit: 'vouch', number: NEW }
    if (limit === 'vouch') return { limit, vouch_id: graph.idOf(number), capacity }
    return { limit, human_ref: graph.nameOf(number), capacity }
  }

  #addVouch(vouch: number): void {
    const { graph, subject, distances } = this.#around
    const [from, to] = [graph.fromOf(vouch), graph.toOf(vouch)]
    const tail = to === subject ? SUBJECT : this.#nodeOf(to) + 1
    const capacity = graph.capacityOf(vouch, distances.of(from))
    this.#addArc(tail, this.#nodeOf(from), capacity, { limit: 'vouch', number: vouch })
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
    this.#addArc(node, node + 1, capacity, { limit: 'person', number: person })
    const base = baseOf(person)
    if (base === 0) return node
    this.anchors += 1
    this.#addArc(node + 1, ANCHORS, base, { limit: 'base', number: person })
    return node
  }

  #addArc(tail: number, head: number, capacity: number, part: ArcPart): void {
    this.tails.push(tail)
    this.heads.push(head)
    this.capacities.push(capacity)
    this.#parts.push(part)
  }
}
