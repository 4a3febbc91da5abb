import assert from 'node:assert/strict'
import type { Post } from './a-capture.ts'
import { SESSIONS } from './a-capture.ts'

// biome-ignore lint/suspicious/noExplicitAny: the shape of answers is what tests assert
type Prepared = any

/** Prepares a session and asserts that it is waiting. */
export async function aHostedSession(post: Post, body: object): Promise<Prepared> {
  const prepared = await post(`${SESSIONS}/hosted`, body)
  assert.equal(prepared.status, 201, JSON.stringify(prepared.body))
  assert.equal(prepared.body.state, 'waiting')
  return prepared.body
}

/** The calls of a prepared session. */
export function hostedCalls(post: Post, { session_id, client_token }: Prepared) {
  const call = (name: string, body: object) => post(`${SESSIONS}/${session_id}/${name}`, body)
  return {
    preview: (body: object = { client_token }) => call('preview', body),
    open: (body: object = { client_token }) => call('open', { consent: { version: '1' }, ...body }),
    transfer: (body: object = { client_token }) => call('transfer', body),
    watch: (body: object = { client_token }) => call('watch', body),
    collect: (body: object = { client_token }) => call('collect', body),
    cancel: (body: object = { client_token }) => call('cancel', body),
  }
}
