import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, type TestContext, test } from 'node:test'
import { PUPPET_CAMERA_FLAGS } from '@deputize/testing/a-puppet-camera.ts'
import { aTestApp } from '@deputize/testing/a-test-app.ts'
import { aWidgetPage, type WidgetPage } from '@deputize/testing/a-widget-page.ts'
import { addPasskeys, anAuthenticator, passkeysIn } from '@deputize/testing/an-authenticator.ts'
import { openBrowser } from '@deputize/testing/browser.ts'
import { eventually } from '@deputize/testing/eventually.ts'
import { freePort } from '@deputize/testing/free-port.ts'
import { httpPost } from '@deputize/testing/http-post.ts'
import { aReadyPuppet } from '@deputize/testing/puppet/a-ready-puppet.ts'
import { theRealEngine } from '@deputize/testing/puppet/puppet-engine.ts'
import {
  type CaptureEnd,
  serviceCaptures,
  serviceLine,
  serviceOutcome,
  TOKEN_REQUEST,
} from '@deputize/testing/puppet/service-captures.ts'
import { leftOut, SPECIES } from '@deputize/testing/puppet/species.ts'
import { REPOSITORY } from '@deputize/testing/source-imports.ts'
import { answerWidget, judgementIn, throughWidget } from '@deputize/testing/through-widget.ts'
import type { Page } from 'playwright-core'

const scope = { after }
const SHOP = 'examples/widget/shop.ts'
/** The slowest steps, all of which a person may replace with the passkey. */
const SHORTEST = ['no_voice', 'no_hand', 'no_flash'] as const

/**
 * A puppet in front of the widget, judged by the real nets, from the camera to the token. It is a known limit of the
 * engine that an injected video passes if it reflects the screen.
 */
