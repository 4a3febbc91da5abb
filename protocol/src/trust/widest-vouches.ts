import { MAX_HOPS, MILLION, personCapacity } from './capacity.ts'
import { PriorityQueue } from './priority-queue.ts'
import type { Surroundings } from './surroundings.ts'

/**
 * Takes `limit` vouches from the subject on, the widest way first and the older of equals. A way is as wide as the
 * narrowest share on it, where a person's word is split evenly among those they vouch for: ten thousand made-up people
 * behind one vouch are together as wide as that vouch, so they don't crowd out others.
 */
export function widestVouches(vouches: readonly number[], around: Surroundings, limit: number): number[] {
  const ends = endsOf(vouches, around)
  const shares = evenShares(ends)
  const { begins, places } = byHead(ends)
  const waiting = new PriorityQueue()
  const reached = new Uint8Array(ends.size)
  const taken: number[] = []

  function reach(person: number, width: number): void {
    if (reached[person] === 1) return
    reached[person] = 1
    for (const place of places.subarray(begins[person], begins[person + 1]))
      waiting.add(place, Math.min(width, shares[place] ?? 0))
  }

  reach(SUBJECT, Number.MAX_SAFE_INTEGER)
  for (let next = waiting.take(); next !== undefined && taken.length < limit; next = waiting.take()) {
    taken.push(ends.vouches[next.item] ?? 0)
    reach(ends.froms[next.item] ?? 0, next.priority)
  }
  return taken
}

const SUBJECT = 0

/** Vouches in the order in which they were made, with numbers for the people between whom they are. */
interface VouchEnds {
  readonly vouches: Int32Array
  readonly froms: Int32Array
  readonly tos: Int32Array
  readonly capacities: Float64Array
  /** What each person adds, and what they can pass on. */
  readonly bases: Float64Array
  readonly limits: Float64Array
  /** How many there are, the subject included, which has the number 0. */
  readonly size: number
}

/** Amounts are in millionths of millionths, so that small shares still differ. */
function endsOf(list: readonly number[], { graph, subject, distances, baseOf }: Surroundings): VouchEnds {
  const vouches = Int32Array.from(list).sort()
  const numbers = new Int32Array(graph.nodeCount).fill(-1)
  numbers[subject] = SUBJECT
  const people = [subject]
  const numberOf = (node: number): number => {
    if (numbers[node] === -1) numbers[node] = people.push(node) - 1
    return numbers[node] ?? 0
  }
  const froms = vouches.map((vouch) => numberOf(graph.fromOf(vouch)))
  const tos = vouches.map((vouch) => numberOf(graph.toOf(vouch)))
  const hops = Uint8Array.from(people, (person) => distances.of(person))
  const limits = Float64Array.from(
    people,
    (person, number) => personCapacity(hops[number] ?? 0, graph.accuracyOf(person)) * MILLION,
  )
  const bases = Float64Array.from(people, (person) => baseOf(person) * MILLION)
  const capacities = Float64Array.from(
    vouches,
    (vouch, place) => graph.capacityOf(vouch, hops[froms[place] ?? 0] ?? 0) * MILLION,
  )
  return { vouches, froms, tos, capacities, bases, limits, size: people.length }
}

/**
 * What each vouch would carry if everyone split what reaches them evenly. After as many rounds as there are hops, every
 * way has been walked.
 */
function evenShares({ vouches, froms, tos, capacities, bases, limits, size }: VouchEnds): Float64Array {
  const fan_outs = new Int32Array(size)
  for (const from of froms) fan_outs[from] = (fan_outs[from] ?? 0) + 1
  const shares = new Float64Array(vouches.length)
  let supplies = bases
  for (let round = 1; round <= MAX_HOPS; round += 1) {
    const parts = supplies.map((supply, person) =>
      Math.floor(Math.min(supply, limits[person] ?? 0) / Math.max(1, fan_outs[person] ?? 0)),
    )
    const next = bases.slice()
    for (let place = 0; place < vouches.length; place += 1) {
      const to = tos[place] ?? 0
      const share = Math.min(capacities[place] ?? 0, parts[froms[place] ?? 0] ?? 0)
      shares[place] = share
      // More than a whole word is never passed on, so sums stay small enough to be exact.
      next[to] = Math.min(MILLION * MILLION, (next[to] ?? 0) + share)
    }
    supplies = next
  }
  return shares
}

/** The places of the vouches for each person, one person after the other. */
function byHead({ tos, size }: VouchEnds): { begins: Int32Array; places: Int32Array } {
  const begins = new Int32Array(size + 1)
  for (const to of tos) begins[to + 1] = (begins[to + 1] ?? 0) + 1
  for (let person = 0; person < size; person += 1)
    begins[person + 1] = (begins[person + 1] ?? 0) + (begins[person] ?? 0)
  const cursors = begins.slice()
  const places = new Int32Array(tos.length)
  for (let place = 0; place < tos.length; place += 1) {
    const to = tos[place] ?? 0
    places[cursors[to] ?? 0] = place
    cursors[to] = (cursors[to] ?? 0) + 1
  }
  return { begins, places }
}
