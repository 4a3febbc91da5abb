import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import {
  answerSession,
  type CreateHostedSessionAnswer,
  deputy,
  PersonNotVerified,
  verifyPerson,
} from '@deputize/sdk'
import { aTestApp } from '@deputize/testing/a-test-app.ts'
import { actedRecording, anActedEngine } from '@deputize/testing/an-acted-engine.ts'

const REQUEST = { agent_id: 'invoice-bot', resources: ['payments:invoices'], actions: ['pay'] }
const scope = { after }

describe('verifyPerson', async () => {
  const service = await aTestApp(scope, { engine: anActedEngine(), l3_passkey: 'optional' })
  const client = deputy({ url: await service.listen() })
  const consent = { version: (await client.getConsent()).version }

  /** Does what the person's device would: opens the session and has a person with this face answer its steps. */
  async function onDevice({ session_id, client_token }: CreateHostedSessionAnswer, face: number) {
    const opened = await client.openHostedSession({ id: session_id, client_token, consent })
    const { nonce, capture, step } = opened
    assert.ok(capture !== undefined && step !== undefined)
    await answerSession(client, { session_id, nonce, capture, step }, async (asked) => {
      service.clock.advance(asked.duration_ms + 400)
      return { frames: actedRecording(asked, { face }).frames }
    })
    return { session_id, nonce }
  }

  async function enrolled(): Promise<string> {
    const session = await client.createHostedSession({ purpose: 'enroll' })
    return (await client.enroll(await onDevice(session, 1))).human_ref
  }
  const human_ref = await enrolled()

  test('waits for the person, even after a capture that did not pass, and collects the L3 token', async () => {
    const changes: string[] = []
    let device = Promise.resolve()
    const { token } = await verifyPerson(
      client,
      { human_ref, request: REQUEST },
      (session) => {
        assert.match(session.url, /\/verify-me\//)
        device = (async () => {
          for (const face of [2, 1]) await client.capture(await onDevice(session, face))
        })()
      },
      { onChange: ({ state, decision }) => void changes.push(`${state} ${decision ?? ''}`.trim()) },
    )
    await device
    assert.equal(token?.claims.svc_assurance_level, 'L3')
    assert.deepEqual(token.claims.svc_scope.resources, REQUEST.resources)
    assert.equal(changes.at(-1), 'judged pass')
  })

  test('reports that the person cancelled the session', async () => {
    const cancelled = verifyPerson(client, { human_ref }, ({ session_id, client_token }) =>
      client.cancelVerificationSession({ id: session_id, client_token }),
    )
    await assert.rejects(cancelled, (error) => {
      assert.ok(error instanceof PersonNotVerified)
      assert.deepEqual([error.state, error.decision, error.reasons], ['cancelled', undefined, []])
      assert.match(error.message, /the session is cancelled/)
      return true
    })
  })

  test('stops waiting with its signal', async () => {
    const stopped = new AbortController()
    const waiting = verifyPerson(client, { human_ref }, () => stopped.abort(new Error('the user left')), {
      signal: stopped.signal,
    })
    await assert.rejects(waiting, /the user left|aborted/)
  })
})
