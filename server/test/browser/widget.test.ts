import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, afterEach, describe, test } from 'node:test'
import { AxeBuilder } from '@axe-core/playwright'
import { PUPPET_CAMERA_FLAGS } from '@deputize/testing/a-puppet-camera.ts'
import { aTestApp } from '@deputize/testing/a-test-app.ts'
import { openBrowser } from '@deputize/testing/browser.ts'
import { eventually } from '@deputize/testing/eventually.ts'
import { freePort } from '@deputize/testing/free-port.ts'
import { aPuppet } from '@deputize/testing/puppet/a-puppet.ts'
import { remembering, theRealEngine } from '@deputize/testing/puppet/puppet-engine.ts'
import { REPOSITORY } from '@deputize/testing/source-imports.ts'
import type { CDPSession, Page } from 'playwright-core'
import { aDevice } from './a-house.ts'
import { aWidgetPage, type WidgetPage } from './a-widget-page.ts'
import { httpPost } from './http-post.ts'

const scope = { after }
const SAVED = process.env.SCREENSHOTS
const REQUEST = { agent_id: 'payments-bot', resources: ['payments:invoices'], actions: ['pay'] }
const HOSTILE = '<img src=x onerror="globalThis.stolen=1">\u202Etxt.exe {agent}'

describe('the widget in a real browser', { timeout: 600_000 }, async () => {
  const app = await aTestApp(scope, { engine: await theRealEngine(scope) })
  const url = await app.listen()
  const post = httpPost(url)
  const browser = await openBrowser(scope, [...PUPPET_CAMERA_FLAGS, '--use-fake-device-for-media-stream'])
  const puppet = remembering(await aPuppet({ avatar: 5, voice: 'robert', fps: 8 }))
  const opened: WidgetPage[] = []

  async function aPage(options: Partial<Parameters<typeof aWidgetPage>[1]> = {}): Promise<WidgetPage> {
    const made = await aWidgetPage(browser, { url, app, puppet, ...options })
    opened.push(made)
    return made
  }

  /** Those that the person has created. */
  let passkeys: Parameters<CDPSession['send']>[1][] = []

  /** The same person's device, in another browser. */
  async function addKnownPasskey(page: Page): Promise<void> {
    const { cdp, id } = await aDevice(page)
    for (const credential of passkeys)
      await cdp.send('WebAuthn.addCredential', { authenticatorId: id, credential: credential as never }) // as the browser gave it
  }

  /** A session that waits, with the attributes of its element. */
  async function aSession(body: object = { purpose: 'enroll' }) {
    const { session_id, client_token, human_ref } = await post('/v1/vat/auth/sessions/hosted', body)
    return { session_id, client_token, human_ref, attributes: { session: session_id, token: client_token } }
  }

  const mainButton = (page: Page) => page.locator('button.main')

  /** Agrees, and waits until the picture of the camera is there. */
  async function toFraming({ page, screen }: WidgetPage): Promise<void> {
    await screen('consent')
    await mainButton(page).click()
    await screen('framing')
  }

  async function toRecording(widget: WidgetPage): Promise<void> {
    await toFraming(widget)
    await mainButton(widget.page).click()
    await widget.screen('recording')
  }

  afterEach(async () => {
    for (const { page, troubles } of opened.splice(0)) {
      await page.context().close()
      assert.deepEqual(troubles, [])
    }
  })

  test('enrolls a person under the strictest policy, from consent to a passkey', async () => {
    const widget = await aPage()
    const { page } = widget
    const device = await aDevice(page)
    const session = await aSession({ purpose: 'enroll', developer_email: 'ann@example.com' })
    await widget.show(session.attributes)
    await widget.screen('consent')
    await assertAccessible(page, 'consent')
    await mainButton(page).click()
    await widget.screen('framing')
    await page.getByText('Looks good').waitFor()
    await assertAccessible(page, 'framing')
    await mainButton(page).click()
    await widget.screen('passkey')
    await mainButton(page).waitFor()
    await assertAccessible(page, 'passkey')
    await mainButton(page).click()
    await widget.screen('done')
    await assertAccessible(page, 'done')
    const [verified] = await widget.events('verified')
    assert.equal(verified?.human_ref, session.human_ref)
    assert.equal(verified?.assurance_level, 'L3')
    const progress = await widget.events('progress')
    assert.equal(progress.filter(({ screen }) => screen === 'recording').length, progress.at(-1)?.steps_total)
    assert.deepEqual(await openDevices(page), [])
    const { credentials } = await device.cdp.send('WebAuthn.getCredentials', { authenticatorId: device.id })
    passkeys = credentials
  })

  test('verifies her on a page of another origin and gives it a token, in the twenty lines of the guide', async () => {
    const code = readFileSync(join(REPOSITORY, SHOP), 'utf8')
    assert.ok(code.split('\n').filter((line) => line !== '').length <= 20)
    assert.ok(
      readFileSync(join(REPOSITORY, 'docs/guides/widget.md'), 'utf8').includes(`\`\`\`ts\n${code}\`\`\``),
    )
    const app_url = await aShop(url)
    const widget = await aPage({ app_url })
    await addKnownPasskey(widget.page)
    await toFraming(widget)
    await mainButton(widget.page).click()
    await widget.screen('passkey')
    await mainButton(widget.page).click()
    await widget.screen('done')
    const [verified] = await widget.events('verified')
    assert.ok(verified)
    const { jti, claims } = verified.token as { jti: string; claims: Record<string, unknown> } // as the guide says
    assert.equal(claims.svc_assurance_level, 'L3')
    assert.equal(await widget.page.locator('output').innerText(), jti)
  })

  test('explains a camera that is blocked', async () => {
    const widget = await aPage({ puppet: undefined })
    await widget.show((await aSession()).attributes)
    await widget.screen('consent')
    await mainButton(widget.page).click()
    await widget.page.getByRole('heading', { name: 'The camera is blocked' }).waitFor()
    await assertAccessible(widget.page, 'denied')
    assert.equal((await widget.events('failed')).length, 0)
    assert.deepEqual(await openDevices(widget.page), [])
  })

  test('says that the camera is gone in the middle of a step, releases it and starts again', async () => {
    const widget = await aPage()
    await widget.show((await aSession()).attributes)
    await toRecording(widget)
    await loseCamera(widget.page)
    await widget.page.getByRole('heading', { name: 'The camera is gone' }).waitFor()
    assert.deepEqual(await openDevices(widget.page), [])
    await mainButton(widget.page).click()
    await widget.screen('framing')
    await mainButton(widget.page).click()
    await widget.screen('recording')
  })

  test('does not record in the background', async () => {
    const widget = await aPage()
    await widget.show((await aSession()).attributes)
    await toRecording(widget)
    await hide(widget.page)
    await widget.page.getByText('The page was in the background').waitFor()
    await assertAccessible(widget.page, 'retry')
    assert.deepEqual(await openDevices(widget.page), [])
  })

  test('shows a slow upload and a lost connection, and offers to record again when it was too late', async () => {
    const widget = await aPage()
    const { page } = widget
    await widget.show((await aSession()).attributes)
    await toFraming(widget)
    const held = Promise.withResolvers<void>()
    let calls = 0
    await page.route('**/steps', async (route) => {
      calls += 1
      if (calls === 1) await held.promise
      if (calls === 1) return route.abort('connectionreset')
      app.clock.advance(30_000)
      return route.fallback()
    })
    await mainButton(page).click()
    await page.getByText('Your connection is slow').first().waitFor()
    await assertAccessible(page, 'sending')
    held.resolve()
    await page.getByText('No connection.').first().waitFor()
    await page.getByText('The recording arrived too late').waitFor()
    assert.ok(calls >= 2, String(calls))
    await mainButton(page).click()
    await widget.screen('framing')
  })

  test('says that a link has expired', async () => {
    const widget = await aPage()
    const { attributes } = await aSession()
    app.clock.advance(16 * 60_000)
    await widget.show(attributes)
    await widget.screen('failed')
    await assertAccessible(widget.page, 'failed')
    const [failed] = await widget.events('failed')
    assert.equal(failed?.code, 'expired')
  })

  test('is used with the keyboard alone, and a screen reader is led to each screen', async () => {
    const widget = await aPage()
    const { page } = widget
    await widget.show((await aSession()).attributes)
    await widget.screen('consent')
    const focused = () => page.evaluate(focusedText)
    for (let press = 0; (await focused()) !== 'Another way'; press++) {
      assert.ok(press < 10, 'the ways out are reached')
      await page.keyboard.press('Tab')
    }
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Space')
    await page.keyboard.press('Tab')
    assert.equal(await focused(), 'Agree and continue')
    await page.keyboard.press('Enter')
    await widget.screen('framing')
    assert.equal(await focused(), 'Put your face in the oval')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await widget.screen('recording')
    assert.equal(await focused(), 'Look straight into the camera.')
    await page.keyboard.press('Shift+Tab')
    assert.equal(await focused(), 'Cancel')
    await page.keyboard.press('Enter')
    await widget.screen('cancelled')
    assert.equal((await widget.events('cancelled')).length, 1)
  })

  test('leaves out flashing light where the device asks for less motion, and then needs a passkey', async () => {
    const widget = await aPage({ context: { reducedMotion: 'reduce' } })
    const answered = widget.page.waitForResponse((response) => response.url().endsWith('/open'))
    await widget.show((await aSession()).attributes)
    await widget.screen('consent')
    assert.ok(await widget.page.getByLabel('No changing colours on the screen').isChecked())
    await toRecording(widget)
    const response = await answered
    assert.deepEqual(response.request().postDataJSON().accommodations, ['no_flash'])
    assert.equal((await response.json()).passkey_required, true)
  })

  test('cancels the session, and nobody else can open it then', async () => {
    const widget = await aPage()
    const { attributes } = await aSession()
    await widget.show(attributes)
    await toRecording(widget)
    const cancelled = widget.page.waitForResponse((response) => response.url().endsWith('/cancel'))
    await widget.page.getByRole('button', { name: 'Cancel' }).click()
    assert.equal((await (await cancelled).json()).state, 'cancelled')
    assert.deepEqual(await openDevices(widget.page), [])
  })

  test('releases the camera when the element is removed while it records', async () => {
    const widget = await aPage()
    await widget.show((await aSession()).attributes)
    await toRecording(widget)
    assert.equal((await openDevices(widget.page)).length, 2)
    await widget.page.evaluate(removeElement)
    assert.deepEqual(await openDevices(widget.page), [])
  })

  test('runs once for a session: a second element is told that another device has it', async () => {
    const widget = await aPage()
    const { attributes } = await aSession()
    await widget.show(attributes)
    await toRecording(widget)
    await widget.page.evaluate(removeElement)
    await widget.show(attributes)
    await widget.screen('failed')
    const [failed] = await widget.events('failed')
    assert.equal(failed?.code, 'taken')
  })

  test('shows hostile texts as text, and ignores hostile attributes and messages', async () => {
    const widget = await aPage()
    const { page } = widget
    const session = await aSession()
    await page.route('**/preview', async (route) => {
      const response = await route.fetch()
      const asked_by = { tenant_name: HOSTILE, is_person: false }
      const request = { ...REQUEST, purpose: HOSTILE }
      const json = {
        ...(await response.json()),
        purpose: 'verify',
        asked_by,
        request,
        sentences: ['', HOSTILE],
      }
      return route.fulfill({ response, json })
    })
    await widget.show({ ...session.attributes, locale: '"><script>', theme: '"};*{display:none}' })
    await widget.screen('consent')
    const shown = await page.locator('deputy-verify').locator('.box').innerText()
    assert.match(shown, /<img src=x/)
    assert.doesNotMatch(shown, /\u202E/)
    for (const data of [{ type: 'accepted' }, 'start', { screen: 'done' }, null])
      await page.evaluate(postToItself, data)
    assert.equal((await widget.events('progress')).at(-1)?.screen, 'consent')
    assert.equal(await page.evaluate(() => (globalThis as { stolen?: number }).stolen), undefined)
    assert.equal(await page.locator('deputy-verify img').count(), 0)
  })

  test('gives a page neither its video nor a frame', async () => {
    const widget = await aPage({ is_closed: true })
    await widget.show((await aSession()).attributes)
    await widget.screen('consent')
    // The root is closed for tests as well: the keyboard goes past Cancel, both folds and the text between them.
    for (let press = 0; press < 5; press++) await widget.page.keyboard.press('Tab')
    await widget.page.keyboard.press('Enter')
    await widget.screen('framing')
    assert.equal((await openDevices(widget.page)).length, 2)
    const found = await widget.page.evaluate(whatAPageFinds)
    assert.deepEqual(found, { shadow_root: null, media: 0, own: [], slots: 0 })
    const details = JSON.stringify(await widget.events('progress'))
    assert.doesNotMatch(details, /data:|blob:|stream|nonce/)
  })
})

