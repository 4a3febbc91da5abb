import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { PASSKEY_REASONS } from '@deputize/protocol'
import { openBrowser } from '@deputize/testing/browser.ts'
import { eventually } from '@deputize/testing/eventually.ts'
import type { Page } from 'playwright-core'
import { buildPeopleScript, PEOPLE_SCRIPT_FILE } from '../../../web/build.ts'
import { checkData } from '../../src/check/check-data.ts'
import { aKeyedApp, anAgent, aSession } from '../http/a-keyed-app.ts'
import { addPasskey, aHouse, aVisitor, type House, openPart, signIn, type Visitor } from './a-house.ts'
import { assertAccessible } from './accessible.ts'

const scope = { after }
const SAVED = process.env.SCREENSHOTS

/** Runs in the page: fires the event of a tab that is hidden or shown. */
const SHOW_AS = (visibilityState: string) => {
  // biome-ignore lint/suspicious/noExplicitAny: the globals of a page
  const { document, Event } = globalThis as any
  Object.defineProperty(document, 'visibilityState', { configurable: true, value: visibilityState })
  document.dispatchEvent(new Event('visibilitychange'))
}

test('the script of the pages is built from its sources', async () => {
  assert.equal(readFileSync(PEOPLE_SCRIPT_FILE, 'utf8'), await buildPeopleScript(), 'run: node web/build.ts')
})

