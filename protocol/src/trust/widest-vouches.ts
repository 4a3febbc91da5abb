import { MAX_HOPS, MILLION, personCapacity, vouchCapacity } from './capacity.ts'
import { PriorityQueue } from './priority-queue.ts'
import type { Scratch } from './scratch.ts'
import type { Surroundings } from './surroundings.ts'

/**
 * Takes `limit` vouches, starting from the subject, the widest path first and the older of equals. A path is as wide as
 * the narrowest share on it, where a person's word is split evenly among those they vouch for: ten thousand made-up
 * people behind one vouch are together as wide as that vouch, so they don't crowd out others.
 */
export function widestVouches(vouches: Int32Array, around: Surroundings, limit: number): Int32Array {
  const ends = endsOf(vouches, around)
  const { scratch } = around.graph
  const shares = evenShares(ends, scratch)
  const { begins, places } = byHead(ends, scratch)
  const waiting = new PriorityQueue()
  const reached = scratch.bytes('widest.reached', ends.size)
  const taken = scratch.ints('widest.taken', limit)
  let count = 0

  function reach(person: number, width: number): void {
    if (reached[person] === 1) return
    reached[person] = 1
    for (const place of places.subarray(begins[person], begins[person + 1]))
      waiting.add(place, Math.min(width, shares[place] ?? 0))
  }

  reach(SUBJECT, Number.MAX_SAFE_INTEGER)
  for (let next = waiting.take(); next !== undefined && count < limit; next = waiting.take()) {
    taken[count] = vouches[next.item] ?? 0
    count += 1
    reach(ends.froms[next.item] ?? 0, next.priority)
  }
  return taken.subarray(0, count)
}

const SUBJECT = 0

/** The numbers of the people at both ends of each vouch, in the order of the vouches. */
interface VouchEnds {
  readonly froms: Int32Array
  readonly tos: Int32Array
  readonly capacities: Float64Array
  /** What each person adds, and what they can pass on. */
  readonly bases: Float64Array
  readonly limits: Float64Array
  /** Number of people, including the subject, which is number 0. */
  readonly size: number
}

/** Amounts are in millionths of millionths, so that small shares still differ. */
function endsOf(vouches: Int32Array, { graph, subject, distances, baseOf }: Surroundings): VouchEnds {
  const { scratch } = graph
  const numbers = scratch.ints('widest.numbers', graph.nodeCount, -1)
  numbers[subject] = SUBJECT
  const people = [subject]
  const numberOf = (node: number): number => {
    if (numbers[node] === -1) numbers[node] = people.push(node) - 1
    return numbers[node] ?? 0
  }
  const { length } = vouches
  const froms = scratch.ints('widest.froms', length)
  const tos = scratch.ints('widest.tos', length)
  for (let place = 0; place < length; place += 1) froms[place] = numberOf(graph.fromOf(vouches[place] ?? 0))
  for (let place = 0; place < length; place += 1) tos[place] = numberOf(graph.toOf(vouches[place] ?? 0))
  const size = people.length
  const hops = scratch.bytes('widest.hops', size)
  const accuracies = scratch.ints('widest.accuracies', size)
  const limits = scratch.reals('widest.limits', size)
  const bases = scratch.reals('widest.bases', size)
  for (const [number, person] of people.entries()) {
    const distance = distances.of(person)
    const accuracy = graph.accuracyOf(person)
    hops[number] = distance
    accuracies[number] = accuracy
    limits[number] = personCapacity(distance, accuracy) * MILLION
    bases[number] = baseOf(person) * MILLION
  }
  const capacities = scratch.reals('widest.capacities', length)
  for (let place = 0; place < length; place += 1) {
    const from = froms[place] ?? 0
    const weight = graph.weightOf(vouches[place] ?? 0)
    capacities[place] = vouchCapacity(weight, hops[from] ?? 0, accuracies[from] ?? 0) * MILLION
  }
  return { froms, tos, capacities, bases, limits, size }
}

/**
 * What each vouch would carry if everyone split what reaches them evenly. After one round per hop, every path has been
 * walked.
 */
function evenShares(
  { froms, tos, capacities, bases, limits, size }: VouchEnds,
  scratch: Scratch,
): Float64Array {
  const fan_outs = scratch.ints('widest.fan_outs', size)
  for (const from of froms) fan_outs[from] = (fan_outs[from] ?? 0) + 1
  const { length } = froms
  const shares = scratch.reals('widest.shares', length)
  const parts = scratch.reals('widest.parts', size)
  const next = scratch.reals('widest.next', size)
  const supplies = scratch.reals('widest.supplies', size)
  supplies.set(bases)
  for (let round = 1; round <= MAX_HOPS; round += 1) {
    for (let person = 0; person < size; person += 1)
      parts[person] = Math.floor(
        Math.min(supplies[person] ?? 0, limits[person] ?? 0) / Math.max(1, fan_outs[person] ?? 0),
      )
    next.set(bases)
    for (let place = 0; place < length; place += 1) {
      const to = tos[place] ?? 0
      const share = Math.min(capacities[place] ?? 0, parts[froms[place] ?? 0] ?? 0)
      shares[place] = share
      // More than a whole word is never passed on, so sums stay small enough to be exact.
      next[to] = Math.min(MILLION * MILLION, (next[to] ?? 0) + share)
    }
    supplies.set(next)
  }
  return shares
}

/** The places of the vouches for each person, grouped by person. */
function byHead({ tos, size }: VouchEnds, scratch: Scratch): { begins: Int32Array; places: Int32Array } {
  const begins = scratch.ints('widest.begins', size + 1)
  for (const to of tos) begins[to + 1] = (begins[to + 1] ?? 0) + 1
  for (let person = 0; person < size; person += 1)
    begins[person + 1] = (begins[person + 1] ?? 0) + (begins[person] ?? 0)
  const cursors = scratch.ints('widest.cursors', size + 1)
  cursors.set(begins)
  const places = scratch.ints('widest.places', tos.length)
  for (let place = 0; place < tos.length; place += 1) {
    const to = tos[place] ?? 0
    places[cursors[to] ?? 0] = place
    cursors[to] = (cursors[to] ?? 0) + 1
  }
  return { begins, places }
}
