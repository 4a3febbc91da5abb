import { cutText } from '@deputize/protocol/visible-text'
import { useMemo, useRef } from 'preact/hooks'
import { gaugeTone, usedShare } from '../parts/gauge.tsx'
import { nameOfAgent } from '../words/agent-names.ts'
import { usd } from '../words/money.ts'
import { OUTCOMES, tokenOutcome } from '../words/outcome.ts'
import { TREE_NODE, type TreeNodeToken, tokenTree } from './token-tree.ts'
import { useVisiblePart } from './visible-part.ts'

const PADDING = 12
/** Of a larger tree, only the visible part is drawn. */
const MOST_DRAWN_WHOLE = 300

/** The tree of tokens with their budgets. Arrow keys move between tokens. */
export function TokenTreeView({
  tokens,
  selected,
  select,
}: {
  readonly tokens: readonly TreeNodeToken[]
  readonly selected: string | undefined
  readonly select: (jti: string) => void
}) {
  const { nodes, links, width, height } = useMemo(() => tokenTree(tokens), [tokens])
  const order = useMemo(
    () => [...nodes].sort((a, b) => a.y - b.y || a.x - b.x).map(({ token }) => token.jti),
    [nodes],
  )
  const focused = selected ?? nodes[0]?.token.jti
  const svg = useRef<SVGSVGElement>(null)
  const part = useVisiblePart(svg)
  const isSeen = (from: number, to: number) =>
    nodes.length <= MOST_DRAWN_WHOLE || (to >= part.top && from <= part.bottom)
  const moveFrom = (jti: string, by: number) => {
    const next = order[order.indexOf(jti) + by]
    if (next === undefined) return
    select(next)
    document.getElementById(`node-${next}`)?.focus()
  }
  const onKeyDown = (jti: string) => (event: KeyboardEvent) => {
    const by = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key]
    if (event.key === 'Enter' || event.key === ' ') select(jti)
    else if (by !== undefined) moveFrom(jti, by)
    else return
    event.preventDefault()
  }
  return (
    <div class="canvas">
      {/* biome-ignore lint/a11y/noSvgWithoutTitle: the tree inside has a name */}
      <svg ref={svg} width={width + 2 * PADDING} height={height + 2 * PADDING}>
        <g role="tree" aria-label="Tokens of this workflow" transform={`translate(${PADDING} ${PADDING})`}>
          {links
            .filter(({ top, bottom }) => isSeen(top, bottom))
            .map(({ key, path }) => (
              <path key={key} d={path} class="link" />
            ))}
          {nodes
            .filter(({ token, y }) => token.jti === focused || isSeen(y, y + TREE_NODE.height))
            .map(({ token, x, y, depth }) => (
              <g
                key={token.jti}
                id={`node-${token.jti}`}
                transform={`translate(${x} ${y})`}
                class={`node status-${token.status} ${token.jti === selected ? 'selected' : ''}`}
                role="treeitem"
                aria-level={depth + 1}
                aria-selected={token.jti === selected}
                tabindex={token.jti === focused ? 0 : -1}
                onClick={() => select(token.jti)}
                onKeyDown={onKeyDown(token.jti)}
              >
                <TreeNode token={token} />
              </g>
            ))}
        </g>
      </svg>
    </div>
  )
}

function TreeNode({ token }: { readonly token: TreeNodeToken }) {
  const { shape, tone, word } = OUTCOMES[tokenOutcome(token.status)]
  const own = token.tightest ?? token.budget
  const share = own === undefined ? 0 : usedShare(own)
  const [bar, end] = [86, TREE_NODE.width - 10]
  return (
    <>
      <rect width={TREE_NODE.width} height={TREE_NODE.height} rx="8" class="node-box" />
      <text x="10" y="20" class={`shape ${tone}`}>
        {shape}
      </text>
      <text class="unseen">{word}</text>
      <text x="24" y="20" class="node-title">
        {cutText(nameOfAgent(token.agent_id), 22)}
      </text>
      <text x="10" y="35" class="node-note">
        {cutText(token.claims.svc_scope.actions.join(', '), 30)}
      </text>
      {own !== undefined && (
        <>
          <rect x="10" y="43" width={bar} height="4" rx="2" class="gauge-rest" />
          <rect x="10" y="43" width={share * bar} height="4" rx="2" class={gaugeTone(share)} />
          <text x={end} y="49" class="node-note" text-anchor="end">
            {`${usd(own.remaining_usd)} left`}
          </text>
        </>
      )}
    </>
  )
}
