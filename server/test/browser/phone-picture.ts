/** Draws the picture in the guide "Approve from your phone": the real page in a real browser. */
import { fileURLToPath } from 'node:url'
import { openBrowser } from '@deputize/testing/browser.ts'
import type { TestScope } from '@deputize/testing/scope.ts'
import type { Browser } from 'playwright-core'
import { aKeyedApp, anAgent } from '../http/a-keyed-app.ts'
import { signIn } from './a-house.ts'

export const PHONE_PICTURE: string = fileURLToPath(
  new URL('../../../docs/guides/approve-from-your-phone.png', import.meta.url),
)

/** Writes the picture to a file, and returns the text of the page. */
export async function drawPhone(scope: TestScope, browser: Browser, path: string): Promise<string> {
  const app = await aKeyedApp(scope)
  const developer = app.withKey(await app.key('default', 'developer'))
  const agent = await anAgent(app, developer, {
    agent_id: 'shopping-bot',
    resources: ['shop:office-direct'],
    actions: ['buy'],
    purpose: 'Monthly office supplies',
    constraints: { max_spend_usd: 200, require_approval: { above_usd: 50 } },
  })
  await developer.post('/v1/vat/agents', { agent_id: 'shopping-bot', display_name: 'Shopping assistant' })
  const buy = { vat_jti: agent.jti, action: 'buy', resource: 'shop:office-direct' }
  await agent.client.post('/v1/vat/record/action', { ...buy, result: 'success', spend_usd: 0.5 })
  const metadata = { item: 'Standing desk, oak, 140 cm', order: 'OD-88213', delivery: 'Thu 19 Nov' }
  const asked = await agent.client.post('/v1/vat/authorize', { ...buy, spend_usd: 149.9, metadata })
  const url = await app.test.listen()
  const context = await browser.newContext({ locale: 'en-US', viewport: { width: 390, height: 844 } })
  await signIn(context, { url, test: app.test }, agent.human_ref)
  const page = await context.newPage()
  await page.goto(`${url}/approve/${asked.body.approval_id}`)
  const words = await page.locator('main').innerText()
  await page.screenshot({ path })
  await context.close()
  return words
}

if (import.meta.main) {
  const closings: (() => unknown)[] = []
  const scope: TestScope = { after: (close) => void closings.push(close) }
  await drawPhone(scope, await openBrowser(scope), PHONE_PICTURE)
  for (const close of closings.reverse()) await close()
}
