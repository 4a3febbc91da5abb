import { after, describe, test } from 'node:test'
import { deputy } from '@deputize/sdk'
import { openBrowser } from '@deputize/testing/browser.ts'
import { eventually } from '@deputize/testing/eventually.ts'
import { aProgram } from '@deputize/testing/program.ts'
import { temporaryDirectory } from '@deputize/testing/scope.ts'
import type { BrowserContext, Page } from 'playwright-core'
import { aHouse, signIn } from './a-house.ts'

const scope = { after }

/** More than the connections that a browser opens to a host. */
const TABS = 8

/** Runs in the page, because a browser without a screen shows all its tabs. Also records notices. */
const IN_EACH_TAB = `
  let state = 'visible'
  Object.defineProperty(document, 'visibilityState', { get: () => state })
  globalThis.turnTab = (to) => {
    state = to
    document.dispatchEvent(new Event('visibilitychange'))
  }
  globalThis.shownNotices = []
  globalThis.Notification = class extends Notification {
    constructor(title, options) {
      super(title, options)
      shownNotices.push(title)
    }
  }
`

const turn = (tab: Page, to: 'visible' | 'hidden') => tab.evaluate(`turnTab('${to}')`)

/** Opens a tab after the other, each of which hides the one before, and the last. */
async function hiddenTabs(context: BrowserContext, open: (tab: Page) => Promise<void>): Promise<Page[]> {
  const tabs: Page[] = []
  for (let count = 0; count < TABS; count += 1) {
    const tab = await context.newPage()
    await tab.addInitScript(IN_EACH_TAB)
    await open(tab)
    await turn(tab, 'hidden')
    tabs.push(tab)
  }
  return tabs
}

describe('more tabs than a browser has connections', async () => {
  const browser = await openBrowser(scope)

  test('of the dashboard all load and show what they missed, and one hidden tab shows notices', async () => {
    const { url } = await aProgram(scope, temporaryDirectory(scope))
    const client = deputy({ url })
    const context = await browser.newContext()
    await context.grantPermissions(['notifications'], { origin: url })
    await context.addInitScript("localStorage.setItem('deputy-notices', 'on')")
    const tabs = await hiddenTabs(context, async (tab) => {
      await tab.goto(`${url}/app/live`)
      await tab.getByRole('status').getByText('Live', { exact: true }).waitFor()
    })
    const { jti: vat_jti } = await client.issueL1({
      developer_email: 'dev@example.com',
      agent_id: 'knocker',
      resources: ['web:pages'],
      actions: ['read'],
      constraints: { require_approval: { actions: ['read'] } },
    })
    await client.authorize({ vat_jti, action: 'read', resource: 'web:pages' })
    const notices = async () =>
      (await Promise.all(tabs.map((tab) => tab.evaluate<string[]>('shownNotices')))).flat()
    await eventually('the notice', async () => (await notices()).length === 1)
    for (const tab of tabs) {
      await turn(tab, 'visible')
      await tab.getByRole('link', { name: 'knocker' }).first().waitFor()
      await turn(tab, 'hidden')
    }
    await context.close()
  })

  test('of a person all load and show new requests, and one hidden tab counts them in its title', async () => {
    const house = await aHouse(scope)
    const context = await browser.newContext({ locale: 'en-US' })
    await signIn(context, house, house.agent.human_ref)
    const tabs = await hiddenTabs(context, async (tab) => {
      await tab.goto(`${house.url}/me`)
      await tab.getByRole('heading', { level: 1 }).waitFor()
    })
    await house.act('/v1/vat/authorize', { action: 'write', spend_usd: 7 })
    const counting = async () =>
      (await Promise.all(tabs.map((tab) => tab.title()))).filter((title) => title.startsWith('(2)'))
    await eventually('one title', async () => (await counting()).length === 1)
    for (const tab of tabs) {
      await turn(tab, 'visible')
      await tab.getByText('$7.00').first().waitFor()
      await turn(tab, 'hidden')
    }
    await context.close()
  })
})
