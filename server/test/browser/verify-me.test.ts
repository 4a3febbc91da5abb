import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { aTestApp, type TestApp } from '@deputize/testing/a-test-app.ts'
import { anActedEngine } from '@deputize/testing/an-acted-engine.ts'
import { openBrowser } from '@deputize/testing/browser.ts'
import type { TestScope } from '@deputize/testing/scope.ts'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { buildVerifyMeScript, VERIFY_ME_SCRIPT_FILE } from '../../../web/build.ts'
import { answerSteps, enrolled, type Post } from '../a-capture.ts'
import { aHostedSession, hostedCalls } from '../a-hosted-session.ts'
import { violationsOn } from './accessible.ts'

const ALICE = { face: 1 }
const REQUEST = {
  agent_id: 'invoice-bot',
  resources: ['payments:invoices'],
  actions: ['pay'],
  constraints: { max_spend_usd: 20 },
  purpose: 'Pays <b>open</b> \u202einvoices',
}
const PHONE: BrowserContextOptions = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }

const cleanings: (() => unknown)[] = []
const scope: TestScope = { after: (clean) => void cleanings.unshift(clean as () => unknown) }
let app: TestApp
let url: string
let browser: Browser
let post: Post
let human_ref: string

before(async () => {
  app = await aTestApp(scope, { engine: anActedEngine(), l3_passkey: 'optional' })
  url = await app.listen()
  browser = await openBrowser(scope, ['--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream'])
  const { host } = new URL(url)
  post = (path, body) => app.post(path, body, { host })
  human_ref = (await enrolled(post, app, ALICE)).human_ref
})
after(async () => {
  for (const clean of cleanings) await clean()
})

async function aPage(
  t: TestScope,
  options: BrowserContextOptions = {},
): Promise<Page & { troubles: string[] }> {
  const context = await browser.newContext({
    locale: 'en-US',
    viewport: { width: 1280, height: 900 },
    ...options,
  })
  t.after(() => context.close())
  const page = await context.newPage()
  page.setDefaultTimeout(60_000)
  const troubles: string[] = []
  page.on('pageerror', (error) => troubles.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error' && !/status of 4\d\d/.test(message.text())) troubles.push(message.text())
  })
  return Object.assign(page, { troubles })
}

async function prepared(body: object = {}) {
  const session = await aHostedSession(post, { purpose: 'verify', human_ref, request: REQUEST, ...body })
  return { ...session, ...hostedCalls(post, session) }
}

/** Returns the code that the page shows after `act`. */
async function shownCode(page: Page, act: () => Promise<unknown>): Promise<string> {
  const answer = page.waitForResponse((response) => response.url().endsWith('/transfer'))
  await act()
  const { url: shown } = await (await answer).json()
  await page.locator('.qr svg').waitFor()
  return new URL(shown).hash.slice('#t='.length)
}

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor()

