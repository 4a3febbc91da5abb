import { MAX_HOPS, MILLION, personCapacity } from './capacity.ts'
import { PriorityQueue } from './priority-queue.ts'
import type { Surroundings } from './surroundings.ts'

/**
 * Takes `limit` vouches from the subject on, the widest way first and the older of equals. A way is as wide as the
 * narrowest share on it, where a person's word is split evenly among those they vouch for: ten thousand made-up people
 * behind one vouch are together as wide as that vouch, so they don't crowd out others.
 */
export function widestVouches(vouches: readonly number[], around: Surroundings, limit: number): number[] {
  const { graph, subject } = around
  const shares = evenShares(vouches, around)
  const places_for = Map.groupBy(vouches.keys(), (place) => graph.toOf(vouches[place] ?? 0))
  const waiting = new PriorityQueue()
  const reached = new Set<number>()
  const taken: number[] = []

  function reach(node: number, width: number): void {
    if (reached.has(node)) return
    reached.add(node)
    for (const place of places_for.get(node) ?? [])
      waiting.add(vouches[place] ?? 0, Math.min(width, shares[place] ?? 0))
  }

  reach(subject, Number.MAX_SAFE_INTEGER)
  for (let next = waiting.take(); next !== undefined && taken.length < limit; next = waiting.take()) {
    taken.push(next.item)
    reach(graph.fromOf(next.item), next.priority)
  }
  return taken
}

/**
 * What each vouch would carry if everyone split what reaches them evenly among their vouches in the list, in millionths of
 * millionths, so that small shares still differ. After as many rounds as there are hops, every way has been walked.
 */
function evenShares(vouches: readonly number[], { graph, distances, baseOf }: Surroundings): Float64Array {
  const places = new Map<number, number>()
  const placeOf = (node: number): number => {
    const place = places.get(node) ?? places.size
    places.set(node, place)
    return place
  }
  const froms = Int32Array.from(vouches, (vouch) => placeOf(graph.fromOf(vouch)))
  const tos = Int32Array.from(vouches, (vouch) => placeOf(graph.toOf(vouch)))
  const fan_outs = new Int32Array(places.size)
  for (const from of froms) fan_outs[from] = (fan_outs[from] ?? 0) + 1
  const bases = new Float64Array(places.size)
  const limits = new Float64Array(places.size)
  for (const [node, place] of places) {
    bases[place] = baseOf(node) * MILLION
    limits[place] = personCapacity(distances.of(node), graph.accuracyOf(node)) * MILLION
  }
  const capacities = Float64Array.from(
    vouches,
    (vouch) => graph.capacityOf(vouch, distances.of(graph.fromOf(vouch))) * MILLION,
  )
  const shares = new Float64Array(vouches.length)
  let supplies = bases
  for (let round = 1; round <= MAX_HOPS; round += 1) {
    const next = bases.slice()
    for (let place = 0; place < vouches.length; place += 1) {
      const [from, to] = [froms[place] ?? 0, tos[place] ?? 0]
      const supply = Math.min(supplies[from] ?? 0, limits[from] ?? 0)
      const share = Math.min(capacities[place] ?? 0, Math.floor(supply / (fan_outs[from] ?? 1)))
      shares[place] = share
      // More than 10^12 is never passed on, so sums stay small enough to be exact.
      next[to] = Math.min(MILLION * MILLION, (next[to] ?? 0) + share)
    }
    supplies = next
  }
  return shares
}
