/** The execution graph. A separate chunk, because its layout library is the largest dependency. */

import { Graph, layout } from '@dagrejs/dagre'
import { cutText } from '@deputize/protocol/visible-text'
import { useMemo, useRef } from 'preact/hooks'
import { OUTCOMES } from '../words/outcome.ts'
import type { DrawnGraph, GraphBox } from './execution-graph.ts'
import { forestLayout } from './forest.ts'
import { round } from './scales.ts'
import { useVisiblePart } from './visible-part.ts'

const BOX = { width: 208, height: 44 } as const
const GAP = { x: 48, y: 14 } as const
const PADDING = 12
/** Dagre avoids crossing arrows, but takes seconds for more boxes than this. */
const MOST_UNCROSSED = 120

interface PlacedBoxes {
  readonly width: number
  readonly height: number
  readonly middle: (id: string) => Point
  readonly path: (arrow: GraphArrow) => string
  /** Whether an arrow must be drawn even if neither of its boxes is visible. */
  readonly isOuter: (arrow: GraphArrow) => boolean
}

type GraphArrow = DrawnGraph['arrows'][number]

function uncrossed({ boxes, arrows }: DrawnGraph): PlacedBoxes {
  const graph = new Graph()
  graph.setGraph({ rankdir: 'LR', nodesep: GAP.y, ranksep: GAP.x, marginx: PADDING, marginy: PADDING })
  graph.setDefaultEdgeLabel(() => ({}))
  for (const { id } of boxes) graph.setNode(id, { ...BOX })
  for (const { from, to } of arrows) graph.setEdge(from, to)
  layout(graph)
  const { width = 0, height = 0 } = graph.graph()
  const middle = (id: string): Point => {
    const { x = 0, y = 0 } = graph.node(id)
    return { x, y }
  }
  return {
    width,
    height,
    middle,
    path({ from, to }) {
      const between = (graph.edge({ v: from, w: to }).points ?? []).slice(1, -1)
      return arrowPath(middle(from), between, middle(to))
    },
    isOuter: () => true,
  }
}

/**
 * Arrows from one box share a trunk. The outermost ones draw all of it, so the others are drawn only where they end:
 * an agent may have thousands.
 */
function inRows({ boxes, arrows }: DrawnGraph): PlacedBoxes {
  const ids = boxes.map(({ id }) => id)
  const { middles, width, height } = forestLayout({ ids, arrows }, { box: BOX, gap: GAP, padding: PADDING })
  const middle = (id: string): Point => middles.get(id) ?? { x: 0, y: 0 }
  const [highest, lowest] = [new Map<string, GraphArrow>(), new Map<string, GraphArrow>()]
  for (const arrow of arrows) {
    const { y } = middle(arrow.to)
    const [above, below] = [highest.get(arrow.from), lowest.get(arrow.from)]
    if (above === undefined || y < middle(above.to).y) highest.set(arrow.from, arrow)
    if (below === undefined || y > middle(below.to).y) lowest.set(arrow.from, arrow)
  }
  return {
    width,
    height,
    middle,
    path: ({ from, to }) => trunkPath(middle(from), middle(to)),
    isOuter: (arrow) => highest.get(arrow.from) === arrow || lowest.get(arrow.from) === arrow,
  }
}

function placed(graph: DrawnGraph) {
  const { width, height, middle, path, isOuter } = (graph.boxes.length > MOST_UNCROSSED ? inRows : uncrossed)(
    graph,
  )
  return {
    width,
    height,
    path,
    boxes: graph.boxes.map((box) => {
      const { x, y } = middle(box.id)
      return { box, x: round(x - BOX.width / 2), y: round(y - BOX.height / 2) }
    }),
    arrows: graph.arrows.map((arrow) => {
      const [from, to] = [middle(arrow.from), middle(arrow.to)]
      const start = isOuter(arrow) ? from : to
      return {
        arrow,
        top: Math.min(start.y, to.y) - BOX.height / 2,
        bottom: Math.max(start.y, to.y) + BOX.height / 2,
        left: Math.min(from.x, to.x),
        right: Math.max(from.x, to.x),
      }
    }),
  }
}

interface Point {
  readonly x: number
  readonly y: number
}

