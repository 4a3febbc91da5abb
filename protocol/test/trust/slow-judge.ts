/**
 * A second implementation of the trust graph's rules, independent of the product: exact fractions, lists searched from
 * end to end, and a maximum flow by Edmonds and Karp. Slow, and short enough to compare with the rules.
 */
import type { LogEntryContent } from '../../src/log/entry.ts'

const YEAR_MS = 365 * 24 * 3600 * 1000
const FAR = 99

export interface SlowVouch {
  readonly id: string
  readonly from: string
  readonly to: string
  readonly weight: bigint
  readonly context: string | undefined
}

export interface SlowGraph {
  readonly bases: ReadonlyMap<string, bigint>
  readonly vouches: readonly SlowVouch[]
  /** The ratings that count for each person: approved, flagged, rejected. */
  readonly ratings: ReadonlyMap<string, readonly [number, number, number]>
}

export interface SlowOptions {
  readonly context?: string | undefined
  readonly as?: string | undefined
}

/** An arc of the network: what it stands for, and what it can carry. */
export interface SlowArc {
  readonly part: string
  readonly from: string
  readonly to: string
  readonly capacity: bigint
}

/** A fraction that is rounded down only where the rules say so. */
function floorOf(numerator: bigint, denominator: bigint): bigint {
  return numerator / denominator
}

function accuracy({ ratings }: SlowGraph, person: string): bigint {
  const [approved, flagged, rejected] = ratings.get(person) ?? [0, 0, 0]
  return floorOf(BigInt(approved + 4) * 1_000_000n, BigInt(approved + flagged + 4 * rejected + 4))
}

/** Hops from each name in `starts` along the vouches, by trying every vouch five times. */
function hopsFrom(
  starts: Iterable<string>,
  vouches: readonly SlowVouch[],
  backwards: boolean,
): Map<string, number> {
  const hops = new Map([...starts].map((name) => [name, 0]))
  for (let round = 0; round < 5; round += 1)
    for (const { from, to } of vouches) {
      const [near, next] = backwards ? [to, from] : [from, to]
      const found = (hops.get(near) ?? FAR) + 1
      if (found < (hops.get(next) ?? FAR)) hops.set(next, found)
    }
  return hops
}

/** The network of a score, part by part. The source is called `<`, the sink `>`. */
export function slowNetwork(graph: SlowGraph, subject: string, { context, as }: SlowOptions): SlowArc[] {
  const bases = as === undefined ? new Map(graph.bases) : new Map([[as, 1_000_000n]])
  if (as === subject) return []
  const counted = graph.vouches.filter((vouch) => vouch.context === undefined || vouch.context === context)
  const ahead = hopsFrom(bases.keys(), counted, false)
  // Paths end at the subject, so none leads through it.
  const behind = hopsFrom(
    [subject],
    counted.filter(({ from }) => from !== subject),
    true,
  )
  const within = counted.filter(
    ({ from, to }) => from !== subject && (ahead.get(from) ?? FAR) + 1 + (behind.get(to) ?? FAR) <= 5,
  )
  const people = new Set(within.flatMap(({ from, to }) => [from, to]).filter((name) => name !== subject))
  const kept = (hops: number) => [8n ** BigInt(hops), 10n ** BigInt(hops)] as const
  const through = [...people].map((person) => {
    const [numerator, denominator] = kept(ahead.get(person) ?? FAR)
    const capacity = floorOf(numerator * accuracy(graph, person), denominator)
    return { part: `person ${person}`, from: `in ${person}`, to: `out ${person}`, capacity }
  })
  const words = within.map(({ id, from, to, weight }) => {
    const [numerator, denominator] = kept((ahead.get(from) ?? FAR) + 1)
    const held = floorOf(weight * accuracy(graph, from), 1_000_000n)
    const end = to === subject ? '>' : `in ${to}`
    return {
      part: `vouch ${id}`,
      from: `out ${from}`,
      to: end,
      capacity: floorOf(held * numerator, denominator),
    }
  })
  const sources = [...people]
    .filter((person) => bases.has(person))
    .map((person) => ({
      part: `base ${person}`,
      from: '<',
      to: `in ${person}`,
      capacity: bases.get(person) ?? 0n,
    }))
  return [...sources, ...through, ...words]
}

/** Edmonds and Karp: shortest paths first, until there are none. */
export function slowFlow(arcs: readonly SlowArc[]): bigint {
  const left = new Map<string, Map<string, bigint>>()
  const add = (from: string, to: string, amount: bigint) => {
    const row = left.get(from) ?? new Map<string, bigint>()
    row.set(to, (row.get(to) ?? 0n) + amount)
    left.set(from, row)
  }
  for (const { from, to, capacity } of arcs) add(from, to, capacity)
  let flow = 0n
  for (let way = shortestWay(left); way.length > 0; way = shortestWay(left)) {
    const amounts = way.map(([from, to]) => left.get(from)?.get(to) ?? 0n)
    const most = amounts.reduce((least, amount) => (amount < least ? amount : least))
    for (const [from, to] of way) {
      add(from, to, -most)
      add(to, from, most)
    }
    flow += most
  }
  return flow
}