describe('the hosted page', () => {
  test('is built from its sources', async () => {
    assert.equal(readFileSync(VERIFY_ME_SCRIPT_FILE, 'utf8'), await buildVerifyMeScript())
  })

  test('cannot be framed, loads scripts only from the service, and sends no referrer', async () => {
    const load = (id: string) =>
      app.app.inject({ url: `/verify-me/${id}`, headers: { host: new URL(url).host } })
    const { headers, body } = await load('vs_1')
    const csp = String(headers['content-security-policy'])
    assert.match(csp, /default-src 'none'.*frame-ancestors 'none'/)
    assert.doesNotMatch(csp, /unsafe/)
    assert.equal(headers['x-frame-options'], 'DENY')
    assert.equal(headers['referrer-policy'], 'no-referrer')
    assert.equal(headers['cache-control'], 'no-store')
    assert.match(String(headers['permissions-policy']), /camera=\(self\), microphone=\(self\)/)
    assert.equal((await load('vs_2')).body, body)
  })

  test('is not shown in a frame, where it could be overlaid', async (t) => {
    const page = await aPage(t)
    const { url: link } = await prepared()
    const refused = page.waitForEvent('console', (message) => /frame-ancestors|X-Frame/i.test(message.text()))
    await page.setContent(`<iframe src="${link}"></iframe>`)
    await refused
    assert.equal(await page.frameLocator('iframe').locator('main').count(), 0)
  })

  test('shows who asks for what, hides its secret, gives a code to a phone, and follows it to the end', async (t) => {
    const page = await aPage(t)
    const session = await prepared({ return_url: `${url}/problems?from=app` })
    const transfer_code = await shownCode(page, () => page.goto(session.url))
    await heading(page, 'Verify that it’s you')
    assert.equal(page.url(), session.url.split('#')[0])
    const text = (await page.locator('main').textContent()) ?? ''
    assert.ok(text.includes('“invoice-bot” may pay on payments:invoices'), text)
    assert.ok(text.includes('Spends at most $20.00 in total.'))
    assert.ok(text.includes('<b>open</b>'))
    assert.ok(!text.includes('\u202e'))
    await page.getByText('The code works on one device for another').waitFor()
    const { open, collect } = session
    const phone = (await open({ transfer_code })).body
    await heading(page, 'Continue on your phone')
    await answerSteps(post, app, phone, ALICE)
    await page.getByText(`${phone.steps_total} of ${phone.steps_total} steps done`).waitFor()
    const { session_id, nonce } = phone
    const back = page.waitForURL((address) => address.pathname === '/problems')
    await post('/v1/vat/auth/capture', { session_id, nonce })
    await heading(page, 'You’re verified')
    await back
    assert.deepEqual(Object.fromEntries(new URL(page.url()).searchParams), { from: 'app', session_id })
    assert.equal((await collect()).body.token.claims.svc_assurance_level, 'L3')
    assert.deepEqual(page.troubles, [])
  })

  test('survives a reload, after which a new code replaces the old one', async (t) => {
    const page = await aPage(t)
    const { url: link, open } = await prepared()
    const first = await shownCode(page, () => page.goto(link))
    const second = await shownCode(page, () => page.reload())
    assert.notEqual(first, second)
    assert.equal((await open({ transfer_code: first })).status, 404)
    assert.equal((await open({ transfer_code: second })).status, 200)
  })

  test('offers another try after a capture that did not pass', async (t) => {
    const page = await aPage(t)
    const { url: link, open } = await prepared()
    const transfer_code = await shownCode(page, () => page.goto(link))
    const phone = (await open({ transfer_code })).body
    await heading(page, 'Continue on your phone')
    await answerSteps(post, app, phone, { face: 2 })
    await post('/v1/vat/auth/capture', { session_id: phone.session_id, nonce: phone.nonce })
    await heading(page, "It hasn't worked yet")
    assert.deepEqual(await violationsOn(page), [])
    await shownCode(page, () => page.getByRole('button', { name: 'Start over' }).click())
  })

  test('captures on this device with a separate code, so the page never holds the client token', async (t) => {
    const page = await aPage(t)
    const { url: link, client_token, session_id, watch } = await prepared()
    await page.addInitScript(openShadowRoots)
    await page.goto(link)
    await page.getByRole('button', { name: 'Use this device' }).click()
    const widget = page.locator('deputy-verify')
    await widget.waitFor()
    assert.equal(await widget.getAttribute('session'), session_id)
    assert.equal(await widget.getAttribute('token'), null)
    assert.match((await widget.getAttribute('transfer-code')) ?? '', /^[\w-]{22}$/)
    assert.ok(!(await page.content()).includes(client_token))
    // The widget has its own heading. The heading of the page is only for screen readers.
    await page.getByRole('heading', { level: 2, name: 'Verify that it’s you' }).waitFor()
    assert.equal((await page.locator('h1').boundingBox())?.width, 1)
    await page.getByRole('button', { name: 'Cancel' }).click()
    await heading(page, 'Cancelled')
    assert.ok(((await page.locator('h1').boundingBox())?.width ?? 0) > 100)
    assert.equal((await watch()).body.state, 'cancelled')
    assert.deepEqual(page.troubles, [])
  })

  test('shows that the service is unreachable, and continues by itself when it is back', async (t) => {
    const page = await aPage(t)
    const { url: link, open } = await prepared()
    const calls = '**/v1/vat/auth/sessions/**'
    await page.route(calls, (route) => route.abort('connectionrefused'), { times: 1 })
    await page.goto(link)
    await heading(page, 'The service can’t be reached')
    // At first, the service is too busy to create a code.
    const busy = { status: 429, json: { code: 'rate_limited' } }
    await page.route('**/transfer', (route) => route.fulfill(busy), { times: 1 })
    await heading(page, 'Verify that it’s you')
    await page.locator('.qr svg').waitFor()
    // The service is unreachable when the person cancels.
    await page.route('**/cancel', (route) => route.abort('connectionrefused'), { times: 1 })
    await page.getByRole('button', { name: 'Cancel' }).click()
    await heading(page, 'The service can’t be reached')
    await open()
    await heading(page, 'Continue on your phone')
  })

  test('works if the browser stores nothing for sites, until a reload', async (t) => {
    const page = await aPage(t)
    await page.addInitScript(() => {
      Object.defineProperty(globalThis, 'sessionStorage', {
        get: () => {
          throw new DOMException('The operation is insecure.', 'SecurityError')
        },
      })
    })
    const { url: link } = await prepared()
    await shownCode(page, () => page.goto(link))
    assert.equal(page.url(), link.split('#')[0])
    await page.reload()
    await heading(page, 'This link doesn’t work')
    assert.deepEqual(page.troubles, [])
  })

  test('works with only the keyboard, and can be cancelled', async (t) => {
    const page = await aPage(t)
    const { url: link, watch } = await prepared()
    await shownCode(page, () => page.goto(link))
    await page.getByRole('button', { name: 'Use this device' }).waitFor()
    for (const name of ['Use this device', 'Cancel']) {
      await page.keyboard.press('Tab')
      assert.equal(await page.evaluate('document.activeElement.textContent'), name)
    }
    await page.keyboard.press('Enter')
    await heading(page, 'Cancelled')
    assert.equal(await page.evaluate('document.activeElement.tagName'), 'H1')
    assert.equal((await watch()).body.state, 'cancelled')
  })
})

