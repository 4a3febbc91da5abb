import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { json } from 'node:stream/consumers'
import type { Browser, Page } from 'playwright-core'
import { CAPTURE_SCRIPT_FILE } from '../web/build.ts'
import { aPuppetCamera } from './a-puppet-camera.ts'
import type { Answer, TestApp } from './a-test-app.ts'
import type { Puppet } from './puppet/a-puppet.ts'
import { type AnswerCapture, afterStep, type CaptureEnd, codesOf } from './puppet/service-captures.ts'
import type { TestScope } from './scope.ts'

const PAGE = `<!doctype html><title>Capture</title>
<video id="video" muted playsinline></video><p id="prompt"></p>
<div id="light" style="position:fixed;inset:0" hidden></div>`

/** A site with a page that loads the script for captures as a widget does. */
export interface CaptureSite {
  readonly url: string
  /** Sees each call of the page before it goes into the service, and the answer. */
  onCall(path: string, body: object): void
  onAnswer(path: string, answer: Answer): void
}

/** Calls of the page go into the service. Ends with the scope. */
export async function aCaptureSite(
  scope: TestScope,
  port: number,
  { post }: Pick<TestApp, 'post'>,
): Promise<CaptureSite> {
  const site: CaptureSite = { url: `http://localhost:${port}`, onCall() {}, onAnswer() {} }
  const files: Readonly<Record<string, readonly [string, string]>> = {
    '/': ['text/html', PAGE],
    '/capture.js': ['text/javascript', readFileSync(CAPTURE_SCRIPT_FILE, 'utf8')],
  }
  const server = createServer(async (request, response) => {
    const path = request.url ?? ''
    const [type, text] = files[path] ?? ['application/json', '{}']
    if (request.method !== 'POST') return response.setHeader('content-type', type).end(text)
    const body = (await json(request)) as object // the page sends objects
    site.onCall(path, body)
    const answer = await post(path, body)
    site.onAnswer(path, answer)
    response.statusCode = answer.status
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answer.body))
  })
  await new Promise<void>((resolve) => server.listen(port, 'localhost', resolve))
  scope.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return site
}

/** Runs the whole capture in the page, and returns the answer of the service. */
// biome-ignore lint/suspicious/noExplicitAny: the shape of answers is what tests assert
export function recordInPage(page: Page, session: unknown, request: object = {}): Promise<any> {
  return page.evaluate(
    async ([session, request]) => {
      // The tests compile without browser types.
      // biome-ignore lint/suspicious/noExplicitAny: the globals of a page
      const browser = globalThis as any
      const { runCapture } = await import('/capture.js' as string)
      const element = (id: string) => browser.document.getElementById(id)
      const stage = { video: element('video'), prompt: element('prompt'), light: element('light') }
      return runCapture({ session, stage, request })
    },
    [session, request] as const,
  )
}

/** A page before which puppets answer captures. The page has a virtual authenticator that always consents. */
export async function throughBrowser(
  browser: Browser,
  site: CaptureSite,
  app: Pick<TestApp, 'clock'>,
  puppet: Puppet,
): Promise<AnswerCapture> {
  const page = await browser.newPage()
  // A busy machine may take its time.
  page.setDefaultTimeout(300_000)
  const camera = await aPuppetCamera(page, { puppet, onRecorded: (step) => afterStep(app, step) })
  await page.goto(site.url)
  await addAuthenticator(page)
  return async (session, { puppet, how }, request) => {
    camera.show(puppet, how)
    await camera.rehearse(session.step)
    const askedAgain = new Promise<CaptureEnd>((resolve) => {
      site.onAnswer = (path, { body }) => {
        // Another page may still wait for the answer to its own step.
        const isOwn = path.endsWith(`/${session.session_id}/steps`)
        if (isOwn && body.reasons?.length > 0) resolve({ asked_again: codesOf(body.reasons) })
      }
    })
    const finished = recordInPage(page, session, request).then((body) => ({ body }))
    const end = await Promise.race([finished, askedAgain])
    if ('body' in end) return end
    // The page would go on: it is left as a person leaves it.
    finished.catch(() => {})
    await page.goto(site.url)
    return end
  }
}

async function addAuthenticator(page: Page): Promise<void> {
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('WebAuthn.enable')
  await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
}