const SHOP = 'examples/widget/shop.ts'

/** Starts the example of the guide, and returns its address when it answers. */
async function aShop(url: string): Promise<string> {
  const port = await freePort()
  const env = { ...process.env, DEPUTY_URL: url, PORT: String(port) }
  const child = spawn(process.execPath, [SHOP], { cwd: REPOSITORY, env, stdio: 'inherit' })
  scope.after(() => void child.kill())
  const app_url = `http://localhost:${port}`
  await eventually('the shop answers', () =>
    fetch(app_url)
      .then(({ ok }) => ok)
      .catch(() => false),
  ) // not there yet
  return app_url
}

/** In both schemes, on a desktop and on a phone. */
async function assertAccessible(page: Page, name: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const)
    for (const width of [1280, 390]) {
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize({ width, height: width === 390 ? 844 : 900 })
      if (SAVED !== undefined) {
        mkdirSync(SAVED, { recursive: true })
        await page.screenshot({ path: `${SAVED}/widget-${name}-${colorScheme}-${width}.png`, fullPage: true })
      }
      const { violations } = await new AxeBuilder({ page }).include('deputy-verify').analyze()
      assert.deepEqual(
        violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`),
        [],
        `${name}, ${colorScheme}, ${width}`,
      )
      const overflow = await page.evaluate(() => {
        // biome-ignore lint/suspicious/noExplicitAny: the globals of a page
        const { document, innerWidth } = globalThis as any
        return document.documentElement.scrollWidth - innerWidth
      })
      assert.ok(overflow <= 0, `${name} is ${overflow} px too wide at ${width}`)
    }
}

/** The kinds of the tracks that still run. */
function openDevices(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    // biome-ignore lint/suspicious/noExplicitAny: the globals of a page
    const { streams } = globalThis as any
    return streams
      .flatMap((stream: { getTracks(): object[] }) => stream.getTracks())
      .filter(({ readyState }: { readyState: string }) => readyState === 'live')
      .map(({ kind }: { kind: string }) => kind)
  })
}

/** As when a plug is pulled. */
async function loseCamera(page: Page): Promise<void> {
  await page.evaluate(() => {
    // biome-ignore lint/suspicious/noExplicitAny: the globals of a page
    const browser = globalThis as any
    browser.streams.at(-1).getVideoTracks()[0].dispatchEvent(new browser.Event('ended'))
  })
}

async function hide(page: Page): Promise<void> {
  await page.evaluate(() => {
    // biome-ignore lint/suspicious/noExplicitAny: the globals of a page
    const browser = globalThis as any
    Object.defineProperty(browser.document, 'visibilityState', { configurable: true, value: 'hidden' })
    browser.document.dispatchEvent(new browser.Event('visibilitychange'))
  })
}

function focusedText(): string {
  // biome-ignore lint/suspicious/noExplicitAny: the globals of a page
  const { document } = globalThis as any
  const inner = document.activeElement?.shadowRoot?.activeElement
  return (inner?.textContent ?? '').trim()
}

/** Resolves when the page has heard it. */
function postToItself(data: unknown): Promise<void> {
  // biome-ignore lint/suspicious/noExplicitAny: the globals of a page
  const page = globalThis as any
  return new Promise((resolve) => {
    page.addEventListener('message', () => resolve(), { once: true })
    page.postMessage(data, '*')
  })
}

function removeElement(): void {
  // biome-ignore lint/suspicious/noExplicitAny: the globals of a page
  const { document } = globalThis as any
  document.querySelector('deputy-verify').remove()
}

function whatAPageFinds() {
  // biome-ignore lint/suspicious/noExplicitAny: the globals of a page
  const { document } = globalThis as any
  const element = document.querySelector('deputy-verify')
  return {
    shadow_root: element.shadowRoot,
    media: document.querySelectorAll('video, audio, canvas').length,
    own: Reflect.ownKeys(element),
    slots: element.childNodes.length,
  }
}
