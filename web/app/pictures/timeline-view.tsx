import { useMemo } from 'preact/hooks'
import { agentWord } from '../words/ids.ts'
import { OUTCOMES, recordOutcome } from '../words/outcome.ts'
import { clockTime } from '../words/time.ts'
import { useWidth } from './picture.tsx'
import { TIMELINE, type TimelineRecord, timeline } from './timeline.ts'
import { cut } from './token-tree-view.tsx'

/** Actions over time, one lane for each agent. */
export function TimelineView({
  records,
  selected,
  select,
  now,
}: {
  readonly records: readonly TimelineRecord[]
  readonly selected: string | undefined
  readonly select: (aar_id: string) => void
  readonly now: number
}) {
  const { ref, width } = useWidth()
  const { lanes, bars, ticks, height } = useMemo(
    () => timeline(records, Math.max(360, width), now),
    [records, width, now],
  )
  return (
    <div ref={ref} class="chart canvas">
      {width > 0 && (
        // biome-ignore lint/a11y/useSemanticElements: SVG has no fieldset
        <svg width={Math.max(360, width)} height={height} role="group" aria-label="Timeline of this workflow">
          {lanes.map(({ agent_id, y }) => (
            <g key={agent_id} class="axis lane">
              <line x1="0" x2="100%" y1={y + TIMELINE.lane} y2={y + TIMELINE.lane} />
              <text x="0" y={y + TIMELINE.lane / 2 + 4} class="lane-name">
                {cut(agentWord(agent_id), 20)}
              </text>
            </g>
          ))}
          {bars.map(({ record, x, y, width: length }) => {
            const { word, tone } = OUTCOMES[recordOutcome(record)]
            const label = `${record.action} ${record.resource}, ${word}, ${clockTime(record.created_at)}`
            const choose = () => select(record.aar_id)
            return (
              // biome-ignore lint/a11y/useSemanticElements: SVG has no button
              <rect
                key={record.aar_id}
                x={x}
                y={y}
                width={length}
                height={TIMELINE.bar}
                rx="2"
                class={`fill-${tone} bar ${record.aar_id === selected ? 'selected' : ''}`}
                role="button"
                tabindex={0}
                aria-pressed={record.aar_id === selected}
                aria-label={label}
                onClick={choose}
                onKeyDown={(event) => event.key === 'Enter' && choose()}
              >
                <title>{label}</title>
              </rect>
            )
          })}
          <g class="axis">
            {ticks.map(({ x, at }, index) => (
              <text key={at} x={x} y={height - 4} text-anchor={index === ticks.length - 1 ? 'end' : 'middle'}>
                {clockTime(at)}
              </text>
            ))}
          </g>
        </svg>
      )}
    </div>
  )
}
