import { MAX_HOPS } from './capacity.ts'
import type { Surroundings } from './surroundings.ts'
import { widestVouches } from './widest-vouches.ts'

export interface Region {
  /** The numbers of the vouches that are considered, ascending. */
  readonly vouches: readonly number[]
  readonly truncated: boolean
}

/**
 * The vouches that count for a subject: those on a way of at most five vouches from an anchor to it. If there are more than
 * `limit`, the widest ways are taken.
 *
 * The limit of hops applies to each vouch, not to each path of the flow. A flow whose paths are all limited has no cut
 * that equals it, and a new vouch could lower it. With this rule more vouches never mean less flow: a new vouch only
 * brings people nearer, so every vouch that counted still counts. Where a short way is full, a path may take a longer one
 * along vouches that count.
 */
export function regionOf(around: Surroundings, limit: number): Region {
  const vouches = vouchesWithin(around)
  if (vouches.length <= limit) return { vouches: ascending(vouches), truncated: false }
  return { vouches: ascending(widestVouches(vouches, around, limit)), truncated: true }
}

/** In the order in which they were made, so that every search meets them in the same order. */
function ascending(vouches: readonly number[]): number[] {
  return [...Int32Array.from(vouches).sort()]
}

/**
 * Walks from the subject against the vouches, hop by hop. Nobody is visited from whom the rest of the way would be too
 * long, so a crowd that no anchor reaches is never entered.
 */
function vouchesWithin({ graph, subject, context, distances }: Surroundings): number[] {
  const found: number[] = []
  const seen = new Uint8Array(graph.nodeCount)
  seen[subject] = 1
  let nearest = [subject]
  for (let hops = 1; hops <= MAX_HOPS && nearest.length > 0; hops += 1) {
    const next: number[] = []
    for (const node of nearest)
      for (const vouch of graph.insOf(node)) {
        const from = graph.fromOf(vouch)
        if (distances.of(from) + hops > MAX_HOPS || from === subject) continue
        if (!graph.counts(vouch, context)) continue
        found.push(vouch)
        if (seen[from] === 1) continue
        seen[from] = 1
        next.push(from)
      }
    nearest = next
  }
  return found
}