describe('a phone that scans the code', () => {
  test('gets the widget, and is told if its code was used or has expired', async (t) => {
    const { transfer, open } = await prepared()
    const { url: link, transfer_code } = (await transfer()).body
    const page = await aPage(t, PHONE)
    await page.goto(link)
    await page.locator('deputy-verify').waitFor()
    assert.ok(!page.url().includes(transfer_code))
    await open({ transfer_code })
    const late = await aPage(t, PHONE)
    await late.goto(link)
    await heading(late, 'This code was already used')
    assert.deepEqual(await violationsOn(late), [])
    const other = await aPage(t, { ...PHONE, locale: 'de-DE' })
    await other.goto(`${link}x`)
    await heading(other, 'Dieser Code gilt nicht mehr')
    assert.deepEqual(page.troubles, [])
  })
})

describe('a phone whose page is reloaded', () => {
  test('can continue, although its code is used up', async (t) => {
    const { url: link } = (await (await prepared()).transfer()).body
    const page = await aPage(t, PHONE)
    await page.addInitScript(openShadowRoots)
    await page.goto(link)
    const agree = page.getByRole('button', { name: 'Agree and continue' })
    for (let load = 0; load < 2; load += 1) {
      await agree.click()
      await page.getByRole('button', { name: 'Start' }).click()
      await page.getByRole('heading', { name: 'Look straight' }).waitFor()
      await page.reload()
    }
    await agree.waitFor()
    assert.deepEqual(page.troubles, [])
  })
})

describe('a page that captures on its own device and is reloaded', () => {
  test('continues there, instead of waiting for a phone', async (t) => {
    const { url: link } = await prepared()
    const page = await aPage(t)
    await page.addInitScript(openShadowRoots)
    await page.goto(link)
    await page.getByRole('button', { name: 'Use this device' }).click()
    const agree = page.getByRole('button', { name: 'Agree and continue' })
    await agree.click()
    await page.getByRole('button', { name: 'Start' }).click()
    await page.getByRole('heading', { name: 'Look straight' }).waitFor()
    await page.reload()
    await agree.click()
    await page.getByRole('button', { name: 'Start' }).click()
    await page.getByRole('heading', { name: 'Look straight' }).waitFor()
    assert.deepEqual(page.troubles, [])
  })
})

/** Opens shadow roots, so that the test can look inside the widget. */
function openShadowRoots(): void {
  // biome-ignore lint/suspicious/noExplicitAny: the globals of a page
  const { prototype } = (globalThis as any).Element
  const attach = prototype.attachShadow
  prototype.attachShadow = function (options: object) {
    return attach.call(this, { ...options, mode: 'open' })
  }
}

describe('a session that is over', () => {
  test('has a page for each reason', async (t) => {
    const page = await aPage(t)
    const cancelled = await prepared()
    await cancelled.cancel()
    const expired = await prepared({ expires_in: 60 })
    app.clock.advance(60_000)
    const ends: readonly (readonly [string, string])[] = [
      [cancelled.url, 'Cancelled'],
      [expired.url, 'This verification has expired'],
      [`${url}/verify-me/vs_nothing#secret`, 'This link doesn’t work'],
      [`${url}/verify-me/vs_without-a-secret`, 'This link doesn’t work'],
      [`${url}/verify-me/vs_1/returned`, 'Go back to where you started'],
    ]
    for (const [link, title] of ends) {
      await page.goto('about:blank')
      await page.goto(link)
      await heading(page, title)
      assert.deepEqual(await violationsOn(page, title), [])
    }
  })
})

describe('both schemes, on a phone and on a desktop,', () => {
  for (const colorScheme of ['light', 'dark'] as const)
    test(`have no violations that axe finds: ${colorScheme}`, async (t) => {
      for (const options of [{}, { viewport: { width: 390, height: 844 } }]) {
        const page = await aPage(t, { colorScheme, ...options })
        await shownCode(page, async () => page.goto((await prepared()).url))
        assert.deepEqual(await violationsOn(page), [])
        const width = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
        assert.ok(Number(width) <= 0, 'scrolls sideways')
        const folder = process.env.SCREENSHOTS
        if (folder)
          await page.screenshot({
            path: `${folder}/verify-me-${colorScheme}-${page.viewportSize()?.width}.png`,
            fullPage: true,
          })
      }
    })
})
