/** The execution graph. A chunk of its own, because its layout is the largest library here. */
import { Graph, layout } from '@dagrejs/dagre'
import { useMemo } from 'preact/hooks'
import { OUTCOMES } from '../words/outcome.ts'
import type { DrawnGraph, GraphBox } from './execution-graph.ts'
import { round } from './scales.ts'
import { cut } from './token-tree-view.tsx'

const BOX = { width: 208, height: 44 } as const
const PADDING = 12

function placed({ boxes, arrows }: DrawnGraph) {
  const graph = new Graph()
  graph.setGraph({ rankdir: 'LR', nodesep: 14, ranksep: 48, marginx: PADDING, marginy: PADDING })
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
    boxes: boxes.map((box) => {
      const { x, y } = middle(box.id)
      return { box, x: round(x - BOX.width / 2), y: round(y - BOX.height / 2) }
    }),
    arrows: arrows.map((arrow) => {
      const between = graph.edge({ v: arrow.from, w: arrow.to }).points ?? []
      return { ...arrow, path: arrowPath(middle(arrow.from), between.slice(1, -1), middle(arrow.to)) }
    }),
  }
}

interface Point {
  readonly x: number
  readonly y: number
}

/** From the right side of a box, through the points that avoid others, to the left side of the next. */
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
  const { width, height, boxes, arrows } = useMemo(() => placed(graph), [graph])
  return (
    <div class="canvas">
      {/* biome-ignore lint/a11y/useSemanticElements: SVG has no fieldset */}
      <svg width={width} height={height} role="group" aria-label="Execution graph">
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
        {arrows.map(({ from, to, path }) => (
          <path key={`${from} ${to}`} d={path} class="link" marker-end="url(#arrow)" />
        ))}
        {boxes.map(({ box, x, y }) => (
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
        {cut(title, words === undefined ? 26 : 23)}
      </text>
      <text x="10" y="34" class="node-note">
        {cut(note === '' ? kind : note, 34)}
      </text>
    </g>
  )
}
