import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { json } from 'node:stream/consumers'
import type { Answer } from '@deputize/testing/a-test-app.ts'
import type { TestScope } from '@deputize/testing/scope.ts'
import type { Page } from 'playwright-core'
import { CAPTURE_SCRIPT_FILE } from '../../../web/build.ts'

const PAGE = `<!doctype html><title>Capture</title>
<video id="video" muted playsinline></video><p id="prompt"></p>
<div id="light" style="position:fixed;inset:0" hidden></div>`

/** A page that loads the script for captures as a widget does. Its calls go into the service. */
export async function aCaptureSite(
  scope: TestScope,
  port: number,
  call: (path: string, body: object) => Promise<Answer>,
): Promise<void> {
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

/** Runs the whole capture in the page, and returns the answer of the service. */
// biome-ignore lint/suspicious/noExplicitAny: the shape of answers is what tests assert
export function runCapture(page: Page, session: unknown, request?: object): Promise<any> {
  return page.evaluate(
    async ([session, request]) => {
      // The tests compile without browser types.
      // biome-ignore lint/suspicious/noExplicitAny: the globals of a page
      const browser = globalThis as any
      const { runCapture } = await import('/capture.js' as string)
      const element = (id: string) => browser.document.getElementById(id)
      const stage = { video: element('video'), prompt: element('prompt'), light: element('light') }
      return runCapture({ session, stage, ...(request !== null && { request }) })
    },
    [session, request ?? null] as const,
  )
}
