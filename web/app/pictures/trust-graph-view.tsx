import { cutText } from '@deputize/protocol/visible-text'
import { useMemo } from 'preact/hooks'
import { nameOfSubject } from '../words/agent-names.ts'
import { score } from '../words/money.ts'
import { useWidth } from './picture.tsx'
import { type TrustDot, type TrustPicture, trustLayout, vouchWidth } from './trust-graph.ts'

const HEIGHT = { few: 440, many: 600 } as const
const FEW = 24
/** With more nodes, only the subject, the selected node and those that carry the score are labelled. */
const MOST_LABELS = 40

/** The vouches around a subject, at rest. Arrow keys move between people and agents. */
export function TrustGraphView({
  picture,
  around,
  selected,
  select,
}: {
  readonly picture: TrustPicture
  readonly around: string
  readonly selected: string | undefined
  readonly select: (subject: string) => void
}) {
  const { ref, width } = useWidth()
  const { dots, links } = picture
  const height = dots.length > FEW ? HEIGHT.many : HEIGHT.few
  const at = useMemo(
    () => (width === 0 ? new Map() : trustLayout(picture, width, height)),
    [picture, width, height],
  )
  const place = (subject: string) => at.get(subject) ?? { x: 0, y: 0 }
  const focused = dots.some(({ subject }) => subject === selected) ? selected : around
  const moveFrom = (index: number, by: number) => {
    const next = dots[index + by]
    if (next === undefined) return
    select(next.subject)
    document.getElementById(dotId(next.subject))?.focus()
  }
  const onKeyDown = (index: number) => (event: KeyboardEvent) => {
    const by = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key]
    const subject = dots[index]?.subject
    if ((event.key === 'Enter' || event.key === ' ') && subject !== undefined) select(subject)
    else if (by !== undefined) moveFrom(index, by)
    else return
    event.preventDefault()
  }
  return (
    <div ref={ref} class="chart">
      {width > 0 && (
        // biome-ignore lint/a11y/useSemanticElements: SVG has no fieldset
        <svg width={width} height={height} role="group" aria-label="Vouches">
          <defs>
            {['dim', 'accent', 'wait'].map((tone) => (
              <marker
                key={tone}
                id={`vouch-${tone}`}
                viewBox="0 0 8 8"
                refX="7"
                refY="4"
                markerWidth="8"
                markerHeight="8"
                markerUnits="userSpaceOnUse"
                orient="auto"
              >
                <path d="M0,0L8,4L0,8Z" class={`fill-${tone}`} />
              </marker>
            ))}
          </defs>
          {links.map(({ vouch_id, from, to, weight, carries, isLimit }) => {
            const tone = isLimit ? 'wait' : carries > 0 ? 'accent' : 'dim'
            return (
              <line
                key={vouch_id}
                {...shortened(place(from), place(to))}
                class={`vouch tone-${tone}`}
                stroke-width={vouchWidth(weight)}
                marker-end={`url(#vouch-${tone})`}
              >
                <title>{`${nameOfSubject(from)} vouches for ${nameOfSubject(to)} with ${score(weight)}`}</title>
              </line>
            )
          })}
          {dots.map((dot, index) => (
            // biome-ignore lint/a11y/useSemanticElements: SVG has no buttons
            <g
              key={dot.subject}
              id={dotId(dot.subject)}
              transform={`translate(${place(dot.subject).x} ${place(dot.subject).y})`}
              class={`node ${dot.subject === selected ? 'selected' : ''}`}
              role="button"
              aria-pressed={dot.subject === selected}
              aria-label={dotWords(dot)}
              tabindex={dot.subject === focused ? 0 : -1}
              onClick={() => select(dot.subject)}
              onKeyDown={onKeyDown(index)}
            >
              <Dot
                dot={dot}
                hasLabel={dots.length <= MOST_LABELS || dot.isOnPath || dot.subject === selected}
              />
            </g>
          ))}
        </svg>
      )}
    </div>
  )
}

function dotId(subject: string): string {
  return `dot-${subject}`
}

function dotWords(dot: TrustDot): string {
  const anchor = dot.base === undefined ? '' : `, anchor with ${score(dot.base)}`
  return `${nameOfSubject(dot.subject)}${anchor}${dot.isLimit ? ', limits the score' : ''}`
}

/** The label doesn't say `Person`: the shape does. */
function labelOf(subject: string): string {
  return cutText(nameOfSubject(subject).replace(/^Person /, ''), 20)
}

const RADIUS = 9

/** Agents are squares, people are circles, anchors have a second ring. */
function Dot({ dot, hasLabel }: { readonly dot: TrustDot; readonly hasLabel: boolean }) {
  const { subject, steps, base, isOnPath, isLimit } = dot
  const tone = isLimit ? 'limit' : isOnPath ? 'carries' : ''
  const size = steps === 0 ? RADIUS + 3 : RADIUS
  return (
    <>
      <title>{dotWords(dot)}</title>
      {base !== undefined && <circle r={size + 4} class="dot-anchor" />}
      {subject.startsWith('agent:') ? (
        <rect x={-size} y={-size} width={2 * size} height={2 * size} rx="4" class={`node-box ${tone}`} />
      ) : (
        <circle r={size} class={`node-box person ${tone}`} />
      )}
      {hasLabel && (
        <text y={size + 17} text-anchor="middle" class={`halo ${steps === 0 ? 'node-title' : 'node-note'}`}>
          {labelOf(subject)}
        </text>
      )}
    </>
  )
}

const GAP = RADIUS + 6

/** A line that ends at the edge of both dots. */
function shortened(from: { x: number; y: number }, to: { x: number; y: number }) {
  const [dx, dy] = [to.x - from.x, to.y - from.y]
  const length = Math.hypot(dx, dy)
  const share = length <= 2 * GAP ? 0 : GAP / length
  return {
    x1: from.x + dx * share,
    y1: from.y + dy * share,
    x2: to.x - dx * share,
    y2: to.y - dy * share,
  }
}
