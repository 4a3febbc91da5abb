import assert from 'node:assert/strict'
import type { Answer, TestApp } from '@deputize/testing/a-test-app.ts'
import { type Acted, actedRecording } from '@deputize/testing/an-acted-engine.ts'

/** Calls of a session go through a function, so that tests can send them as any caller, to any node. */
export type Post = (path: string, body: object) => Promise<Answer>

// biome-ignore lint/suspicious/noExplicitAny: the shape of answers is what tests assert
type Opened = any

export const SESSIONS = '/v1/vat/auth/sessions'

/** Opens a session and asserts that it opened. */
export async function aCaptureSession(post: Post, body: object): Promise<Opened> {
  const opened = await post(SESSIONS, { consent: { version: '1' }, ...body })
  assert.equal(opened.status, 201, JSON.stringify(opened.body))
  return opened.body
}

/** Long enough for a person to see a step, act and send the recording. */
export function letTimePass(
  { clock }: Pick<TestApp, 'clock'>,
  { duration_ms }: { duration_ms: number },
): void {
  clock.advance(duration_ms + 400)
}

/** Answers every remaining step and returns the answers. */
export async function answerSteps(
  post: Post,
  app: Pick<TestApp, 'clock'>,
  { session_id, nonce, step: first }: Opened,
  acted: Acted,
): Promise<Opened[]> {
  const answers: Opened[] = []
  for (let step = first; step !== undefined; step = answers.at(-1).step) {
    letTimePass(app, step)
    const answer = await post(`${SESSIONS}/${session_id}/steps`, { nonce, ...actedRecording(step, acted) })
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    answers.push(answer.body)
  }
  return answers
}

/** Enrolls a person who performs the steps as in `acted`, without a passkey, and returns the answer. */
export async function enrolled(
  post: Post,
  app: Pick<TestApp, 'clock'>,
  acted: Acted,
  who: object = {},
): Promise<Opened> {
  const session = await aCaptureSession(post, { purpose: 'enroll', ...who })
  await answerSteps(post, app, session, acted)
  const { session_id, nonce } = session
  const { status, body } = await post('/v1/vat/auth/enroll', { session_id, nonce })
  assert.equal(status, 201, JSON.stringify(body))
  return body
}

/** Opens a session for `human_ref` and answers every step, so that the session is ready to be judged. */
export async function aCapture(
  post: Post,
  app: Pick<TestApp, 'clock'>,
  human_ref: string,
  acted: Acted,
): Promise<{ readonly session_id: string; readonly nonce: string }> {
  const session = await aCaptureSession(post, { purpose: 'verify', human_ref })
  await answerSteps(post, app, session, acted)
  return { session_id: session.session_id, nonce: session.nonce }
}
