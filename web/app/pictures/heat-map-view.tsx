import { cutText } from '@deputize/protocol/visible-text'
import { numberText } from '../words/money.ts'
import { type HeatMap, heatMap } from './heat-map.ts'

const CELL = { width: 92, height: 30, left: 96, top: 24 } as const

export function HeatMapView({
  uses,
  label,
}: {
  readonly uses: Parameters<typeof heatMap>[0]
  readonly label: string
}) {
  const map: HeatMap = heatMap(uses)
  return (
    <div class="canvas">
      <svg
        width={CELL.left + map.resources.length * CELL.width}
        height={CELL.top + map.actions.length * CELL.height}
        role="img"
        aria-label={label}
      >
        {map.resources.map((resource, column) => (
          <text key={resource} x={CELL.left + column * CELL.width + 4} y="14" class="node-note">
            {cutText(resource, 15)}
          </text>
        ))}
        {map.actions.map((action, row) => (
          <text key={action} x="0" y={CELL.top + row * CELL.height + 19} class="node-title">
            {cutText(action, 14)}
          </text>
        ))}
        {map.cells.map(({ action, resource, count: done, denied, row, column, strength }) => (
          <g
            key={`${action} ${resource}`}
            transform={`translate(${CELL.left + column * CELL.width} ${CELL.top + row * CELL.height})`}
          >
            <title>{`${action} ${resource}: ${numberText(done)} allowed, ${numberText(denied)} denied`}</title>
            <rect
              width={CELL.width - 3}
              height={CELL.height - 3}
              rx="4"
              class={denied > done ? 'heat no' : 'heat'}
              fill-opacity={0.12 + 0.5 * strength}
            />
            <text x="8" y="18" class="heat-label">
              {denied === 0 ? numberText(done) : `${numberText(done)} · ${numberText(denied)} ✕`}
            </text>
          </g>
        ))}
      </svg>
    </div>
  )
}
