import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { LoadGauge } from '../../src/domain/load/load-gauge.ts'

/** A gauge after a second of steady work: `together` calls at a time, each of which takes `each_ms`. */
function steady(together: number, each_ms: number) {
  const gauge = new LoadGauge()
  let now_ms = 0
  for (let n = 0; n < together; n++) gauge.begin(1, now_ms)
  while (now_ms < 1_000) {
    now_ms += each_ms
    for (let n = 0; n < together; n++) gauge.end(1, now_ms)
    for (let n = 0; n < together; n++) gauge.begin(1, now_ms)
  }
  return { gauge, now_ms }
}

describe('the gauge of load', () => {
  test('expects what past work took, while the same amount is in progress', () => {
    const anyLoad = fc.record({
      together: fc.integer({ min: 380, max: 2_000 }),
      each_ms: fc.integer({ min: 1, max: 90 }),
    })
    fc.assert(
      fc.property(anyLoad, ({ together, each_ms }) => {
        const { gauge, now_ms } = steady(together, each_ms)
        const expected_ms = gauge.expectedWaitMs(now_ms)
        assert.ok(Math.abs(expected_ms - each_ms) <= each_ms * 0.25, `${expected_ms} instead of ${each_ms}`)
      }),
      { numRuns: 100 },
    )
  })

  test('expects twice as long for twice as much, and nothing while little is in progress', () => {
    const { gauge, now_ms } = steady(400, 20)
    const expected_ms = gauge.expectedWaitMs(now_ms)
    gauge.begin(400, now_ms)
    assert.ok(Math.abs(gauge.expectedWaitMs(now_ms) - expected_ms * 2) < 1)
    gauge.end(600, now_ms)
    assert.equal(gauge.expectedWaitMs(now_ms), 0)
  })

  test('does not mistake an hour without calls for an hour of slowness', () => {
    const { gauge, now_ms } = steady(400, 20)
    const before_ms = gauge.expectedWaitMs(now_ms)
    gauge.end(400, now_ms)
    gauge.begin(400, now_ms + 3_600_000)
    assert.ok(gauge.expectedWaitMs(now_ms + 3_600_000) <= before_ms * 1.5)
  })

  test('does not mistake a few slow calls for the pace of many', () => {
    const { gauge, now_ms } = steady(400, 20)
    const before_ms = gauge.expectedWaitMs(now_ms)
    gauge.end(400, now_ms)
    for (let n = 0; n < 100; n++) {
      gauge.begin(1, now_ms + n * 50)
      gauge.end(1, now_ms + n * 50 + 40)
    }
    gauge.begin(400, now_ms + 10_000)
    assert.equal(gauge.expectedWaitMs(now_ms + 10_000), before_ms)
  })

  test('expects no wait for a fleet that a slow machine serves in a second', () => {
    const { gauge, now_ms } = steady(256, 1_000)
    assert.equal(gauge.expectedWaitMs(now_ms), 0)
  })

  test('notices within a second that no work is being completed', () => {
    const { gauge, now_ms } = steady(400, 20)
    assert.ok(gauge.expectedWaitMs(now_ms + 1_000) > 400)
  })
})
