import { MAX_VOUCHES, MILLION, personCapacity, scoreOfFlow } from './capacity.ts'
import { flowPaths } from './flow-paths.ts'
import { NO_CONTEXT, type TrustGraph } from './graph.ts'
import { FlowNetwork } from './max-flow.ts'
import { type Region, regionOf } from './region.ts'
import type { CutPart, ScoreOptions, VouchPath, VouchScore } from './score-types.ts'
import type { Surroundings } from './surroundings.ts'

/**
 * How much of the anchors' word reaches a person or an agent: a maximum flow over the vouches that count, with its paths
 * and its cut. An anchor's own word does not count for the anchor. Before it answers, it checks that the paths, the cut
 * and the flow agree.
 */
export function scoreOf(graph: TrustGraph, subject: string, options: ScoreOptions = {}): VouchScore {
  const limit = Math.min(options.limit ?? MAX_VOUCHES, MAX_VOUCHES)
  const around = surroundingsOf(graph, subject, options)
  const region = around === undefined ? NOWHERE : regionOf(around, limit)
  if (around === undefined || region.vouches.length === 0) return { subject, ...NOTHING }
  const parts = networkOf(around, region)
  const flow = parts.network.maximize()
  const score = {
    subject,
    score: scoreOfFlow(flow),
    flow,
    anchors: parts.anchors.size,
    vouches: region.vouches.length,
    truncated: region.truncated,
    paths: pathsOf(around, parts),
    cut: cutOf(around, parts),
  }
  assertExplained(score)
  return score
}

const NOWHERE: Region = { vouches: [], truncated: false }
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

/** A network, and which arc stands for what. */
interface NetworkParts {
  readonly network: FlowNetwork
  /** The arc from the source to each anchor. */
  readonly anchors: ReadonlyMap<number, number>
  /** The arc through each person. */
  readonly people: ReadonlyMap<number, number>
  /** The vouch of each arc that is one, and what it can carry. */
  readonly vouches: ReadonlyMap<number, { readonly vouch: number; readonly capacity: number }>
  /** The nodes before and after each person's arc. */
  readonly arrivals: ReadonlyMap<number, number>
}

/**
 * The source feeds each anchor with its base. Each person is an arc that everything they pass on goes through; the vouches
 * lead from the end of one person's arc to the beginning of another's, or to the subject, which is the sink.
 */
function networkOf(around: Surroundings, { vouches }: Region): NetworkParts {
  const { graph, subject, distances } = around
  const network = new FlowNetwork()
  const anchors = new Map<number, number>()
  const people = new Map<number, number>()
  const arrivals = new Map<number, number>()
  const arcs = new Map<number, { vouch: number; capacity: number }>()

  function addPerson(person: number): number {
    const known = people.get(person)
    if (known !== undefined) return network.headOf(known)
    const arrival = network.addNode()
    const departure = network.addNode()
    const capacity = personCapacity(distances.of(person), graph.accuracyOf(person))
    people.set(person, network.addArc(arrival, departure, capacity))
    arrivals.set(person, arrival)
    const base = around.baseOf(person)
    if (base > 0) anchors.set(person, network.addArc(network.source, arrival, base))
    return departure
  }

  for (const vouch of vouches) {
    const [from, to] = [graph.fromOf(vouch), graph.toOf(vouch)]
    const departure = addPerson(from)
    if (to !== subject) addPerson(to)
    const arrival = to === subject ? network.sink : (arrivals.get(to) ?? network.sink)
    const capacity = graph.capacityOf(vouch, distances.of(from))
    arcs.set(network.addArc(departure, arrival, capacity), { vouch, capacity })
  }
  return { network, anchors, people, vouches: arcs, arrivals }
}

function pathsOf({ graph }: Surroundings, { network, vouches }: NetworkParts): VouchPath[] {
  const paths = flowPaths(network).map(({ flow, arcs }) => ({
    flow,
    steps: arcs.flatMap((arc) => {
      const found = vouches.get(arc)
      if (found === undefined) return []
      const { vouch, capacity } = found
      return [{ vouch_id: graph.idOf(vouch), from: graph.nameOf(graph.fromOf(vouch)), capacity }]
    }),
  }))
  return paths.sort((a, b) => b.flow - a.flow)
}

function cutOf(
  { graph, distances, baseOf }: Surroundings,
  { network, anchors, people, vouches }: NetworkParts,
): CutPart[] {
  const reaches = network.sinkSide()
  const isCut = (arc: number) => reaches[network.headOf(arc ^ 1)] === 0 && reaches[network.headOf(arc)] === 1
  const bases = [...anchors]
    .filter(([, arc]) => isCut(arc))
    .map(([person]) => ({
      limit: 'base' as const,
      human_ref: graph.nameOf(person),
      capacity: baseOf(person),
    }))
  const persons = [...people]
    .filter(([, arc]) => isCut(arc))
    .map(([person]) => ({
      limit: 'person' as const,
      human_ref: graph.nameOf(person),
      capacity: personCapacity(distances.of(person), graph.accuracyOf(person)),
    }))
  const words = [...vouches]
    .filter(([arc]) => isCut(arc))
    .map(([, { vouch, capacity }]) => ({ limit: 'vouch' as const, vouch_id: graph.idOf(vouch), capacity }))
  return [...bases, ...persons, ...words].filter(({ capacity }) => capacity > 0)
}

/** Both sums must be the flow. Anything else is a bug, and no answer is better than a wrong one. */
function assertExplained({ flow, paths, cut }: VouchScore): void {
  const carried = paths.reduce((sum, path) => sum + path.flow, 0)
  const limited = cut.reduce((sum, part) => sum + part.capacity, 0)
  if (carried === flow && limited === flow) return
  throw new Error(`The paths carry ${carried}, the cut lets ${limited} through, and the flow is ${flow}.`)
}
