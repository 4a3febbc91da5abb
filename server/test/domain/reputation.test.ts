import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import {
  combinedInterval,
  countCompleted,
  countRated,
  emptyTally,
  gateScore,
  scores,
  wilson,
} from '../../src/domain/reputation.ts'

function tallyOf(results: readonly string[], ratings: readonly ('approved' | 'flagged' | 'rejected')[] = []) {
  const tally = emptyTally()
  for (const result of results) countCompleted(tally, { result, evidence: 'self_reported', exceeded: false })
  for (const rating of ratings) countRated(tally, rating)
  return tally
}

describe('reputation', () => {
  test('is 1 for all success and all approved', () => {
    const { execution_score, feedback_score, combined_reputation } = scores(
      tallyOf(['success'], ['approved']),
    )
    assert.deepEqual([execution_score, feedback_score, combined_reputation], [1, 1, 1])
  })

  test('is 0.5 without observations, and reports that there is no human feedback', () => {
    const { execution_score, feedback_score, has_human_feedback } = scores(emptyTally())
    assert.deepEqual([execution_score, feedback_score, has_human_feedback], [0.5, 0.5, false])
  })

  test('counts success as 1, partial as 0.5, everything else as 0, and ignores cancelled', () => {
    assert.equal(scores(tallyOf(['success', 'partial', 'error', 'timeout'])).execution_score, 1.5 / 4)
    assert.equal(scores(tallyOf(['success', 'cancelled'])).execution_score, 1)
  })

  test('scores a result that is named like a built-in property as 0', () => {
    assert.equal(scores(tallyOf(['constructor', 'toString'])).execution_score, 0)
  })

  test('counts approved as 1, flagged as 0.5 and rejected as 0', () => {
    assert.equal(scores(tallyOf([], ['approved', 'flagged', 'rejected', 'rejected'])).feedback_score, 1.5 / 4)
  })

  test('is always 0.6 of execution and 0.4 of feedback', () => {
    const results = fc.array(fc.constantFrom('success', 'partial', 'error', 'cancelled'))
    const ratings = fc.array(fc.constantFrom('approved' as const, 'flagged' as const, 'rejected' as const))
    fc.assert(
      fc.property(results, ratings, (r, f) => {
        const { execution_score: e, feedback_score: h, combined_reputation } = scores(tallyOf(r, f))
        assert.equal(combined_reputation, 0.6 * e + 0.4 * h)
        const { low, high } = combinedInterval(scores(tallyOf(r, f)))
        assert.ok(0 <= low && low <= combined_reputation + 1e-12)
        assert.ok(combined_reputation <= high + 1e-12 && high <= 1)
      }),
    )
  })

  test('has an interval that contains the score and narrows with more observations', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 50 }), fc.integer({ min: 1, max: 50 }), (good, n) => {
        const mean = Math.min(good, n) / n
        const few = wilson(mean, n)
        const many = wilson(mean, n * 10)
        assert.ok(few.low <= mean + 1e-12 && mean <= few.high + 1e-12)
        assert.ok(many.high - many.low <= few.high - few.low + 1e-12)
      }),
    )
  })
})

const RATED = ['approved', 'flagged', 'rejected'] as const
const someResults = fc.array(fc.constantFrom('success', 'partial', 'error', 'cancelled'), { maxLength: 60 })
const someRatings = fc.array(fc.constantFrom(...RATED), { maxLength: 30 })

/** The tally of an agent with observed and self-reported outcomes. */
function evidenceOf(
  observed: readonly string[],
  reported: readonly string[],
  ratings: readonly (typeof RATED)[number][],
) {
  const tally = tallyOf(reported, ratings)
  for (const result of observed) countCompleted(tally, { result, evidence: 'observed', exceeded: false })
  return tally
}

describe('the score of the reputation gate', () => {
  test('is 0 for an agent with only self-reported outcomes, whatever they are', () => {
    fc.assert(fc.property(someResults, (reported) => gateScore(evidenceOf([], reported, [])) === 0))
    assert.equal(gateScore(evidenceOf([], Array(10_000).fill('success'), [])), 0)
  })

  test('is the lower end of the Wilson interval if all evidence is from others', () => {
    fc.assert(
      fc.property(someResults, (observed) => {
        const tally = evidenceOf(observed, [], [])
        assert.equal(gateScore(tally), scores(tally).execution_interval.low)
      }),
    )
    assert.ok(gateScore(evidenceOf([], [], Array(9).fill('approved'))) > 0.69)
    assert.ok(gateScore(evidenceOf([], [], Array(10).fill('approved'))) > 0.7)
  })

  test('never gives self-reported outcomes more weight than the evidence of others', () => {
    fc.assert(
      fc.property(someResults, someResults, someRatings, (observed, reported, ratings) => {
        const own = evidenceOf(observed, reported, ratings)
        const vouched = evidenceOf(observed, [], ratings)
        const n = vouched.observed_actions + ratings.length
        const doubled = evidenceOf([...observed, ...Array(n).fill('success')], [], ratings)
        assert.ok(gateScore(own) <= gateScore(doubled) + 1e-12)
      }),
    )
  })

  test('rises with good evidence, falls with bad evidence, and stays between 0 and 1', () => {
    fc.assert(
      fc.property(someResults, someResults, someRatings, (observed, reported, ratings) => {
        const score = gateScore(evidenceOf(observed, reported, ratings))
        assert.ok(score >= 0 && score <= 1)
        assert.ok(
          gateScore(evidenceOf([...observed, 'success'], [], ratings)) >=
            gateScore(evidenceOf(observed, [], ratings)) - 1e-12,
        )
        assert.ok(
          gateScore(evidenceOf([...observed, 'error'], [], ratings)) <=
            gateScore(evidenceOf(observed, [], ratings)) + 1e-12,
        )
      }),
    )
  })

  test('counts an action that cost too much as failed, whatever its result', () => {
    for (const result of ['success', 'partial', 'cancelled']) {
      const tally = emptyTally()
      countCompleted(tally, { result, evidence: 'observed', exceeded: true })
      assert.deepEqual([tally.scored_actions, tally.outcome_halves, tally.observed_actions], [1, 0, 1])
      assert.equal(scores(tally).execution_score, 0)
    }
  })
})
