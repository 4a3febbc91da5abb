import assert from 'node:assert/strict'
import type { Answer } from './a-test-app.ts'

/** Returns the body of an answer, which must be a success. */
export async function okBody(answer: Promise<Answer>): Promise<Answer['body']> {
  const { status, body } = await answer
  assert.ok(status < 300, `${status}: ${JSON.stringify(body)}`)
  return body
}