function shortestWay(left: ReadonlyMap<string, ReadonlyMap<string, bigint>>): [string, string][] {
  const before = new Map([['<', '']])
  const queue = ['<']
  for (const node of queue)
    for (const [next, amount] of left.get(node) ?? [])
      if (amount > 0n && !before.has(next)) {
        before.set(next, node)
        queue.push(next)
      }
  const way: [string, string][] = []
  for (let node = before.has('>') ? '>' : '<'; node !== '<'; node = way[0]?.[0] ?? '<')
    way.unshift([before.get(node) ?? '<', node])
  return way
}

/** The graph after the last leaf, from all leaves at once. Every leaf must be one that the service could have written. */
export function slowGraph(leaves: readonly LogEntryContent[]): SlowGraph {
  const now = leaves.at(-1)?.at ?? ''
  const made = leaves.flatMap((leaf, index) => (leaf.type === 'vouch.made' ? [{ leaf, index }] : []))
  const lives = made.map(({ leaf, index }) => vouchLife(leaves, leaf, index))
  const ratings = new Map<string, [number, number, number]>()
  for (const [index, leaf] of leaves.entries()) {
    if (leaf.type !== 'action.rated') continue
    const place = ['approved', 'flagged', 'rejected'].indexOf(String(leaf.rating))
    const behind = lives.filter(
      ({ to, begins, ends }) => to === leaf.agent_id && begins <= index && index < ends,
    )
    // Once per person, however many contexts they vouch for the agent in.
    for (const from of new Set(behind.map((life) => life.from))) {
      const counts = ratings.get(from) ?? [0, 0, 0]
      counts[place] = (counts[place] ?? 0) + 1
      ratings.set(from, counts)
    }
  }
  const vouches = lives.filter(({ ends }) => ends === leaves.length)
  return { bases: slowBases(leaves, now), vouches, ratings }
}

function vouchLife(leaves: readonly LogEntryContent[], made: LogEntryContent, begins: number) {
  const to = Object.values(Object(made.to))[0]
  let [weight, expires_at] = [made.weight, made.expires_at]
  let ends = begins + 1
  for (; ends < leaves.length; ends += 1) {
    const leaf = leaves[ends]
    if (leaf === undefined || (typeof expires_at === 'string' && leaf.at >= expires_at)) break
    if (leaf.type === 'human.erased' && (leaf.human_ref === made.from || leaf.human_ref === to)) break
    if (leaf.vouch_id !== made.vouch_id) continue
    if (leaf.type === 'vouch.withdrawn') break
    if (leaf.type === 'vouch.changed') [weight, expires_at] = [leaf.weight, leaf.expires_at]
  }
  const context = typeof made.context === 'string' ? made.context : undefined
  const [id, from] = [String(made.vouch_id), String(made.from)]
  return { id, from, to: String(to), weight: BigInt(Number(weight)), context, begins, ends }
}

function slowBases(leaves: readonly LogEntryContent[], now: string): Map<string, bigint> {
  const people = new Set(leaves.map(({ human_ref }) => String(human_ref)))
  const bases = new Map<string, bigint>()
  for (const person of people) {
    const own = leaves.filter(({ human_ref }) => human_ref === person)
    const erased = own.findLastIndex(({ type }) => type === 'human.erased')
    const since = own.slice(erased + 1)
    const named = own.findLast(({ type }) => type === 'anchor.named' || type === 'anchor.removed')
    // A base that was named before an erasure holds only if it is 0.
    const holds = named?.type === 'anchor.named' && (since.includes(named) || named.base === 0)
    const base = holds ? BigInt(Number(named.base)) : verifiedBase(since, now)
    if (base > 0n) bases.set(person, base)
  }
  return bases
}

function verifiedBase(leaves: readonly LogEntryContent[], now: string): bigint {
  const stands = ({ at }: LogEntryContent) => Date.parse(at) + YEAR_MS > Date.parse(now)
  const after = leaves.slice(leaves.findLastIndex(({ type }) => type === 'registry.changed') + 1)
  const isAt = (level: string) => (leaf: LogEntryContent) =>
    ['session.begun', 'token.issued'].includes(leaf.type) && leaf.assurance_level === level && stands(leaf)
  if (after.some(isAt('L3'))) return 950_000n
  return leaves.some(isAt('L2')) ? 700_000n : 0n
}
