import { setTimeout } from 'node:timers/promises'
import type { Browser, Page, Response } from 'playwright-core'
import { aWidgetPage, type WidgetPage, type WidgetPageOptions } from './a-widget-page.ts'
import { type Authenticator, anAuthenticator } from './an-authenticator.ts'
import { httpPost } from './http-post.ts'
import type { Puppet } from './puppet/a-puppet.ts'
import { type CaptureEnd, type CaptureWay, codesOf } from './puppet/service-captures.ts'

/** Puppets in front of `<deputy-verify>`, on one page with one authenticator. */
export interface WidgetWay {
  readonly capture: CaptureWay
  readonly widget: WidgetPage
  readonly authenticator: Authenticator
}

export async function throughWidget(
  browser: Browser,
  options: WidgetPageOptions & { readonly puppet: Puppet },
): Promise<WidgetWay> {
  const widget = await aWidgetPage(browser, options)
  const authenticator = await anAuthenticator(widget.page)
  const post = httpPost(options.url)
  const capture: CaptureWay = async (wanted, { puppet, how }) => {
    const { session_id, client_token } = await post('/v1/vat/auth/sessions/hosted', wanted)
    widget.camera?.show(puppet, how)
    const end = Promise.race([judgementIn(widget.page), askedAgainIn(widget.page)])
    await widget.show({ session: session_id, token: client_token })
    await answerWidget(widget, end)
    const ended = await end
    if ('body' in ended && ended.body.passed === true) await widget.screen('done')
    const [verified] = (await widget.events('verified')).filter((event) => event.session_id === session_id)
    await widget.remove()
    return verified?.token === undefined || !('body' in ended)
      ? ended
      : { body: { ...ended.body, token: verified.token } }
  }
  return { capture, widget, authenticator }
}

/**
 * Presses the main button of each screen that has one, until the capture ends. On a busy machine the camera may be late
 * or a recording lost: then that button says "Try again".
 */
export async function answerWidget({ page, events }: WidgetPage, end: Promise<unknown>): Promise<void> {
  const main = page.locator('deputy-verify button.main')
  let isOver = false
  const over = end.then(() => {
    isOver = true
  })
  let pressed = { length: 0, at_ms: 0 }
  while (!isOver) {
    const progress = await events('progress')
    const { length } = progress
    const [failed] = progress.at(-1)?.screen === 'failed' ? await events('failed') : []
    if (failed !== undefined) throw new Error(`the widget gave up: ${JSON.stringify(failed)}`)
    const isDue = length > pressed.length || performance.now() - pressed.at_ms > PRESS_AGAIN_MS
    if (isDue && (await main.isVisible())) {
      await Promise.race([main.click(), over])
      pressed = { length, at_ms: performance.now() }
    }
    await Promise.race([setTimeout(LOOK_EVERY_MS), over])
  }
}

const LOOK_EVERY_MS = 100
/** If the passkey wasn't used, the screen doesn't change, so the button is pressed again. */
const PRESS_AGAIN_MS = 5000

/** The service's judgement of the capture in a page. */
export async function judgementIn(page: Page): Promise<Extract<CaptureEnd, { body: unknown }>> {
  const isJudged = (response: Response) => /\/auth\/(enroll|capture)$/.test(new URL(response.url()).pathname)
  const response = await page.waitForResponse(isJudged, { timeout: 0 })
  if (!response.ok()) throw new Error(await response.text())
  return { body: await response.json() }
}

/** Why a step must be repeated in a page, if ever. */
async function askedAgainIn(page: Page): Promise<CaptureEnd> {
  const hasReasons = async (response: Response) =>
    response.url().endsWith('/steps') && (await response.json()).reasons?.length > 0
  const response = await page.waitForResponse(hasReasons, { timeout: 0 })
  return { asked_again: codesOf((await response.json()).reasons) }
}
