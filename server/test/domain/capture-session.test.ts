import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import {
  advanced,
  answerBy,
  dueStep,
  dueStepId,
  mayRepeat,
  repeated,
  stateAt,
  timingFault,
} from '../../src/domain/verification/capture-session.ts'

const step = { revealed_at_ms: 10_000, duration_ms: 2_500 }

describe('an answer', () => {
  test('counts from a quarter of a second after its step was revealed until six seconds after it was recorded', () => {
    assert.equal(timingFault(step, 2_400, 12_649), 'answer_early')
    assert.equal(timingFault(step, 2_400, 12_650), undefined)
    assert.equal(timingFault(step, 2_400, 18_500), undefined)
    assert.equal(timingFault(step, 2_400, 18_501), 'answer_late')
    assert.equal(answerBy(step), 18_500)
  })

  test('never counts before its recording can have been made', () => {
    fc.assert(
      fc.property(fc.nat(60_000), fc.nat(60_000), (media_ms, wait_ms) => {
        const isTaken = timingFault(step, media_ms, step.revealed_at_ms + wait_ms) === undefined
        assert.equal(isTaken && wait_ms < media_ms + 250, false)
      }),
    )
  })
})

describe('the progress of a capture', () => {
  const start = { steps: ['a', 'b', 'c'], steps_done: 0, repeats: 0, reveals: 1, revealed_at_ms: 0 }

  test('reveals one step after another, each under a new ID', () => {
    const second = advanced(start, 5)
    assert.deepEqual([dueStep(start), dueStepId(start)], ['a', 'st_1'])
    assert.deepEqual([dueStep(second), dueStepId(second), second.revealed_at_ms], ['b', 'st_2', 5])
    assert.equal(dueStep(advanced(advanced(second, 6), 7)), undefined)
  })

  test('repeats a step at most twice, with newly drawn tasks', () => {
    const once = repeated(start, ['x', 'b', 'c'], 5)
    assert.deepEqual([dueStep(once), dueStepId(once), once.steps_done], ['x', 'st_2', 0])
    assert.ok(mayRepeat(once))
    const twice = repeated(once, ['y', 'b', 'c'], 6)
    assert.equal(mayRepeat(twice), false)
    assert.ok(mayRepeat(advanced(twice, 7)))
  })
})

test('a session expires if it is still open, and otherwise keeps its state', () => {
  const at = (state: 'open' | 'judged' | 'cancelled') => stateAt({ state, expires_at_ms: 100 }, 100)
  assert.deepEqual([at('open'), at('judged'), at('cancelled')], ['expired', 'judged', 'cancelled'])
  assert.equal(stateAt({ state: 'open', expires_at_ms: 100 }, 99), 'open')
})
