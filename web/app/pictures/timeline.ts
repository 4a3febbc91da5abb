import type { ActionRecord } from '../../../sdk/node/src/generated/operations.ts'
import { round } from './scales.ts'

/** The members of an action that are drawn. */
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

export interface TimelineBar<T> {
  /** The first record that it represents. */
  readonly record: T
  /** All its records: actions that would overlap share a bar. */
  readonly records: readonly T[]
  readonly x: number
  readonly y: number
  readonly width: number
}

export interface TimelineLayout<T> {
  readonly lanes: readonly { readonly agent_id: string; readonly y: number }[]
  readonly bars: readonly TimelineBar<T>[]
  readonly ticks: readonly { readonly x: number; readonly at: number }[]
  readonly width: number
  readonly height: number
}

export const TIMELINE = { lane: 32, bar: 14, label: 132, bottom: 22 } as const
const SHORTEST_BAR = 5
const TICK_WIDTH = 96
const MOST_TICKS = 5
/** The width of a place if each action has its own. */
const SLOT = 8

interface Span<T> {
  readonly record: T
  readonly begin: number
  readonly end: number
}

/**
 * One lane for each agent, in the order of their first actions, with a bar from the beginning to the end of each
 * action. Actions of a lane that would begin on top of each other share a bar.
 */
export function timeline<T extends TimedRecord>(
  records: readonly T[],
  width: number,
  now: number,
): TimelineLayout<T> {
  const spans = spansOf(records, now)
  const from = spans[0]?.begin ?? 0
  const to = spans.reduce((last, { end }) => Math.max(last, end), from + 1)
  const inner = Math.max(1, width - TIMELINE.label - SHORTEST_BAR - 4)
  const xOf = (at: number) => TIMELINE.label + ((at - from) / (to - from)) * inner
  const { lanes, yOf, height } = lanesOf(spans)
  const steps = Math.max(1, Math.min(MOST_TICKS - 1, Math.floor(inner / TICK_WIDTH) - 1))
  return {
    lanes,
    bars: merged(
      spans.map(({ record, begin, end }) => {
        const x = xOf(begin)
        return { record, x, y: yOf(record.agent_id), width: Math.max(SHORTEST_BAR, xOf(end) - x) }
      }),
    ),
    ticks: Array.from({ length: steps + 1 }, (_, index) => from + ((to - from) * index) / steps).map(
      (at) => ({ at, x: round(xOf(at)) }),
    ),
    width,
    height,
  }
}

/** Like `timeline`, but every action has its own place, one after another: the axis shows order, not time. */
export function sequence<T extends TimedRecord>(
  records: readonly T[],
  width: number,
  now: number,
): TimelineLayout<T> {
  const spans = spansOf(records, now)
  const begins = spans.map(({ begin }) => begin)
  const { lanes, yOf, height } = lanesOf(spans)
  const xOf = (place: number) => TIMELINE.label + place * SLOT
  const every = Math.ceil(TICK_WIDTH / SLOT)
  return {
    lanes,
    bars: spans.map(({ record, end }, place) => {
      // As many places as actions that began before its end.
      const places = Math.max(1, placeOf(begins, end) - place)
      return {
        record,
        records: [record],
        x: xOf(place),
        y: yOf(record.agent_id),
        width: places * SLOT - 2,
      }
    }),
    ticks: begins.flatMap((at, place) => (place % every === 0 ? [{ at, x: xOf(place) }] : [])),
    width: Math.max(width, xOf(spans.length) + TICK_WIDTH / 2),
    height,
  }
}

/** In chronological order. */
function spansOf<T extends TimedRecord>(records: readonly T[], now: number): Span<T>[] {
  return records
    .map((record) => {
      const begin = Date.parse(record.created_at)
      const open = record.state === 'pending' ? now : begin
      return {
        record,
        begin,
        end: record.completed_at === undefined ? open : Date.parse(record.completed_at),
      }
    })
    .sort((one, other) => one.begin - other.begin)
}

function lanesOf<T extends TimedRecord>(spans: readonly Span<T>[]) {
  const agents = [...new Set(spans.map(({ record }) => record.agent_id))]
  const laneOf = new Map(agents.map((agent_id, lane) => [agent_id, lane]))
  return {
    lanes: agents.map((agent_id, lane) => ({ agent_id, y: lane * TIMELINE.lane })),
    yOf: (agent_id: string) =>
      (laneOf.get(agent_id) ?? 0) * TIMELINE.lane + (TIMELINE.lane - TIMELINE.bar) / 2,
    height: agents.length * TIMELINE.lane + TIMELINE.bottom,
  }
}

/** Merges bars of a lane that begin less than `SHORTEST_BAR` apart. A long bar doesn't hide those that begin later. */
function merged<T>(bars: readonly Omit<TimelineBar<T>, 'records'>[]): TimelineBar<T>[] {
  const open = new Map<number, { x: number; y: number; width: number; records: T[] }>()
  const all: { x: number; y: number; width: number; records: T[] }[] = []
  for (const { record, x, y, width } of bars) {
    const last = open.get(y)
    if (last !== undefined && x < last.x + SHORTEST_BAR) {
      last.records.push(record)
      last.width = Math.max(last.width, x + width - last.x)
      continue
    }
    const bar = { x, y, width, records: [record] }
    open.set(y, bar)
    all.push(bar)
  }
  return all.flatMap(({ x, y, width, records }) => {
    const [record] = records
    return record === undefined ? [] : [{ record, records, x: round(x), y, width: round(width) }]
  })
}

/** Number of these ascending times that are not after `at`. */
function placeOf(begins: readonly number[], at: number): number {
  let [low, high] = [0, begins.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((begins[middle] ?? 0) <= at) low = middle + 1
    else high = middle
  }
  return low
}
