import { MAX_VOUCHES, MILLION, scoreOfFlow } from './capacity.ts'
import { flowPaths } from './flow-paths.ts'
import { NO_CONTEXT, type TrustGraph } from './graph.ts'
import { MaximumFlow } from './max-flow.ts'
import { type Region, regionOf } from './region.ts'
import type { CutPart, ScoreOptions, VouchPath, VouchScore } from './score-types.ts'
import type { Surroundings } from './surroundings.ts'
import { VouchNetwork } from './vouch-network.ts'

/**
 * How much of the anchors' word reaches a person or an agent: a maximum flow over the vouches that count, with its
 * paths and its cut. An anchor's own word doesn't count for the anchor. Throws if the paths, the cut and the flow don't
 * agree.
 */
export function scoreOf(graph: TrustGraph, subject: string, options: ScoreOptions = {}): VouchScore {
  const limit = Math.min(options.limit ?? MAX_VOUCHES, MAX_VOUCHES)
  const around = surroundingsOf(graph, subject, options)
  const region = around === undefined ? NOWHERE : regionOf(around, limit)
  if (around === undefined || region.vouches.length === 0) return { subject, ...NOTHING }
  const network = new VouchNetwork(around, region.vouches)
  const flow = new MaximumFlow(network, graph.scratch)
  const reached = flow.maximize()
  const score = {
    subject,
    score: scoreOfFlow(reached),
    flow: reached,
    anchors: network.anchors,
    vouches: region.vouches.length,
    truncated: region.truncated,
    paths: pathsOf(network, flow),
    cut: cutOf(network, flow),
  }
  assertExplained(score)
  return score
}

const NOWHERE: Region = { vouches: new Int32Array(0), truncated: false }
const NOTHING = { score: 0, flow: 0, anchors: 0, vouches: 0, truncated: false, paths: [], cut: [] } as const

function surroundingsOf(
  graph: TrustGraph,
  name: string,
  { context: context_name, as }: ScoreOptions,
): Surroundings | undefined {
  const subject = graph.nodeOf(name)
  const context = graph.contextNumber(context_name) ?? NO_CONTEXT
  if (subject === undefined) return undefined
  if (as === undefined)
    return {
      graph,
      subject,
      context,
      distances: graph.distances(context),
      baseOf: (person) => (person === subject ? 0 : graph.baseOf(person)),
    }
  const viewer = graph.nodeOf(as)
  if (viewer === undefined || viewer === subject) return undefined
  const distances = graph.distancesFrom(viewer, context)
  return { graph, subject, context, distances, baseOf: (person) => (person === viewer ? MILLION : 0) }
}

function pathsOf(network: VouchNetwork, flow: MaximumFlow): VouchPath[] {
  const paths = flowPaths(network, flow).map((path) => ({
    flow: path.flow,
    // The network leads from the subject to the anchors.
    steps: path.arcs
      .map((arc) => network.stepOf(arc))
      .filter((step) => step !== undefined)
      .reverse(),
  }))
  return paths.sort((a, b) => b.flow - a.flow)
}

function cutOf(network: VouchNetwork, flow: MaximumFlow): CutPart[] {
  const cut: CutPart[] = []
  for (let arc = 0; arc < network.arcCount; arc += 1) {
    const [tail, head] = [network.tails[arc] ?? 0, network.heads[arc] ?? 0]
    if (!flow.couldReach(tail) || flow.couldReach(head) || network.capacities[arc] === 0) continue
    cut.push(network.cutPartOf(arc))
  }
  return cut
}

/** Throws unless both sums equal the flow. Anything else is a bug, and no answer is better than a wrong one. */
function assertExplained({ flow, paths, cut }: VouchScore): void {
  const carried = paths.reduce((sum, path) => sum + path.flow, 0)
  const limited = cut.reduce((sum, part) => sum + part.capacity, 0)
  if (carried === flow && limited === flow) return
  throw new Error(`The paths carry ${carried}, the cut lets ${limited} through, and the flow is ${flow}.`)
}
