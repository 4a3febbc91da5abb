import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import {
  type AgentHistory,
  type AlertCondition,
  beginningOf,
  findings,
  firings,
  isHourly,
} from '../../src/domain/alert.ts'
import { HOUR_MS, MINUTE_MS } from '../../src/domain/times/time.ts'

const START = 480_000 // an hour, counted from 1970

const minutes = fc
  .uniqueArray(
    fc.record({
      minute: fc.integer({ min: START * 60, max: START * 60 + 600 }),
      denied: fc.nat(6),
      rejected: fc.nat(1),
      deepest: fc.nat(6),
      budget_percent: fc.constantFrom(0, 50, 80, 100),
    }),
    { selector: ({ minute }) => minute, maxLength: 60 },
  )
  .map((all) => all.toSorted((a, b) => a.minute - b.minute))

const hours = fc
  .uniqueArray(
    fc.record({
      hour: fc.integer({ min: START - 400, max: START + 20 }),
      allowed: fc.nat(3),
      spend_micro_usd: fc.nat(50_000_000),
    }),
    { selector: ({ hour }) => hour, maxLength: 120 },
  )
  .map((all) => all.toSorted((a, b) => a.hour - b.hour))

const firstUses = fc
  .uniqueArray(
    fc.record({
      hour: fc.integer({ min: START, max: START + 20 }),
      of: fc.constantFrom('action' as const, 'resource' as const),
      name: fc.constantFrom('read', 'write', 'shop:orders'),
    }),
    { selector: ({ of, name }) => `${of} ${name}`, maxLength: 5 },
  )
  .map((all) => all.toSorted((a, b) => a.hour - b.hour))

const history: fc.Arbitrary<AgentHistory> = fc.record({ minutes, hours, first_uses: firstUses })

const condition: fc.Arbitrary<AlertCondition> = fc.oneof(
  fc.record({
    kind: fc.constant('denials' as const),
    more_than: fc.nat(8),
    within_minutes: fc.integer({ min: 1, max: 30 }),
  }),
  fc.record({ kind: fc.constant('budget' as const), percent: fc.constantFrom(50, 80, 100) }),
  fc.constant({ kind: 'rejected' as const }),
  fc.record({ kind: fc.constant('chain' as const), deeper_than: fc.nat(5) }),
  fc.record({
    kind: fc.constant('new_use' as const),
    of: fc.constantFrom('action' as const, 'resource' as const),
  }),
  fc.constant({ kind: 'unusual_hours' as const }),
  fc.record({
    kind: fc.constant('spend_rate' as const),
    times: fc.integer({ min: 1, max: 4 }),
    at_least_usd: fc.nat(20),
  }),
)

/** The history as of an instant. The current minute or hour may still grow. */
function until({ minutes, hours, first_uses }: AgentHistory, ms: number): AgentHistory {
  return {
    minutes: minutes.filter(({ minute }) => minute * MINUTE_MS <= ms),
    hours: hours.filter(({ hour }) => hour * HOUR_MS <= ms),
    first_uses: first_uses.filter(({ hour }) => hour * HOUR_MS <= ms),
  }
}

const FROM = START * HOUR_MS
const TO = FROM + 21 * HOUR_MS
const RANGE = { from_ms: FROM, to_ms: TO }
const EVER = { from_ms: 0, to_ms: Number.MAX_SAFE_INTEGER }

