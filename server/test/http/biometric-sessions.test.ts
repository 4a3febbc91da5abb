import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { aTestApp } from '@deputize/testing/a-test-app.ts'
import { anActedEngine } from '@deputize/testing/an-acted-engine.ts'
import type { TestScope } from '@deputize/testing/scope.ts'
import { aCapture, enrolled, type Post } from '../a-capture.ts'

const ALICE = { face: 1 }

async function anApp(t: TestScope) {
  const engine = anActedEngine()
  const app = await aTestApp(t, { engine, l3_passkey: 'optional' })
  const post: Post = (path, body) => app.post(path, body)
  return { app, engine, post }
}

describe('a capture', () => {
  test('verifies an enrolled person and issues an L3 token', async (t) => {
    const { app, post } = await anApp(t)
    const { human_ref, enrolled: isEnrolled } = await enrolled(post, app, ALICE)
    assert.equal(isEnrolled, true)
    const capture = await aCapture(post, app, human_ref, ALICE)
    const judged = await post('/v1/vat/auth/capture', {
      ...capture,
      agent_id: 'calendar-bot',
      resources: ['calendar:events'],
      actions: ['read'],
    })
    assert.equal(judged.status, 200, JSON.stringify(judged.body))
    const { passed, decision, token, trust_score } = judged.body
    assert.deepEqual({ passed, decision, trust_score }, { passed: true, decision: 'pass', trust_score: 0.95 })
    assert.equal(token.claims.svc_trust_score, 0.95)
  })
})
