import type { Distances } from './distance.ts'
import type { TrustGraph } from './graph.ts'

/** The inputs of a score: the graph, the subject, and how far people are from the anchors that count. */
export interface Surroundings {
  readonly graph: TrustGraph
  readonly subject: number
  readonly context: number
  readonly distances: Distances
  /** What a person adds as an anchor. */
  baseOf(person: number): number
}
