import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { aTestApp } from '@deputize/testing/a-test-app.ts'
import { EXPLAINED_ERRORS } from '../../src/http/problem.ts'
import { aKeyedApp } from './a-keyed-app.ts'

const BROWSER = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }
const { app } = await aTestApp({ after })
const visit = (url: string, headers = {}) => app.inject({ url, headers: { ...BROWSER, ...headers } })

describe('an error in a browser', () => {
  test('is a page with an explanation, for unknown addresses and refused calls', async () => {
    for (const [url, status, code] of [
      ['/dashboard', 404, 'not_found'],
      ['/v1/vat/tokens/vat_root_none', 404, 'token_unknown'],
      ['/v1/vat/tokens?limit=x', 400, 'invalid_request'],
      ['/v1/vat/record/action', 405, 'method_not_allowed'],
      ['/problems/unheard_of', 404, 'not_found'],
      ['/app/assets/none.js', 404, 'not_found'],
    ] as const) {
      const { statusCode, headers, body } = await visit(url)
      assert.equal(statusCode, status, url)
      assert.match(String(headers['content-type']), /^text\/html/)
      assert.match(body, new RegExp(`<a href="/problems/${code}">`))
      assert.match(body, /<a class="button" href="\/app">Go to the dashboard<\/a>/)
      assert.match(String(headers['content-security-policy']), /default-src 'none'.*frame-ancestors 'none'/)
      assert.ok(body.includes(String(headers['x-request-id'])))
    }
  })

  test('is JSON for programs, scripts and changes', async () => {
    for (const accept of [
      '*/*',
      'application/json',
      'application/problem+json, text/plain',
      'text/html2',
      undefined,
    ]) {
      const { headers } = await app.inject({
        url: '/nowhere',
        headers: accept === undefined ? {} : { accept },
      })
      assert.match(String(headers['content-type']), /^application\/problem\+json/, accept)
      assert.equal(headers.vary, 'Accept')
    }
    const sent = await app.inject({ method: 'POST', url: '/v1/vat/revoke', payload: {}, headers: BROWSER })
    assert.match(String(sent.headers['content-type']), /^application\/problem\+json/)
  })

  test('shows input of the caller as text, never as markup', async () => {
    const evil = '<img src=x onerror=alert(1)>'
    const written = encodeURIComponent(evil)
    const pages = await Promise.all([
      visit(`/${written}`),
      visit(`/v1/vat/tokens/${written}`),
      visit(`/v1/vat/tokens?limit=${written}`),
      visit(`/v1/vat/tokens?${written}=1`),
      visit(`/problems?q=${written}`),
      visit('/nowhere?"><script>alert(1)</script>'),
      visit('/nowhere', { 'x-request-id': 'a"b<c' }),
    ])
    for (const { body } of pages) {
      assert.doesNotMatch(body, /<img|<script|onerror=alert\(1\)>/)
      assert.doesNotMatch(body, /<a[^>]+href="(?!\/)/)
    }
  })

  test('leads callers without a credential to the sign-in, and only back to this service', async (context) => {
    const keyed = await aKeyedApp(context)
    for (const [url, back] of [
      ['/v1/vat/tokens?limit=1', '%2Fv1%2Fvat%2Ftokens'],
      ['/metrics', '%2Fmetrics'],
    ] as const) {
      const { statusCode, body } = await keyed.test.app.inject({ url, headers: BROWSER })
      assert.equal(statusCode, 401)
      assert.match(body, new RegExp(`href="/sign-in\\?return_to=${back}"`))
    }
    const elsewhere = await keyed.test.app.inject({ url: '//evil.example/v1/vat/tokens', headers: BROWSER })
    assert.doesNotMatch(elsewhere.body, /href="\/\/|return_to=%2F%2Fevil/)
  })
})

describe('the pages of errors', () => {
  test('list every error by its title, and can be searched by words', async () => {
    const all = (await visit('/problems')).body
    for (const [code, { title }] of Object.entries(EXPLAINED_ERRORS))
      assert.ok(all.includes(`<a href="/problems/${code}">${title.replaceAll("'", '&#39;')}</a>`), code)
    const found = (await visit('/problems?q=unknown+PASSKEY')).body
    assert.match(found, /href="\/problems\/passkey_unknown"/)
    assert.doesNotMatch(found, /href="\/problems\/rate_limited"/)
    assert.match((await visit('/problems?q=zzzz')).body, /No error matches/)
  })

  test('explain the error, show a call with its answer, and link back, without backticks', async () => {
    for (const [code, { title }] of Object.entries(EXPLAINED_ERRORS)) {
      const { statusCode, body } = await visit(`/problems/${code}`)
      assert.equal(statusCode, 200, code)
      assert.ok(body.includes(`<h1>${title.replaceAll("'", '&#39;')}</h1>`), code)
      assert.doesNotMatch(body.replaceAll(/<pre>[\s\S]*?<\/pre>/g, ''), /`/, code)
      assert.match(body, /<a href="\/problems">All errors<\/a>/)
      if (code === 'authority_unavailable') continue
      assert.match(body, /<pre>(GET|POST|PUT|PATCH|DELETE) \//, code)
      assert.ok(body.includes(`&#34;code&#34;: &#34;${code}&#34;`), code)
    }
  })
})
