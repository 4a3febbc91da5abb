import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { json } from 'node:stream/consumers'
import { after, describe, test } from 'node:test'
import { type Answer, aTestApp } from '@deputize/testing/a-test-app.ts'
import { openBrowser } from '@deputize/testing/browser.ts'
import { freePort } from '@deputize/testing/free-port.ts'
import { theRealEngine } from '@deputize/testing/puppet/puppet-engine.ts'
import type { Browser, Page } from 'playwright-core'
import { buildCaptureScript, CAPTURE_SCRIPT_FILE } from '../../../web/build.ts'
import { aCaptureSession, type Post } from '../a-capture.ts'

const scope = { after }

const PAGE = `<!doctype html><title>Capture</title>
<video id="video" muted playsinline></video><p id="prompt"></p>
<div id="light" style="position:fixed;inset:0" hidden></div>`

test('the script for recording is built from its sources', async () => {
  assert.equal(
    readFileSync(CAPTURE_SCRIPT_FILE, 'utf8'),
    await buildCaptureScript(),
    'run: node web/build.ts',
  )
})

describe('a capture in a real browser', { timeout: 600_000 }, async () => {
  const port = await freePort()
  const url = `http://localhost:${port}`
  const app = await aTestApp(scope, { engine: await theRealEngine(scope), public_url: url })
  const post: Post = (path, body) => app.post(path, body)
  let duration_ms = 0
  let onSent: (recording: Recording) => void = () => {}

  // The clock of the service moves as far as the recording took, however long this machine needs.
  await aSite(port, async (path, body) => {
    if (!path.endsWith('/steps')) return post(path, body)
    app.clock.advance(duration_ms + 600)
    onSent(body as Recording) // the body of the page's own call
    return post(path, body)
  })

  test('sends what the camera and the microphone of the browser give', async () => {
    const browser = await openBrowser(scope, FAKE_DEVICES)
    const page = await aCapturePage(browser, url)
    const session = await aCaptureSession(post, { purpose: 'enroll' })
    duration_ms = session.step.duration_ms
    const sent = new Promise<Recording>((resolve) => {
      onSent = resolve
    })
    // The fake camera shows a moving disc, so the service asks again until the page is closed.
    startCapture(page, session).catch(() => {})
    const { frames, device } = await sent
    assert.ok(frames.length >= 3, `${frames.length} frames`)
    assert.match(device.video_label, /fake/)
    await browser.close()
  })
})

/** What the page sends for one step. */
interface Recording {
  readonly frames: readonly { readonly t_ms: number }[]
  readonly device: { readonly video_label: string }
}

const FAKE_DEVICES = ['--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream']

/** The page and its script; calls go into the service. Ends with the file. */
async function aSite(port: number, call: (path: string, body: object) => Promise<Answer>): Promise<void> {
  const files: Readonly<Record<string, readonly [string, string]>> = {
    '/': ['text/html', PAGE],
    '/capture.js': ['text/javascript', readFileSync(CAPTURE_SCRIPT_FILE, 'utf8')],
  }
  const server = createServer(async (request, response) => {
    const path = request.url ?? ''
    const [type, text] = files[path] ?? ['application/json', '{}']
    if (request.method !== 'POST') return response.setHeader('content-type', type).end(text)
    const answer = await call(path, (await json(request)) as object) // the page sends objects
    response.statusCode = answer.status
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answer.body))
  })
  await new Promise<void>((resolve) => server.listen(port, 'localhost', resolve))
  scope.after(() => {
    server.closeAllConnections()
    server.close()
  })
}

/** A page that loads the script as a widget would. */
async function aCapturePage(browser: Browser, url: string): Promise<Page> {
  const page = await (await browser.newContext({ permissions: ['camera', 'microphone'] })).newPage()
  page.setDefaultTimeout(300_000)
  await page.goto(url)
  return page
}

/** Runs the whole capture in the page, and returns the answer of the service. */
function startCapture(page: Page, session: unknown) {
  return page.evaluate(async (session) => {
    // The tests compile without browser types.
    // biome-ignore lint/suspicious/noExplicitAny: the globals of a page
    const browser = globalThis as any
    const { runCapture } = await import('/capture.js' as string)
    const element = (id: string) => browser.document.getElementById(id)
    return runCapture({
      session,
      stage: { video: element('video'), prompt: element('prompt'), light: element('light') },
    })
  }, session)
}
