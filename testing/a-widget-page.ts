import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { aPuppetCamera, followSteps, type PuppetCamera } from './a-puppet-camera.ts'
import type { TestApp } from './a-test-app.ts'
import type { Puppet } from './puppet/a-puppet.ts'
import type { ShownStep } from './puppet/puppet-engine.ts'
import { afterStep } from './puppet/service-captures.ts'

/** The strictest policy that a page with the widget can have if the service serves the page. */
export const STRICT_CSP =
  "default-src 'none'; script-src 'self'; connect-src 'self'; require-trusted-types-for 'script'"

/** A page of an app, at the address of the service, with the element. */
export interface WidgetPage {
  readonly page: Page
  /** Details of the events of the element, by name. */
  events(name: string): Promise<readonly Record<string, unknown>[]>
  /** Shows the element for a session. */
  show(attributes: Record<string, string>): Promise<void>
  /** Removes the element, like a page that no longer needs it. */
  remove(): Promise<void>
  /** Waits for a screen by its name. */
  screen(name: string): Promise<void>
  /** Errors of the page, and what its policy blocked. */
  readonly troubles: string[]
  /** Undefined if the page uses the browser's own devices. */
  readonly camera: PuppetCamera | undefined
}

export interface WidgetPageOptions {
  /** The puppet in front of the camera. If undefined, the page uses the browser's own devices. */
  readonly puppet?: Puppet | undefined
  readonly url: string
  readonly app: Pick<TestApp, 'clock'>
  readonly context?: BrowserContextOptions
  /** The page of a separate app, instead of a page with nothing but the element. */
  readonly app_url?: string
  /** Leaves the shadow root closed, as on real pages, so tests can't look inside. */
  readonly is_closed?: boolean
}

/** By the service's clock, recordings take exactly their own duration, however long this machine needs. */
export async function aWidgetPage(browser: Browser, options: WidgetPageOptions): Promise<WidgetPage> {
  const { url, app, puppet, context = {}, is_closed = false, app_url = `${url}/shop` } = options
  const page = await (await browser.newContext({ locale: 'en-US', ...context })).newPage()
  page.setDefaultTimeout(60_000)
  const troubles: string[] = []
  page.on('pageerror', (error) => troubles.push(error.message))
  page.on('console', (message) => {
    // A refused call is an answer, not an error of the page.
    if (message.type() === 'error' && !/status of (4|5)\d\d|ERR_/.test(message.text()))
      troubles.push(message.text())
  })
  const onRecorded = (step: ShownStep) => afterStep(app, step)
  const camera = puppet && (await aPuppetCamera(page, { puppet, onRecorded }))
  if (camera === undefined) await followSteps(page, { onRecorded })
  await page.addInitScript(watchPage, is_closed)
  await page.route(`${url}/shop`, (route) =>
    route.fulfill({
      contentType: 'text/html; charset=utf-8',
      headers: { 'content-security-policy': STRICT_CSP },
      body: '<!doctype html><html lang="en"><title>Shop</title><script type="module" src="/widget.js"></script><main><h1>Shop</h1></main>',
    }),
  )
  await page.goto(app_url)
  return {
    page,
    troubles,
    camera,
    events: (name) => page.evaluate((name) => (globalThis as unknown as Recorded).recorded[name] ?? [], name), // set below
    show: (attributes) => page.evaluate(showElement, attributes),
    remove: () => page.evaluate(removeElement),
    async screen(name) {
      await page.waitForFunction(
        (name) => (globalThis as unknown as Recorded).recorded.progress?.at(-1)?.screen === name, // set below
        name,
        { polling: 50, timeout: 300_000 },
      )
    },
  }
}

/** What the script in the page keeps. */
interface Recorded {
  recorded: Record<string, Record<string, unknown>[]>
}

/**
 * Keeps the events and the streams, and opens the shadow root for the tests. Any page could do the same: the closed
 * root keeps out code that reads a page by accident, not a page that patches the browser first.
 */
function watchPage(is_closed: boolean): void {
  // The tests compile without browser types.
  // biome-ignore lint/suspicious/noExplicitAny: the globals of a page
  const page = globalThis as any
  page.recorded = {}
  page.streams = []
  for (const name of ['progress', 'verified', 'failed', 'cancelled'])
    page.addEventListener(name, ({ detail }: { detail: object }) => {
      page.recorded[name] = [...(page.recorded[name] ?? []), detail]
    })
  const { mediaDevices } = page.navigator
  const open = mediaDevices?.getUserMedia.bind(mediaDevices)
  if (open !== undefined)
    mediaDevices.getUserMedia = async (wish: object) => {
      // A headless browser grants everything without a dialog, whatever its permissions say.
      const asked = page.navigator.permissions.query({ name: 'camera' })
      const { state } = await asked.catch(() => ({ state: 'unknown' }))
      if (state === 'denied') throw new page.DOMException('Permission denied', 'NotAllowedError')
      const stream = await open(wish)
      page.streams.push(stream)
      return stream
    }
  if (is_closed) return
  const attach = page.Element.prototype.attachShadow
  page.Element.prototype.attachShadow = function (options: object) {
    return attach.call(this, { ...options, mode: 'open' })
  }
}

/** Runs in a page, or in one of its frames. */
export function showElement(attributes: Record<string, string>): void {
  // biome-ignore lint/suspicious/noExplicitAny: the globals of a page
  const { document } = globalThis as any
  const made = document.createElement('deputy-verify')
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value)
  document.querySelector('main').append(made)
}

function removeElement(): void {
  // biome-ignore lint/suspicious/noExplicitAny: the globals of a page
  const page = globalThis as any
  page.document.querySelector('deputy-verify').remove()
  page.recorded = {}
}
