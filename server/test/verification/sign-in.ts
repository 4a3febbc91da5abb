import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Answer, TestApp } from '@deputize/testing/a-test-app.ts'
import { type TestScope, temporaryDirectory } from '@deputize/testing/scope.ts'
import { CALLBACK_PATH } from '../../src/http/people/sign-in-pages.ts'

/** A file that holds a client secret. */
export function aSecretFile(scope: TestScope, client_secret: string): string {
  const file = join(temporaryDirectory(scope), 'client-secret')
  writeFileSync(file, client_secret)
  return file
}

/** A request for a token at L2, valid except for the missing proof. */
export function l2Request(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return { agent_id: 'calendar-bot', resources: ['calendar:events'], actions: ['read'], ...changes }
}

export async function startLogin(
  service: TestApp,
  body: object,
): Promise<{ login_id: string; authorization_url: string }> {
  const answer = await service.post('/v1/vat/auth/oidc/start', body)
  assert.equal(answer.status, 201, JSON.stringify(answer.body))
  return answer.body
}

/** Calls the callback like a browser that the provider redirected. */
export async function callback(
  { app }: Pick<TestApp, 'app'>,
  query: URLSearchParams,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const {
    statusCode,
    headers: answered,
    body,
  } = await app.inject({
    method: 'GET',
    url: `${CALLBACK_PATH}?${query}`,
    headers,
  })
  return { status: statusCode, headers: answered, body }
}

/** Presses a button on the page that the callback returned. */
export async function confirm(
  { app }: Pick<TestApp, 'app'>,
  page: Answer,
  decision: 'yes' | 'no' = 'yes',
): Promise<Answer> {
  const [, confirmation = ''] = /name="confirmation" value="([\w-]{43})"/.exec(page.body) ?? []
  assert.notEqual(confirmation, '', page.body)
  const { statusCode, headers, body } = await app.inject({
    method: 'POST',
    url: '/v1/vat/auth/oidc/confirm',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams({ confirmation, decision }).toString(),
  })
  return { status: statusCode, headers, body }
}
