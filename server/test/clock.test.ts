import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { manualClock } from '@deputize/testing/manual-clock.ts'
import { ServiceClock } from '../src/clock.ts'

const HOUR_MS = 3_600_000
const START = Date.parse('2027-01-01T00:00:00Z')

/** A machine whose three clocks the test moves, together or one at a time. */
function aMachine() {
  const [wall, steady, uptime] = [manualClock(START), manualClock(0), manualClock(0)]
  const clock = new ServiceClock({ wall, steady, uptime })
  return {
    clock,
    wall,
    steady,
    pass(ms: number) {
      for (const one of [wall, steady, uptime]) one.advance(ms)
    },
    /** The machine sleeps. On Linux, the steady clock stops meanwhile. */
    sleep(ms: number) {
      for (const one of [wall, uptime]) one.advance(ms)
    },
  }
}

describe('the clock of the service', () => {
  test('is the wall clock as long as the clocks agree', () => {
    const { clock, wall, pass } = aMachine()
    pass(HOUR_MS)
    assert.deepEqual([clock.now(), clock.logTime(), clock.fault()], [wall(), wall(), undefined])
    wall.advance(4_000)
    assert.deepEqual([clock.now(), clock.fault()], [wall(), undefined])
  })

  for (const [name, step_ms] of Object.entries({ ahead: 2 * HOUR_MS, back: -2 * HOUR_MS }))
    test(`runs steadily after the wall clock was set ${name}, and recovers once it is corrected`, () => {
      const { clock, wall, steady, pass } = aMachine()
      pass(1_000)
      wall.advance(step_ms)
      assert.match(clock.fault() ?? '', /7200 s .* steady clock/)
      assert.deepEqual([clock.now(), clock.logTime()], [START + 1_000, 0])
      pass(10_000)
      steady.advance(0.25)
      assert.equal(
        clock.now(),
        START + 11_000,
        'in whole milliseconds, although the steady clock has fractions',
      )
      wall.advance(-step_ms)
      assert.deepEqual([clock.now(), clock.fault()], [START + 11_000, undefined])
    })

  test("accepts the time after a sleep if the machine's uptime confirms it", () => {
    const { clock, wall, pass, sleep } = aMachine()
    pass(1_000)
    sleep(8 * HOUR_MS)
    assert.deepEqual([clock.fault(), clock.now()], [undefined, wall()])
    wall.advance(HOUR_MS)
    assert.match(clock.fault() ?? '', /3600 s ahead of/)
  })

  test('does not accept a step that happens during a sleep', () => {
    const { clock, wall, sleep } = aMachine()
    wall.advance(HOUR_MS)
    sleep(HOUR_MS)
    assert.match(clock.fault() ?? '', /7200 s ahead of/)
  })

  test('follows a clock that is slewed, but not one that runs twice as fast', () => {
    const slewed = aMachine()
    for (let n = 0; n < 1_000; n++) {
      slewed.pass(1_000)
      slewed.wall.advance(50)
      slewed.clock.now()
    }
    assert.deepEqual([slewed.clock.fault(), slewed.clock.now()], [undefined, slewed.wall()])
    const rushed = aMachine()
    for (let n = 0; n < 10; n++) {
      rushed.pass(1_000)
      rushed.wall.advance(1_000)
      rushed.clock.now()
    }
    assert.match(rushed.clock.fault() ?? '', /ahead of its steady clock/)
  })

  test('is accepted after a step if the database agrees, and faulty if it does not', () => {
    const { clock, wall, pass } = aMachine()
    clock.compare(wall())
    wall.advance(HOUR_MS)
    assert.notEqual(clock.fault(), undefined)
    clock.compare(wall() - 1_000)
    assert.deepEqual([clock.fault(), clock.now()], [undefined, wall()])
    clock.compare(wall() - 6_000)
    assert.match(clock.fault() ?? '', /6 s ahead of the clock of the database/)
    pass(2_000)
    clock.compare(wall())
    assert.equal(clock.fault(), undefined)
  })

  test('uses the time of the database for reads on a node that starts with a wrong clock', () => {
    const { clock, wall, pass } = aMachine()
    clock.compare(wall() - 2 * HOUR_MS)
    assert.deepEqual([clock.now(), clock.logTime()], [START - 2 * HOUR_MS, 0])
    assert.match(clock.fault() ?? '', /7200 s ahead of the clock of the database.*continues on its own/)
    pass(1_000)
    wall.advance(-2 * HOUR_MS)
    clock.compare(wall())
    assert.deepEqual([clock.now(), clock.fault()], [START - 2 * HOUR_MS + 1_000, undefined])
  })

  test('stands still until the wall clock reaches a time that the operator accepted', () => {
    const { clock, wall, pass } = aMachine()
    clock.standUntil(START + HOUR_MS)
    pass(1_000)
    assert.deepEqual([clock.now(), clock.logTime()], [START + HOUR_MS, START + HOUR_MS])
    pass(2 * HOUR_MS)
    assert.equal(clock.now(), wall())
  })
})
