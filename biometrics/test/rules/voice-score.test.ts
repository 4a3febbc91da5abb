import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { voiceScore } from '../../src/checks/voice-score.ts'
import { VOICE_REVIEW } from '../../src/judge/thresholds.ts'

describe('the similarity of two voices', () => {
  test('is below the review threshold for strangers, with either net and with both', () => {
    for (const cosines of [{ ecapa: 0.125 }, { ge2e: 0.53 }, { ecapa: 0.125, ge2e: 0.53 }]) {
      assert.ok((voiceScore(cosines) ?? 1) < VOICE_REVIEW, JSON.stringify(cosines))
    }
  })

  test('is above 0.5 for the same speaker, with either net and with both', () => {
    for (const cosines of [{ ecapa: 0.69 }, { ge2e: 0.8 }, { ecapa: 0.69, ge2e: 0.8 }]) {
      assert.ok((voiceScore(cosines) ?? 0) > 0.5, JSON.stringify(cosines))
    }
  })

  test('is undefined without nets', () => assert.equal(voiceScore({}), undefined))
})
