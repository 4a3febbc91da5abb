import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, describe, test } from 'node:test'
import { type Deputy, deputy, isDeputyError } from '@deputize/sdk'
import { aBusyDay, type BusyDay } from '@deputize/testing/a-busy-day.ts'
import { aKeyedDeployment } from '@deputize/testing/a-deployment.ts'
import { aWebOfTrust, type WebOfTrust } from '@deputize/testing/a-web-of-trust.ts'
import { openBrowser } from '@deputize/testing/browser.ts'
import { eventually } from '@deputize/testing/eventually.ts'
import { freePort } from '@deputize/testing/free-port.ts'
import { nextMinute } from '@deputize/testing/next-minute.ts'
import { aProgram } from '@deputize/testing/program.ts'
import { temporaryDirectory } from '@deputize/testing/scope.ts'
import type { Locator, Page } from 'playwright-core'
import { violationsOn } from './accessible.ts'
import { aDashboardPage, faultsOfScreens, goToScreen, screenIsShown } from './dashboard-page.ts'

const scope = { after }

/** Texts that a stranger can put on pages that people read. */
const HOSTILE = {
  display_name: `${'x'.repeat(70)} <img src=x onerror=alert(1)>\u202Egnp.exe`,
  purpose: `<script>alert(1)</script> ${'very '.repeat(60)}long ${'x'.repeat(120)}`,
} as const

/** Runs in the page: records the titles of notices, because a browser without a desktop shows none. */
const RECORD_NOTICES = `
  globalThis.shownNotices = []
  globalThis.Notification = class extends Notification {
    constructor(title, options) {
      super(title, options)
      shownNotices.push(title)
    }
  }
`

