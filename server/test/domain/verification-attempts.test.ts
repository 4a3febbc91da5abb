import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { attemptsState } from '../../src/domain/verification/verification-attempts.ts'

const NOW = 1_000_000_000_000
const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

/** This many failures in a row, a minute apart, the newest now. */
const failures = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ at_ms: NOW - at * MINUTE, passed: false }))

describe('failed attempts', () => {
  test('leave five attempts, then lock for a minute, then twice as long each time', () => {
    assert.deepEqual(attemptsState([], NOW), { attempts_left: 5, locked_until_ms: undefined })
    assert.equal(attemptsState(failures(4), NOW).attempts_left, 1)
    assert.deepEqual(attemptsState(failures(5), NOW), { attempts_left: 0, locked_until_ms: NOW + MINUTE })
    assert.equal(attemptsState(failures(6), NOW).locked_until_ms, NOW + 2 * MINUTE)
    assert.equal(attemptsState(failures(8), NOW).locked_until_ms, NOW + 8 * MINUTE)
    assert.equal(attemptsState(failures(30), NOW).locked_until_ms, NOW + DAY)
  })

  test('leave one attempt after a lock ends', () => {
    assert.deepEqual(attemptsState(failures(5), NOW + MINUTE), {
      attempts_left: 1,
      locked_until_ms: undefined,
    })
  })

  test('are forgotten after a pass, and after a day', () => {
    const passed = [{ at_ms: NOW, passed: true }, ...failures(9)]
    assert.equal(attemptsState(passed, NOW).attempts_left, 5)
    assert.equal(attemptsState(failures(5), NOW + DAY).attempts_left, 5)
  })

  test('never leave more attempts after one more failure', () => {
    fc.assert(
      fc.property(fc.nat(40), fc.nat(2 * DAY), (count, later_ms) => {
        const before = attemptsState(failures(count), NOW)
        const after = attemptsState([{ at_ms: NOW, passed: false }, ...failures(count)], NOW)
        assert.ok(after.attempts_left <= before.attempts_left)
        const { attempts_left, locked_until_ms } = attemptsState(failures(count), NOW + later_ms)
        assert.equal(attempts_left === 0, locked_until_ms !== undefined)
      }),
    )
  })
})
