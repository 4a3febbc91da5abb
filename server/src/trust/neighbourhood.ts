import type { TrustLedger } from '@deputize/protocol/trust'
import type { Neighbourhood, TrustEdge, TrustNode } from './messages.ts'

type Graph = TrustLedger['graph']

/** More could not be drawn. */
const MOST_NODES = 500
const MOST_EDGES = 2_000

/** Returns everyone within some steps of a subject, along standing vouches in both directions, nearest first. */
export function neighbourhood(graph: Graph, subject: string, depth: number): Neighbourhood {
  const start = graph.nodeOf(subject)
  if (start === undefined)
    return { nodes: [{ subject, base: undefined, steps: 0 }], edges: [], truncated: false }
  const steps = new Map([[start, 0]])
  let truncated = false
  // A Map iterates in insertion order, including entries that are added during the iteration.
  for (const [node, distance] of steps) {
    if (distance === depth) break
    for (const other of neighboursOf(graph, node)) {
      if (steps.has(other)) continue
      if (steps.size === MOST_NODES) {
        truncated = true
        break
      }
      steps.set(other, distance + 1)
    }
  }
  const edges: TrustEdge[] = []
  for (const node of steps.keys()) {
    for (const vouch of standing(graph, graph.insOf(node))) {
      if (!steps.has(graph.fromOf(vouch))) continue
      if (edges.length === MOST_EDGES) truncated = true
      else edges.push(edgeOf(graph, vouch))
    }
  }
  return { nodes: [...steps].map(([node, distance]) => nodeOf(graph, node, distance)), edges, truncated }
}

function neighboursOf(graph: Graph, node: number): number[] {
  return [
    ...standing(graph, graph.insOf(node)).map((vouch) => graph.fromOf(vouch)),
    ...standing(graph, graph.outsToPeople(node)).map((vouch) => graph.toOf(vouch)),
    ...standing(graph, graph.outsToAgents(node)).map((vouch) => graph.toOf(vouch)),
  ]
}

function standing(graph: Graph, vouches: readonly number[]): number[] {
  return vouches.filter((vouch) => graph.isStanding(vouch))
}

function nodeOf(graph: Graph, node: number, steps: number): TrustNode {
  const base = graph.baseOf(node)
  return { subject: graph.nameOf(node), base: base > 0 ? base : undefined, steps }
}

function edgeOf(graph: Graph, vouch: number): TrustEdge {
  const context = graph.contextName(graph.contextOf(vouch))
  return {
    vouch_id: graph.idOf(vouch),
    from: graph.nameOf(graph.fromOf(vouch)),
    to: graph.nameOf(graph.toOf(vouch)),
    weight: graph.weightOf(vouch),
    ...(context !== undefined && { context }),
  }
}
