/// <reference path="./d3-force.d.ts" />
import { forceCollide, forceLink, forceManyBody, forceRadial, forceSimulation } from 'd3-force'
import type {
  CutPart,
  GetTrustGraphAnswer,
  TrustEdge,
  TrustNode,
  TrustPath,
} from '../../../sdk/node/src/generated/operations.ts'
import { round } from './scales.ts'

/** More nodes would be an unreadable cloud. */
export const MOST_DRAWN_NODES = 150

export interface Explanation {
  readonly paths: readonly TrustPath[]
  readonly cut: readonly CutPart[]
}

export interface TrustLink extends TrustEdge {
  /** How much of the score it carries. 0 if nothing. */
  readonly carries: number
  /** Whether no path leads around it. */
  readonly isLimit: boolean
}

export interface TrustDot extends TrustNode {
  readonly isOnPath: boolean
  readonly isLimit: boolean
}

export interface TrustPicture {
  readonly dots: readonly TrustDot[]
  readonly links: readonly TrustLink[]
  /** Nodes that are left out. */
  readonly hidden: number
}

/** Chooses what is drawn: first the nodes that carry the score, then the nearest. */
export function trustPicture(
  { around, nodes, edges }: Pick<GetTrustGraphAnswer, 'around' | 'nodes' | 'edges'>,
  { paths, cut }: Explanation,
): TrustPicture {
  const flows = flowOfVouches(paths)
  const limits = new Set(cut.flatMap(({ vouch_id, human_ref }) => vouch_id ?? human_ref ?? []))
  const onPath = new Set([around, ...paths.flatMap(({ steps }) => steps.flatMap(({ from }) => from ?? []))])
  const drawn = [...nodes]
    .sort((a, b) => Number(onPath.has(b.subject)) - Number(onPath.has(a.subject)) || a.steps - b.steps)
    .slice(0, MOST_DRAWN_NODES)
  const known = new Set(drawn.map(({ subject }) => subject))
  return {
    dots: drawn.map((node) => ({
      ...node,
      isOnPath: onPath.has(node.subject),
      isLimit: limits.has(node.subject),
    })),
    links: edges
      .filter(({ from, to }) => known.has(from) && known.has(to))
      .map((edge) => ({
        ...edge,
        carries: flows.get(edge.vouch_id) ?? 0,
        isLimit: limits.has(edge.vouch_id),
      }))
      // Those that matter are drawn last, above the others.
      .sort((a, b) => Number(a.isLimit) - Number(b.isLimit) || a.carries - b.carries),
    hidden: nodes.length - drawn.length,
  }
}

function flowOfVouches(paths: readonly TrustPath[]): Map<string, number> {
  const flows = new Map<string, number>()
  for (const { flow, steps } of paths)
    for (const { vouch_id } of steps)
      if (vouch_id !== undefined) flows.set(vouch_id, (flows.get(vouch_id) ?? 0) + flow)
  return flows
}

export interface PlacedPoint {
  readonly x: number
  readonly y: number
}

const TICKS = 300
const RING = 96
const EDGE_PADDING = { x: 52, y: 32 } as const

/** Runs the forces to rest, then fits the result into the picture. The same graph always gets the same layout. */
export function trustLayout(
  { dots, links }: TrustPicture,
  width: number,
  height: number,
): ReadonlyMap<string, PlacedPoint> {
  interface Body {
    readonly subject: string
    readonly steps: number
    x?: number
    y?: number
    fx?: number
    fy?: number
  }
  const bodies: Body[] = dots.map(({ subject, steps }) =>
    steps === 0 ? { subject, steps, fx: 0, fy: 0 } : { subject, steps },
  )
  const springs: { source: string | Body; target: string | Body }[] = links.map(({ from, to }) => ({
    source: from,
    target: to,
  }))
  forceSimulation(bodies)
    .force('charge', forceManyBody().strength(-420))
    .force('ring', forceRadial<Body>(({ steps }) => steps * RING).strength(0.6))
    .force('room', forceCollide(34))
    .force(
      'vouches',
      forceLink<Body, (typeof springs)[number]>(springs)
        .id(({ subject }) => subject)
        .distance(RING)
        .strength(0.25),
    )
    .stop()
    .tick(TICKS)
  const placed = bodies.map(({ subject, x = 0, y = 0 }) => ({ subject, x, y }))
  const across = fitted(
    placed.map(({ x }) => x),
    width,
    EDGE_PADDING.x,
  )
  const down = fitted(
    placed.map(({ y }) => y),
    height,
    EDGE_PADDING.y,
  )
  return new Map(placed.map(({ subject, x, y }) => [subject, { x: across(x), y: down(y) }]))
}

/** Stretches values by a factor of at most 2.4, and shrinks them as much as the room requires. */
function fitted(values: readonly number[], room: number, padding: number): (value: number) => number {
  const [low, high] = [Math.min(...values), Math.max(...values)]
  const scale = Math.min(2.4, Math.max(0.01, room - 2 * padding) / Math.max(1, high - low))
  return (value) => round(room / 2 + (value - (low + high) / 2) * scale)
}

/** The width of a line, from the weight of its vouch. */
export function vouchWidth(weight: number): number {
  return round(1 + 5 * Math.min(1, Math.max(0, weight)))
}