describe('the pages for people, in a real browser with a virtual authenticator', async () => {
  const browser = await openBrowser(scope)

  async function shoot(page: Page, name: string): Promise<void> {
    if (SAVED === undefined) return
    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height: 900 })
      await page.screenshot({ path: `${SAVED}/${name}-${width}.png`, fullPage: true })
    }
  }

  test('show the agents that act for a person, and register a passkey that signs the person in', async () => {
    const house = await aHouse(scope)
    const visitor = await aVisitor(browser, house)
    const { page, troubles } = visitor
    const text = await page.locator('main').innerText()
    for (const words of [
      '1 approval request for you',
      'calendar-bot asks',
      'Write calendar:events?',
      '$5.00',
      'Budget: $0.00 used, this would take $5.00. $15.00 would be left of $20.00.',
      'You are asked because this agent needs approval to write.',
      'Can read, write, delegate on calendar:events, email:read',
      '$20.00 of $20.00 left',
      'in force',
      'Keeps the calendar tidy',
      'calendar-bot: read calendar:events',
    ])
      assert.ok(text.includes(words), `${words} is not in ${text}`)
    assert.doesNotMatch(text, /sha256:|vat_|apr_|agent:|\{"|UTC/, 'no hashes, no ids, no raw data')
    assert.doesNotMatch(text, /question/i, 'what a person approves is an approval request')
    assert.match(await page.title(), /^\(1\) Your agents/)
    await assertAccessible(page)
    await addPasskey(visitor, 'Laptop')
    await assertAccessible(page)
    await shoot(page, 'me')
    await page.emulateMedia({ colorScheme: 'dark' })
    await shoot(page, 'me-dark')
    await page.emulateMedia({ colorScheme: 'light' })

    await openPart(page, 'sessions')
    await page.getByRole('button', { name: 'Sign out', exact: true }).click()
    await page.waitForURL(/\/sign-in/)
    await assertAccessible(page)
    await shoot(page, 'sign-in')
    assert.equal((await visitor.api('GET', '/v1/vat/auth/me')).status, 401)
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await page.waitForURL(`${house.url}/me`)
    const me = await visitor.api('GET', '/v1/vat/auth/me')
    assert.deepEqual(
      [me.body.human_ref, me.body.assurance_level, me.body.amr, me.body.passkeys],
      [house.agent.human_ref, 'L2', ['hwk', 'user', 'mfa'], 1],
    )
    const cookie = (await visitor.context.cookies()).find(({ name }) => name === 'deputy_session')
    assert.deepEqual([cookie?.httpOnly, cookie?.sameSite], [true, 'Strict'])
    assert.deepEqual(troubles, [])
    await visitor.context.close()
  })

  test('stop one agent, then all agents, with only the keyboard', async () => {
    const house = await aHouse(scope)
    const { page, troubles, context } = await aVisitor(browser, house)
    const dialog = page.getByRole('dialog', { name: 'Stop calendar-bot?' })
    await tabTo(page, 'Stop… calendar-bot')
    await page.keyboard.press('Enter')
    await dialog.getByText("This stops 1 agent. It takes effect immediately and can't be undone.").waitFor()
    await assertAccessible(page)
    await page.keyboard.press('Enter')
    assert.equal(await dialog.isVisible(), false)
    assert.equal(await isStopped(house), false, 'Enter alone stops nothing')
    await tabTo(page, 'Stop… calendar-bot')
    await page.keyboard.press('Enter')
    await dialog.getByRole('button', { name: 'Stop 1 agent' }).press('Enter')
    await page.getByRole('status').filter({ hasText: 'Stopped calendar-bot' }).waitFor()
    assert.equal(await isStopped(house), true)
    await page.getByText('No agent acts for you.').waitFor()
    await page.getByText('Stopped agents (1)').click()
    await page.getByText('calendar-bot: stopped').waitFor()

    const other = await aHouse(scope)
    const second = await aVisitor(browser, other)
    const all = second.page.getByRole('dialog', { name: 'Stop every agent that acts for you?' })
    await tabTo(second.page, 'Stop all agents…')
    await second.page.keyboard.press('Space')
    await all.waitFor()
    await second.page.keyboard.press('Escape')
    assert.equal(await isStopped(other), false)
    await tabTo(second.page, 'Stop all agents…')
    await second.page.keyboard.press('Space')
    await all.getByRole('button', { name: 'Stop 1 agent' }).press('Enter')
    await second.page.getByText('All agents stopped.').waitFor()
    await second.page.getByText('No agent acts for you.').waitFor()
    assert.deepEqual([...troubles, ...second.troubles], [])
    await context.close()
    await second.context.close()
  })

  test('let a person who was signed out sign in again and finish an action with one tap', async () => {
    const house = await aHouse(scope)
    const visitor = await aVisitor(browser, house)
    const { page, troubles } = visitor
    await addPasskey(visitor, 'Laptop')
    await house.test.accessControl.sessions.endOthers(house.agent.human_ref)
    await page.getByRole('button', { name: 'Stop… calendar-bot' }).click()
    const signedOut = page.getByRole('dialog', { name: "You've been signed out." })
    await signedOut.getByText('Sign in to stop calendar-bot.').waitFor()
    assert.deepEqual(await signedOut.getByRole('button').allTextContents(), ['Sign in'])
    await assertAccessible(page)
    await shoot(page, 'signed-out')
    await signedOut.getByRole('button', { name: 'Sign in' }).click()
    await page.waitForURL(/\/sign-in/)
    assert.equal(await isStopped(house), false)
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    const dialog = page.getByRole('dialog', { name: 'Stop calendar-bot?' })
    await dialog.getByText("This stops 1 agent. It takes effect immediately and can't be undone.").waitFor()
    await assertAccessible(page)
    assert.equal(await isStopped(house), false, 'nothing happens before the tap')
    await dialog.getByRole('button', { name: 'Stop 1 agent' }).click()
    await page.getByRole('status').filter({ hasText: 'Stopped calendar-bot' }).waitFor()
    assert.equal(await isStopped(house), true)
    await page.reload()
    assert.equal(await dialog.isVisible(), false, 'it is asked once')
    assert.deepEqual(troubles, [])
    await visitor.context.close()
  })

  test('finish an approval after the sign-in without a further confirmation, and never as another person', async () => {
    const house = await aHouse(scope)
    const visitor = await aVisitor(browser, house)
    const { page, troubles } = visitor
    const stateOf = async () => (await house.test.reader.approval(house.approval_id))?.state
    const signedOut = page.getByRole('dialog', { name: "You've been signed out." })
    await addPasskey(visitor, 'Phone')
    const leave = async () => {
      await house.test.accessControl.sessions.endOthers(house.agent.human_ref)
      await page.getByRole('button', { name: 'Approve $5.00' }).click()
      await signedOut.getByText('Sign in to approve this for $5.00.').waitFor()
      await signedOut.getByRole('button', { name: 'Sign in' }).click()
      await page.waitForURL(/\/sign-in/)
    }
    await leave()
    await signInAs(visitor, house, `sha256:${'1'.repeat(64)}`)
    await page.getByText('No approval requests').waitFor()
    await signInAs(visitor, house, house.agent.human_ref)
    await page.getByRole('button', { name: 'Approve $5.00' }).waitFor()
    assert.equal(await stateOf(), 'pending', 'what was begun is forgotten when another person signs in')
    await leave()
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await page.getByRole('status').filter({ hasText: 'Approved.' }).waitFor()
    assert.equal(await stateOf(), 'approved')
    assert.deepEqual(troubles, [])
    await visitor.context.close()
  })

  test('send a rating after five seconds unless it is undone, and at once when the page is left', async () => {
    const house = await aHouse(scope)
    const visitor = await aVisitor(browser, house)
    const { page, troubles } = visitor
    const sent: string[] = []
    page.on('request', (request) => {
      if (request.url().endsWith('/feedback')) sent.push(request.postData() ?? '')
    })
    const ratingOf = async (aar_id = house.aar_id) => (await house.test.reader.record(aar_id))?.rating?.rating
    const done = page.locator('section', { has: page.locator('#records') })
    await page.clock.install()
    await page.reload()
    await page.clock.pauseAt(Date.now() + 3_600_000)
    await done.getByRole('button', { name: /^Bad/ }).click()
    await done.getByText('You rated this: bad.').waitFor()
    await page.clock.runFor(4_900)
    await done.getByRole('button', { name: 'Undo' }).click()
    await page.clock.runFor(60_000)
    assert.deepEqual(sent, [])
    await done.getByText('done', { exact: true }).first().waitFor()
    await done.getByRole('button', { name: /^Good/ }).click()
    await page.clock.runFor(4_900)
    assert.deepEqual(sent, [])
    await page.clock.runFor(200)
    await page.getByRole('status').filter({ hasText: 'You rated this: good.' }).waitFor()
    assert.deepEqual([sent.length, await ratingOf()], [1, 'approved'])

    const { aar_id } = await house.act('/v1/vat/record/action', { action: 'read', result: 'error' })
    await page.reload()
    const buttons = done.locator('.card', { hasText: 'failed' }).getByRole('button')
    assert.deepEqual(
      await buttons.evaluateAll((all) => all.map((one) => Reflect.get(one, 'className'))),
      ['plain', 'plain', 'plain'],
      'no rating is the default',
    )
    const bad = await house.act('/v1/vat/record/action', { action: 'read', result: 'partial' })
    await page.reload()
    await done.locator('.card', { hasText: 'partly done' }).getByRole('button', { name: /^Bad/ }).click()
    await done.getByRole('button', { name: 'Undo' }).waitFor()
    await page.evaluate(SHOW_AS, 'hidden')
    await eventually('the rating', async () => (await ratingOf(bad.aar_id)) === 'rejected')
    assert.equal(await done.getByRole('button', { name: 'Undo' }).count(), 0, 'what is sent has no undo')
    await page.evaluate(SHOW_AS, 'visible')
    await done.locator('.card', { hasText: 'partly done' }).locator('.rate').waitFor({ state: 'detached' })
    await page.clock.runFor(600) // buttons that moved ignore taps for a moment
    await done.getByRole('button', { name: /^Problem/ }).click()
    await done.getByText('You rated this: problem.').waitFor()
    await page.goto(`${house.url}/sign-in`)
    await eventually('the rating', async () => (await ratingOf(aar_id)) === 'flagged')
    assert.deepEqual(troubles, [])
    await visitor.context.close()
  })

  test('say that a rating was not sent if the session had ended when the page was left', async () => {
    const house = await aHouse(scope)
    const visitor = await aVisitor(browser, house)
    const { page } = visitor
    const done = page.locator('section', { has: page.locator('#records') })
    await done.getByRole('button', { name: /^Bad/ }).click()
    await done.getByRole('button', { name: 'Undo' }).waitFor()
    await house.test.accessControl.sessions.endOthers(house.agent.human_ref)
    const refused = page.waitForResponse((response) => response.url().endsWith('/feedback'))
    await page.evaluate(SHOW_AS, 'hidden')
    assert.equal((await refused).status(), 401)
    await page.evaluate(SHOW_AS, 'visible')
    await page.getByRole('status').filter({ hasText: 'That could not be sent.' }).waitFor()
    await done.getByRole('button', { name: /^Bad/ }).waitFor()
    assert.equal((await house.test.reader.record(house.aar_id))?.rating, undefined)
    await visitor.context.close()
  })

  test('lead people of another tenant to its own sign-in when they sign out or their session ends', async () => {
    const app = await aKeyedApp(scope)
    await app.operator.post('/v1/vat/tenants', { tenant_id: 'acme', name: 'Acme' })
    const url = await app.test.listen()
    const context = await browser.newContext({ locale: 'en-US' })
    const page = await context.newPage()
    const enter = async () => {
      const { secret } = await aSession(app.test, 'acme', `sha256:${'a'.repeat(64)}`)
      await context.addCookies([
        { name: 'deputy_session', value: secret, url, httpOnly: true, sameSite: 'Strict' },
      ])
      await page.goto(`${url}/me`)
      await page.waitForURL(`${url}/me?tenant=acme`)
    }
    await enter()
    await openPart(page, 'sessions')
    await page.getByRole('button', { name: 'Sign out', exact: true }).click()
    await page.waitForURL(`${url}/sign-in?return_to=/me&tenant=acme`)
    await page.getByRole('status').filter({ hasText: 'Signed out.' }).waitFor()
    await enter()
    await app.test.accessControl.sessions.endOthers(`sha256:${'a'.repeat(64)}`)
    await page.reload()
    await page.waitForURL(`${url}/sign-in?return_to=/me&tenant=acme`)
    await context.close()
  })

  test('show a new question without a reload, also in the title, with or without a stream', async () => {
    const house = await aHouse(scope)
    const visitor = await aVisitor(browser, house)
    const { page, troubles, context } = visitor
    const ask = (spend_usd: number) => house.act('/v1/vat/authorize', { action: 'write', spend_usd })
    await page.evaluate('window.isSame = true')
    await openPart(page, 'passkeys')
    await page.getByLabel('Name of the new passkey').fill('half typed')
    const second = await ask(7)
    await page.getByRole('heading', { name: '2 approval requests for you' }).waitFor()
    await page.getByRole('status').filter({ hasText: '2 approval requests are waiting for you.' }).waitFor()
    assert.match(await page.title(), /^\(2\) /)
    await page.getByText('calendar-bot: write calendar:events, $7.00').click()
    await page.getByRole('button', { name: 'Approve $7.00' }).waitFor()
    await house.act('/v1/vat/record/action', { action: 'read', result: 'success' })
    await page.locator('#part-records .card').nth(1).waitFor()
    assert.equal(await page.getByRole('button', { name: 'Approve $7.00' }).isVisible(), true, 'stays open')
    assert.equal(await page.getByLabel('Name of the new passkey').inputValue(), 'half typed')
    const phone = await aVisitor(browser, house)
    await phone.api('POST', `/v1/vat/approvals/${second.approval_id}/deny`, {})
    await page.getByRole('heading', { name: '1 approval request for you' }).waitFor()
    assert.match(await page.title(), /^\(1\) /)
    assert.equal(await page.evaluate('window.isSame'), true, 'the page was not loaded again')

    await phone.page.route('**/v1/vat/events*', (route) => route.fulfill({ status: 503, body: '' }))
    await phone.page.clock.install()
    await phone.page.reload()
    await ask(9)
    await phone.page.clock.runFor(16_000)
    await phone.page.getByRole('heading', { name: '2 approval requests for you' }).waitFor()
    assert.deepEqual(troubles, [])
    await context.close()
    await phone.context.close()
  })

  test('fit on a phone: question and answers are on the first screen, and nothing is too small to tap', async () => {
    const house = await aHouse(scope)
    const { page, context } = await aVisitor(browser, house)
    await page.setViewportSize({ width: 390, height: 844 })
    await page.reload()
    for (const name of ['Approve $5.00', 'Deny…', 'Stop this agent…']) {
      const box = await page.getByRole('button', { name }).boundingBox()
      assert.ok(box !== null && box.y + box.height <= 844, `${name} is below the first screen`)
    }
    for (const id of ['notifications', 'passkeys', 'biometrics', 'sessions', 'account'])
      await openPart(page, id)
    await assertAccessible(page)
    const isWithin = 'document.documentElement.scrollWidth <= document.documentElement.clientWidth'
    assert.equal(await page.evaluate(isWithin), true, 'nothing is wider than the screen')
    for (const button of await page.locator('main button:visible, main summary:visible').all()) {
      const box = await button.boundingBox()
      assert.ok(box !== null && box.height >= 44, `${await button.textContent()} is ${box?.height} px high`)
    }
    await context.close()
  })

  test('can be read without scripts, in words instead of codes', async () => {
    const house = await aHouse(scope)
    await house.act('/v1/vat/record/action', { action: 'read', result: 'failure' })
    await house.act('/v1/vat/record/action', { action: 'read', result: 'out_of_stock' })
    await house.act('/v1/vat/authorize', { action: 'read' })
    const context = await browser.newContext({ javaScriptEnabled: false })
    await signIn(context, house, house.agent.human_ref)
    const page = await context.newPage()
    await page.goto(`${house.url}/me`)
    await page.getByRole('heading', { name: 'Write calendar:events?' }).waitFor()
    await openPart(page, 'account')
    await page.getByText(house.agent.human_ref).waitFor()
    const record = (words: string) => page.locator('#records ~ .cards > .card', { hasText: words })
    await record('out of stock').waitFor()
    await record('failed').locator('.result-no').waitFor()
    // An unfinished action can't be rated.
    assert.equal(await record('failed').getByRole('button').count(), 3)
    assert.equal(await record('in progress').getByRole('button').count(), 0)
    await context.close()
  })

  test('are linked from the dashboard, where a person can also decide requests', async () => {
    const house = await aHouse(scope)
    const { page, troubles, context } = await aVisitor(browser, house)
    await page.goto(house.url)
    await page.waitForURL(`${house.url}/app/approvals`)
    await page.getByRole('button', { name: 'Approve $5.00' }).waitFor()
    assert.equal(await page.getByRole('alert').count(), 0)
    await page.locator('summary', { hasText: 'You' }).click()
    await page.getByRole('link', { name: 'Your agents' }).click()
    await page.waitForURL(`${house.url}/me`)
    assert.deepEqual(troubles, [])
    await context.close()
  })

  test('ask for a new sign-in before a passkey is added in an old session', async () => {
    const house = await aHouse(scope)
    const { page, context } = await aVisitor(browser, house)
    await openPart(page, 'passkeys')
    house.test.clock.advance(6 * 60_000)
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    await page.waitForURL(/\/sign-in\?fresh=1&return_to=\/me$/)
    await page.getByText('Sign in again to continue.').waitFor()
    await context.close()
  })

  test('confirm an approval and a rating with a passkey if the tenant requires it', async () => {
    const house = await aHouse(scope, ['approve', 'rate'])
    const visitor = await aVisitor(browser, house)
    const { page, troubles } = visitor
    const waiting = page.locator('section', { has: page.locator('#approvals') })
    await waiting.getByRole('button', { name: 'Approve $5.00' }).click()
    await page
      .getByRole('dialog', { name: 'You need a passkey' })
      .getByRole('button', { name: 'Add a passkey' })
      .click()
    await page.getByLabel('Name of the new passkey').waitFor()
    assert.equal((await house.test.reader.approval(house.approval_id))?.state, 'pending')

    await addPasskey(visitor, 'Phone')
    await waiting.getByRole('button', { name: 'Approve $5.00' }).click()
    const dialog = page.getByRole('dialog', { name: 'Confirm', exact: true })
    await dialog.getByText('Approve: “calendar-bot” may write calendar:events for $5.00.').waitFor()
    await assertAccessible(page)
    await shoot(page, 'confirm')
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    assert.equal((await house.test.reader.approval(house.approval_id))?.state, 'pending')
    await waiting.getByRole('button', { name: 'Approve $5.00' }).click()
    await dialog.getByRole('button', { name: 'Confirm with your passkey' }).click()
    await page.getByRole('status').filter({ hasText: 'Approved.' }).waitFor()
    await page.getByRole('heading', { name: 'No approval requests' }).waitFor()
    const approval = await house.test.reader.approval(house.approval_id)
    assert.deepEqual([approval?.state, approval?.decided_by], ['approved', house.agent.human_ref])

    const done = page.locator('section', { has: page.locator('#records') })
    await done.getByRole('button', { name: /^Problem/ }).click()
    await dialog.getByText(/^Rate as flagged: “calendar-bot” read calendar:events at/).waitFor()
    await dialog.getByRole('button', { name: 'Confirm with your passkey' }).click()
    await done.getByText('You rated this: problem.').waitFor()
    const record = await house.test.reader.record(house.aar_id)
    assert.deepEqual([record?.rating?.rating, record?.rating?.rater_assurance], ['flagged', 'L2+passkey'])
    assert.deepEqual(troubles, [])

    // The log contains all of this.
    assert.equal((await visitor.api('GET', '/checkpoint')).status, 200)
    await house.test.close()
    const data_dir = house.test.directory
    const { faults } = await checkData({ data_dir, checkpoint_file: join(data_dir, 'checkpoint') })
    assert.deepEqual(faults, [])
    await visitor.context.close()
  })

  test('stay short for a person with many agents, and explain what will appear for a person without', async () => {
    const app = await aKeyedApp(scope)
    const developer = app.withKey(await app.key('default', 'developer'))
    const first = await anAgent(app, developer, { agent_id: 'bot-0' })
    for (let number = 1; number < 12; number += 1)
      await anAgent(app, developer, { agent_id: `bot-${number}` })
    await developer.post('/v1/vat/agents', { agent_id: 'bot-11', display_name: 'bot-11 of the night\u202e' })
    const house = { test: app.test, url: await app.test.listen() }
    const context = await browser.newContext({ locale: 'en-US', viewport: { width: 390, height: 844 } })
    const page = await context.newPage()
    await signIn(context, house, first.human_ref)
    await page.goto(`${house.url}/me`)
    await page.getByRole('heading', { name: 'bot-11' }).waitFor()
    assert.equal(await page.getByRole('button', { name: /^Stop… bot-/ }).count(), 10)
    await page.getByText('2 more agents').click()
    assert.equal(await page.getByRole('button', { name: /^Stop… bot-/ }).count(), 12)
    await assertAccessible(page)
    await page.getByRole('button', { name: 'Stop all agents…' }).click()
    const all = page.getByRole('dialog', { name: 'Stop every agent that acts for you?' })
    await all.getByText(/^Agents: .*bot-11 of the night⟨U\+202E⟩, .* and 7 more\.$/).waitFor()
    await page.keyboard.press('Escape')
    // The list stays open when it changes.
    await page.getByRole('button', { name: 'Stop… bot-0,' }).click()
    await page.getByRole('button', { name: 'Stop 1 agent' }).click()
    await page.getByText('1 more agent').waitFor()
    assert.ok(await page.getByRole('heading', { name: 'bot-1', exact: true }).isVisible())

    await signIn(context, house, `sha256:${'0'.repeat(64)}`)
    await page.goto(`${house.url}/me`)
    await page.getByText('When you let one act in your name, it appears here').waitFor()
    await page.getByText('When an agent needs your approval, it asks here.').waitFor()
    await context.close()
  })

  test('remove a passkey and end all other sessions of its person', async () => {
    const house = await aHouse(scope, ['passkeys'])
    const visitor = await aVisitor(browser, house)
    const elsewhere = await aVisitor(browser, house)
    const { page } = visitor
    await addPasskey(visitor, 'Old phone')
    await page.getByRole('button', { name: 'Remove the passkey Old phone' }).click()
    const question = page.getByRole('dialog', { name: 'Remove the passkey Old phone?' })
    await question.getByText('This also signs you out on your other devices.').waitFor()
    await question.getByRole('button', { name: 'Remove the passkey' }).click()
    const dialog = page.getByRole('dialog', { name: 'Confirm', exact: true })
    await dialog.getByText('Remove the passkey "Old phone" and end your other sessions.').waitFor()
    await dialog.getByRole('button', { name: 'Confirm with your passkey' }).click()
    await page.getByText('You have no passkeys yet.').waitFor()
    assert.equal((await visitor.api('GET', '/v1/vat/auth/me')).status, 200)
    assert.equal((await elsewhere.api('GET', '/v1/vat/auth/me')).body.reason, 'session_ended')
    await openPart(page, 'sessions')
    await page.getByRole('button', { name: 'Sign out', exact: true }).click()
    await page.waitForURL(/\/sign-in/)
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await page.getByText(PASSKEY_REASONS.credential).waitFor()
    await visitor.context.close()
    await elsewhere.context.close()
  })
})

async function isStopped({ test, agent }: House): Promise<boolean> {
  return (await test.reader.chain(agent.jti))?.[0].state.revoked_at_ms !== undefined
}

async function signInAs({ context, page }: Visitor, house: House, human_ref: string): Promise<void> {
  await signIn(context, house, human_ref)
  await page.goto(`${house.url}/me`)
}

/** Presses Tab until the button with this name has the focus. */
async function tabTo(page: Page, name: string): Promise<void> {
  for (let presses = 0; presses < 60; presses += 1) {
    await page.keyboard.press('Tab')
    const focused = await page.locator(':focus').allTextContents()
    if (focused[0]?.startsWith(name)) return
  }
  assert.fail(`${name} cannot be reached with the keyboard`)
}
