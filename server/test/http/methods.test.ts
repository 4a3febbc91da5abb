import assert from 'node:assert/strict'
import { METHODS } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, test } from 'node:test'
import { OPERATIONS, type Operation } from '@deputize/protocol'
import { aTestApp, type TestApp } from '@deputize/testing/a-test-app.ts'

const PAGES = [
  '/',
  '/app',
  '/app/assets/app.js',
  '/app/tokens',
  '/docs',
  '/docs/init.js',
  '/favicon.ico',
  '/me',
  '/metrics',
  '/openapi.json',
  '/problems',
  '/problems/not_found',
  '/setup',
  '/setup.js',
  '/sign-in',
  '/verify',
  '/verify.js',
  '/verify-me/vs_1',
  '/verify-me/vs_1/returned',
  '/verify-me.js',
]
const TILES = ['/tile/0/000', '/tile/0/000.p/1', '/tile/entries/000', '/tile/entries/000.p/1', '/tile/x/y']
const UNKNOWN = ['/nowhere', '/v1/vat', '/v1/vat/nothing/here', '/%00', '/%zz']
const CONTENT_TYPES = [
  undefined,
  '',
  'application/json',
  'application/x-www-form-urlencoded',
  'multipart/form-data',
  'application/json, text/html',
  '/;=',
]
const BROKEN_JSON = '{"a":'
type Content = readonly [type: string | undefined, payload?: string]
/** Bodies matter only for types that are read, and without a type. */
const CONTENTS: readonly Content[] = [
  ...CONTENT_TYPES.map((type): Content => [type, BROKEN_JSON]),
  [undefined],
  [''],
  ['application/json'],
]
const TYPICAL_CONTENTS: readonly Content[] = [
  [undefined],
  ['application/json', BROKEN_JSON],
  ['/;=', BROKEN_JSON],
]
/** Methods with a route at some path, one without, and one for which Fastify requires a content type. */
const TYPICAL_METHODS = ['GET', 'POST', 'PUT', 'QUERY']

/** A path of every operation. Its parameters name nothing that exists. */
const OPERATION_PATHS = [
  ...new Set(Object.values<Operation>(OPERATIONS).map(({ path }) => path.replaceAll(/\{\w+\}/g, 'x'))),
]

async function assertNoFault(
  { app }: TestApp,
  paths: readonly string[],
  methods: readonly string[],
  contents = CONTENTS,
): Promise<void> {
  const faults: string[] = []
  for (const url of paths)
    for (const method of methods)
      for (const [type, payload] of contents) {
        const response = await app.inject({
          method: method as 'GET', // the injector sends any method
          url,
          headers: type === undefined ? {} : { 'content-type': type },
          ...(payload !== undefined && { payload }),
        })
        if (response.statusCode === 500)
          faults.push(`${method} ${url} with content type ${type} and body ${payload}`)
      }
  assert.deepEqual(faults, [])
}

describe('a request with any method and any content type', () => {
  for (const access of ['open', 'keyed'] as const) {
    test(`never makes an operation fail in ${access} mode`, async (t) => {
      await assertNoFault(await aTestApp(t, { access }), OPERATION_PATHS, TYPICAL_METHODS)
    })

    test(`never makes a page, a tile or an unknown path fail in ${access} mode`, async (t) => {
      const paths = [...PAGES, ...TILES, ...UNKNOWN]
      const app = await aTestApp(t, { access })
      await assertNoFault(app, paths, TYPICAL_METHODS)
      await assertNoFault(app, paths, METHODS, TYPICAL_CONTENTS)
    })
  }

  test('is refused with the methods that the path accepts, whatever its body', async (t) => {
    const { app } = await aTestApp(t)
    for (const type of CONTENT_TYPES)
      for (const method of ['QUERY', 'PUT']) {
        const response = await app.inject({
          method: method as 'PUT', // the injector sends any method
          url: '/v1/vat/authorize',
          headers: type === undefined ? {} : { 'content-type': type },
          payload: BROKEN_JSON,
        })
        assert.deepEqual(
          [response.statusCode, response.json().code, response.headers.allow],
          [405, 'method_not_allowed', 'POST'],
          `${method} with content type ${type}`,
        )
      }
  })

  test('is answered on a socket, and so is the next request', async (t) => {
    const { port } = new URL(await (await aTestApp(t)).listen())
    const answer = async (method: string) => {
      const socket = connect(Number(port), '127.0.0.1')
      const head = (name: string, more: string) =>
        `${name} /v1/vat/authorize HTTP/1.1\r\nHost: localhost:${port}\r\n${more}\r\n`
      socket.write(`${head(method, 'Content-Length: 2\r\n')}{}`)
      socket.write(head('GET', 'Connection: close\r\n'))
      const answered = await text(socket)
      for (const [type] of answered.matchAll(/"type":"[^"]*"/g)) assert.match(type, /"\/problems\/\w+"$/)
      return [...answered.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)
    }
    assert.deepEqual(await answer('QUERY'), ['405', '405'])
    assert.deepEqual(await answer('PROPFIND'), ['405', '405'])
    assert.deepEqual(await answer('UNHEARD'), ['400']) // not an HTTP method, so nothing after it is read
  })
})

test('a mistyped path names the operation that it most likely means', async (t) => {
  const { app } = await aTestApp(t)
  const advice = async (method: 'GET' | 'POST' | 'DELETE', url: string) => {
    const response = await app.inject({ method, url })
    assert.equal(response.statusCode, 404)
    return /\. ([^.]*)[.?]$/.exec(response.json().detail)?.[1]
  }
  const meant: readonly (readonly ['GET' | 'POST' | 'DELETE', string, string | undefined])[] = [
    ['POST', '/v1/vat/autorize', 'POST /v1/vat/authorize'],
    ['GET', '/v1/vat/kesy', 'GET /v1/vat/keys'],
    ['POST', '/v1/vat/authorize/', 'POST /v1/vat/authorize'],
    ['POST', '/record/action', 'POST /v1/vat/record/action'],
    ['GET', '/v1/vat/approval/apr_1', 'GET /v1/vat/approvals/{id}'],
    ['DELETE', '/v2/vat/keys/key_1', 'DELETE /v1/vat/keys/{key_id}'],
    ['GET', '/wp-admin', undefined],
    ['GET', `/${'x/'.repeat(200)}`, undefined],
    ['GET', `/v1/vat/${'x'.repeat(2_000)}`, undefined],
  ]
  for (const [method, url, operation] of meant)
    assert.equal(
      await advice(method, url),
      operation === undefined ? 'See /docs for all operations' : `Did you mean ${operation}`,
      url,
    )
})
