import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { voiceScore } from '../../src/checks/voice-score.ts'
import { VOICE_REVIEW } from '../../src/judge/thresholds.ts'

describe('how alike two voices are', () => {
  test('strangers score below review with either net and with both', () => {
    for (const cosines of [{ ecapa: 0.125 }, { ge2e: 0.53 }, { ecapa: 0.125, ge2e: 0.53 }]) {
      assert.ok((voiceScore(cosines) ?? 1) < VOICE_REVIEW, JSON.stringify(cosines))
    }
  })

  test('one speaker scores above 0.5 with either net and with both', () => {
    for (const cosines of [{ ecapa: 0.69 }, { ge2e: 0.8 }, { ecapa: 0.69, ge2e: 0.8 }]) {
      assert.ok((voiceScore(cosines) ?? 0) > 0.5, JSON.stringify(cosines))
    }
  })

  test('without nets there is no score', () => assert.equal(voiceScore({}), undefined))
})
