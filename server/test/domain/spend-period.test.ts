import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { PERIOD_KINDS } from '@deputize/protocol'
import fc from 'fast-check'
import { exceededPeriods, release, reserve, settle, spend } from '../../src/domain/budget.ts'
import { keptFormats, wallTime } from '../../src/domain/times/local-time.ts'
import { periodAt, periodBudgets } from '../../src/domain/times/spend-period.ts'
import { aChain } from './token-builder.ts'

const iso = (ms: number) => new Date(ms).toISOString()
const at = (text: string) => Date.parse(text)

function bounds(kind: (typeof PERIOD_KINDS)[number], time_zone: string, instant: string): string[] {
  const { start_ms, end_ms } = periodAt(kind, time_zone, at(instant))
  return [iso(start_ms), iso(end_ms)]
}

describe('a period', () => {
  test('follows the calendar of its time zone', () => {
    assert.deepEqual(bounds('day', 'Asia/Kolkata', '2026-11-15T20:00:00Z'), [
      '2026-11-15T18:30:00.000Z',
      '2026-11-16T18:30:00.000Z',
    ])
    assert.deepEqual(bounds('hour', 'Asia/Kolkata', '2026-11-15T20:00:00Z'), [
      '2026-11-15T19:30:00.000Z',
      '2026-11-15T20:30:00.000Z',
    ])
    assert.deepEqual(bounds('month', 'America/New_York', '2026-12-01T04:59:59Z'), [
      '2026-11-01T04:00:00.000Z',
      '2026-12-01T05:00:00.000Z',
    ])
  })

  test('begins on Monday if it is a week', () => {
    assert.deepEqual(bounds('week', 'UTC', '2026-11-15T23:59:59Z'), [
      '2026-11-09T00:00:00.000Z',
      '2026-11-16T00:00:00.000Z',
    ])
    assert.deepEqual(bounds('week', 'UTC', '2026-11-16T00:00:00Z')[0], '2026-11-16T00:00:00.000Z')
  })

  test('is an hour shorter or longer when clocks change', () => {
    const hours = (instant: string) => {
      const { start_ms, end_ms } = periodAt('day', 'Europe/Berlin', at(instant))
      return (end_ms - start_ms) / 3_600_000
    }
    assert.deepEqual([hours('2026-03-29T12:00:00Z'), hours('2026-10-25T12:00:00Z')], [23, 25])
  })

  test('begins at the change if clocks skip midnight', () => {
    // Beirut goes from 00:00 to 01:00 on the last Sunday of March.
    assert.deepEqual(bounds('day', 'Asia/Beirut', '2026-03-29T12:00:00Z')[0], '2026-03-28T22:00:00.000Z')
    // Samoa skipped 30 December 2011.
    assert.deepEqual(bounds('day', 'Pacific/Apia', '2011-12-30T12:00:00Z'), [
      '2011-12-30T10:00:00.000Z',
      '2011-12-31T10:00:00.000Z',
    ])
  })

  test('continues if clocks go back over midnight', () => {
    // Havana goes from 01:00 back to 00:00, St. John's went from 00:01 back to 23:01 of the day before.
    const before = periodAt('day', 'America/St_Johns', at('2010-11-07T02:30:30Z'))
    const after = periodAt('day', 'America/St_Johns', at('2010-11-07T02:45:00Z'))
    assert.deepEqual(after, before)
    assert.equal(iso(after.start_ms), '2010-11-07T02:30:00.000Z')
  })

  test('contains its instant and ends where the next one begins', () => {
    const zones = [
      'UTC',
      'Europe/Berlin',
      'Australia/Lord_Howe',
      'Asia/Kathmandu',
      'America/Havana',
      'Pacific/Apia',
    ]
    const instants = fc.integer({ min: at('2025-01-01T00:00:00Z'), max: at('2031-01-01T00:00:00Z') })
    fc.assert(
      fc.property(
        fc.constantFrom(...PERIOD_KINDS),
        fc.constantFrom(...zones),
        instants,
        (kind, zone, instant) => {
          const { start_ms, end_ms } = periodAt(kind, zone, instant)
          assert.ok(start_ms <= instant && instant < end_ms)
          assert.deepEqual(periodAt(kind, zone, start_ms), { start_ms, end_ms })
          assert.deepEqual(periodAt(kind, zone, end_ms - 1), { start_ms, end_ms })
          assert.equal(periodAt(kind, zone, end_ms).start_ms, end_ms)
        },
      ),
      { numRuns: 500 },
    )
  })

  test('keeps a bounded number of formatters, however zones are spelled', () => {
    const spellings = Array.from({ length: 500 }, (_, n) =>
      [...'europe/berlin']
        .map((letter, place) => ((n >> place) & 1 ? letter.toUpperCase() : letter))
        .join(''),
    )
    for (const time_zone of spellings) wallTime(time_zone, 0)
    assert.ok(keptFormats() <= 64)
  })
})

describe('a budget per period', () => {
  const MORNING = at('2026-11-15T09:00:00Z')
  const NEXT_DAY = at('2026-11-16T09:00:00Z')
  const link = (limits: object) => aChain({ max_spend_usd_per: limits })
  const exceeded = (chain: ReturnType<typeof link>, usd: number, now_ms: number) =>
    exceededPeriods(chain[0], usd * 1e6, now_ms).map(({ kind }) => kind)

  test('allows exactly its limit, then nothing until it resets', () => {
    const chain = link({ day: 10 })
    assert.deepEqual([exceeded(chain, 10, MORNING), exceeded(chain, 10.000001, MORNING)], [[], ['day']])
    spend(chain, 10e6, MORNING)
    assert.deepEqual(exceeded(chain, 0, MORNING), ['day'])
    assert.deepEqual(exceeded(chain, 10, NEXT_DAY), [])
  })

  test('counts a reservation in the period that allowed the action, even if it is settled later', () => {
    const chain = link({ day: 10, month: 100 })
    reserve(chain, 6e6, MORNING)
    spend(chain, 1e6, NEXT_DAY)
    const [{ token, state }] = chain
    const days = (now_ms: number) => periodBudgets(token.limits.max_spend_per, state.periods, now_ms)
    assert.equal(days(MORNING)[0]?.reserved_micro_usd, 6e6)
    settle(chain, { reserved_micro_usd: 6e6, allowed_at_ms: MORNING }, 5e6, NEXT_DAY)
    assert.deepEqual(
      days(NEXT_DAY).map(({ kind, spent_micro_usd, reserved_micro_usd }) => [
        kind,
        spent_micro_usd,
        reserved_micro_usd,
      ]),
      [
        ['day', 1e6, 0],
        ['month', 6e6, 0],
      ],
    )
  })

  test('forgets ended periods as soon as nothing is reserved in them', () => {
    const chain = link({ hour: 10, day: 10 })
    const [{ state }] = chain
    for (let hour = 0; hour < 48; hour += 1) spend(chain, 1, MORNING + hour * 3_600_000)
    assert.equal(state.periods.length, 2)
    reserve(chain, 5, MORNING + 48 * 3_600_000)
    spend(chain, 1, MORNING + 72 * 3_600_000)
    assert.equal(state.periods.length, 4)
    release(
      chain,
      { reserved_micro_usd: 5, allowed_at_ms: MORNING + 48 * 3_600_000 },
      MORNING + 72 * 3_600_000,
    )
    assert.equal(state.periods.length, 2)
  })
})