describe('the dashboard in a real browser', async () => {
  const browser = await openBrowser(scope)
  const { url } = await aProgram(scope, temporaryDirectory(scope))
  const client = deputy({ url })
  const day = await aBusyDay(client)
  await client.registerAgent({ agent_id: 'stranger', display_name: HOSTILE.display_name })
  const { jti } = await client.issueL1({
    developer_email: 'dev@example.com',
    agent_id: 'stranger',
    resources: ['web:pages'],
    actions: ['read'],
    purpose: HOSTILE.purpose,
    constraints: { require_approval: { actions: ['read'] } },
  })
  await client.authorize({
    vat_jti: jti,
    action: 'read',
    resource: 'web:pages',
    metadata: { '<b>key</b>': '<img src=x onerror=alert(1)>' },
  })
  const web = await aWebOfTrust(client)

  const aPage = (scheme: 'light' | 'dark', width: number) => aDashboardPage(browser, scheme, width)

  test('every screen works in both schemes at three widths, with hostile names, without jumps or motion', async () => {
    const shown = await aPage('light', 1440)
    await shown.page.goto(`${url}/app`)
    const faults = await faultsOfScreens(shown, [...screens(day, jti), ...trustScreens(web)])
    await shown.close()
    assert.deepEqual(faults, [])
  })

  test('no table scrolls sideways on a phone, and hidden columns are shown below the first cell', async () => {
    const { page, close } = await aPage('light', 390)
    await page.goto(`${url}/app/trust`)
    await page.getByRole('table', { name: 'Vouches' }).waitFor()
    const tooWide = () =>
      page.evaluate<number>(
        "[...document.querySelectorAll('main .scroll')].filter((one) => one.scrollWidth > one.clientWidth).length",
      )
    assert.equal(await tooWide(), 0)
    await goToScreen(page, '/app/denials')
    await page.locator('td .below time').first().waitFor()
    assert.equal(await tooWide(), 0)
    await close()
  })

  test('a request at its own address shows the same facts for the decision as the list does', async () => {
    const { page, close } = await aPage('light', 1440)
    await page.goto(`${url}/app/approvals/${day.approval_id}`)
    const card = page.getByRole('article')
    for (const fact of ['Budget', 'Reputation', 'Why', 'For'])
      await card.getByText(fact, { exact: true }).waitFor()
    await card.getByText('$200.00 of $200.00 left, $50.10 after this').waitFor()
    await close()
  })

  test('a screen that cannot be downloaded shows a message and a retry', async () => {
    const { page, close } = await aPage('light', 1440)
    await page.goto(`${url}/app`)
    await page.route('**/app/assets/health-*', (route) => route.abort())
    await page.getByRole('link', { name: 'Health' }).click()
    await page.getByRole('alert').filter({ hasText: 'This screen could not be loaded.' }).waitFor()
    await page.unroute('**/app/assets/health-*')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('heading', { level: 1, name: 'Health' }).waitFor()
    await page.route('**/v1/vat/tokens*', (route) => route.abort())
    await page.getByRole('link', { name: 'Tokens' }).click()
    const problem = page
      .getByRole('alert')
      .filter({ hasText: 'The service could not be reached. Check your connection' })
    await problem.waitFor()
    await page.unroute('**/v1/vat/tokens*')
    await problem.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('table', { name: 'Tokens' }).waitFor()
    await close()
  })

  test('failed data appears once the service is back, and data that does not exist offers no retry', async (t) => {
    const [directory, env] = [temporaryDirectory(t), { PORT: String(await freePort()) }]
    const program = await aProgram(t, directory, env)
    await deputy({ url: program.url }).registerAgent({ agent_id: 'night-shift' })
    const { page, close } = await aPage('light', 1440)
    await page.goto(`${program.url}/app`)
    const state = page.locator('header').getByRole('status')
    await state.filter({ hasText: /^Live$/ }).waitFor()
    await program.kill()
    await state.filter({ hasText: 'Offline: trying again' }).waitFor()
    await page.getByRole('link', { name: 'Agents' }).click()
    await page.getByRole('alert').waitFor()
    await aProgram(t, directory, env)
    await page.getByRole('table', { name: 'Agents' }).waitFor()
    assert.equal(await page.getByRole('alert').count(), 0)
    await goToScreen(page, '/app/agents/nobody-at-all')
    await page.getByRole('alert').filter({ hasText: 'Unknown agent' }).waitFor()
    assert.equal(await page.getByRole('button', { name: 'Try again' }).count(), 0)
    await close()
  })

  test('text typed right after Ctrl K goes into the field, and Escape restores the focus', async () => {
    const { page, complaints, close } = await aPage('light', 1440)
    await page.goto(`${url}/app/agents`)
    await screenIsShown(page, 'agents')
    await page.getByRole('link', { name: 'Health' }).focus()
    await page.evaluate(TYPE_AT_ONCE, 'hotel')
    assert.equal(await page.getByRole('combobox').inputValue(), 'hotel')
    await page.getByRole('option', { name: 'Hotel buyer Agent hotel-buyer' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.locator('a:focus', { hasText: 'Health' }).waitFor()
    assert.deepEqual(complaints, [])
    await close()
  })

  test('a workflow can be downloaded in every format, and the log can be verified in the browser', async () => {
    const { page, close } = await aPage('light', 1440)
    await page.goto(`${url}/app/workflows/${day.provenance_ref}`)
    const links = page.locator('a[download]')
    await links.first().waitFor({ state: 'attached' })
    for (const href of await links.evaluateAll((all) => all.map((one) => one.getAttribute('href') ?? '')))
      assert.equal((await fetch(`${url}${href}`)).status, 200, href)
    await page.goto(`${url}/app/actions/${day.aar_id}`)
    const receipt = await downloaded(page, page.getByRole('link', { name: 'Receipt' }))
    // The statement is signed again for each call, with the current time.
    const { statement, ...facts } = JSON.parse(String(receipt))
    const { statement: _, ...expected } = await client.getReceipt({ id: day.aar_id })
    assert.deepEqual(facts, expected)
    assert.match(statement, /^[\w-]+\.[\w-]+\.[\w-]+$/)
    await page.goto(`${url}/app/log`)
    const checkpoint = await downloaded(page, page.getByRole('link', { name: 'Download checkpoint' }))
    assert.match(String(checkpoint), /^[^\n]+\n\d+\n[\w+/=]+\n\n— /, 'the lines that are signed')
    await page.getByRole('button', { name: 'Verify now' }).click()
    await page.getByText('● Verified').waitFor()
    await page.getByText(/^All \d+ entries match the signed log\./).waitFor()
    await close()
  })

  test('a picture is saved as a whole SVG and as a PNG of twice its size', async () => {
    const { page, complaints, close } = await aPage('dark', 1440)
    await page.goto(`${url}/app/workflows/${day.provenance_ref}`)
    const shown = await page.getByRole('tree').locator('..').boundingBox()
    const save = async (format: 'SVG' | 'PNG') => {
      await page.getByLabel('Options of Token tree').click()
      return downloaded(page, page.getByRole('button', { name: `Save as ${format}` }))
    }
    const svg = await save('SVG')
    const png = await save('PNG')
    assert.match(String(svg), /^<svg [^>]*xmlns="http:\/\/www\.w3\.org\/2000\/svg"/)
    assert.match(String(svg), /Hotel buyer/)
    assert.doesNotMatch(String(svg), / class="/, 'it needs no style sheet')
    const drawn = await page.evaluate(DRAWN_SIZE, { base64: svg.toString('base64'), type: 'image/svg+xml' })
    const size = await page.evaluate(DRAWN_SIZE, { base64: png.toString('base64'), type: 'image/png' })
    assert.deepEqual(drawn, [shown?.width, shown?.height])
    assert.deepEqual(size, [(shown?.width ?? 0) * 2, (shown?.height ?? 0) * 2].map(Math.floor))
    assert.deepEqual(complaints, [])
    await close()
  })

  test('a tree that is drawn only where it is visible is saved as a whole', async () => {
    const { jti: root, provenance_ref } = await client.issueL1({
      developer_email: 'dev@example.com',
      agent_id: 'crowd',
      resources: ['web:pages'],
      actions: ['read', 'delegate'],
    })
    const names = Array.from({ length: 301 }, (_, index) => `member-${index}`)
    await Promise.all(
      names.map((agent_id) =>
        client.delegate({ vat_jti: root, agent_id, resources: ['web:pages'], actions: ['read'] }),
      ),
    )
    const { page, complaints, close } = await aPage('light', 1440)
    await page.goto(`${url}/app/workflows/${provenance_ref}`)
    const drawn = page.getByRole('treeitem')
    await drawn.first().waitFor()
    assert.ok((await drawn.count()) < names.length)
    await page.getByLabel('Options of Token tree').click()
    const svg = String(await downloaded(page, page.getByRole('button', { name: 'Save as SVG' })))
    assert.deepEqual(
      names.filter((name) => !svg.includes(`>${name}</text>`)),
      [],
    )
    await eventually('the rest is gone again', async () => (await drawn.count()) < names.length)
    assert.deepEqual(complaints, [])
    await close()
  })

  test('every screen can be reached with two keys, and lists work with only the keyboard', async () => {
    const { page, complaints, close } = await aPage('light', 1440)
    await page.goto(`${url}/app`)
    for (const [letter, path, title] of SCREEN_KEYS) {
      await goWithKeys(page, letter, path)
      await page.getByRole('heading', { name: title, level: 1 }).waitFor()
    }
    await screenIsShown(page, 'agents')
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keyboard' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.keyboard.press('/')
    await page.locator('input[data-filter]:focus').waitFor()
    await page.keyboard.type('refund')
    await page.waitForURL(/q=refund$/)
    await screenIsShown(page, 'the filtered list')
    await page.keyboard.press('Tab')
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.locator('h1:focus', { hasText: 'Refund agent' }).waitFor()
    await page.goBack()
    await page.locator('main a:focus', { hasText: 'Refund agent' }).waitFor()
    // Live shows only the newest events, and earlier tests caused many.
    const [token] = (await client.listTokens({ agent_id: 'refund-agent' })).data
    assert.ok(token !== undefined)
    const done = { action: 'refund', resource: 'shop:refunds', result: 'success' } as const
    await client.recordAction({ vat_jti: token.jti, ...done })
    await page.goto(`${url}/app/live?q=Refund%20agent`)
    await page.getByRole('listitem').filter({ hasText: 'refund shop:refunds' }).first().waitFor()
    await page.locator('input[data-filter]').fill('no such thing')
    await page.getByText(/^None of the newest \d+ events matches\.$/).waitFor()
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await page.waitForURL(/live$/)
    assert.deepEqual(complaints, [])
    await close()
  })

  test('a list keeps its scroll position after a visit to one of its rows, and after a reload', async () => {
    const { page, close } = await aPage('light', 1440)
    await page.setViewportSize({ width: 1440, height: 400 })
    await page.goto(`${url}/app/denials`)
    await screenIsShown(page, 'denials')
    const last = page.getByRole('table', { name: 'Denials' }).getByRole('link').last()
    await last.scrollIntoViewIfNeeded()
    const scrolled = () => page.evaluate<number>('scrollY')
    const before = await scrolled()
    assert.ok(before > 100)
    await last.click()
    await page.locator('h1:focus').waitFor()
    assert.equal(await scrolled(), 0)
    await page.goBack()
    await page.locator('main a:focus').waitFor()
    assert.equal(await scrolled(), before)
    await page.reload()
    await screenIsShown(page, 'denials')
    await eventually('the list is where it was', async () => (await scrolled()) === before)
    await close()
  })

  test('misleading characters are shown by their code points', async () => {
    const { page, close } = await aPage('light', 1440)
    await page.goto(`${url}/app/agents/stranger`)
    const title = await page.getByRole('heading', { level: 1 }).innerText()
    assert.equal(title, HOSTILE.display_name.replace('\u202E', '⟨U+202E⟩'))
    await client.registerAgent({ agent_id: 'astronaut', display_name: 'Crew 👩🏽‍🚀 🏳️‍🌈 al\u200dice' })
    await page.goto(`${url}/app/agents/astronaut`)
    await page
      .getByRole('heading', { level: 1, name: 'Crew 👩🏽‍🚀 🏳️‍🌈 al⟨U+200D⟩ice', exact: true })
      .waitFor()
    await close()
  })

  test('lists show the display names of agents, and a changed name without a reload', async () => {
    const agent_id = 'reader-7'
    await client.registerAgent({ agent_id, display_name: 'Morning paper' })
    const { jti: vat_jti, provenance_ref } = await client.issueL1({
      developer_email: 'dev@example.com',
      agent_id,
      resources: ['web:pages'],
      actions: ['read'],
    })
    const act = { vat_jti, resource: 'web:pages' }
    await client.recordAction({ ...act, action: 'read', result: 'success' })
    await client.authorize({ ...act, action: 'delete' })
    const { page, complaints, close } = await aPage('light', 1440)
    const asked: string[] = []
    page.on('request', (request) => request.url().includes('agent_ids=') && asked.push(request.url()))
    await page.goto(`${url}/app/live`)
    const link = page.getByRole('link', { name: 'Morning paper', exact: true }).first()
    await link.waitFor()
    assert.equal(await link.getAttribute('title'), agent_id)
    assert.equal(asked.length, 1, 'the names of a screen are asked for together')
    for (const path of [
      'denials',
      'tokens',
      'workflows',
      `workflows/${provenance_ref}?tab=timeline&table=timeline`,
    ]) {
      await page.goto(`${url}/app/${path}`)
      await page.getByText('Morning paper', { exact: true }).first().waitFor()
    }
    await page.goto(`${url}/app/workflows/${provenance_ref}?tab=graph`)
    await page
      .getByRole('group', { name: 'Execution graph' })
      .getByText('Morning paper', { exact: true })
      .first()
      .waitFor()
    await page.goto(`${url}/app/denials`)
    await link.waitFor()
    await client.updateAgent({ agent_id, display_name: 'Evening paper' })
    await page.getByRole('link', { name: 'Evening paper', exact: true }).first().waitFor()
    assert.equal(await link.count(), 0)
    assert.deepEqual(complaints, [])
    await close()
  })

  test('ratings of an agent are dots on their day, with a text alternative', async () => {
    const { page, close } = await aPage('light', 1440)
    await page.goto(`${url}/app/agents/hotel-buyer`)
    const picture = page.getByRole('img', {
      name: 'Reputation by day with its interval, and ratings: 2 good, 1 problem',
    })
    await picture.waitFor()
    const titles = await picture.locator('circle.mark title').allTextContents()
    assert.deepEqual(
      titles.map((title) => title.replace(/^.*: /, '')),
      ['2 good', '1 problem'],
    )
    assert.match((await picture.locator('path.band').getAttribute('d')) ?? '', /^M/)
    await close()
  })

  test('an operator can find the agent with the most denials and stop it after a preview', async () => {
    const { page, complaints, close } = await aPage('light', 1440)
    await page.goto(`${url}/app`)
    await page.getByRole('link', { name: /^Denied, last hour/ }).click()
    await page.getByRole('heading', { name: 'Denials', level: 1 }).waitFor()
    const worst = page.getByRole('table', { name: 'Agents by denials' }).getByRole('row').nth(1)
    const { display_name = '' } = await client.getAgent({ agent_id: day.denied_agent })
    await worst.getByRole('link', { name: display_name, exact: true }).waitFor()
    await worst.getByRole('button').click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('1 live token').waitFor()
    await dialog.getByText(`Its ID is ${day.denied_agent}.`).waitFor()
    await noViolations(page, 'stop dialog')
    assert.equal((await client.getAgent({ agent_id: day.denied_agent })).suspended, false)
    await dialog.getByRole('textbox').fill('Asks for too much')
    await dialog.getByRole('button', { name: `Suspend ${display_name}` }).click()
    await dialog.waitFor({ state: 'detached' })
    const { suspended, suspend_reason } = await client.getAgent({ agent_id: day.denied_agent })
    assert.deepEqual({ suspended, suspend_reason }, { suspended: true, suspend_reason: 'Asks for too much' })
    assert.deepEqual(complaints, [])
    await close()
  })

  test('a request can be decided with only the keyboard, and new events appear without a reload', async () => {
    const { page, complaints, close } = await aPage('dark', 1440)
    await page.goto(`${url}/app`)
    await screenIsShown(page, 'overview')
    await page.getByRole('link', { name: 'Skip to content' }).focus()
    await page.keyboard.press('Enter')
    await page.locator('main:focus').waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox').waitFor()
    await page.keyboard.type(day.approval_id)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: /asks to buy for \$149\.90/ }).waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('a')
    await page.getByRole('dialog').waitFor()
    assert.equal((await client.getApproval({ id: day.approval_id })).state, 'pending')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await eventually(
      'the approval',
      async () => (await client.getApproval({ id: day.approval_id })).state === 'approved',
    )
    await page.keyboard.press('Escape')
    await goWithKeys(page, 'l', '/app/live')
    await page.getByRole('heading', { name: 'Live', level: 1 }).waitFor()
    await client.issueL1({
      developer_email: 'dev@example.com',
      agent_id: 'late-arrival',
      resources: ['web:pages'],
      actions: ['read'],
    })
    await page.getByRole('link', { name: 'late-arrival' }).waitFor()
    assert.deepEqual(complaints, [])
    await close()
  })

  test('notices are turned on with a button, and a new request or a burst of denials shows one', async () => {
    const { page, complaints, close } = await aPage('light', 1440)
    await page.context().grantPermissions(['notifications'], { origin: url })
    await page.addInitScript(RECORD_NOTICES)
    await page.goto(`${url}/app`)
    await page.getByRole('status').getByText('Live', { exact: true }).waitFor()
    const shown = () => page.evaluate<string[]>('shownNotices')
    await (await aBuyer(client, 'unnoticed', 100))(10)
    await page.getByRole('button', { name: 'Turn desktop notices on' }).click()
    await page.getByRole('button', { name: 'Desktop notices are on: turn off' }).waitFor()
    const { jti: vat_jti } = await client.issueL1({
      developer_email: 'dev@example.com',
      agent_id: 'knocker',
      resources: ['web:pages'],
      actions: ['read'],
    })
    await (await aBuyer(client, 'noticed', 100))(12)
    for (let knock = 0; knock < 6; knock += 1)
      await client
        .recordAction({ vat_jti, action: 'delete', resource: 'web:pages', result: 'success' })
        .catch((error: unknown) => assert.ok(isDeputyError(error, 'not_allowed')))
    await eventually('both notices', async () => (await shown()).length === 2)
    assert.deepEqual(await shown(), [
      'noticed asks to buy for $12.00',
      'knocker was denied 5 times in a minute',
    ])
    await page.reload()
    await page.getByRole('button', { name: 'Desktop notices are on: turn off' }).click()
    await page.getByRole('button', { name: 'Turn desktop notices on' }).waitFor()
    assert.deepEqual(complaints, [])
    await close()
  })

  test('a workflow with many actions is drawn only where it is visible, aggregated and expanded', async () => {
    const { jti: vat_jti, provenance_ref } = await client.issueL1({
      developer_email: 'dev@example.com',
      agent_id: 'crawler',
      resources: ['web:pages'],
      actions: ['read'],
    })
    const items = Array.from({ length: 1000 }, () => ({
      vat_jti,
      action: 'read',
      resource: 'web:pages',
      result: 'success',
    }))
    for (let batch = 0; batch < 3; batch += 1) await client.recordBatch({ items })
    const { page, complaints, close } = await aPage('light', 1440)
    const address = `${url}/app/workflows/${provenance_ref}`
    const boxes = page.getByRole('group', { name: 'Execution graph' }).getByRole('button')
    const bars = page.getByRole('group', { name: 'Timeline of this workflow' }).getByRole('button')
    await page.goto(`${address}?tab=graph`)
    await page.getByText('crawler · 3,000×').waitFor()
    assert.equal(await boxes.count(), 1)
    await page.getByRole('button', { name: 'Expanded' }).click()
    await eventually('a part of the boxes', async () => (await boxes.count()) > 10)
    assert.ok((await boxes.count()) < 100, String(await boxes.count()))
    await page.goto(`${address}?tab=timeline`)
    await bars.first().waitFor()
    assert.ok((await bars.count()) < 300)
    await page.getByRole('button', { name: 'Expanded' }).click()
    await eventually('a part of the bars', async () => (await bars.count()) > 100)
    assert.ok((await bars.count()) < 600, String(await bars.count()))
    await bars.nth(5).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: 'Open action' }).waitFor()
    assert.deepEqual(complaints, [])
    await close()
  })

  test('requests are loaded page by page', async () => {
    const ask = await aBuyer(client, 'many-wishes', 100)
    const asked: string[] = []
    for (let wish = 0; wish < 26; wish += 1) asked.push(await ask(1 + wish))
    const { page, close } = await aPage('light', 1440)
    await page.goto(`${url}/app/approvals`)
    const cards = page.getByRole('link', { name: /asks to/ })
    await cards.first().waitFor()
    assert.equal(await cards.count(), 25)
    await page.getByRole('button', { name: 'Show more' }).click()
    await eventually('the next page', async () => (await cards.count()) > 25)
    for (const id of asked) await client.deny({ id })
    await close()
  })

  test('several requests can be selected and decided together, after a preview of what would be left', async () => {
    const ask = await aBuyer(client, 'stationery', 100)
    const [pens, paper, safe] = [await ask(30), await ask(40), await ask(50)]
    const stateOf = async (id: string) => (await client.getApproval({ id })).state
    const { page, complaints, close } = await aPage('light', 1440)
    await page.goto(`${url}/app/approvals`)
    const focus = (amount: number) =>
      page.getByRole('link', { name: `stationery asks to buy for $${amount}.00`, exact: false }).focus()
    const bar = page.getByRole('region', { name: 'Selected requests' })
    const dialog = page.getByRole('dialog')
    await focus(30)
    await page.keyboard.press('x')
    await page.getByRole('checkbox', { name: 'stationery asks to buy for $40.00' }).check()
    await page.getByRole('checkbox', { name: /gnp\.exe asks to read/ }).check()
    await bar.getByText('only if one agent asks for one action').waitFor()
    assert.equal(await bar.getByRole('button', { name: 'Approve 3…' }).isDisabled(), true)
    await page.getByRole('checkbox', { name: /gnp\.exe asks to read/ }).uncheck()
    await bar.getByRole('button', { name: 'Approve 2…' }).click()
    await dialog.getByText('$30.00 of $100.00').waitFor()
    assert.equal(await dialog.getByRole('listitem').count(), 2)
    await noViolations(page, 'several requests')
    assert.deepEqual([await stateOf(pens), await stateOf(paper)], ['pending', 'pending'])
    // Meanwhile one of them is decided elsewhere: the other is still decided, and both results are shown.
    await client.deny({ id: paper })
    await dialog.getByRole('button', { name: 'Approve $70.00' }).click()
    const answers = page.getByRole('dialog', { name: 'Decisions' })
    await answers.getByText('Not decided').waitFor()
    assert.equal(await answers.getByText('Not decided').count(), 1)
    await noViolations(page, 'answers')
    assert.deepEqual([await stateOf(pens), await stateOf(paper)], ['approved', 'denied'])
    await answers.getByRole('button', { name: 'Close' }).click()
    await dialog.waitFor({ state: 'detached' })
    await focus(50)
    await page.keyboard.press('.')
    await page.getByRole('dialog', { name: 'Actions' }).waitFor()
    await noViolations(page, 'actions of a row')
    await dialog.getByRole('button', { name: 'Deny…' }).click()
    await dialog.getByRole('button', { name: 'Deny', exact: true }).click()
    await eventually('the denial', async () => (await stateOf(safe)) === 'denied')
    assert.deepEqual(complaints, [])
    await close()
  })

  test('automatic approvals are listed with their limits, and can be ended after a confirmation', async () => {
    const ask = await aBuyer(client, 'standing-buyer', 100, { auto_approve_after: 1 })
    await client.approve({ id: await ask(20), grant: { minutes: 60, max_spend_usd: 45 } })
    const { page, complaints, close } = await aPage('dark', 1440)
    await page.goto(`${url}/app/approvals`)
    await page.getByRole('button', { name: 'Automatic' }).click()
    const rowOf = (table: string) =>
      page.getByRole('table', { name: table }).getByRole('row', { name: /standing-buyer/ })
    await rowOf('Grants').getByText('$20.00 of $45.00').waitFor()
    await rowOf('Habits').getByText('$20.00').waitFor()
    await noViolations(page, 'without asking')
    const end = async (table: string) => {
      await rowOf(table).getByRole('button', { name: 'End…' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Ask again' }).click()
      await rowOf(table).waitFor({ state: 'detached' })
    }
    await end('Grants')
    assert.deepEqual((await client.listGrants({ agent_id: 'standing-buyer' })).data, [])
    assert.equal((await client.listHabits({ agent_id: 'standing-buyer' })).data.length, 1)
    await end('Habits')
    assert.deepEqual((await client.listHabits({ agent_id: 'standing-buyer' })).data, [])
    assert.deepEqual(complaints, [])
    await close()
  })

  test('a webhook can be created, and an alert rule after a trial on the last week', async () => {
    const { page, close } = await aPage('light', 1440)
    await page.goto(`${url}/app/access?tab=webhooks`)
    const dialog = page.getByRole('dialog')
    await page.getByRole('button', { name: 'Create webhook…' }).click()
    await dialog.getByLabel('Address').fill('http://10.0.0.1/hooks')
    await dialog.getByRole('button', { name: 'Create webhook' }).click()
    await dialog.locator('input[aria-invalid=true]:focus').waitFor()
    assert.deepEqual(await violationsOn(page, 'webhook form'), [])
    await dialog.getByLabel('Address').fill('https://hooks.example.com/deputy')
    await dialog.getByLabel('Events').selectOption('approvals')
    await dialog.getByRole('button', { name: 'Create webhook' }).click()
    assert.match(await dialog.locator('pre').innerText(), /^whsec_/)
    await dialog.getByRole('button', { name: 'I stored it' }).click()
    await page.getByRole('button', { name: 'Change…' }).click()
    await dialog.getByLabel('Events').selectOption('some')
    await dialog.getByLabel('Types').fill('action.denied, token.revoked')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached' })
    const [webhook] = (await client.listWebhooks()).data
    assert.deepEqual(webhook?.events, ['action.denied', 'token.revoked'])

    await page.goto(`${url}/app/access?tab=alerts`)
    await page.getByRole('button', { name: 'Create rule…' }).click()
    await dialog.getByLabel('Name').fill('Denied too often')
    await dialog.getByLabel('More denials than').fill('2')
    await dialog.getByLabel('Within (minutes)').fill('1440')
    await dialog.getByLabel('Only this agent').fill(day.denied_agent)
    await dialog.getByLabel('Minutes between').fill('1440')
    assert.equal(await dialog.getByLabel('must ask').count(), 0)
    await dialog.getByLabel('Then').selectOption('ask')
    await dialog.getByLabel('must ask').fill('30')
    await dialog.getByRole('button', { name: 'Try it on the last week' }).click()
    await dialog.getByText(/^It would have fired (once|2 times) in the last 7 days/).waitFor()
    assert.deepEqual(await violationsOn(page, 'rule form'), [])
    await dialog.getByRole('button', { name: 'Create rule' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('row', { name: /Denied too often/ }).waitFor()
    const [rule] = (await client.listAlertRules()).data
    assert.deepEqual(rule?.condition, { kind: 'denials', more_than: 2, within_minutes: 1440 })
    assert.deepEqual([rule?.effect, rule?.ask_minutes], ['ask', 30])
    await page.getByText('require approval for each action, for 30 minutes').waitFor()
    await close()
  })

  test('an alert shows since when its agent has to ask, and until when', async () => {
    const agent_id = 'eager'
    const condition = { kind: 'denials', more_than: 0, within_minutes: 5 } as const
    await client.createAlertRule({ name: 'Any denial', condition, effect: 'ask', agent_id, ask_minutes: 45 })
    await nextMinute()
    const { jti: vat_jti } = await client.issueL1({
      developer_email: 'dev@example.com',
      agent_id,
      resources: ['web:pages'],
      actions: ['read'],
    })
    await client.authorize({ vat_jti, action: 'delete', resource: 'web:pages' })
    const fired = async () =>
      (await client.listAlerts()).data.filter((alert) => alert.agent_id === `agent:${agent_id}`)
    await eventually('the rule fires', async () => (await fired()).length > 0)
    const { page, close } = await aPage('light', 390)
    await page.goto(`${url}/app/access?tab=alerts`)
    const row = page.getByRole('table', { name: 'Alerts', exact: true }).getByRole('row', { name: agent_id })
    await row.getByText(/^Each action needs an approval since .*\d\d:\d\d, until .*\d\d:\d\d\.$/).waitFor()
    await close()
  })

  test('in keyed mode it asks for a key, shows what the role allows, and survives the end of a session', async (t) => {
    const { operator, operator_key: key, url: keyed_url } = await aKeyedDeployment(t)
    await operator.registerAgent({ agent_id: 'night-shift' })
    const { page, close } = await aPage('light', 1440)
    const signIn = async (with_key: string) => {
      await page.getByLabel('API key').fill(with_key)
      await page.getByRole('button', { name: 'Sign in' }).click()
    }
    await page.goto(`${keyed_url}/app/agents/night-shift`)
    await page.getByRole('heading', { name: 'Sign in to Deputy' }).waitFor()
    await signIn('dk_nope')
    await page.getByRole('alert').waitFor()
    await signIn(key)
    await page.getByRole('button', { name: 'Stop night-shift…' }).click()
    await page.context().clearCookies()
    // A list that is reloading may ask for the sign-in first. Both then continue.
    await page.getByRole('button', { name: 'Suspend night-shift' }).dispatchEvent('click')
    await page.getByRole('heading', { name: 'Your session has ended' }).waitFor()
    await signIn(key)
    await eventually(
      'the agent is stopped after the sign-in',
      async () => (await operator.getAgent({ agent_id: 'night-shift' })).suspended,
    )
    const auditor = await operator.createKey({ name: 'auditor', role: 'auditor' })
    await page.context().clearCookies()
    await page.goto(`${keyed_url}/app/agents/night-shift`)
    await signIn(auditor.key)
    await page.getByRole('heading', { name: 'night-shift', level: 1 }).waitFor()
    assert.equal(await page.getByRole('button', { name: /^(Stop|Resume)/ }).count(), 0)
    await close()
  })

  test('the graph of an agent explains its score, and a vouch can be withdrawn after a confirmation', async () => {
    const { page, complaints, close } = await aPage('light', 1440)
    await page.goto(`${url}/app/trust`)
    await page
      .getByRole('table', { name: 'Agents by score' })
      .getByRole('link', { name: 'Night clerk' })
      .click()
    const { score } = await client.getVouchScore({ subject: 'agent:night-clerk' })
    await page.getByRole('heading', { name: `Why ${score.toFixed(2)}` }).waitFor()
    const dots = page.getByRole('group', { name: 'Vouches' }).getByRole('button')
    await dots.nth(11).waitFor()
    assert.equal(await dots.count(), 12)
    await dots.first().focus()
    await page.keyboard.press('ArrowRight')
    await page.getByRole('link', { name: 'Show its graph' }).waitFor()
    const row = page.getByRole('row').filter({ hasText: 'It has kept my calendar for a year.' })
    await row.getByRole('button', { name: 'Withdraw…' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Withdraw', exact: true }).click()
    await row.waitFor({ state: 'detached' })
    assert.ok((await client.getVouchScore({ subject: 'agent:night-clerk' })).score < score)
    assert.deepEqual(complaints, [])
    await close()
  })
})

function screens({ provenance_ref, root_jti, aar_id, approval_id }: BusyDay, hostile_jti: string): string[] {
  return [
    '/app',
    '/app?table=actions',
    '/app/approvals',
    `/app/approvals/${approval_id}`,
    '/app/live',
    '/app/agents',
    '/app/agents/hotel-buyer',
    '/app/agents/stranger',
    '/app/workflows',
    `/app/workflows/${provenance_ref}?selected=${root_jti}`,
    `/app/workflows/${provenance_ref}?tab=graph&selected=${aar_id}`,
    `/app/workflows/${provenance_ref}?tab=timeline&table=timeline`,
    `/app/workflows/${provenance_ref}?tab=timeline`,
    '/app/tokens',
    '/app/tokens?status=tight',
    '/app/tokens?status=soon',
    `/app/tokens/${hostile_jti}`,
    `/app/actions/${aar_id}`,
    '/app/denials',
    '/app/log',
    '/app/audit?by=workflows',
    '/app/nowhere',
  ]
}

function trustScreens({ agent_id, anchor }: WebOfTrust): string[] {
  const subject = `/app/trust/${encodeURIComponent(agent_id)}`
  return [
    '/app/trust',
    `${subject}?selected=${encodeURIComponent(anchor)}`,
    `${subject}?table=vouches`,
    `/app/trust/${encodeURIComponent(anchor)}`,
  ]
}

/** Creates an agent whose purchases need approval. Returns a function that requests one. */
async function aBuyer(client: Deputy, agent_id: string, max_spend_usd: number, asking = {}) {
  const { jti: vat_jti } = await client.issueL1({
    developer_email: 'dev@example.com',
    agent_id,
    resources: ['shop:orders'],
    actions: ['buy'],
    constraints: { max_spend_usd, require_approval: { actions: ['buy'], ...asking } },
  })
  return async (spend_usd: number): Promise<string> => {
    const asked = await client.authorize({ vat_jti, action: 'buy', resource: 'shop:orders', spend_usd })
    assert.ok(asked.approval_id !== undefined)
    return asked.approval_id
  }
}

/** The second keys, after g. Agents are last, because the test continues with their list. */
const SCREEN_KEYS = [
  ['p', '/app/approvals', 'Approvals'],
  ['l', '/app/live', 'Live'],
  ['w', '/app/workflows', 'Workflows'],
  ['t', '/app/tokens', 'Tokens'],
  ['d', '/app/denials', 'Denials'],
  ['c', '/app/log', 'Log & witnesses'],
  ['v', '/app/trust', 'Trust graph'],
  ['h', '/app/people', 'People'],
  ['y', '/app/access', 'Keys & policies'],
  ['s', '/app/health', 'Health'],
  ['o', '/app', 'Overview'],
  ['a', '/app/agents', 'Agents'],
] as const

/** Tries until it works: the second key counts only for a moment, which a busy machine may miss. */
async function goWithKeys(page: Page, letter: string, path: string): Promise<void> {
  await eventually(`g ${letter} opens ${path}`, async () => {
    await page.keyboard.press('g')
    await page.keyboard.press(letter)
    return new URL(page.url()).pathname === path
  })
}

/** Runs in the page: presses Ctrl K, and types before the next frame is drawn. */
const TYPE_AT_ONCE = async (text: string): Promise<void> => {
  // biome-ignore lint/suspicious/noExplicitAny: the globals of a page
  const { document, KeyboardEvent } = globalThis as any
  document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'k', ctrlKey: true, bubbles: true }))
  await Promise.resolve()
  await Promise.resolve()
  document.execCommand('insertText', false, text)
}

/** Runs in the page: decodes a picture, and returns its width and height. */
const DRAWN_SIZE = async ({ base64, type }: { base64: string; type: string }): Promise<number[]> => {
  // biome-ignore lint/suspicious/noExplicitAny: the globals of a page
  const { Image, URL: urls } = globalThis as any
  const image = new Image()
  image.src = urls.createObjectURL(
    new Blob([Uint8Array.from(atob(base64), (one) => one.charCodeAt(0))], { type }),
  )
  await image.decode()
  return [image.naturalWidth, image.naturalHeight]
}

async function downloaded(page: Page, link: Locator): Promise<Buffer> {
  const [download] = await Promise.all([page.waitForEvent('download'), link.click()])
  return readFileSync(await download.path())
}

async function noViolations(page: Page, look: string): Promise<void> {
  assert.deepEqual(await violationsOn(page, look), [])
}
