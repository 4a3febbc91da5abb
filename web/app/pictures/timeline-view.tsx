import { cutText } from '@deputize/protocol/visible-text'
import { useMemo, useRef } from 'preact/hooks'
import { nameOfAgent } from '../words/agent-names.ts'
import { counted } from '../words/money.ts'
import { OUTCOMES, type OutcomeName, recordOutcome, WORST_FIRST } from '../words/outcome.ts'
import { clockTime } from '../words/time.ts'
import { useWidth } from './picture.tsx'
import { sequence, TIMELINE, type TimelineBar, type TimelineRecord, timeline } from './timeline.ts'
import { useVisiblePart } from './visible-part.ts'

const NARROWEST = 360

/** Actions over time or, expanded, one after another; one lane for each agent. Only the visible part is drawn. */
export function TimelineView({
  records,
  isExpanded = false,
  selected,
  select,
  now,
}: {
  readonly records: readonly TimelineRecord[]
  readonly isExpanded?: boolean
  readonly selected: string | undefined
  readonly select: (aar_id: string) => void
  readonly now: number
}) {
  const { ref, width } = useWidth()
  const layout = useMemo(
    () => (isExpanded ? sequence : timeline)(records, Math.max(NARROWEST, width), now),
    [records, isExpanded, width, now],
  )
  const svg = useRef<SVGSVGElement>(null)
  const part = useVisiblePart(svg)
  const isSeen = ({ x, y, width: long }: { x: number; y: number; width: number }) =>
    y + TIMELINE.lane >= part.top && y <= part.bottom && x + long >= part.left && x <= part.right
  const { lanes, bars, ticks, height } = layout
  return (
    <div ref={ref} class="chart">
      <div class="canvas">
        {width > 0 && (
          // biome-ignore lint/a11y/useSemanticElements: SVG has no fieldset
          <svg
            ref={svg}
            width={layout.width}
            height={height}
            role="group"
            aria-label="Timeline of this workflow"
          >
            {lanes
              .filter(({ y }) => isSeen({ x: part.left, y, width: 0 }))
              .map(({ agent_id, y }) => (
                <g key={agent_id} class="axis lane">
                  <line x1="0" x2="100%" y1={y + TIMELINE.lane} y2={y + TIMELINE.lane} />
                  <text x="0" y={y + TIMELINE.lane / 2 + 4} class="lane-name">
                    {cutText(nameOfAgent(agent_id), 20)}
                  </text>
                </g>
              ))}
            {bars.filter(isSeen).map((bar) => (
              <Bar key={bar.record.aar_id} bar={bar} selected={selected} select={select} />
            ))}
            <g class="axis">
              {ticks
                .filter(({ x }) => isSeen({ x, y: part.top, width: 0 }))
                .map(({ x, at }, index) => (
                  <text
                    key={x}
                    x={x}
                    y={height - 4}
                    text-anchor={!isExpanded && index === ticks.length - 1 ? 'end' : 'middle'}
                  >
                    {clockTime(at)}
                  </text>
                ))}
            </g>
          </svg>
        )}
      </div>
    </div>
  )
}

function Bar({
  bar: { record, records, x, y, width },
  selected,
  select,
}: {
  readonly bar: TimelineBar<TimelineRecord>
  readonly selected: string | undefined
  readonly select: (aar_id: string) => void
}) {
  const { word, tone } = OUTCOMES[worstOf(records)]
  const isSelected = records.some(({ aar_id }) => aar_id === selected)
  const what =
    records.length === 1
      ? `${record.action} ${record.resource}, ${word}`
      : `${counted(records.length, 'action')}, at worst ${word}`
  const label = `${what}, ${clockTime(record.created_at)}`
  const choose = () => select(record.aar_id)
  return (
    // biome-ignore lint/a11y/useSemanticElements: SVG has no button
    <rect
      x={x}
      y={y}
      width={width}
      height={TIMELINE.bar}
      rx="2"
      class={`fill-${tone} bar ${isSelected ? 'selected' : ''}`}
      role="button"
      tabindex={0}
      aria-pressed={isSelected}
      aria-label={label}
      onClick={choose}
      onKeyDown={(event) => event.key === 'Enter' && choose()}
    >
      <title>{label}</title>
    </rect>
  )
}

function worstOf(records: readonly TimelineRecord[]): OutcomeName {
  const outcomes = new Set(records.map(recordOutcome))
  return WORST_FIRST.find((name) => outcomes.has(name)) ?? 'done'
}
