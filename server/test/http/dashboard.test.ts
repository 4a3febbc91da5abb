import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { aTestApp } from '@deputize/testing/a-test-app.ts'
import { temporaryDirectory } from '@deputize/testing/scope.ts'
import fastify from 'fastify'
import { answerError } from '../../src/http/answers.ts'
import { addDashboard, readDashboard } from '../../src/http/pages/dashboard.ts'

const SCRIPT = `document.title = 'built'\n`.repeat(200)

function aBuild(files: readonly string[] = ['app-1a2b.js', 'app-3c4d.css', 'inter.woff2']): URL {
  const folder = join(temporaryDirectory({ after }), 'app')
  mkdirSync(folder)
  for (const name of ['app-1a2b.js', 'app-3c4d.css', 'inter.woff2', 'secret.txt'])
    writeFileSync(join(folder, name), SCRIPT)
  const index = { script: 'app-1a2b.js', style: 'app-3c4d.css', files }
  writeFileSync(join(folder, 'index.json'), JSON.stringify(index))
  return pathToFileURL(`${folder}/`)
}

describe('the dashboard', () => {
  const app = fastify()
  app.setErrorHandler(answerError)
  addDashboard(app, { version: '1.2.3"<', access: 'keyed', build: readDashboard(aBuild()) })
  const get = (url: string, headers: Record<string, string> = {}) => app.inject({ url, headers })

  test('is one page for every address below /app', async () => {
    const pages = await Promise.all(
      ['/app', '/app/', '/app/tokens/vat_1?a=b', '/app/a/b/c'].map((url) => get(url)),
    )
    assert.deepEqual(
      pages.map(({ statusCode, body }) => [statusCode, body]),
      pages.map(() => [200, pages[0]?.body]),
    )
  })

  test('passes the mode and the version to its script, and has nothing inline', async () => {
    const { body, headers } = await get('/app')
    assert.match(body, /<meta name="deputy-mode" content="keyed">/)
    assert.match(body, /<meta name="deputy-version" content="1\.2\.3&#34;&#60;">/)
    assert.doesNotMatch(body, /<style|<script(?![^>]* src=)| style=| on\w+=/)
    const csp = String(headers['content-security-policy'])
    assert.match(csp, /^default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'/)
    assert.match(csp, /frame-ancestors 'none'/)
    assert.doesNotMatch(csp, /unsafe|http/)
    assert.equal(headers['cache-control'], 'no-cache')
  })

  test('has files that caches keep for a year, compressed for clients that accept it', async () => {
    const { body } = await get('/app')
    const sources = [...body.matchAll(/(?:src|href)="(\/app\/assets\/[^"]+)"/g)].map(
      ([, source = '']) => source,
    )
    assert.equal(sources.length, 2)
    for (const source of sources) {
      const plain = await get(source)
      assert.deepEqual(
        [plain.statusCode, plain.body, plain.headers['content-encoding']],
        [200, SCRIPT, undefined],
      )
      assert.equal(plain.headers['cache-control'], 'public, max-age=31536000, immutable')
      const small = await get(source, { 'accept-encoding': 'br, gzip;q=0.8' })
      assert.equal(small.headers['content-encoding'], 'gzip')
      assert.equal(gunzipSync(small.rawPayload).toString(), SCRIPT)
      const refused = await get(source, { 'accept-encoding': 'gzip;q=0' })
      assert.equal(refused.headers['content-encoding'], undefined)
    }
  })

  test('serves no file that the build does not list', async () => {
    const paths = [
      'secret.txt',
      'index.json',
      '..%2f..%2fpeople.js',
      '%2e%2e%2findex.json',
      '__proto__',
      'constructor',
    ]
    for (const path of paths) {
      const { statusCode, body } = await get(`/app/assets/${path}`)
      assert.deepEqual([statusCode, JSON.parse(body).code], [404, 'not_found'], path)
    }
    for (const path of ['../index.json', '%2e%2e/index.json', 'a/../../secret.txt'])
      assert.ok(!(await get(`/app/assets/${path}`)).body.includes('built'), path)
  })

  test('does not start with a build that lists a file outside its folder', () => {
    for (const name of ['../people.js', 'a/b.js', '.js', 'app.exe', 'app.js?x'])
      assert.throws(() => readDashboard(aBuild([name])), /not a file of the dashboard/, name)
  })
})

describe('the home page', async () => {
  const { app } = await aTestApp({ after })
  const home = (accept: string) => app.inject({ url: '/', headers: { accept } })

  test('redirects browsers to the dashboard', async () => {
    const { statusCode, headers } = await home('text/html,application/xhtml+xml;q=0.9,*/*;q=0.8')
    assert.deepEqual([statusCode, headers.location], [303, '/app'])
    assert.equal(headers.vary, 'Accept')
  })

  test('shows the first call to programs', async () => {
    for (const accept of ['*/*', 'application/json', 'text/plain']) {
      const { statusCode, body } = await home(accept)
      assert.deepEqual([statusCode, body.includes('Your first call')], [200, true])
    }
  })
})
