import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { OPERATIONS, type Operation } from '@deputize/protocol'
import { aTestApp, type TestApp } from '@deputize/testing/a-test-app.ts'
import { anIssueRequest } from '@deputize/testing/an-issue-request.ts'
import { compileSchema } from '../../src/http/validation.ts'

test('every request schema compiles, even though the service compiles each with its first request', () => {
  for (const [id, row] of Object.entries<Operation>(OPERATIONS))
    for (const [place, schema] of Object.entries({
      params: row.params,
      querystring: row.query,
      [row.form === true ? 'form' : 'body']: row.body,
    }))
      if (schema !== undefined) assert.doesNotThrow(() => compileSchema(schema, place), `${id} ${place}`)
})

/** Sends a request with these bytes as its body. */
async function sent(
  { app }: TestApp,
  url: string,
  payload: Buffer | string,
  headers: Record<string, string> = {},
) {
  const type = { host: 'localhost:80', 'content-type': 'application/json' }
  const answer = await app.inject({ method: 'POST', url, payload, headers: { ...type, ...headers } })
  return { status: answer.statusCode, body: answer.json() }
}

describe('a refusal of a request', () => {
  test('names the only value that a field may have', async (t) => {
    const service = await aTestApp(t)
    const { body } = await service.get('/v1/vat/reputation/calendar-bot/history?bucket=week')
    assert.deepEqual(body.errors, [{ pointer: '?bucket', detail: 'must be day' }])
  })

  test('names a field once, although its format includes its bounds', async (t) => {
    const service = await aTestApp(t)
    for (const spend_usd of [-1, 1e300]) {
      const { body } = await service.post('/v1/vat/authorize', {
        vat_jti: `vat_root_${'0'.repeat(36)}`,
        action: 'read',
        resource: 'calendar:events',
        spend_usd,
      })
      assert.equal(body.errors.length, 1)
      assert.equal(body.errors[0].pointer, '/spend_usd')
      assert.match(body.errors[0].detail, /amount in US dollars/)
      assert.doesNotMatch(body.detail, /more/)
    }
  })

  test('names what to send instead of a compact JWT, and the maximum length of a field', async (t) => {
    const service = await aTestApp(t)
    const { compact_jwt, jti } = (await service.post('/v1/vat/issue/l1', anIssueRequest())).body
    const details = async (body: object) =>
      (await service.post('/v1/vat/authorize', { vat_jti: jti, action: 'read', resource: 'a:b', ...body }))
        .body.errors
    assert.deepEqual(await details({ vat_jti: compact_jwt }), [
      {
        pointer: '/vat_jti',
        detail:
          'must have at most 128 characters. This looks like a compact JWT: send the jti of the token, such as vat_root_…',
      },
    ])
    assert.deepEqual(await details({ vat_jti: 'x'.repeat(129) }), [
      { pointer: '/vat_jti', detail: 'must have at most 128 characters' },
    ])
  })

  test('reports that a body is empty', async (t) => {
    const service = await aTestApp(t)
    const { status, body } = await sent(service, '/v1/vat/authorize', '', { 'content-length': '0' })
    assert.deepEqual([status, body.code], [400, 'malformed_json'])
    assert.match(body.detail, /empty/)
  })

  test('names the header of a compressed body', async (t) => {
    const service = await aTestApp(t)
    const zipped = gzipSync(JSON.stringify(anIssueRequest()))
    for (const encoding of ['gzip', 'GZIP', 'br']) {
      const { status, body } = await sent(service, '/v1/vat/issue/l1', zipped, {
        'content-encoding': encoding,
      })
      assert.deepEqual([status, body.code], [415, 'unsupported_media_type'])
      assert.match(body.detail, /Content-Encoding/)
    }
    const form = { 'content-type': 'application/x-www-form-urlencoded', 'content-encoding': 'gzip' }
    const oauth = await sent(service, '/oauth/token', zipped, form)
    assert.equal(oauth.status, 415)
    assert.match(oauth.body.error_description, /Content-Encoding/)
    const plain = JSON.stringify(anIssueRequest())
    const identity = { 'content-encoding': 'identity' }
    assert.equal((await sent(service, '/v1/vat/issue/l1', plain, identity)).status, 200)
  })
})
