import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { aTestApp } from '@deputize/testing/a-test-app.ts'
import { buildWidgetScript, WIDGET_SCRIPT_FILE } from '../../../web/build.ts'

const MOST_BYTES = 25_000
const CROSS_SITE = {
  origin: 'https://shop.example',
  'sec-fetch-site': 'cross-site',
  'sec-fetch-mode': 'cors',
}

describe('the script of the widget', async () => {
  const { app, context } = await aTestApp({ after })
  const get = (url: string) => app.inject({ method: 'GET', url, headers: CROSS_SITE })

  test('is built from its sources', async () => {
    assert.equal(
      readFileSync(WIDGET_SCRIPT_FILE, 'utf8'),
      await buildWidgetScript(),
      'run: node web/build.ts',
    )
  })

  test('has at most 25 kB when compressed', () => {
    const { length } = gzipSync(readFileSync(WIDGET_SCRIPT_FILE), { level: 9 })
    assert.ok(length <= MOST_BYTES, `${length} bytes`)
  })

  test('is served to pages of any site', async () => {
    const { statusCode, headers, body } = await get('/widget.js')
    assert.equal(statusCode, 200)
    assert.equal(body, readFileSync(WIDGET_SCRIPT_FILE, 'utf8'))
    assert.equal(headers['content-type'], 'text/javascript; charset=utf-8')
    assert.equal(headers['access-control-allow-origin'], '*')
    assert.equal(headers['cross-origin-resource-policy'], 'cross-origin')
    assert.equal(headers['x-content-type-options'], 'nosniff')
    assert.match(String(headers['cache-control']), /^public, max-age=3600$/)
  })

  test('can be pinned by its version, and another version is not found', async () => {
    const pinned = await get(`/widget-${context.node.version}.js`)
    assert.equal(pinned.statusCode, 200)
    assert.match(String(pinned.headers['cache-control']), /immutable/)
    assert.notEqual((await get('/widget-9.9.9.js')).statusCode, 200)
  })

  test('is the only file that open mode serves to a page of another site', async () => {
    for (const path of ['/verify.js', '/people.js', '/v1/vat/log/checkpoint', '/openapi.json'])
      assert.equal((await get(path)).statusCode, 403, path)
  })
})
