import { setQuery, shownAddress } from '../router.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

const RANGES = {
  '1h': { word: '1 h', length_ms: HOUR_MS, step_ms: MINUTE_MS, bucket: 'minute', said: 'last hour' },
  '24h': { word: '24 h', length_ms: DAY_MS, step_ms: HOUR_MS, bucket: 'hour', said: 'last 24 hours' },
  '7d': { word: '7 d', length_ms: 7 * DAY_MS, step_ms: HOUR_MS, bucket: 'hour', said: 'last 7 days' },
  '30d': { word: '30 d', length_ms: 30 * DAY_MS, step_ms: DAY_MS, bucket: 'day', said: 'last 30 days' },
} as const

type RangeName = keyof typeof RANGES
const NAMES: readonly RangeName[] = ['1h', '24h', '7d', '30d']

/** The time range in the address, and its beginning, which is rounded to a step so that the query stays the same. */
export function useRange(now: number, standard: RangeName = '1h') {
  const name = NAMES.find((one) => one === shownAddress.value.query.get('range')) ?? standard
  const range = RANGES[name]
  const from = Math.floor((now - range.length_ms) / range.step_ms + 1) * range.step_ms
  return {
    ...range,
    name,
    from,
    choices: NAMES.map((one) => [one, RANGES[one].word] as const),
    choose: (value: RangeName) => setQuery({ range: value === standard ? undefined : value }),
  }
}
