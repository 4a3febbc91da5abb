import { MAX_HOPS } from './capacity.ts'
import type { TrustGraph } from './graph.ts'

/**
 * The agents whose scores may have changed. `touched` are people whose base changed and subjects whose vouches changed.
 * `rated` are agents whose ratings changed, which changes the accuracy of everyone who vouches for them.
 */
export function affectedAgents(
  graph: TrustGraph,
  touched: ReadonlySet<number>,
  rated: ReadonlySet<number>,
): string[] {
  const agents = new Set<number>()
  const seen = new Set<number>()
  let nearest: number[] = []

  function visit(node: number): void {
    if (graph.isAgent(node)) agents.add(node)
    else if (!seen.has(node)) {
      seen.add(node)
      nearest.push(node)
    }
  }

  for (const node of touched) visit(node)
  for (const agent of rated) for (const vouch of graph.insOf(agent)) visit(graph.fromOf(vouch))
  for (let hops = 1; hops <= MAX_HOPS; hops += 1) {
    const people = nearest
    nearest = []
    for (const person of people) {
      for (const vouch of graph.outsToAgents(person)) visit(graph.toOf(vouch))
      for (const vouch of graph.outsToPeople(person)) visit(graph.toOf(vouch))
    }
  }
  return [...agents].map((agent) => graph.nameOf(agent))
}
