import { MAX_HOPS } from './capacity.ts'
import type { Scratch } from './scratch.ts'
import type { Surroundings } from './surroundings.ts'
import { widestVouches } from './widest-vouches.ts'

/** Valid until the next call of `regionOf` for the same graph: regions share memory. */
export interface Region {
  /** The numbers of the vouches that are considered, ascending. */
  readonly vouches: Int32Array
  readonly truncated: boolean
}

/**
 * The vouches that count for a subject: those on a path of at most five vouches from an anchor. If there are more than
 * `limit`, the widest paths are kept.
 *
 * The hop limit decides which vouches count, not how long a path of the flow is. Limiting the paths themselves would
 * break the equality of maximum flow and minimum cut, and a new vouch could lower a score. With this rule, more vouches
 * never mean less flow: a new vouch only brings people nearer, so every vouch that counted still counts. If a short
 * path is full, the flow may take a longer one along vouches that count.
 */
export function regionOf(around: Surroundings, limit: number): Region {
  // In the order in which they were made, so that every search meets them in the same order.
  const vouches = ascending(vouchesWithin(around), around.graph.vouchCount, around.graph.scratch)
  if (vouches.length <= limit) return { vouches, truncated: false }
  return { vouches: widestVouches(vouches, around, limit).sort(), truncated: true }
}

/**
 * Searches backward from the subject, hop by hop, and skips everyone whose distance to an anchor exceeds the hops that
 * are left. A crowd that no anchor reaches is therefore never entered.
 */
function vouchesWithin({ graph, subject, context, distances }: Surroundings): Int32Array {
  const found = graph.scratch.growing('region.found')
  const seen = graph.scratch.bytes('region.seen', graph.nodeCount)
  seen[subject] = 1
  let nearest = [subject]
  for (let hops = 1; hops <= MAX_HOPS && nearest.length > 0; hops += 1) {
    const next: number[] = []
    const farthest = MAX_HOPS - hops
    for (const node of nearest) {
      const vouches = graph.insOf(node)
      const froms = graph.inFromsOf(node)
      for (let place = 0; place < froms.length; place += 1) {
        const from = froms[place] ?? 0
        if (distances.of(from) > farthest || from === subject) continue
        const vouch = vouches[place] ?? 0
        if (!graph.counts(vouch, context)) continue
        found.push(vouch)
        if (seen[from] === 1) continue
        seen[from] = 1
        next.push(from)
      }
    }
    nearest = next
  }
  return found.values.subarray(0, found.length)
}

const BITS = 32

/** Sorts distinct numbers below `end`. A long list goes through a bitmap, which is faster than sorting. */
function ascending(numbers: Int32Array, end: number, scratch: Scratch): Int32Array {
  if (numbers.length < end / BITS) return numbers.sort()
  const marks = scratch.ints('region.marks', Math.ceil(end / BITS))
  for (const number of numbers) marks[number >>> 5] = (marks[number >>> 5] ?? 0) | (1 << (number & 31))
  let count = 0
  for (let word = 0; word < marks.length; word += 1)
    for (let bits = marks[word] ?? 0; bits !== 0; bits &= bits - 1) {
      numbers[count] = word * BITS + (BITS - 1 - Math.clz32(bits & -bits))
      count += 1
    }
  return numbers
}