describe('an alert rule', () => {
  test('fires at the same moments live and in a dry run over the past', () => {
    fc.assert(
      fc.property(
        history,
        condition,
        fc.integer({ min: 1, max: 200 }),
        fc.infiniteStream(fc.integer({ min: 1, max: 90 })),
        (all, rule, window_minutes, steps) => {
          const dry = firings({ window_minutes }, findings(rule, all, RANGE))
          const live = new Map<number, number>()
          const unit = isHourly(rule) ? HOUR_MS : MINUTE_MS
          let seen = FROM
          for (let now = FROM; now < TO; ) {
            now += (steps.next().value ?? 1) * MINUTE_MS
            const from = Math.floor(seen / unit) * unit
            for (const { at_ms } of firings(
              { window_minutes },
              findings(rule, until(all, now), { from_ms: from, to_ms: now + 1 }),
            )) {
              const start = Math.floor(at_ms / (window_minutes * MINUTE_MS))
              if (!live.has(start)) live.set(start, at_ms)
            }
            seen = now
          }
          const happened = [...live.values()].filter((at_ms) => at_ms < TO)
          assert.deepEqual(
            happened.toSorted((a, b) => a - b),
            dry.map(({ at_ms }) => at_ms).toSorted((a, b) => a - b),
          )
        },
      ),
    )
  })

  test('fires at most once in a window', () => {
    fc.assert(
      fc.property(history, condition, fc.integer({ min: 1, max: 200 }), (all, rule, window_minutes) => {
        const starts = firings({ window_minutes }, findings(rule, all, RANGE)).map(({ at_ms }) =>
          Math.floor(at_ms / (window_minutes * MINUTE_MS)),
        )
        assert.equal(new Set(starts).size, starts.length)
      }),
    )
  })

  test('about denials fires exactly when a window contains more than allowed', () => {
    fc.assert(
      fc.property(minutes, fc.nat(10), fc.integer({ min: 1, max: 60 }), (all, more_than, within_minutes) => {
        const rule = { kind: 'denials', more_than, within_minutes } as const
        const found = findings(rule, { minutes: all, hours: [], first_uses: [] }, EVER)
        const expected = all.filter(({ minute, denied }) => {
          const inside = all.filter((one) => one.minute > minute - within_minutes && one.minute <= minute)
          return denied > 0 && inside.reduce((sum, one) => sum + one.denied, 0) > more_than
        })
        assert.deepEqual(
          found.map(({ at_ms }) => at_ms / MINUTE_MS),
          expected.map(({ minute }) => minute),
        )
      }),
    )
  })

  test('begins with the first full minute or hour after it was created, and sums nothing earlier', () => {
    const denials = { kind: 'denials', more_than: 3, within_minutes: 60 } as const
    const created_at_ms = FROM + 30 * MINUTE_MS + 1
    const begins_ms = beginningOf({ condition: denials, created_at_ms })
    assert.equal(begins_ms, FROM + 31 * MINUTE_MS)
    assert.equal(beginningOf({ condition: { kind: 'unusual_hours' }, created_at_ms }), FROM + HOUR_MS)
    const found = (denied_later: number) => {
      const quiet = { rejected: 0, deepest: 0, budget_percent: 0 }
      const minutes = [
        { minute: START * 60 + 30, denied: 9, ...quiet },
        { minute: START * 60 + 31, denied: denied_later, ...quiet },
      ]
      return findings(denials, { minutes, hours: [], first_uses: [] }, { ...RANGE, begins_ms })
    }
    assert.deepEqual(found(3), [])
    assert.equal(found(4)[0]?.at_ms, begins_ms)
  })

  test('about habits is silent until the agent has acted on seven days', () => {
    const six = Array.from({ length: 6 }, (_, day) => ({
      hour: START - 24 * (day + 1),
      allowed: 1,
      spend_micro_usd: 1,
    }))
    const now = { hour: START + 12, allowed: 1, spend_micro_usd: 900_000_000 }
    const first_uses = [{ hour: START + 12, of: 'action' as const, name: 'sell' }]
    const rules: AlertCondition[] = [
      { kind: 'new_use', of: 'action' },
      { kind: 'unusual_hours' },
      { kind: 'spend_rate', times: 2, at_least_usd: 1 },
    ]
    const seventh = { hour: START - 24 * 7, allowed: 1, spend_micro_usd: 1 }
    for (const rule of rules) {
      const quiet = { minutes: [], hours: [...six.toReversed(), now], first_uses }
      assert.deepEqual(findings(rule, quiet, RANGE), [])
      const loud = { ...quiet, hours: [seventh, ...quiet.hours] }
      assert.equal(findings(rule, loud, RANGE).length, 1, rule.kind)
    }
  })
})