/** The path out of a box, along the trunk that its arrows share, and to the left side of the next box. */
function trunkPath(from: Point, to: Point): string {
  const [begin, end] = [from.x + BOX.width / 2, to.x - BOX.width / 2]
  return `M${round(begin)},${round(from.y)}H${round(begin + GAP.x / 2)}V${round(to.y)}H${round(end)}`
}

/** The path from the right side of a box, through the points that avoid others, to the left side of the next. */
function arrowPath(from: Point, through: readonly Point[], to: Point): string {
  const isForward = to.x > from.x
  const begin = { x: from.x + (isForward ? BOX.width / 2 : 0), y: from.y + (isForward ? 0 : BOX.height / 2) }
  const end = { x: to.x - (isForward ? BOX.width / 2 : 0), y: to.y + (isForward ? 0 : BOX.height / 2) }
  const points = [begin, ...(isForward ? through.filter(({ x }) => x > begin.x && x < end.x) : through), end]
  return points
    .map(({ x, y }, index) => {
      const before = points[index - 1]
      if (before === undefined) return `M${round(x)},${round(y)}`
      const half = (before.x + x) / 2
      return `C${round(half)},${round(before.y)} ${round(half)},${round(y)} ${round(x)},${round(y)}`
    })
    .join('')
}

export function GraphView({
  graph,
  selected,
  select,
}: {
  readonly graph: DrawnGraph
  readonly selected: string | undefined
  readonly select: (aar_id: string) => void
}) {
  const { width, height, path, boxes, arrows } = useMemo(() => placed(graph), [graph])
  const svg = useRef<SVGSVGElement>(null)
  const part = useVisiblePart(svg)
  const isSeen = ({ top, bottom, left, right }: typeof part) =>
    bottom >= part.top && top <= part.bottom && right >= part.left && left <= part.right
  const isSeenBox = ({ x, y }: { x: number; y: number }) =>
    isSeen({ left: x, right: x + BOX.width, top: y, bottom: y + BOX.height })
  return (
    <div class="canvas">
      {/* biome-ignore lint/a11y/useSemanticElements: SVG has no fieldset */}
      <svg ref={svg} width={width} height={height} role="group" aria-label="Execution graph">
        <defs>
          <marker
            id="arrow"
            viewBox="0 0 8 8"
            refX="7"
            refY="4"
            markerWidth="7"
            markerHeight="7"
            orient="auto"
          >
            <path d="M0,0L8,4L0,8Z" class="arrow-head" />
          </marker>
        </defs>
        {arrows.filter(isSeen).map(({ arrow }) => (
          <path key={`${arrow.from} ${arrow.to}`} d={path(arrow)} class="link" marker-end="url(#arrow)" />
        ))}
        {boxes.filter(isSeenBox).map(({ box, x, y }) => (
          <g key={box.id} transform={`translate(${x} ${y})`}>
            <GraphNodeBox box={box} isSelected={box.aar_ids.includes(selected ?? '')} select={select} />
          </g>
        ))}
      </svg>
    </div>
  )
}

function GraphNodeBox({
  box: { kind, title, note, outcome, aar_ids },
  isSelected,
  select,
}: {
  readonly box: GraphBox
  readonly isSelected: boolean
  readonly select: (aar_id: string) => void
}) {
  const [first] = aar_ids
  const words = outcome === undefined ? undefined : OUTCOMES[outcome]
  const choose = () => first !== undefined && select(first)
  return (
    <g
      class={`node kind-${kind} ${isSelected ? 'selected' : ''}`}
      {...(first !== undefined && {
        role: 'button',
        tabindex: 0,
        'aria-pressed': isSelected,
        onClick: choose,
        onKeyDown: (event: KeyboardEvent) => event.key === 'Enter' && choose(),
      })}
    >
      <rect width={BOX.width} height={BOX.height} rx="8" class="node-box" />
      {words !== undefined && (
        <>
          <text x="10" y="19" class={`shape ${words.tone}`}>
            {words.shape}
          </text>
          <text class="unseen">{words.word}</text>
        </>
      )}
      <text x={words === undefined ? 10 : 24} y="19" class="node-title">
        {cutText(title, words === undefined ? 26 : 23)}
      </text>
      <text x="10" y="34" class="node-note">
        {cutText(note === '' ? kind : note, 34)}
      </text>
    </g>
  )
}
