import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { after, afterEach, describe, test } from 'node:test'
import { aServer } from '@deputize/testing/a-server.ts'
import { aTestApp } from '@deputize/testing/a-test-app.ts'
import {
  aWidgetPage,
  showElement,
  type WidgetPage,
  type WidgetPageOptions,
} from '@deputize/testing/a-widget-page.ts'
import { anActedEngine } from '@deputize/testing/an-acted-engine.ts'
import { anAuthenticator } from '@deputize/testing/an-authenticator.ts'
import { openBrowser } from '@deputize/testing/browser.ts'
import { eventually } from '@deputize/testing/eventually.ts'
import { httpPost } from '@deputize/testing/http-post.ts'
import type { Frame, Page } from 'playwright-core'
import { violationsOn } from './accessible.ts'

const scope = { after }
const SAVED = process.env.SCREENSHOTS
const REQUEST = { agent_id: 'payments-bot', resources: ['payments:invoices'], actions: ['pay'] }
const HOSTILE = '<img src=x onerror="globalThis.stolen=1">\u202Etxt.exe {agent}'

/** Everything except the judgement. `capture.test.ts` has puppets that the real engine judges. */
describe('the widget in a real browser', { timeout: 600_000 }, async () => {
  // Whatever the fake camera of the browser shows counts as this person, who follows the steps.
  const person = { face: 1, is_still: false }
  const app = await aTestApp(scope, { engine: anActedEngine(person) })
  const url = await app.listen()
  const post = httpPost(url)
  const idv = { providers: [{ name: 'sandbox', kind: 'sandbox', level: 'L3' }] }
  const sandbox = await aTestApp(scope, { l3_passkey: 'optional', idv })
  const sandbox_url = await sandbox.listen()
  const embedding = await aServer(scope, (request, response) => {
    response.setHeader('content-type', 'text/html')
    if (request.url === '/old')
      return response.end(
        `<!doctype html><html lang="en"><title>App</title><script type="module" src="${url}/widget.js"></script><main></main>`,
      )
    const allow = request.url === '/allowed' ? 'allow="camera; microphone; publickey-credentials-get"' : ''
    response.end(
      `<!doctype html><html lang="en"><title>App</title><iframe ${allow} title="Shop" width="480" height="900" src="${url}/shop"></iframe>`,
    )
  })
  const browser = await openBrowser(scope, FAKE_DEVICES)
  const opened: WidgetPage[] = []

  async function aPage(options: Partial<WidgetPageOptions> = {}): Promise<WidgetPage> {
    const made = await aWidgetPage(browser, { url, app, ...options })
    opened.push(made)
    return made
  }

  /** Prepares a session, and returns it with the attributes of its element. */
  async function aSession(body: object = { purpose: 'enroll' }) {
    const { session_id, client_token, human_ref } = await post('/v1/vat/auth/sessions/hosted', body)
    return { session_id, client_token, human_ref, attributes: { session: session_id, token: client_token } }
  }

  const mainButton = (page: Page) => page.locator('button.main')

  /** Agrees, and waits for the picture of the camera. */
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

  async function shown(widget: WidgetPage, attributes: Record<string, string>): Promise<WidgetPage> {
    await widget.show(attributes)
    return widget
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
    await anAuthenticator(page)
    const sent: Recording[] = []
    page.on('request', (request) => {
      if (request.url().endsWith('/steps')) sent.push(request.postDataJSON())
    })
    const session = await aSession({ purpose: 'enroll', accommodations: ['no_hand', 'no_flash'] })
    await widget.show(session.attributes)
    await widget.screen('consent')
    await assertEachLookAccessible(page, 'consent')
    await mainButton(page).click()
    await widget.screen('framing')
    await page.locator('.chip span:not(:empty)').waitFor()
    await assertEachLookAccessible(page, 'framing')
    await mainButton(page).click()
    await widget.screen('passkey')
    await mainButton(page).waitFor()
    await assertEachLookAccessible(page, 'passkey')
    await mainButton(page).click()
    await widget.screen('done')
    await assertEachLookAccessible(page, 'done')
    const [verified] = await widget.events('verified')
    assert.equal(verified?.human_ref, session.human_ref)
    assert.equal(verified?.assurance_level, 'L3')
    const progress = await widget.events('progress')
    assert.equal(progress.filter(({ screen }) => screen === 'recording').length, progress.at(-1)?.steps_total)
    assert.deepEqual(await openDevices(page), [])
    assert.equal(sent.length, progress.at(-1)?.steps_total)
    for (const { frames, device } of sent) {
      assert.ok(frames.length >= 3, `${frames.length} frames`)
      assert.match(device.video_label, /fake/)
    }
    assert.equal(sent.filter(({ audio }) => audio !== undefined && audio.pcm16.length > 10_000).length, 1)
  })

  test('offers another way after a failed recording, and confirms the next one with a new challenge', async () => {
    const widget = await aPage()
    const { page } = widget
    await anAuthenticator(page)
    const { attributes } = await aSession({ purpose: 'enroll', accommodations: ['no_hand', 'no_flash'] })
    await widget.show(attributes)
    await widget.screen('consent')
    await page.getByLabel('I can’t speak').check()
    person.is_still = true
    await toFraming(widget)
    await mainButton(page).click()
    await widget.screen('passkey')
    await mainButton(page).click()
    await widget.screen('retry')
    person.is_still = false
    await page.getByLabel('I can’t speak').waitFor()
    assert.ok(await page.getByLabel('I can’t speak').isChecked())
    await assertEachLookAccessible(page, 'retry-other-way')
    // The service judges the capture, and its answer is lost.
    await page.route(
      '**/auth/enroll',
      async (route) => {
        await route.fetch()
        await route.abort('connectionreset')
      },
      { times: 1 },
    )
    await mainButton(page).click()
    await widget.screen('framing')
    await mainButton(page).click()
    await widget.screen('passkey')
    await mainButton(page).click()
    await widget.screen('done')
    assert.deepEqual(await widget.events('failed'), [])
  })

  test('asks for the passkey once, however often the person clicks', async () => {
    const widget = await aPage()
    const { page } = widget
    await anAuthenticator(page, false)
    const { attributes } = await aSession({
      purpose: 'enroll',
      accommodations: ['no_voice', 'no_hand', 'no_flash'],
    })
    await toRecording(await shown(widget, attributes))
    await widget.screen('passkey')
    await page.evaluate(countCeremonies)
    await mainButton(page).dblclick()
    await mainButton(page).click()
    assert.deepEqual(await page.locator('.again').allTextContents(), [])
    assert.equal(await page.evaluate('ceremonies'), 1)
  })

  test('offers to use another passkey if the tenant does not accept this one, without another recording', async () => {
    const widget = await aPage()
    const { page } = widget
    await anAuthenticator(page)
    const accept = (passkey_aaguids: readonly string[]) =>
      fetch(`${url}/v1/vat/tenants/default`, {
        method: 'PATCH',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ passkey_aaguids }),
      })
    assert.equal((await accept(['11111111-1111-1111-1111-111111111111'])).status, 200)
    const { attributes } = await aSession({
      purpose: 'enroll',
      accommodations: ['no_voice', 'no_hand', 'no_flash'],
    })
    await toRecording(await shown(widget, attributes))
    await widget.screen('passkey')
    await mainButton(page).click()
    await page.getByText('This passkey is not accepted.').waitFor()
    assert.equal((await accept([])).status, 200)
    await mainButton(page).click()
    await widget.screen('done')
    assert.deepEqual(await widget.events('failed'), [])
  })

  test('can be recorded again if the three minutes end before the passkey is used', async () => {
    const widget = await aPage()
    const { page } = widget
    await anAuthenticator(page)
    const { attributes } = await aSession({
      purpose: 'enroll',
      accommodations: ['no_voice', 'no_hand', 'no_flash'],
    })
    await toRecording(await shown(widget, attributes))
    await widget.screen('passkey')
    await mainButton(page).waitFor()
    app.clock.advance(4 * 60_000)
    await mainButton(page).click()
    await page.getByText('The three minutes are up').waitFor()
    await mainButton(page).click()
    await widget.screen('framing')
    await mainButton(page).click()
    await widget.screen('passkey')
    await mainButton(page).click()
    await widget.screen('done')
    assert.deepEqual(await widget.events('failed'), [])
  })

  test('explains that the camera is blocked, and continues by itself once it is allowed', async () => {
    const widget = await aPage({ context: BLOCKED })
    await widget.show((await aSession()).attributes)
    await widget.screen('consent')
    await mainButton(widget.page).click()
    await widget.page.getByRole('heading', { name: 'The camera is blocked' }).waitFor()
    await widget.page.getByText('Open the site settings').waitFor()
    await assertEachLookAccessible(widget.page, 'denied')
    assert.equal((await widget.events('failed')).length, 0)
    assert.deepEqual(await openDevices(widget.page), [])
    await widget.page.context().grantPermissions(['camera', 'microphone'])
    await widget.screen('framing')
    assert.equal((await openDevices(widget.page)).length, 2)
  })

  test('uses only the camera that the person chooses', async () => {
    const widget = await aPage()
    const { page } = widget
    await widget.show((await aSession()).attributes)
    await toFraming(widget)
    await page.getByText('Camera and sound').click()
    const choice = page.locator('deputy-verify select').first()
    const before = await choice.inputValue()
    const [other] = await choice.locator('option:not(:checked)').all()
    const wanted = await other?.getAttribute('value')
    assert.ok(wanted)
    await choice.selectOption(wanted)
    await page.getByText('Camera and sound').click()
    await eventually('the other camera runs', async () => (await choice.inputValue()) === wanted)
    assert.notEqual(wanted, before)
    assert.equal((await openDevices(page)).length, 2)
  })

  test('shows that the camera is gone in the middle of a step, releases it and can start again', async () => {
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
    await assertEachLookAccessible(widget.page, 'retry')
    assert.deepEqual(await openDevices(widget.page), [])
  })

  test('shows a slow upload and a lost connection, and offers to record again if it was too late', async () => {
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
      if (calls === 2) return route.fulfill(OVERLOADED)
      app.clock.advance(30_000)
      return route.fallback()
    })
    await mainButton(page).click()
    await page.getByText('Your connection is slow').first().waitFor()
    await assertEachLookAccessible(page, 'sending')
    held.resolve()
    await page.getByText('No connection.').first().waitFor()
    await page.getByText('The service is busy').first().waitFor()
    await page.getByText('The recording arrived too late').waitFor()
    assert.ok(calls >= 3, String(calls))
    await mainButton(page).click()
    await widget.screen('framing')
  })

  test('shows that a link has expired', async () => {
    const widget = await aPage()
    const { attributes } = await aSession()
    app.clock.advance(16 * 60_000)
    await widget.show(attributes)
    await widget.screen('failed')
    await assertEachLookAccessible(widget.page, 'failed')
    const [failed] = await widget.events('failed')
    assert.equal(failed?.code, 'expired')
  })

  test('ends when its link expires between two recordings', async () => {
    const widget = await aPage()
    const { page } = widget
    await widget.show((await aSession()).attributes)
    await toRecording(widget)
    await hide(page)
    await widget.screen('retry')
    app.clock.advance(16 * 60_000)
    await mainButton(page).click()
    await widget.screen('framing')
    await mainButton(page).click()
    await page.getByText('This link has expired').waitFor()
    const [failed] = await widget.events('failed')
    assert.equal(failed?.code, 'expired')
  })

  test('can be used with only the keyboard, and moves the focus to each screen', async () => {
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

  test('omits flashing light if the device prefers less motion, lists the rest, and needs a passkey', async () => {
    const widget = await aPage({ context: { reducedMotion: 'reduce' } })
    const answered = widget.page.waitForResponse((response) => response.url().endsWith('/open'))
    await widget.show((await aSession()).attributes)
    await widget.screen('consent')
    const { page } = widget
    assert.ok(await page.getByLabel('No changing colors on the screen').isChecked())
    const said = async () => (await page.locator('p.dim').allInnerTexts()).join(' ')
    assert.doesNotMatch(await said(), /screen changes color/)
    await page.getByLabel('I can’t speak').check()
    await page.getByLabel('I can’t show a hand sign').check()
    assert.match(await said(), /you look into the camera and move your head\./)
    for (const label of ['I can’t speak', 'I can’t show a hand sign']) await page.getByLabel(label).uncheck()
    assert.match(await said(), /move your head, say six digits, and show a hand sign\./)
    await toRecording(widget)
    const response = await answered
    assert.deepEqual(response.request().postDataJSON().accommodations, ['no_flash'])
    assert.equal((await response.json()).passkey_required, true)
  })

  test('cancels the session and releases the camera', async () => {
    const widget = await aPage()
    const { attributes } = await aSession()
    await widget.show(attributes)
    await toRecording(widget)
    const cancelled = widget.page.waitForResponse((response) => response.url().endsWith('/cancel'))
    await widget.page.getByRole('button', { name: 'Cancel' }).click()
    assert.equal((await (await cancelled).json()).state, 'cancelled')
    assert.deepEqual(await openDevices(widget.page), [])
  })

  test('releases the camera when the element is removed during a recording', async () => {
    const widget = await aPage()
    await widget.show((await aSession()).attributes)
    await toRecording(widget)
    assert.equal((await openDevices(widget.page)).length, 2)
    await widget.remove()
    assert.deepEqual(await openDevices(widget.page), [])
  })

  test('continues after a reload and a visit to another page, and is shown as taken on another device', async () => {
    const widget = await aPage()
    const { page } = widget
    const { attributes } = await aSession()
    await widget.show(attributes)
    await toRecording(widget)
    await page.reload()
    await widget.show(attributes)
    await toRecording(widget)
    await page.goto(`${url}/problems`)
    await page.goBack()
    await widget.show(attributes)
    await toFraming(widget)
    const other = await aPage()
    await other.show(attributes)
    await other.screen('failed')
    const [failed] = await other.events('failed')
    assert.equal(failed?.code, 'taken')
  })

  test('opens the session again if the answer was lost, also after a reload', async () => {
    const widget = await aPage()
    const { page } = widget
    const { attributes } = await aSession()
    const loseOpening = () =>
      page.route(
        '**/open',
        async (route) => {
          await route.fetch()
          await route.abort('connectionreset')
        },
        { times: 1 },
      )
    await loseOpening()
    await widget.show(attributes)
    await toFraming(widget)
    await mainButton(page).click()
    await widget.screen('retry')
    await mainButton(page).click()
    await widget.screen('framing')
    await loseOpening()
    await mainButton(page).click()
    await widget.screen('retry')
    await page.reload()
    await widget.show(attributes)
    await toRecording(widget)
  })

  test('lists only the steps that the app does not exclude, and requests the microphone only if needed', async () => {
    const widget = await aPage()
    const { page } = widget
    await widget.show((await aSession({ purpose: 'enroll', accommodations: ['no_voice'] })).attributes)
    await widget.screen('consent')
    await page.getByText('move your head, and show a hand sign.').waitFor()
    assert.ok(await page.getByLabel('I can’t speak').isDisabled())
    await toFraming(widget)
    assert.deepEqual(await openDevices(page), ['video'])
  })

  test('that returns from the back/forward cache has released the camera and offers to continue', async () => {
    const widget = await aPage()
    const { page } = widget
    await widget.show((await aSession()).attributes)
    await toRecording(widget)
    await page.evaluate(leaveAndReturn)
    await widget.screen('retry')
    await page.getByText('The recording was interrupted').waitFor()
    assert.deepEqual(await openDevices(page), [])
    await mainButton(page).click()
    await widget.screen('framing')
    assert.equal((await openDevices(page)).length, 2)
  })

  test('that was left while it was loading tries again when it returns', async () => {
    const widget = await aPage()
    const { page } = widget
    const asked = page.waitForRequest('**/preview')
    // The first call gets no answer, and ends with the page.
    await page.route('**/preview', () => {}, { times: 1 })
    await widget.show((await aSession()).attributes)
    await asked
    await page.evaluate(leaveAndReturn)
    await widget.screen('consent')
    assert.deepEqual(await widget.events('failed'), [])
  })

  async function inFrame(path: string): Promise<Frame> {
    const { page } = await aPage({ app_url: `${embedding}${path}` })
    const frame = page.frames().find((one) => one.url() === `${url}/shop`)
    assert.ok(frame !== undefined)
    await frame.evaluate(showElement, (await aSession()).attributes)
    await frame.locator('button.main').click()
    return frame
  }

  test('works in a frame with permission for the camera', async () => {
    const frame = await inFrame('/allowed')
    await frame.getByRole('heading', { name: 'Put your face in the oval' }).waitFor()
  })

  test('shows in a frame without permission what its page must allow', async () => {
    const frame = await inFrame('/')
    await frame.getByRole('heading', { name: 'The camera is blocked' }).waitFor()
    await frame.getByText('allow="camera; microphone; publickey-credentials-get"').waitFor()
  })

  test('records with only the features that every browser has', async () => {
    const widget = await aPage({ app_url: `${embedding}/old` })
    const { page } = widget
    await page.evaluate(takeAwayWhatSomeLack)
    const sent: Recording[] = []
    page.on('request', (request) => {
      if (request.url().endsWith('/steps')) sent.push(request.postDataJSON())
    })
    await widget.show(
      (await aSession({ purpose: 'enroll', accommodations: ['no_hand', 'no_flash'] })).attributes,
    )
    await widget.screen('consent')
    await mainButton(page).click()
    // A browser that doesn't report blocked permissions, and asks each time.
    await page.getByText('in the browser’s settings').waitFor()
    await mainButton(page).click()
    await widget.screen('framing')
    assert.equal(await page.locator('deputy-verify style').count(), 1)
    await mainButton(page).click()
    await widget.screen('passkey')
    await mainButton(page).waitFor()
    for (const { frames } of sent) assert.ok(frames.length >= 3, `${frames.length} frames`)
    const [audio] = sent.flatMap(({ audio }) => audio ?? [])
    const speech = sent.find(({ audio }) => audio !== undefined)?.frames.at(-1)
    assert.ok(audio !== undefined && speech !== undefined)
    // 16,000 samples per second, whatever the rate of the microphone.
    const seconds = Buffer.from(audio.pcm16, 'base64').length / 2 / 16_000
    assert.ok(
      Math.abs(seconds - speech.t_ms / 1000) < 0.5,
      `${seconds} s of sound, ${speech.t_ms} ms of pictures`,
    )
  })

  test('is in German, in its own texts and in those of the service', async () => {
    const widget = await aPage({ context: { locale: 'de-AT' } })
    const { page } = widget
    await page.evaluate(() => {
      // biome-ignore lint/suspicious/noExplicitAny: the globals of a page
      const { document } = globalThis as any
      document.documentElement.removeAttribute('lang')
    })
    await widget.show((await aSession({ purpose: 'enroll' })).attributes)
    await widget.screen('consent')
    await page.getByText('nicht gespeichert').first().waitFor()
    await assertFits(page, 'consent-de')
    await mainButton(page).click()
    await widget.screen('framing')
    await assertEachLookAccessible(page, 'framing-de')
    await mainButton(page).click()
    await widget.screen('recording')
    await page.getByRole('heading', { name: 'Schauen Sie' }).waitFor()
    assert.equal(await page.locator('deputy-verify .card').getAttribute('lang'), 'de')
    await assertFits(page, 'recording-de')
  })

  test('links to the page of an identity provider and detects its decision', async () => {
    const widget = await aPage({ app: sandbox, url: sandbox_url })
    const { page } = widget
    const { session_id, client_token } = await httpPost(sandbox_url)('/v1/vat/auth/sessions/hosted', {
      purpose: 'verify',
      developer_email: 'ann@example.com',
      provider: 'sandbox',
      request: REQUEST,
    })
    await widget.show({ session: session_id, token: client_token })
    await widget.screen('consent')
    await page.getByText('It has its own terms').waitFor()
    assert.equal(await page.getByText('What you agree to').count(), 0)
    await mainButton(page).click()
    await widget.screen('provider')
    await assertEachLookAccessible(page, 'provider')
    const opening = page.waitForEvent('popup')
    await page.getByRole('link', { name: 'Open sandbox' }).click()
    // First a call is lost, and then the provider is unavailable when the session should be finished.
    await page.route('**/watch', (route) => route.abort('connectionreset'), { times: 1 })
    const away = { status: 503, headers: { 'retry-after': '1' }, json: { code: 'provider_unavailable' } }
    await page.route('**/auth/capture', (route) => route.fulfill(away), { times: 1 })
    const popup = await opening
    await popup.getByRole('button').first().click()
    await popup.getByRole('link', { name: 'Back to the application' }).click()
    await popup.getByRole('heading', { name: 'Go back to where you started' }).waitFor()
    await widget.screen('done')
    const [verified] = await widget.events('verified')
    assert.equal(verified?.assurance_level, 'L3')
    assert.ok(verified.token)
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

  test('does not expose its video or frames to the page', async () => {
    const widget = await aPage({ is_closed: true })
    await widget.show((await aSession()).attributes)
    await widget.screen('consent')
    // The root is closed for tests, too, so the keyboard passes Cancel, both folds and the text between them.
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

/** The request body for one step. */
interface Recording {
  readonly frames: readonly { readonly t_ms: number }[]
  readonly audio?: { readonly pcm16: string }
  readonly device: { readonly video_label: string }
}

const FAKE_DEVICES = [
  '--use-fake-device-for-media-stream=device-count=2',
  '--use-fake-ui-for-media-stream',
  '--autoplay-policy=no-user-gesture-required',
]
const OVERLOADED = { status: 503, headers: { 'retry-after': '1' }, json: { code: 'overloaded' } }
/** A browser that grants one permission denies all others. */
const BLOCKED = { permissions: ['geolocation'] }

const LOOKS = [
  { colorScheme: 'light', width: 1280, height: 900 },
  { colorScheme: 'dark', width: 390, height: 844 },
  { colorScheme: 'light', width: 390, height: 844 },
  { colorScheme: 'dark', width: 1280, height: 900 },
] as const

/** Asserts that axe finds no violations in both schemes, once on a desktop and once on a phone. */
async function assertEachLookAccessible(page: Page, name: string): Promise<void> {
  await inEachLook(page, name, async (look) => {
    assert.deepEqual(await violationsOn(page, look, { within: 'deputy-verify' }), [])
  })
}

/** Asserts that texts of other lengths fit, on screens that are already known to be accessible. */
async function assertFits(page: Page, name: string): Promise<void> {
  await inEachLook(page, name, async () => {})
}

/** Runs a check in each look, and asserts that nothing is too wide. With screenshots, there are four looks. */
async function inEachLook(page: Page, name: string, check: (look: string) => Promise<void>): Promise<void> {
  for (const { colorScheme, width, height } of SAVED === undefined ? LOOKS.slice(0, 2) : LOOKS) {
    await page.emulateMedia({ colorScheme })
    await page.setViewportSize({ width, height })
    if (SAVED !== undefined) {
      mkdirSync(SAVED, { recursive: true })
      await page.screenshot({ path: `${SAVED}/widget-${name}-${colorScheme}-${width}.png`, fullPage: true })
    }
    await check(`${name}, ${colorScheme}, ${width}`)
    const overflow = await page.evaluate(() => {
      // biome-ignore lint/suspicious/noExplicitAny: the globals of a page
      const { document, innerWidth } = globalThis as any
      return document.documentElement.scrollWidth - innerWidth
    })
    assert.ok(overflow <= 0, `${name} is ${overflow} px too wide at ${width}`)
  }
}

/** The kinds of the tracks that are still live. */
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

/** Ends the video track, as if the camera was unplugged. */
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

/** Fires the events of a page that the back/forward cache restores. The headless browser itself caches none. */
function leaveAndReturn(): void {
  // biome-ignore lint/suspicious/noExplicitAny: the globals of a page
  const page = globalThis as any
  for (const type of ['pagehide', 'pageshow'])
    page.dispatchEvent(new page.PageTransitionEvent(type, { persisted: true }))
}

/** Removes or changes what Safari or Firefox lack, have had only recently, or do differently. */
function takeAwayWhatSomeLack(): void {
  // biome-ignore lint/suspicious/noExplicitAny: the globals of a page
  const page = globalThis as any
  delete page.HTMLVideoElement.prototype.requestVideoFrameCallback
  delete page.BaseAudioContext.prototype.audioWorklet
  delete page.ShadowRoot.prototype.adoptedStyleSheets
  delete page.HTMLElement.prototype.showPopover
  delete page.HTMLElement.prototype.popover
  delete page.speechSynthesis
  delete page.Document.prototype.featurePolicy
  page.Permissions.prototype.query = () => Promise.reject(new TypeError('camera is no name of a permission'))
  const { createMediaStreamSource } = page.AudioContext.prototype
  page.AudioContext.prototype.createMediaStreamSource = function (stream: object) {
    if (this.sampleRate === 16_000) throw new page.DOMException('other rate', 'NotSupportedError')
    return createMediaStreamSource.call(this, stream)
  }
  const { mediaDevices } = page.navigator
  const open = mediaDevices.getUserMedia
  mediaDevices.getUserMedia = () => {
    mediaDevices.getUserMedia = open
    return Promise.reject(new page.DOMException('The request is not allowed.', 'NotAllowedError'))
  }
}

function focusedText(): string {
  // biome-ignore lint/suspicious/noExplicitAny: the globals of a page
  const { document } = globalThis as any
  const inner = document.activeElement?.shadowRoot?.activeElement
  return (inner?.textContent ?? '').trim()
}

/** Resolves when the page has received the message. */
function postToItself(data: unknown): Promise<void> {
  // biome-ignore lint/suspicious/noExplicitAny: the globals of a page
  const page = globalThis as any
  return new Promise((resolve) => {
    page.addEventListener('message', () => resolve(), { once: true })
    page.postMessage(data, '*')
  })
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

/** Runs in a page. Counts the requests for a passkey. */
function countCeremonies(): void {
  // biome-ignore lint/suspicious/noExplicitAny: the globals of a page
  const page = globalThis as any
  const { credentials } = page.navigator
  const create = credentials.create.bind(credentials)
  page.ceremonies = 0
  credentials.create = (options: object) => {
    page.ceremonies += 1
    return create(options)
  }
}
