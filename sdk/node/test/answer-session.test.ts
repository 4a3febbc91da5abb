import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answerSession, type Camera, deputy } from '@deputize/sdk'
import { aTestApp } from '@deputize/testing/a-test-app.ts'
import { actedRecording, anActedEngine } from '@deputize/testing/an-acted-engine.ts'

test('a camera answers every step, and repeats a step whose recording was not good enough', async (t) => {
  const service = await aTestApp(t, { engine: anActedEngine(), l3_passkey: 'optional' })
  const client = deputy({ url: await service.listen() })
  const repeats: string[] = []
  const filming =
    (isDarkAtFirst: boolean): Camera =>
    async (step) => {
      service.clock.advance(step.duration_ms + 400)
      const isDark = isDarkAtFirst && step.step_id === 'st_1'
      const { frames } = actedRecording(step, { face: 1, ...(isDark && { quality: ['too_dark'] }) })
      return { frames }
    }
  const consent = { version: (await client.getConsent()).version }
  const enrolment = await client.createVerificationSession({ purpose: 'enroll', consent })
  const answered = await answerSession(client, enrolment, filming(true), {
    onRepeat: (reasons) => void repeats.push(...reasons.map(({ code }) => code)),
  })
  assert.deepEqual(repeats, ['too_dark'])
  assert.equal(answered.media.length, enrolment.steps_total)
  const { session_id, nonce } = answered
  const { enrolled, human_ref } = await client.enroll({ session_id, nonce })
  assert.equal(enrolled, true)
  const session = await client.createVerificationSession({ purpose: 'verify', human_ref })
  const capture = await answerSession(client, session, filming(false))
  const judged = await client.capture({
    session_id: capture.session_id,
    nonce: capture.nonce,
    agent_id: 'calendar-bot',
    resources: ['calendar:events'],
    actions: ['read'],
  })
  assert.equal(judged.token?.claims.svc_assurance_level, 'L3')
})
