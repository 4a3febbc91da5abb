import type { ActionRecord } from '../../../sdk/node/src/generated/operations.ts'
import { round } from './scales.ts'

/** What is drawn of an action. */
export type TimelineRecord = Pick<
  ActionRecord,
  'aar_id' | 'agent_id' | 'action' | 'resource' | 'state' | 'result' | 'created_at' | 'completed_at'
>

interface TimedRecord {
  readonly aar_id: string
  readonly agent_id: string
  readonly created_at: string
  readonly completed_at?: string | undefined
  readonly state: string
}

export interface TimelineLayout<T> {
  readonly lanes: readonly { readonly agent_id: string; readonly y: number }[]
  readonly bars: readonly {
    readonly record: T
    readonly x: number
    readonly y: number
    readonly width: number
  }[]
  readonly ticks: readonly { readonly x: number; readonly at: number }[]
  readonly height: number
}

export const TIMELINE = { lane: 32, bar: 14, label: 132, bottom: 22 } as const
const SHORTEST_BAR = 5
const TICK_WIDTH = 72

/** One lane for each agent, in the order of their first action; a bar from the begin to the end of each action. */
export function timeline<T extends TimedRecord>(
  records: readonly T[],
  width: number,
  now: number,
): TimelineLayout<T> {
  const begins = records.map(({ created_at }) => Date.parse(created_at))
  const endOf = ({ completed_at, created_at, state }: T) =>
    completed_at === undefined
      ? state === 'pending'
        ? now
        : Date.parse(created_at)
      : Date.parse(completed_at)
  const from = Math.min(...begins)
  const to = Math.max(from + 1, ...records.map(endOf))
  const inner = Math.max(1, width - TIMELINE.label - SHORTEST_BAR - 4)
  const xOf = (at: number) => TIMELINE.label + ((at - from) / (to - from)) * inner
  const steps = Math.max(1, Math.min(4, Math.floor(inner / TICK_WIDTH) - 1))
  const agents = [...new Set(inOrder(records).map(({ agent_id }) => agent_id))]
  return {
    lanes: agents.map((agent_id, lane) => ({ agent_id, y: lane * TIMELINE.lane })),
    bars: records.map((record) => {
      const x = xOf(Date.parse(record.created_at))
      const width = Math.max(SHORTEST_BAR, xOf(endOf(record)) - x)
      const y = agents.indexOf(record.agent_id) * TIMELINE.lane + (TIMELINE.lane - TIMELINE.bar) / 2
      return { record, x: round(x), y, width: round(width) }
    }),
    ticks: Array.from({ length: steps + 1 }, (_, index) => from + ((to - from) * index) / steps).map(
      (at) => ({
        at,
        x: round(xOf(at)),
      }),
    ),
    height: agents.length * TIMELINE.lane + TIMELINE.bottom,
  }
}

function inOrder<T extends TimedRecord>(records: readonly T[]): T[] {
  return [...records].sort((one, other) => one.created_at.localeCompare(other.created_at))
}
