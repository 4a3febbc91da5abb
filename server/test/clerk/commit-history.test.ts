import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { CommitHistory, KEPT_MINUTES } from '../../src/clerk/commit-history.ts'

const MINUTE_MS = 60_000

describe('the history of commits', () => {
  test('counts each minute separately, and leaves out minutes without a commit', () => {
    let now = 10 * MINUTE_MS
    const history = new CommitHistory(
      () => now,
      () => 1000,
    )
    history.count(3, 1, 0)
    history.count(5, 2, 40)
    now += 2.5 * MINUTE_MS
    history.count(1, 1, 0)
    history.countFailure()
    const told = history
      .minutes()
      .map(({ start_ms, commits, commands, failures, most_waiting, memory_bytes }) => [
        start_ms / MINUTE_MS,
        commits,
        commands,
        failures,
        most_waiting,
        memory_bytes,
      ])
    assert.deepEqual(told, [
      [10, 2, 8, 0, 40, 1000],
      [12, 1, 1, 1, 0, 1000],
    ])
  })

  test('returns quantiles that are at most a quarter too high and never too low', () => {
    const history = new CommitHistory(
      () => 0,
      () => 0,
    )
    for (let turn = 1; turn <= 1000; turn += 1) history.count(1, turn / 10, 0)
    const [{ p50_ms = 0, p99_ms = 0 } = {}] = history.minutes()
    assert.ok(p50_ms >= 50 && p50_ms <= 62.5, String(p50_ms))
    assert.ok(p99_ms >= 99 && p99_ms <= 123.8, String(p99_ms))
  })

  test('accepts any duration, including zero and NaN', () => {
    const history = new CommitHistory(
      () => 0,
      () => 0,
    )
    for (const duration of [0, -1, Number.NaN, 1e12]) history.count(1, duration, 0)
    const [minute] = history.minutes()
    assert.equal(minute?.commits, 4)
    assert.ok((minute?.p99_ms ?? 0) > 60_000)
  })

  test('keeps an hour, and nothing older', () => {
    let now = 0
    const history = new CommitHistory(
      () => now,
      () => 0,
    )
    for (let minute = 0; minute < 200; minute += 1) {
      now = minute * MINUTE_MS
      history.count(1, 1, 0)
    }
    assert.equal(history.minutes().length, KEPT_MINUTES)
    now += 30 * MINUTE_MS
    assert.equal(history.minutes().length, KEPT_MINUTES / 2)
  })

  test('adds no second row for a minute when the clock steps back', () => {
    let now = 5 * MINUTE_MS
    const history = new CommitHistory(
      () => now,
      () => 0,
    )
    history.count(1, 1, 0)
    now -= MINUTE_MS
    history.count(1, 1, 0)
    assert.deepEqual(
      history.minutes().map(({ commits }) => commits),
      [2],
    )
  })
})