describe('a puppet in front of the widget', { timeout: 1_200_000 }, async () => {
  const app = await aTestApp(scope, { engine: await theRealEngine(scope) })
  const url = await app.listen()
  const post = httpPost(url)
  const browser = await openBrowser(scope, PUPPET_CAMERA_FLAGS)
  const puppet = await aReadyPuppet()
  const { capture, authenticator, widget } = await throughWidget(browser, { url, app, puppet })
  const { attack } = serviceCaptures(app, capture)
  /** The person's passkeys on the last device used: the service refuses a passkey whose counter goes backwards. */
  let heldPasskeys = () => passkeysIn(authenticator)

  /** Moves the person to another device. Its page is closed after the test. */
  async function useNextDevice(context: TestContext, page: Page): Promise<void> {
    const device = await anAuthenticator(page)
    await addPasskeys(device, await heldPasskeys())
    heldPasskeys = () => passkeysIn(device)
    context.after(async () => {
      const passkeys = await passkeysIn(device)
      heldPasskeys = async () => passkeys
      await page.context().close()
    })
  }

  let enrolling: Promise<string> | undefined

  /** The ref of the person in all tests. */
  function enrolled(context: TestContext): Promise<string> {
    enrolling ??= enroll(context)
    return enrolling
  }

  async function enroll(context: TestContext): Promise<string> {
    const who = { developer_email: 'ann@example.com', accommodations: ['no_hand', 'no_flash'] } as const
    const end = await withSecondTry(context, () => capture({ purpose: 'enroll', ...who }, { puppet }))
    assert.ok('body' in end && end.body.enrolled === true, JSON.stringify(end))
    return end.body.human_ref
  }

  test('is enrolled', async (context) => {
    await enrolled(context)
    assert.deepEqual(widget.troubles, [])
  })

  // `server/test/e2e/attack-table.test.ts` has all kinds, and `biometrics/eval/browser-table.ts` runs them in a browser.
  test('is refused when the colours of the screen are not on the face', async (context) => {
    const human_ref = await enrolled(context)
    const species = SPECIES.find(({ name }) => name === 'live puppet without reflection')
    assert.ok(species !== undefined)
    assert.ok(!leftOut(species).includes('no_flash'))
    const outcome = await attack(human_ref, puppet, species)
    assert.equal(outcome.decision, 'fail', serviceLine(outcome))
    assert.ok(outcome.causes.includes('no_reflection'), serviceLine(outcome))
    assert.equal(outcome.body?.token, undefined)
  })

  test('gets a token on a page of another origin, with the twenty lines of the guide', async (context) => {
    const code = readFileSync(join(REPOSITORY, SHOP), 'utf8')
    assert.ok(code.split('\n').filter((line) => line !== '').length <= 20)
    const guide = readFileSync(join(REPOSITORY, 'docs/guides/widget.md'), 'utf8')
    assert.ok(guide.includes(`\`\`\`ts\n${code}\`\`\``))
    await enrolled(context)
    const app_url = await aShop(url)
    const { shop, body } = await withSecondTry(context, async () => {
      const shop = await aWidgetPage(browser, { url, app, puppet, app_url })
      await useNextDevice(context, shop.page)
      return { shop, ...(await judgedIn(shop)) }
    })
    assert.equal(body.decision, 'pass', JSON.stringify(body))
    await shop.screen('done')
    const [verified] = await shop.events('verified')
    assert.ok(verified)
    const { jti, claims } = verified.token as { jti: string; claims: Record<string, unknown> } // as the guide says
    assert.equal(claims.svc_assurance_level, 'L3')
    assert.equal(await shop.page.locator('output').innerText(), jti)
    assert.deepEqual(shop.troubles, [])
  })

  test('is verified on the phone that scanned the code of the desktop, which gets the token', async (context) => {
    const human_ref = await enrolled(context)
    const desktop = await (await browser.newContext({ locale: 'en-US' })).newPage()
    context.after(() => desktop.context().close())
    desktop.setDefaultTimeout(300_000)
    const session = await post('/v1/vat/auth/sessions/hosted', {
      purpose: 'verify',
      human_ref,
      accommodations: SHORTEST,
      request: TOKEN_REQUEST,
    })
    const shown = desktop.waitForResponse((response) => response.url().endsWith('/transfer'))
    await desktop.goto(session.url)
    const { url: app_url } = await (await shown).json()
    await desktop.locator('.qr svg').waitFor()
    const phone = await aWidgetPage(browser, { url, app, puppet, app_url, context: PHONE })
    await useNextDevice(context, phone.page)
    const { body } = await judgedIn(phone)
    assert.equal(body.decision, 'pass', JSON.stringify(body))
    assert.equal(body.token, undefined)
    await phone.screen('done')
    await desktop.getByRole('heading', { level: 1, name: 'You’re verified' }).waitFor()
    const { session_id, client_token } = session
    const collected = await post(`/v1/vat/auth/sessions/${session_id}/collect`, { client_token })
    assert.equal(collected.token.claims.svc_assurance_level, 'L3')
    assert.deepEqual(phone.troubles, [])
  })
})

/** Follows all steps of the widget, and returns the judgement of the service. */
async function judgedIn(widget: WidgetPage): ReturnType<typeof judgementIn> {
  const judged = judgementIn(widget.page)
  await answerWidget(widget, judged)
  return judged
}

/**
 * Tries a second time if the first was disturbed. On a busy machine, the pictures and sound of a recording may be out
 * of sync, or a step may lack pictures. A person would then try again, and so does the puppet, once.
 */
async function withSecondTry<End extends CaptureEnd>(
  context: TestContext,
  attempt: () => Promise<End>,
): Promise<End> {
  const first = await attempt()
  const outcome = serviceOutcome(first)
  const isDisturbed =
    outcome.decision === 'retry' || (outcome.decision === 'review' && outcome.causes.join() === 'not_in_sync')
  if (!isDisturbed) return first
  context.diagnostic(`tried again: ${serviceLine(outcome)}`)
  return await attempt()
}

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }

/** Starts the example of the guide, and returns its address once it answers. */
async function aShop(url: string): Promise<string> {
  const port = await freePort()
  const env = { ...process.env, DEPUTY_URL: url, PORT: String(port) }
  const child = spawn(process.execPath, [SHOP], { cwd: REPOSITORY, env, stdio: 'inherit' })
  scope.after(() => void child.kill())
  const app_url = `http://localhost:${port}`
  await eventually(
    'the shop answers',
    () =>
      fetch(app_url)
        .then(({ ok }) => ok)
        .catch(() => false), // not listening yet
  )
  return app_url
}
